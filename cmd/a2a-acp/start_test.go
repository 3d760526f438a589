package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// smallStart is how many objects a package may make before main begins without a row in dearToStart.
const smallStart = 100

// dearToStart are the packages that make more, with the objects that each may make. Every start pays for all of
// them, whatever it is for: that of a hook, which an agent waits for before each of its acts, that of a bridge
// and its supervisor, that of an agent's MCP server. A new row needs a reason why it cannot wait for its first
// use: sync.OnceValue, or lazyregexp for a regular expression.
var dearToStart = map[string]int{
	// cel-go, and what it is made of. Protocol Buffers register what they know as they are linked.
	"cel.dev/cel-go/cel":                                200,
	"cel.dev/cel-go/common/cost":                        500,
	"cel.dev/cel-go/common/types":                       400,
	"cel.dev/cel-go/common/types/pb":                    500,
	"cel.dev/cel-go/parser":                             150,
	"google.golang.org/protobuf/internal/encoding/json": 150,
	"google.golang.org/protobuf/reflect/protodesc":      1100,
	"google.golang.org/protobuf/types/descriptorpb":     150,
	"encoding/gob":                                      380, // the types of A2A are registered with it
	"github.com/a2aproject/a2a-go/v2/a2a":               120,
	"go.yaml.in/yaml/v3":                                300,
	"gopkg.in/yaml%2ev3":                                300, // what people write
	"mvdan.cc/sh/v3/fileutil":                           120, // of the shell's syntax
	"github.com/dustin/go-humanize":                     130, // of SQLite's C library
	"github.com/google/jsonschema-go/jsonschema":        330, // it looks through its own types
	"golang.org/x/crypto/acme":                          150, // it reads what the program was built from, some 0.02 ms
	"github.com/a2a-acp/a2a-acp/pkg/acp":                150, // which methods are decided, and where
}

// What all packages together may make before main begins. Bytes are no measure of one package: a table that several
// share, such as that of Protocol Buffers, grows in some of them.
const (
	startObjects = 7000
	startBytes   = 1 << 20
)

// TestStartIsSmall holds what is done before main begins, by the runtime's own account: memory and objects, which
// are the same on every machine, not time.
func TestStartIsSmall(t *testing.T) {
	t.Parallel()
	ours := linked(t)
	// How often a map grows depends on its seed, which is another one at each start: the least of some starts counts.
	const starts = 3
	least, sum, bytes := map[string]int{}, 0, 0
	for n := range starts {
		objects, all := startOf(t, ours)
		total := 0
		for name, made := range objects {
			total += made
			if known, ok := least[name]; !ok || made < known {
				least[name] = made
			}
		}
		if n == 0 || total < sum {
			sum = total
		}
		if n == 0 || all < bytes {
			bytes = all
		}
	}
	for name, objects := range least {
		most, dear := dearToStart[name]
		switch {
		case dear && objects > most:
			t.Errorf("%s makes %d objects before main begins, and may make %d", name, objects, most)
		case dear && objects <= smallStart/2:
			t.Errorf("%s makes %d objects before main begins, which is little: take its row out", name, objects)
		case !dear && objects > smallStart:
			t.Errorf("%s makes %d objects before main begins; let it wait until they are needed", name, objects)
		}
	}
	if sum > startObjects || bytes > startBytes {
		t.Errorf("%d objects (%d bytes) are made before main begins, want at most %d (%d)", sum, bytes, startObjects, startBytes)
	}
	for name := range dearToStart {
		if _, seen := least[name]; !seen {
			t.Errorf("the table names %s, which does nothing before main begins: take its row out", name)
		}
	}
	t.Logf("%d packages make %d objects (%d bytes) before main begins", len(least), sum, bytes)
}

// startOf starts the program, and returns the objects that its packages make before main begins, by their names, and the
// bytes of all.
func startOf(t *testing.T, ours map[string]bool) (objects map[string]int, bytes int) {
	t.Helper()
	cmd := exec.Command("a2a-acp", "version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, told.String())
	}
	objects = map[string]int{}
	for line := range strings.Lines(told.String()) {
		found := initTraced.FindStringSubmatch(line)
		if found == nil || !ours[unescaped(found[1])] { // the others are those of this test
			continue
		}
		objects[found[1]] = number(t, found[3])
		bytes += number(t, found[2])
	}
	return objects, bytes
}

// initTraced is a line of GODEBUG=inittrace=1.
var initTraced = regexp.MustCompile(`^init (\S+) @\S+ ms, \S+ ms clock, (\d+) bytes, (\d+) allocs`)

func number(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unescaped returns the path of a package that the linker writes with %2e for the dots of its last element.
func unescaped(path string) string { return strings.ReplaceAll(path, "%2e", ".") }

// linked returns the packages that the program is linked from.
func linked(t *testing.T) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	for _, path := range strings.Fields(string(out)) {
		packages[path] = !strings.HasSuffix(path, "/cmd/a2a-acp") // in which this test is, too
	}
	if len(packages) < 100 || !slices.Contains(strings.Fields(string(out)), "runtime") {
		t.Fatalf("only %d packages", len(packages))
	}
	return packages
}

// TestStartOpensNothing starts what agents start, again and again, and looks what it opens: no configuration, no
// record, no store, nothing in the current directory.
func TestStartOpensNothing(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("found no strace, wanted it to see what is opened")
	}
	program, err := exec.LookPath("a2a-acp")
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string][]string{
		"hook":         {"hook", "claude"},
		"mcp --attach": {"mcp", "--attach"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for _, file := range []string{"tools.yaml", "a2a-acp.yaml", "auto_approval_policies.yaml"} {
				if err := os.WriteFile(filepath.Join(home, file), []byte("version: 2\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			told := filepath.Join(t.TempDir(), "opened")
			cmd := exec.Command("strace", slices.Concat([]string{"-f", "-qq", "-e", "trace=open,openat,openat2", "-o", told, program}, words,
				[]string{filepath.Join(home, "nobody.sock")})...)
			cmd.Dir = home
			cmd.Env = append(cmd.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "A2A_STATE_DIR="+filepath.Join(home, "state"))
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Fatalf("it found somebody at a socket that is not there: %s", out)
			}
			opened, err := os.ReadFile(told)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(opened), "/sys/") { // the runtime looks there
				t.Fatalf("nothing was seen:\n%s", opened)
			}
			for line := range strings.Lines(string(opened)) {
				if strings.Contains(line, home) || strings.Contains(line, "AT_FDCWD, \".") {
					t.Errorf("opened before anything was asked: %s", line)
				}
			}
		})
	}
}
