package permissions

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// TestReachesNetwork checks which programs rules take for ones that reach another machine.
func TestReachesNetwork(t *testing.T) {
	t.Parallel()
	v := &evaluation{}
	for text, want := range map[string]string{
		"curl x": "curl", "/usr/bin/wget x": "wget", "npm ci": "npm", "npm test": "", "git push": "git", "git log": "", "ls": "",
		"go vet ./...": "", "cargo build": "",
	} {
		if got := v.reachesNetwork(shellscan.Scan(text, nil).Commands[0]); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	for _, name := range strings.Fields("curl wget ftp sftp ssh scp rsync nc ncat netcat socat telnet dig host nslookup ping ping6 traceroute " +
		"whois mosh psql pg_dump mysql mariadb mongosh redis-cli sqlcmd cqlsh influx aria2c lynx w3m links http " +
		"https xh gh glab aws gcloud gsutil az kubectl helm doctl terraform ansible rclone s3cmd nmap openssl " +
		"grpcurl websocat mail sendmail git-remote-http git-remote-https apt apt-get dnf yum apk pacman brew snap " +
		"flatpak pip pip3 pipx npx bunx uvx bundle composer docker podman") {
		if got := v.reachesNetwork(shellscan.Command{Name: name}); got != name {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
