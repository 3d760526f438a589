//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

//go:embed testdata/attacks/*.yaml
var attackTable embed.FS

// attack is a row of the table: an attempt, what it must get, and what stops it. testdata/attacks/README.md
// says how rows are written.
type attack struct {
	Name    string
	Stops   string // a Property, or in words what else stops it
	From    Level  // the weakest level that promises to; Landlock's when empty
	Below   string // what a plan says for weaker levels; a Property's own line when empty
	As      []string
	Needs   []string // programs
	Granted bool     // it is not an attack: it must succeed, or the rows beside it prove nothing
	Network string
	Sockets []string
	Allow   []string // paths to be granted beside the working directory; ":ro" behind one
	Bare    bool     // the working directory is not granted
	Command []string // the only program files that may start
	Isolate bool     // a network namespace of its own
	Tty     bool     // runs on a terminal
	Dir     string   // where it starts, instead of the working directory
	Fresh   bool     // starts in a directory of its own below the working directory
	Killed  bool     // the program that runs it is killed when the attempt says "ready"
	Limits  attackLimits
	Setup   string
	Attempt string
	Proof   proof
	Check   string
	Gets    string
	Hits    string
	Control string // instead of the attempt
	Uncheck string `yaml:"uncontrolled"` // why there is no control

	file string
}

// attackLimits are those of a row that has them; without, a call has none that the probe, a Go program,
// would run into.
type attackLimits struct {
	Timeout   time.Duration
	CPU       time.Duration
	Memory    int64
	FileSize  int64 `yaml:"file_size"`
	Output    int64
	OpenFiles int `yaml:"open_files"`
	Processes int
	TempSize  int64 `yaml:"temp_size"`
	Addresses int64 `yaml:"address_space"`
}

// proof is how it is seen, from outside where that can be, that an attempt succeeded.
type proof string

const (
	proofLeak     proof = "leak"     // a secret is in the output
	proofChange   proof = "change"   // a file outside is not what it was
	proofContact  proof = "contact"  // a socket outside has been reached
	proofKill     proof = "kill"     // a process outside is gone
	proofSurvivor proof = "survivor" // a process of the attempt's is still there
	proofCheck    proof = "check"    // the check, run outside when the attempt is over, succeeds
	proofSays     proof = "says"     // the attempt says so, in a line "done"; for what nobody else can see
)

func readAttacks(t *testing.T) []attack {
	t.Helper()
	files, err := fs.Glob(attackTable, "testdata/attacks/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []attack
	names := map[string]bool{}
	for _, name := range files {
		data, err := attackTable.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		decoder.KnownFields(true)
		var rows []attack
		if err := decoder.Decode(&rows); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, row := range rows {
			row.file = strings.TrimSuffix(path.Base(name), ".yaml")
			row.From = cmp.Or(row.From, LevelLandlock)
			if err := row.check(); err != nil || names[row.Name] {
				t.Fatalf("%s: row %q: %v; or there are two of that name", name, row.Name, err)
			}
			names[row.Name] = true
			all = append(all, row)
		}
	}
	return all
}

func (a *attack) check() error {
	switch {
	case a.Name == "" || a.Attempt == "" || a.Stops == "" || a.Gets == "":
		return errors.New("want name, attempt, stops and gets")
	case !slices.Contains([]proof{proofLeak, proofChange, proofContact, proofKill, proofSurvivor, proofCheck, proofSays}, a.Proof):
		return fmt.Errorf("unknown proof %q", a.Proof)
	case (a.Proof == proofCheck) != (a.Check != ""):
		return errors.New("a check goes with proof: check")
	case !slices.Contains(Levels(), a.From):
		return fmt.Errorf("unknown level %q", a.From)
	case a.From.AtLeast(LevelLandlock) && a.below() == "" && a.From != LevelLandlock:
		return errors.New("want below: what a plan says where it does not stop this")
	}
	_, err := regexp.Compile(a.Gets)
	return err
}

// below returns what a plan says of the row where its level promises nothing.
func (a *attack) below() string {
	if a.Below == "" && slices.Contains(Properties(), Property(a.Stops)) {
		return a.Stops + ": "
	}
	return a.Below
}

// TestAttacks runs the table: each attempt unconfined, where it must succeed, and on each level that this
// machine reaches and that promises to stop it, where it must not. Where a level does not promise that, its
// plan must say so. The full sandbox is tried as every caller, and each other level as one of them: as every one
// with A2A_ATTACKS=all.
func TestAttacks(t *testing.T) {
	if os.Getenv(machineCaller) == "" {
		if os.Geteuid() != 0 {
			t.Setenv("A2A_ATTACKS", "all") // there is one caller
		}
		for _, caller := range callers {
			if os.Geteuid() != 0 && caller != "user" {
				continue
			}
			t.Run(caller, func(t *testing.T) { inMachine(t, caller) })
		}
		return
	}
	rows := readAttacks(t)
	if len(rows) < 270 {
		t.Errorf("there are %d rows, and were 280: have some been lost?", len(rows))
	}
	var hosts []*Host
	for _, level := range Levels() {
		if level != LevelNone {
			if host := openForAttacks(t, level); host != nil {
				hosts = append(hosts, host)
			}
		}
	}
	// One call of which $OWN was granted puts aside what another row makes there of the program's own meanwhile.
	var own sync.Mutex
	t.Run("table", func(t *testing.T) { // hosts are closed when its rows are through
		for i, row := range rows {
			if testing.Short() && i%48 != 16*slices.Index(callers, os.Getenv(machineCaller)) { // others for each caller
				continue
			}
			t.Run(row.file+"/"+row.Name, func(t *testing.T) {
				t.Parallel()
				if slices.Contains(row.Allow, "$OWN") {
					own.Lock()
					defer own.Unlock()
				}
				row.run(t, row.hosts(i, hosts))
			})
		}
	})
}

// hosts returns those that the row of this number is tried on as this caller.
func (a *attack) hosts(number int, all []*Host) []*Host {
	as := a.As
	if len(as) == 0 {
		as = callers
	}
	turn := slices.Index(as, os.Getenv(machineCaller))
	var tried []*Host
	for i, host := range all {
		if os.Getenv("A2A_ATTACKS") == "all" || host.Level().AtLeast(LevelFull) || (number+i)%len(as) == turn {
			tried = append(tried, host)
		}
	}
	return tried
}

// openForAttacks opens a Host at a level, or gives nil where the machine does not reach it.
func openForAttacks(t *testing.T, level Level) *Host {
	host, err := Open(Options{
		Level: level, AllowWeak: true, Grace: 100 * time.Millisecond,
		Hidden: []string{filepath.Join(ownPlace, "state"), filepath.Join(ownPlace, "later"),
			filepath.Join(ownPlace, "deep/state")},
		Protected: []string{".git/hooks", ".git/config", ".envrc", ".github/workflows"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if host.Level() != level {
		if os.Getenv("REQUIRE_SANDBOX") != "" && level != LevelFullCgroup {
			t.Errorf("REQUIRE_SANDBOX is set, but level %s is not reached: %s", level, host.Why())
		}
		why := host.Why()
		if level == LevelFullCgroup && why == "" {
			why = wantsGroups
		}
		t.Logf("level %s is not reached: %s", level, why)
		return nil
	}
	return host
}

func (a *attack) run(t *testing.T, hosts []*Host) {
	if len(a.As) > 0 && !slices.Contains(a.As, os.Getenv(machineCaller)) {
		t.Skipf("is about %q", a.As)
	}
	for _, program := range a.Needs {
		if _, err := os.Stat(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	t.Run("control", func(t *testing.T) {
		if a.Uncheck != "" {
			t.Skip(a.Uncheck)
		}
		s := newStage(t, a, true)
		text := cmp.Or(a.Control, a.Attempt)
		if out := s.unconfined(t, text); !s.succeeded(t, out) {
			t.Errorf("the attempt fails where nothing stops it, so the row tests nothing:\n%s", out)
		}
	})
	for _, host := range hosts {
		t.Run(string(host.Level()), func(t *testing.T) {
			promised := host.Level().AtLeast(a.From)
			s := newStage(t, a, promised)
			plan, err := host.Plan(s.profile())
			if err != nil {
				a.refused(t, host, err)
				return
			}
			if !promised {
				if missing := a.admitted(plan); missing != "" {
					t.Errorf("%s", missing)
				}
				return
			}
			outcome, out := s.confined(t, host, plan)
			succeeded := s.succeeded(t, out)
			if a.Granted && !succeeded {
				t.Errorf("this was granted, and does not work:\n%s", out)
			}
			if succeeded && !a.Granted {
				t.Errorf("THE ATTACK SUCCEEDS; %s should have stopped it:\n%s", a.Stops, out)
			}
			if !regexp.MustCompile(a.Gets).MatchString(out) {
				t.Errorf("the attempt got this, want %q:\n%s", a.Gets, out)
			}
			if a.Hits != "" && !slices.Contains(outcome.LimitsHit, a.Hits) {
				t.Errorf("got limits hit %q, want %s in it:\n%s", outcome.LimitsHit, a.Hits, out)
			}
			if outcome.Lost > 0 || outcome.Leftover != "" {
				t.Errorf("left behind: %d processes, %s", outcome.Lost, outcome.Leftover)
			}
		})
	}
}

// refused checks that a plan is refused only where the row's level is not reached.
func (a *attack) refused(t *testing.T, host *Host, err error) {
	var failure *tool.Failure
	if host.Level().AtLeast(a.From) || !errors.As(err, &failure) {
		t.Errorf("no plan: %v", err)
	}
}

// admitted checks that a plan of a level that does not promise to stop the row says so, and tells what is
// missing.
func (a *attack) admitted(plan Plan) string {
	lacking := plan.NotEnforced()
	says := slices.Clone(lacking)
	for property, by := range plan.Enforced() {
		says = append(says, string(property)+" by "+by)
	}
	property := func(sentence string) bool { return strings.HasPrefix(sentence, a.Stops+": ") }
	if slices.ContainsFunc(lacking, property) || strings.Contains(strings.Join(says, "\n"), a.below()) {
		return ""
	}
	return fmt.Sprintf("not promised, and not said either: want %q in what the plan says is not enforced, got %q", a.below(), says)
}

// profile is what the row's call is granted.
func (s *stage) profile() Profile {
	a := s.row
	limits := tool.Limits(a.Limits)
	limits.Timeout = cmp.Or(limits.Timeout, time.Minute)
	p := Profile{Dir: cmp.Or(a.Dir, s.work), Environment: s.environment(), Limits: limits, Isolated: a.Isolate, TempIsolation: a.Fresh}
	for _, command := range a.Command {
		p.Commands = append(p.Commands, s.expand(command))
	}
	if a.Network == "on" {
		p.Network = tool.NetworkOn
	}
	p.AllowedPaths = []tool.AllowedPath{{Path: probePath, ReadOnly: true}}
	if !a.Bare {
		p.AllowedPaths = append(p.AllowedPaths, tool.AllowedPath{Path: s.work})
	}
	for _, allowed := range a.Allow {
		name, readOnly := strings.CutSuffix(s.expand(allowed), ":ro")
		p.AllowedPaths = append(p.AllowedPaths, tool.AllowedPath{Path: name, ReadOnly: readOnly})
	}
	for _, socket := range a.Sockets {
		p.Sockets = append(p.Sockets, s.expand(socket))
	}
	return p
}

// prelude is what every attempt can use.
const prelude = `probe() { ` + roleVariable + `=attack "$PROBE" "$@"; }
`

// confined runs the attempt under a plan, and gives what it said.
func (s *stage) confined(t *testing.T, host *Host, plan Plan) (Outcome, string) {
	if s.row.Killed {
		return Outcome{}, s.runKilled(t, host.Level(), s.row.Attempt)
	}
	process := Process{
		Argv:   []string{bash, "--noprofile", "--norc", "/dev/fd/3"},
		Inputs: []Input{{Name: "script", Data: []byte(s.script(s.row.Attempt))}},
	}
	var output io.Reader
	if s.row.Tty {
		slave, reader := s.openTerminal(t)
		process.Stdio, output = []*os.File{slave, slave, slave}, reader
	}
	outcome, err := host.Run(t.Context(), plan, process)
	// A call that is refused has got nothing; that it was this call's fault, the row says in gets.
	var refused *StartError
	if errors.As(err, &refused) {
		return outcome, err.Error()
	}
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	out := string(outcome.Stdout) + string(outcome.Stderr)
	if output != nil {
		out += s.terminalOutput(t, output)
	}
	if len(out) > 1000 && s.row.Proof != proofLeak {
		out = out[:500] + " … " + out[len(out)-500:]
	}
	return outcome, fmt.Sprintf("%s\n[exit %d, limits hit %q, hints %q, changed %q]", out, outcome.ExitCode, outcome.LimitsHit, outcome.Hints, outcome.Changed)
}

// unconfined runs a text as the same user, with the environment of this program, as tools are run without a
// sandbox.
func (s *stage) unconfined(t *testing.T, text string) string {
	if s.row.Killed {
		return s.runKilled(t, "", text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-c", s.script(text))
	cmd.Dir = s.work
	cmd.Env = os.Environ()
	home := filepath.Join(s.base, "tmp")
	for name, value := range map[string]string{"PATH": searchPath, "HOME": home, "TMPDIR": home} {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	for name, value := range s.environment() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid, owned := callerUser(); owned {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	cmd.WaitDelay = time.Second // what it leaves may hold its output
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var output io.Reader
	if s.row.Tty {
		slave, reader := s.openTerminal(t)
		cmd.Stdin, cmd.Stdout, cmd.Stderr, output = slave, slave, slave, reader
	}
	err := cmd.Run()
	if output != nil {
		out.WriteString(s.terminalOutput(t, output))
	}
	return fmt.Sprintf("%s\n[%v]", out.String(), err)
}
