package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/person"
)

// TestWatch has `approvals watch` on a terminal, with programs that ask in the same state directory.
func TestWatch(t *testing.T) {
	t.Parallel()
	if person.Look().Caller != person.Person && os.Getenv("REQUIRE_SANDBOX") == "" {
		t.Skip("nobody is shown to be a person here")
	}
	m := newMachine(t)
	m.write(".config/a2a-acp/a2a-acp.yaml", "notifications: [terminal]\n")
	w := m.watch(24, 80)
	w.waitFor(`nothing waits for an answer`)

	// What was typed before the question came, and before the terminal has shown it, answers nothing.
	w.typed("y")
	w.silence(true)
	one := m.ask("one")
	w.waitFor(`one question waits`)
	w.typed("y")
	w.waitFor(`too soon for an answer`)
	w.typed("y")
	w.silence(false)
	w.answers("y", `approved: Asks`)
	if out := one(); !strings.Contains(out, "ran one") {
		t.Errorf("approved, and it said %q", out)
	}

	// Of two, the older one is looked at. It is answered elsewhere: the other one does not take its place.
	two := m.ask("two")
	w.waitFor(`word = "?two`)
	three := m.ask("three")
	w.waitFor(`2 questions wait`)
	id := w.waitFor(`> ([a-z2-9]{8})`)[1]
	m.run("approvals", "deny", id, "--reason", "elsewhere")
	w.waitFor(`Over: denied by cli`)
	w.typed("y")
	w.waitFor(`this one is over`)
	w.typed("j")
	w.waitFor(`word = "?three`)
	if out := two(); !strings.Contains(out, "the person said no: elsewhere") {
		t.Errorf("denied elsewhere, and it said %q", out)
	}
	w.answers("rnot today\r", `denied: Asks`)
	if out := three(); !strings.Contains(out, "the person said no: not today") {
		t.Errorf("denied with a reason, and it said %q", out)
	}

	// A long and hostile one: it does nothing to the terminal, and a yes needs its end. Another size shows it
	// anew.
	four := m.ask("\x1b[2J\u202e" + strings.Repeat("long ", 400) + "END")
	w.waitFor(`word = "?\\u\{1b\}\[2J\\u\{202e\}long`)
	w.resize(30, 100)
	w.waitFor(`lines 1 to 1\d of`)
	w.answers("y", `there is more of it`)
	w.typed("\r")
	w.typed("G")
	w.waitFor(`END`)
	w.answers("y", `approved: Asks`)
	if out := four(); !strings.Contains(out, "END") {
		t.Errorf("approved, and it said %q", out)
	}
	w.typed("q")
	if err := w.ends(); err != nil {
		t.Error(err)
	}
	if raw := w.everything(); strings.Contains(raw, "\u202e") || strings.Count(raw, "\x1b[2J") != strings.Count(raw, "\x1b[H\x1b[2J") {
		t.Errorf("a question has had the terminal: %q", raw)
	}
	if told := strings.Count(w.everything(), "\a\x1b]9;a2a-acp: a question waits\a"); told != 4 {
		t.Errorf("the terminal was told %d times of 4 questions", told)
	}
	if flags := w.modes(); flags&unix.ECHO == 0 || flags&unix.ICANON == 0 {
		t.Error("the terminal was not given back as it was")
	}
}

// TestWatchBridges has the questions of two bridges answered on one terminal, one by one.
func TestWatchBridges(t *testing.T) {
	t.Parallel()
	if person.Look().Caller != person.Person && os.Getenv("REQUIRE_SANDBOX") == "" {
		t.Skip("nobody is shown to be a person here")
	}
	m := newMachine(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m.write("bin/README", "")
	for _, name := range []string{"a2a-acp", "fake-agent", "fake-editor"} { // see TestMain
		if err := os.Link(self, filepath.Join(m.home, "bin", name)); err != nil { // a symbolic one would lose its name
			t.Skipf("the program cannot be given another name: %v", err)
		}
	}
	w := m.watch(24, 80)
	w.waitFor(`nothing waits for an answer`)
	ended := make(chan error, 2)
	for _, name := range []string{"first", "second"} {
		m.write(name+"/README", "")
		m.write(name+".play", strings.ReplaceAll(writePlay, "FILE", name+".txt"))
		play := filepath.Join(m.home, name+".play")
		cmd := m.command()
		cmd.Args = []string{"fake-editor", play, "a2a-acp", "bridge", "--", "fake-agent", play}
		cmd.Dir = filepath.Join(m.home, name)
		cmd.Env = append(cmd.Env, "PROJECT="+cmd.Dir, "PATH="+filepath.Join(m.home, "bin")+":"+os.Getenv("PATH"))
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the bridge
			if err := cmd.Wait(); err != nil {
				t.Logf("%s: %s", name, said.String())
				ended <- err
				return
			}
			ended <- nil
		}()
		w.waitFor(`write ` + name + `\.txt`)
	}
	w.waitFor(`2 questions wait`)
	w.answers("y", `approved: write first\.txt`)
	w.answers("y", `approved: write second\.txt`)
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("a bridge or its editor: %v", err)
		}
	}
}

// writePlay has an agent write FILE, which is asked about, and answered elsewhere.
const writePlay = `editor> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,` +
	`"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}}}}
agent<  {"id":0,"method":"initialize"}
agent>  {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"fake","version":"1"},"agentCapabilities":{},"authMethods":[]}}
editor< {"id":0,"result":{"protocolVersion":1}}
editor> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"${PROJECT}","mcpServers":[]}}
agent<  {"id":1,"method":"session/new"}
agent>  {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}
editor< {"id":1,"result":{"sessionId":"s1"}}
agent>  {"jsonrpc":"2.0","id":4,"method":"fs/write_text_file","params":{"path":"${PROJECT}/FILE","content":"one","sessionId":"s1"}}
editor< {"method":"session/update","params":{"update":{"sessionUpdate":"tool_call"}}}
editor< {"id":"$one","method":"session/request_permission"}
editor< {"method":"$/cancel_request","params":{"requestId":"$one"}}
editor< {"method":"session/update","params":{"update":{"status":"completed"}}}
editor< {"id":4,"method":"fs/write_text_file"}
editor> {"jsonrpc":"2.0","id":4,"result":{}}
agent<  {"id":4,"result":{}}
agent>  {"jsonrpc":"2.0","method":"_done"}
editor< {"method":"_done"}
editor closes
`

// TestWatchEnds has the terminal given back where the program is told to end, and where its terminal never
// answers what it is asked.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	w := m.watch(24, 80)
	w.silence(true)
	w.waitFor(`nothing waits for an answer`)
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := w.ends(); err != nil {
		t.Error(err)
	}
	if flags := w.modes(); flags&unix.ECHO == 0 {
		t.Error("the terminal was not given back as it was")
	}
}

// TestErrorAsksNothing has an error on a terminal, which is asked nothing for it: a job in the background would
// be stopped by that.
func TestErrorAsksNothing(t *testing.T) {
	t.Parallel()
	w := newMachine(t).terminal(24, 80, "policy", "explain", "--tool", "nosuch")
	if err := w.ends(); err == nil {
		t.Error("it ended with 0")
	}
	for !strings.Contains(w.everything(), "there is no tool") { // or the test takes too long
		<-time.After(10 * time.Millisecond)
	}
	if raw := w.everything(); strings.Contains(raw, "\x1b]") {
		t.Errorf("the terminal was asked: %q", raw)
	}
}

// TestWatchLines has a line for each question that comes, and one for each that is over.
func TestWatchLines(t *testing.T) {
	t.Parallel()
	if person.Look().Caller != person.Person && os.Getenv("REQUIRE_SANDBOX") == "" {
		t.Skip("nobody is shown to be a person here")
	}
	m := newMachine(t)
	cmd := m.command("approvals", "watch", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	one := m.ask("one")
	lines := json.NewDecoder(out)
	var asked, over struct{ Event, ID, Title, State, Reason string }
	if err := lines.Decode(&asked); err != nil || asked.Event != "asked" || asked.Title != "Asks" {
		t.Fatalf("got %+v, %v", asked, err)
	}
	m.run("approvals", "deny", asked.ID, "--reason", "no")
	if err := lines.Decode(&over); err != nil || over.Event != "over" || over.ID != asked.ID || over.State != "denied" {
		t.Fatalf("got %+v, %v", over, err)
	}
	one()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// machine is a home directory in which programs ask.
type machine struct {
	t    *testing.T
	home string
}

func newMachine(t *testing.T) *machine {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const tools = "version: 2\ntools:\n  asks:\n    name: Asks\n    description: Wants a person\n" +
		"    script: |\n      #!/bin/bash\n      echo \"ran \"{{word}}\n" +
		"    parameters:\n      - {name: word, type: string, required: true}\n    sandbox: {requires_confirmation: true}\n"
	m := &machine{t, home}
	m.write("tools.yaml", tools)
	m.write("project/README", "")
	return m
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// command is the program; see TestMain.
func (m *machine) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	return &exec.Cmd{Path: self, Args: append([]string{"a2a-acp"}, args...), Dir: filepath.Join(m.home, "project"),
		Env: []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "GORACE=atexit_sleep_ms=0"}}
}

func (m *machine) run(args ...string) {
	m.t.Helper()
	if out, err := m.command(args...).CombinedOutput(); err != nil {
		m.t.Fatalf("%s: %v: %s", args, err, out)
	}
}

// ask has a program ask, and returns what waits for its end and gives what it has said.
func (m *machine) ask(word string) (said func() string) {
	m.t.Helper()
	cmd := m.command("tools", "run", "asks", "--tools", filepath.Join(m.home, "tools.yaml"), "-p", "word="+word, "--wait")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	return func() string {
		_ = cmd.Wait() // its code says what out says
		return out.String()
	}
}

// window is a terminal with `approvals watch` on it. It answers what a terminal is asked, and knows what is on
// the screen.
type window struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	over   chan error

	mu     sync.Mutex // guards what follows
	raw    []byte
	rows   map[int]string
	silent bool
	owed   int // answers that it has not given
}

func (m *machine) watch(rows, columns uint16) *window {
	return m.terminal(rows, columns, "approvals", "watch")
}

// terminal has the program on a terminal.
func (m *machine) terminal(rows, columns uint16, args ...string) *window {
	t := m.t
	t.Helper()
	master, slave, err := newPTY()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	t.Cleanup(func() { slave.Close() })
	w := &window{t: t, cmd: m.command(args...), master: master, slave: slave, over: make(chan error, 1), rows: map[int]string{}}
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = slave, slave, slave
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	w.resize(rows, columns)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.over <- w.cmd.Wait() }() // ends with the program
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	go w.show() // ends when the terminal is closed
	return w
}

var control = regexp.MustCompile(`\x1b\[(\??[0-9;]*)([A-Za-z])`)

// show keeps the screen, and answers.
func (w *window) show() {
	piece := make([]byte, 4096)
	var rest []byte
	row := 1
	for {
		n, err := w.master.Read(piece)
		if err != nil {
			return
		}
		w.mu.Lock()
		w.raw = append(w.raw, piece[:n]...)
		rest = append(rest, piece[:n]...)
		for {
			at := control.FindSubmatchIndex(rest)
			if at == nil {
				break
			}
			w.rows[row] += string(rest[:at[0]])
			number, final := string(rest[at[2]:at[3]]), rest[at[4]]
			rest = rest[at[1]:]
			switch {
			case final == 'H' && number != "":
				row, _ = strconv.Atoi(strings.Split(number, ";")[0])
				w.rows[row] = ""
			case final == 'J':
				w.rows = map[int]string{}
			case final == 'n':
				w.owed++
			}
		}
		w.answerLocked()
		w.mu.Unlock()
	}
}

func (w *window) answerLocked() {
	for ; w.owed > 0 && !w.silent; w.owed-- {
		_, _ = w.master.WriteString("\x1b[0n")
	}
}

// silence has the terminal keep its answers back, as one far away does.
func (w *window) silence(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = on
	w.answerLocked()
}

func (w *window) typed(keys string) {
	w.t.Helper()
	if _, err := w.master.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// answers types as a person does who has time, until the screen says so.
func (w *window) answers(keys, says string) {
	w.t.Helper()
	for range 20 {
		<-time.After(1500 * time.Millisecond)
		w.typed(keys)
		for range 200 { // typed again, an answer that is only slow would be one to the next question
			<-time.After(50 * time.Millisecond)
			if regexp.MustCompile(says).MatchString(w.screen()) {
				return
			}
			if strings.Contains(w.screen(), "too soon for an answer") {
				break
			}
		}
	}
	w.t.Fatalf("%q was typed, and %q is not on the screen:\n%s", keys, says, w.screen())
}

func (w *window) screen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintln(&b, w.rows[i])
	}
	return b.String()
}

func (w *window) waitFor(pattern string) []string {
	w.t.Helper()
	for range 1200 {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(w.screen()); found != nil {
			return found
		}
		<-time.After(50 * time.Millisecond)
	}
	w.t.Fatalf("%q does not come to the screen:\n%s", pattern, w.screen())
	return nil
}

func (w *window) resize(rows, columns uint16) {
	w.t.Helper()
	if err := unix.IoctlSetWinsize(int(w.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *window) ends() error { return <-w.over }

func (w *window) everything() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.raw)
}

func (w *window) modes() uint32 {
	w.t.Helper()
	modes, err := unix.IoctlGetTermios(int(w.slave.Fd()), unix.TCGETS)
	if err != nil {
		w.t.Fatal(err)
	}
	return modes.Lflag
}
