package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestNetworkOfTheSeeds checks which tools of the seed document have the network, where none of them says so.
func TestNetworkOfTheSeeds(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/seed/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]tool.Network{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tools, _ := ReadTools(File{Name: filepath.Base(path), Data: data}) // two are refused, and are none
		for _, loaded := range tools {
			got[filepath.Base(path)] = loaded.Tool.Sandbox.Network
		}
	}
	want := map[string]tool.Network{
		"01_web_request.yaml": "on", "02_read_text_file.yaml": "off", "03_read_text_file.yaml": "off",
		"04_data_processor.yaml": "off", "05_web_request.yaml": "on", "06_web_request_heavy.yaml": "on",
		"09_dangerous_operation.yaml": "off", "10_unreliable_tool.yaml": "off", "11_flaky_api.yaml": "on",
		"12_cached_api.yaml": "on",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAuthorsCommands checks which commands an author's script calls, whatever its tags look like to a shell.
func TestAuthorsCommands(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"curl --max-time {{timeout|default(30)}} {{url}}":                                                  "curl:1",
		"curl {{url|default('https://example.com/$(id)')}}":                                                "curl:1",
		"curl {{#headers}} -H \"{{key}}: {{value}}\" {{/headers}} {{url}} | jq .":                          "curl:1 jq:1",
		"curl \\\n{{#data}}\n  -d {{data}} \\\n{{/data}}\n  {{url}}\nwget x":                               "curl:1 wget:6",
		"{{#fast}}wget{{/fast}}{{^fast}}curl{{/fast}} {{url}}":                                             "wget:1 curl:1",
		"{{#a}}if true; then{{/a}}{{^a}}if false; then{{/a}} curl x; fi; {{^b}}{{^c}}git pull{{/c}}{{/b}}": "true:1 curl:1 false:1 git:1",
		"{{! curl | wget }}ls\n{{=<% %>=}}\ndocker ps --format '{{.Names}}' <%#x%>y<%/x%>":                 "ls:1 docker:3",
		"{{cmd}} x; ./{{cmd}}; bash -c {{cmd}}; git {{verb}} push":                                         "bash:1 git:1",
		"{{! two\nlines }}head -{{n}}; echo $(( {{n|default(1)}} + 1 ))":                                   "head:2 echo:2",
		"#!/usr/bin/env python3\nprint('{{x}}')":                                                           "",
		"curl {{url":                                                                                       "curl:1",
	} {
		var got []string
		for _, c := range authorsCommands(script, nil) {
			got = append(got, c.Name+":"+strconv.Itoa(c.Line))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", script, diff)
		}
	}
}

// TestAllowedCommandsBehindTags looks at the commands of a script with tags that no shell can read.
func TestAllowedCommandsBehindTags(t *testing.T) {
	t.Parallel()
	entry := "t:\n  script: |\n    head -{{n|default(3)}} a.txt\n    {{#x}}\n    tail a.txt\n    {{/x}}\n" +
		"  parameters: [{name: n, type: integer}, {name: x, type: boolean}]\n  sandbox: {allowed_commands: [head]}\n"
	_, err := ReadTools(File{Name: "t.yaml", Data: []byte(entry)})
	if err == nil || !strings.Contains(err.Error(), `the script calls "tail" (its line 3)`) {
		t.Errorf("got %v", err)
	}
}

// TestCallsNetwork checks which programs have a script given the network.
func TestCallsNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"curl https://example.com": true, "/usr/bin/curl x": true, "npm test": true, "cargo build": true,
		"go vet ./...": true, "git -q push": true, "git status": false,
		"git -C x push": true, "git --git-dir x push": true, "git -c a=b log": false, "git -C push log": false, "ls": false,
		// Rules about commands are wary of these; a script that calls them keeps its network as its entry
		// says.
		"openssl dgst x": false, "npx vite": true, "bunx vite": false, "nmap localhost": false,
		"doctl": false, "ansible --version": false,
	} {
		if got := callsNetwork(shellscan.Scan(text, nil).Commands[0]); got != want {
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
}
