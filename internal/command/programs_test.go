package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every row is held against the programs that it names, as far as they are installed: each of its options,
// alone, glued to a value, in a row with other letters. What the row says only reads is run below strace.
// It may open no file but those that the reading names, write none and start no other program. (The other
// way round nothing is claimed: a program may refuse its words.)
func TestPrograms(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for _, row := range Rows() {
		if row.Verified == "" || row.Parser == Git || strings.Contains(row.Names[0], " ") { // git's: TestGitsUsage, TestApprovedGitRunsNothing
			continue
		}
		for i, name := range row.Names {
			path, err := exec.LookPath(name)
			if err != nil {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newProbe(t, path)
				random := rand.New(rand.NewPCG(7, uint64(len(name))))
				ran, some := 0, 1 // of how many one is run
				switch {
				case os.Getenv("A2A_FUZZ_RUNS") != "":
				case testing.Short():
					some = 60
				case i > 0:
					some = 20
				default:
					some = 8
				}
				for _, words := range invocations(row, random) {
					if random.IntN(some) > 0 {
						continue
					}
					if files, ok := reads(row, words); ok {
						ran++
						if found := p.run(words, files); found != "" {
							t.Errorf("%s %q: %s; the row has it read %q", name, words, found, files)
						}
					}
				}
				t.Logf("%d invocations", ran)
			})
		}
	}
}

// A row with another parser than its program's is found out.
func TestWrongParsersAreSeen(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for _, c := range []struct {
		name   string
		parser Parser
		words  []string
	}{
		{"tar", GetoptLong, []string{"fc", "in1", "in2"}},
		{"xxd", GetoptLong, []string{"-ac", "in1", "in2"}},
		{"tree", GetoptLong, []string{"-Lo", "1", "in2"}},
		{"mawk", GetoptLong, []string{"1", "in1", "-v", "in2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(c.name)
			if err != nil {
				t.Skipf("found no %s, wanted one to run", c.name)
			}
			right, _ := Lookup(c.name, nil)
			if files, ok := reads(right, c.words); ok && c.name != "mawk" {
				t.Errorf("%q only reads %q", c.words, files)
			}
			wrong := *right
			wrong.Parser = c.parser
			wrong.options = maps.Clone(right.options)
			for name, kind := range wrong.options {
				if kind == Number {
					wrong.options[name] = Plain
				}
			}
			files, ok := reads(&wrong, c.words)
			if !ok {
				t.Fatalf("%q is refused, and should be misread", c.words)
			}
			if found := newProbe(t, path).run(c.words, files); found == "" {
				t.Errorf("%q: nothing is seen; the row has it read %q", c.words, files)
			}
		})
	}
}

// reads returns the files that words name by a row, and whether they only read.
func reads(row *Row, words []string) (files []string, ok bool) {
	read := row.Read(words)
	code := false
	for _, o := range read.Options {
		if !o.Kind.ReadsOnly() {
			return nil, false
		}
		for _, value := range o.Values {
			if o.Kind == File {
				files = append(files, value.Text)
			}
			if code = code || o.Kind == Code; o.Kind == Code && value.Text != program[row.Language] {
				return nil, false // what another program does is the business of its language
			}
		}
	}
	operands := read.Operands
	if row.Language != "" && !code && len(operands) > 0 {
		operands = operands[1:]
	}
	for i, at := range operands {
		switch row.Operands {
		case Texts:
		case Formats:
			ok = strings.HasPrefix(words[at], "+")
			if !ok {
				return nil, false
			}
		case Nothing:
			return nil, false
		case InputOutput:
			if i > 0 {
				return nil, false
			}
			fallthrough
		default:
			files = append(files, words[at])
		}
	}
	return files, row.OnlyReads()
}

// program is what the first operand has to be where it is one.
var program = map[string]string{"sed": "p", "awk": "1", "jq": "."}

// invocations lists words with every option of a row.
func invocations(row *Row, random *rand.Rand) [][]string {
	var all [][]string
	names := slices.Sorted(maps.Keys(row.options))
	var letters []string
	for _, name := range names {
		if len(name) == 2 && row.Parser != Words && (name < "-2" || name > "-9") {
			letters = append(letters, name[1:])
		}
	}
	plain := "" // an option whose value is never opened
	for _, name := range names {
		if row.options[name] == Plain && (plain == "" || len(name) == 2) {
			plain = name
		}
	}
	base := []string{"in1"}
	if row.trees.always { // so that it is left with a file, whatever it takes one for
		base = []string{"in1", "in1", "in1"}
	}
	if code := program[row.Language]; code != "" {
		base = []string{code, "in1"}
	}
	values := map[Kind][]string{Plain: {"1"}, Number: {"1"}, Pair: {"1", "2"}, File: {"in2"}, Code: {"p"}}
	add := func(words ...[]string) { all = append(all, slices.Concat(words...)) }
	for _, name := range names {
		kind := row.options[name]
		if !kind.ReadsOnly() || name > "-1" && name <= "-9" && len(name) == 2 {
			continue
		}
		value, long := values[kind], len(name) > 2
		add([]string{name}, value, base)
		add(base, []string{name}, value)
		add([]string{name}, base) // as if it took none
		if plain != "" && kind.values() == 0 {
			add([]string{name, plain, "in2"}, base) // as if it took one: then in2 is no value
		}
		if long {
			if len(value) < 2 && row.Parser != Words {
				add([]string{name + "=" + cmp.Or(strings.Join(value, ""), "1")}, base)
			}
			continue
		}
		add([]string{name + "1"}, base)
		others := slices.Clone(letters)
		random.Shuffle(len(others), func(i, k int) { others[i], others[k] = others[k], others[i] })
		slices.SortStableFunc(others, func(a, b string) int { // what harms, and what takes a value, first
			return -cmp.Compare(row.options["-"+a], row.options["-"+b])
		})
		for _, other := range others[:min(5, len(others))] {
			add([]string{name + other}, value, base)
			add([]string{"-" + other + name[1:]}, value, base)
			if row.Parser == Tar {
				add([]string{name[1:] + other}, base)
				add([]string{name[1:] + other}, base, base)
			}
		}
	}
	return all
}

// probe runs one program in a directory of its own.
type probe struct {
	t         *testing.T
	path, dir string
	helpers   []string
}

func newProbe(t *testing.T, path string) *probe {
	t.Helper()
	dir, err := os.MkdirTemp("", "command") // not t.TempDir, whose parents another user cannot enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &probe{t: t, path: path, dir: dir, helpers: map[string][]string{
		"tar": {"gzip", "bzip2", "xz"}, "egrep": {"grep"}, "fgrep": {"grep"}, // which are scripts
	}[filepath.Base(path)]}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		p.helpers = append(p.helpers, filepath.Base(resolved))
	}
	for _, name := range []string{"in1", "in2", "1", "2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1 2\n3 4\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return p
}

var (
	opened  = regexp.MustCompile(`\b(?:open|openat|creat)\((?:([A-Z_0-9]+), )?"([^"]*)"(?:, ([A-Z_|]+))?`)
	started = regexp.MustCompile(`\bexecve\("([^"]*)".* = 0$`)
	changed = regexp.MustCompile(`\b(?:unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|truncate|link|linkat|symlink|symlinkat|mknod|mknodat)\(`)
)

// waits are the system calls of a program that waits for time or for a change of files, as tail -f does, and
// would never end. strace kills it there; what it did before counts.
const waits = "?nanosleep,clock_nanosleep,?inotify_init,inotify_init1,?pause" // ? where an architecture lacks it

// run runs the program and says what it did that reading files does not explain; "" for nothing.
func (p *probe) run(words, files []string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	log, err := os.CreateTemp(p.dir+"/..", "command-strace")
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = log.Close(); _ = os.Remove(log.Name()) }()
	if err := log.Chmod(0o666); err != nil {
		p.t.Fatal(err)
	}
	args := []string{
		"-f", "-qq", "-s", "300", "-e", "trace=%file," + waits, "-e", "signal=none",
		"-e", "inject=" + waits + ":signal=KILL", "-o", log.Name(), p.path,
	}
	cmd := exec.CommandContext(ctx, "strace", append(args, words...)...)
	cmd.Dir, cmd.Env = p.dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent", "TMPDIR=" + p.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // most fail
	data, err := os.ReadFile(log.Name())
	if err != nil {
		p.t.Fatal(err)
	}
	starts := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if changed.MatchString(line) {
			return line
		}
		if m := started.FindStringSubmatch(line); m != nil {
			if starts++; starts > 1 && !slices.Contains(p.helpers, filepath.Base(m[1])) {
				return "it starts " + m[1]
			}
		}
		m := opened.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		from, name, flags := m[1], m[2], m[3]
		if (strings.Contains(flags, "WRONLY") || strings.Contains(flags, "RDWR") || strings.Contains(flags, "CREAT") || strings.Contains(line, "creat(")) && !strings.HasPrefix(name, "/dev/") {
			return fmt.Sprintf("it opens %q to write", name)
		}
		if filepath.IsAbs(name) || from != "" && from != "AT_FDCWD" || name == "." || slices.Contains(files, name) {
			continue // its libraries, what lies below a directory that it has opened, and the directory itself
		}
		return fmt.Sprintf("it opens %q", name)
	}
	if ctx.Err() != nil {
		p.t.Fatalf("%s %q neither ended nor waited for a change: %s", p.path, words, data)
	}
	if starts == 0 {
		p.t.Fatalf("%s was not run: %s", p.path, data)
	}
	return ""
}

func needStrace(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("found no strace, wanted it to see what is opened")
	}
}
