package config

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// TestCallsNetwork checks which programs have a script given the network, and that no program stands in two tables.
func TestCallsNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"curl https://example.com": true, "/usr/bin/curl x": true, "npm test": true, "cargo build": true, "go vet ./...": true,
		"git -q push": true, "git status": false, "ls": false,
		// Rules about commands are wary of these; a script that calls them keeps its network as its entry says.
		"openssl dgst x": false, "npx vite": true, "bunx vite": false, "nmap localhost": false, "doctl": false, "ansible --version": false,
	} {
		if got := callsNetwork(shellscan.Scan(text).Commands[0]); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
	for _, name := range strings.Fields("curl wget http https xh nc ncat netcat socat telnet ftp sftp ssh scp rsync mosh psql pg_dump mysql " +
		"mariadb mongosh redis-cli sqlcmd cqlsh influx ping dig nslookup host whois traceroute aws gcloud gsutil " +
		"az gh glab kubectl helm docker podman terraform npm npx pnpm yarn pip pip3 pipx uv cargo gem bundle " +
		"composer go apt apt-get dnf yum apk brew snap flatpak s3cmd rclone mail sendmail grpcurl websocat") {
		if !callsNetwork(shellscan.Command{Name: name}) {
			t.Errorf("a script that calls %s has no network any more", name)
		}
	}
	for _, name := range networkClients {
		if shellwords.IsNetworkClient(name) {
			t.Errorf("%s stands in both tables", name)
		}
	}
}
