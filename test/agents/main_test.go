//go:build agents

package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/wiretap"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/witness"
)

// TestMain lets the test binary be three programs: the tests, the MCP server that an agent starts, and the
// wiretap that a bridge starts.
func TestMain(m *testing.M) {
	if file := os.Getenv(witness.Environment); file != "" {
		exit(0, witness.Serve(os.Stdin, os.Stdout, file))
	}
	if len(os.Args) > 3 && os.Args[1] == wiretap.Flag {
		exit(wiretap.Run(os.Args[2], os.Args[3:], os.Stdin, os.Stdout))
	}
	if binary := os.Getenv(builtVariable); binary != "" && len(os.Args) > 1 && slices.Contains(ownVerbs, os.Args[1]) {
		exit(1, syscall.Exec(binary, os.Args, os.Environ()))
	}
	code := m.Run()
	for _, dir := range []string{builtIn, codeCacheIn} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// Where the program runs in the process of a test, what it starts of itself is the test binary, which becomes the
// program by this variable.
const builtVariable = "BUILT_A2A_ACP"

// asBridge is held, for reading, by tests in whose process the program runs: when it starts an agent's supervisor, the
// test binary looks like a bridge for a moment, and what it starts like an agent's. It is held for writing while the
// program is started that wants a person above it.
var asBridge sync.RWMutex

// ownVerbs are what the program starts itself with.
var ownVerbs = []string{"supervise-agent", "hook", "mcp", "sandbox"}

func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// builtIn is the directory that built puts the bridge in; "" until then.
var builtIn string

// built builds the bridge from this module, once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bridge")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "a2a-acp")
	command := exec.Command("go", "build", "-o", path, "github.com/a2a-acp/a2a-acp/cmd/a2a-acp")
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the bridge: %w\n%s", err, out)
	}
	return path, nil
})

// codeCacheIn is the directory that codeCache made; "" until then.
var codeCacheIn string

// codeCache makes the directory in which Node.js keeps what it has compiled (NODE_COMPILE_CACHE), once for all tests:
// else all of Gemini's JavaScript is compiled at each of its starts.
var codeCache = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "node")
	codeCacheIn = dir
	return dir, err
})

// bridgeCommand returns the words that start a bridge, up to its flags.
func bridgeCommand(t *testing.T) []string {
	t.Helper()
	if words := strings.Fields(os.Getenv("A2A_BRIDGE")); len(words) > 0 {
		return words
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, "bridge"}
}
