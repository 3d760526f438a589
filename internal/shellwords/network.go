package shellwords

import (
	"slices"
	"strings"
)

// IsNetworkClient tells whether a program, by its name without a directory, is there to reach another machine, whatever its words
// are. Who decides by it adds programs that only matter to him: rules are wary of whatever could, and a script is given the network
// for what cannot do without.
func IsNetworkClient(name string) bool { return slices.Contains(networkClients, name) }

var networkClients = strings.Fields("curl wget http https xh nc ncat netcat socat telnet ftp sftp ssh scp rsync mosh psql pg_dump mysql " +
	"mariadb mongosh redis-cli sqlcmd cqlsh influx ping dig nslookup host whois traceroute aws gcloud gsutil " +
	"az gh glab kubectl helm docker podman terraform npx pip pip3 pipx bundle composer apt apt-get dnf yum apk " +
	"brew snap flatpak s3cmd rclone mail sendmail grpcurl websocat")
