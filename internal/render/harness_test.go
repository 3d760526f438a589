package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// nobody is the user that scripts run as when the tests are root.
const nobody = 65534

// canary is the file that every payload of these tests would make.
const canary = "PWNED"

// outcome is what became of a script.
type outcome struct {
	stdout, stderr string
	err            error
	pwned          bool // a payload ran
}

// run returns a script to real bash as the product does: the values on descriptor 3, the script on
// descriptor 4.
func run(t testing.TB, dir string, r Rendered, environment ...string) outcome {
	t.Helper()
	var values strings.Builder
	for _, value := range r.Values {
		values.WriteString(value)
		values.WriteByte(0)
	}
	files := []*os.File{unlinked(t, values.String()), unlinked(t, r.Script)}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if !utf8.ValidString(values.String()) {
		// bash 5.2 prints memory that it has freed for ${a#"$b"} of a text that is no UTF-8. No such value
		// comes this far in the product: tool.CheckArguments refuses it.
		environment = append(environment, "LC_ALL=C")
	}
	bashRuns.Add(1)
	return start(dir, files, environment, "bash", "--noprofile", "--norc", "/dev/fd/4")
}

func start(dir string, files []*os.File, environment []string, argv ...string) outcome {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"}, environment...)
	cmd.ExtraFiles = files
	if os.Getuid() == 0 { // some of these scripts are broken on purpose: what they do must not be done by root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		_ = os.Chmod(dir, 0o777) // a script that cannot write there does not make the canary; TestBrokenEscapersAreFound tells
		_ = os.Chmod(filepath.Dir(dir), 0o711)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), err: err}
	if _, err := os.Lstat(filepath.Join(dir, canary)); err == nil {
		o.pwned = true
		os.RemoveAll(filepath.Join(dir, canary))
	}
	return o
}

// unlinked is a file without a name.
func unlinked(t testing.TB, content string) *os.File {
	t.Helper()
	f, err := os.CreateTemp("", "render")
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(f.Name())
	if err := f.Chmod(0o644); err != nil { // bash opens it by its name in /dev/fd, as nobody where the tests are root
		t.Fatal(err)
	}
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	return f
}

// compile compiles a script that must be accepted.
func compile(t testing.TB, script string, parameters []tool.Parameter, options Options) *Template {
	t.Helper()
	template, findings := Compile(script, parameters, options)
	if template == nil {
		t.Fatalf("refused:\n%s\n%s", script, report(findings))
	}
	return template
}

func report(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	return b.String()
}

func errorsOf(findings []Finding) (errors []Finding) {
	for _, f := range findings {
		if f.Severity == Error {
			errors = append(errors, f)
		}
	}
	return errors
}

// stringsNamed declares string parameters.
func stringsNamed(names ...string) []tool.Parameter {
	var all []tool.Parameter
	for _, name := range names {
		all = append(all, tool.Parameter{Name: name, Type: tool.TypeString})
	}
	return all
}

// standard are the parameters that most tests use: x and y are free texts, n is an integer, e an enum, b a
// boolean.
func standard() []tool.Parameter {
	return append(stringsNamed("x", "y"),
		tool.Parameter{Name: "n", Type: tool.TypeInteger},
		tool.Parameter{Name: "e", Type: tool.TypeString, Enum: []any{"fast", "slow"}},
		tool.Parameter{Name: "b", Type: tool.TypeBoolean},
		tool.Parameter{Name: "q", Type: tool.TypeString, Code: tool.CodeSQL},
		tool.Parameter{Name: "d", Type: tool.TypeString, AllowLeadingDash: true},
		tool.Parameter{Name: "list", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}},
		tool.Parameter{Name: "map", Type: tool.TypeObject},
	)
}

func number(s string) json.Number { return json.Number(s) }

// fuzzSeed begins the random numbers: A2A_FUZZ_SEED when it is set, so that a second long run tries
// something else.
func fuzzSeed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("A2A_FUZZ_SEED"), 10, 64); err == nil {
		return n
	}
	return 42
}

// bashRuns counts the shells that the tests of this package have started.
var bashRuns atomic.Int64

// TestMain says how many, for a long run.
func TestMain(m *testing.M) {
	code := m.Run()
	if fuzzRuns(0) > 0 {
		fmt.Printf("%d runs of bash, seed %d\n", bashRuns.Load(), fuzzSeed())
	}
	os.Exit(code)
}

// fuzzRuns is how often a randomised test runs: A2A_FUZZ_RUNS when it is set, else what the test finds
// right, and a twentieth of it with -short.
func fuzzRuns(standard int) int {
	if n, err := strconv.Atoi(os.Getenv("A2A_FUZZ_RUNS")); err == nil && n > 0 {
		return n
	}
	if testing.Short() {
		return standard / 20
	}
	return standard
}
