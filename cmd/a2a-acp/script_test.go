package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/zoo"
)

// The scripts run the real binary. fake-editor starts it and plays the editor's lines of a file, fake-agent
// is what it guards and plays the agent's (see playfile_test.go).
func TestMain(m *testing.M) {
	// The program starts itself for what it does in processes of its own. That is the program that a test builds or
	// names a2a-acp, never this one: it would run the tests again, which would start it again.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") && strings.HasSuffix(os.Args[0], ".test") {
		fmt.Fprintf(os.Stderr, "%s is the tests, and was started as the program: %q\n", os.Args[0], os.Args[1:])
		os.Exit(2)
	}
	if strings.HasSuffix(os.Args[0], ".test") { // and no command of the scripts
		flag.Parse()
		tellOfHanging(flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration))
	}
	testscript.Main(m, map[string]func(){
		"a2a-acp": func() {
			// The scripts have homes of their own.
			env := cli.ProcessEnvironment(version)
			env.Home = os.Getenv("HOME")
			os.Exit(run(os.Args[1:], env))
		},
		"fake-editor": fakeEditor,
		"fake-agent":  fakeAgent,
		"stubborn":    stubborn,
		"person":      playPerson,
		"zoo": func() {
			code := 0
			if err := zoo.New(os.Stdout).Execute(); err != nil {
				code = 1
			}
			syscall.Exit(code) // where it is looked at it has no GORACE; see TestScripts
		},
	})
}

// TestScripts runs testdata/script/*.txtar, and every twelfth of them with -short. A2A_SCRIPTS=doors runs those
// that open a door, and A2A_SCRIPTS=verbs the others. The comment on top of each says what it guards. Beside
// the commands of the testscript package there are:
//
//	gone FILE     waits until no process holds FILE any more; see stubborn
//	exits N CMD…  runs CMD, which must end with exit code N
//	only_our_path keeps of PATH the directory that these commands are in
//	asked TEXT    waits until there is an open question whose title is TEXT, and sets $ID to its id
//	waits TEXT    waits until there is one that somebody waits for, and sets $ID to its id
//	first FILE    waits for the first line of a daemon, which is written into the FIFO FILE, and sets $URL, and $TOKEN where
//	              the line names a file with one
//	serve         serves HTTP on the loopback for the rest of the script, at $SERVED, port $SERVED_PORT, and answers with
//	              what it was asked
//	receiver      receives webhooks on the loopback for the rest of the script, at $RECEIVER: each is a line of received.jsonl,
//	              and is answered with the status in the file answer, or 204
//	received N    waits until N were received
func TestScripts(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	var scripts []string
	for _, script := range all {
		if wanted, err := wants(script, os.Getenv("A2A_SCRIPTS")); err != nil {
			t.Fatal(err)
		} else if wanted {
			scripts = append(scripts, script)
		}
	}
	if testing.Short() {
		sample := scripts[:0]
		for i := 0; i < len(scripts); i += 12 {
			sample = append(sample, scripts[i])
		}
		scripts = sample
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			env.Values[receiverNews{}] = make(news, 1)
			work, err := filepath.EvalSymlinks(env.WorkDir)
			if err != nil {
				return err
			}
			env.Setenv("HOME", filepath.Join(work, "home"))
			env.Setenv("XDG_CONFIG_HOME", "")
			env.Setenv("XDG_STATE_HOME", "")
			env.Setenv("XDG_RUNTIME_DIR", "")
			// The race detector lets a program sleep for a second at its end, which the agent does not have
			// twice.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("PROJECT", filepath.Join(work, "project"))
			env.Setenv("EXAMPLES", examples)
			env.Setenv("SEED", filepath.Join(filepath.Dir(examples), "internal/config/testdata/seed"))
			return os.MkdirAll(filepath.Join(work, "home"), 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"gone":          gone,
			"exits":         exits,
			"asked":         asked("gone", "waits"),
			"waits":         asked("waits"),
			"first":         first,
			"serve":         serveHTTP,
			"serveapi":      serveAPI,
			"receiver":      receiver,
			"received":      received,
			"only_our_path": onlyOurPath,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "person": // whose answers count; in a container nobody's do
				return person.Look().Caller == person.Person || os.Getenv("REQUIRE_SANDBOX") != "", nil
			case "confines":
				return confines("--require", "tree"), nil
			case "full": // what an agent wants that is confined
				return confines("--at-least", "full"), nil
			case "namespaces":
				return exec.Command("unshare", "-Ur", "sh", "-c", "echo 0 >/proc/sys/user/max_user_namespaces").Run() == nil, nil
			case "sqlite3":
				_, err := exec.LookPath("sqlite3")
				return err == nil, nil
			}
			return false, nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// door is what begins a process in which much goes on at the same time.
var door = regexp.MustCompile(`fake-editor|a2a-acp (bridge|serve|mcp|hook|run)\b|approvals watch`)

// wants reports whether a script is among those that are asked for: "doors" are those that open one, "verbs" the others,
// "" are all. make test runs verbs without the race detector, which has little to detect in them and takes three times
// as long.
func wants(script, which string) (bool, error) {
	text, err := os.ReadFile(script)
	if err != nil {
		return false, err
	}
	switch which {
	case "":
		return true, nil
	case "doors":
		return door.Match(text), nil
	case "verbs":
		return !door.Match(text), nil
	}
	return false, fmt.Errorf("A2A_SCRIPTS=%s: want doors or verbs", which)
}

// confines reports whether this machine gives commands namespaces of their own. Where REQUIRE_SANDBOX says
// that it does, a machine that does not fails the scripts instead of passing them over.
func confines(how ...string) bool {
	self, err := os.Executable()
	if err != nil {
		return true // the scripts will tell
	}
	// The name makes it the program; see TestMain.
	cmd := exec.Cmd{Path: self, Args: slices.Concat([]string{"a2a-acp", "sandbox", "exec"}, how, []string{"--", "true"})}
	return cmd.Run() == nil || os.Getenv("REQUIRE_SANDBOX") != ""
}

// gone waits for the exclusive lock that every stubborn process shares while it lives.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
}

// exits runs a command for its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGS...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with %s, want %s", args[1], got, args[0])
	}
}

// asked waits for a question, of an asker that is one of those. The script goes on elsewhere meanwhile, in
// the background.
func asked(askers ...string) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: asked|waits TITLE")
		}
		for range 2000 { // each a process: far longer than any machine needs
			ts.Check(ts.Exec("a2a-acp", "approvals", "list", "--json"))
			var list []struct{ ID, State, Title, Asker string }
			ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
			for _, question := range list {
				if question.State == "pending" && question.Title == args[0] && slices.Contains(askers, question.Asker) {
					ts.Setenv("ID", question.ID)
					return
				}
			}
		}
		ts.Fatalf("nobody asks %q", args[0])
	}
}

// first reads the first line of a daemon.
func first(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: first FIFO")
	}
	f, err := os.Open(ts.MkAbs(args[0])) // waits for the daemon
	ts.Check(err)
	defer f.Close()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	ts.Check(err)
	var said struct {
		URL       string
		TokenFile string `json:"token_file"`
	}
	ts.Check(json.Unmarshal(line, &said))
	ts.Logf("%s", line)
	ts.Setenv("URL", said.URL)
	if said.TokenFile != "" {
		ts.Setenv("TOKEN", strings.TrimSpace(ts.ReadFile(said.TokenFile)))
	}
}

// serveHTTP starts an HTTP server that says what it was asked.
func serveHTTP(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s X-One=%s %s\n", r.Method, r.URL.Path, r.Header.Get("X-One"), body)
	}))
	ts.Defer(server.Close)
	ts.Setenv("SERVED", server.URL+"/")
	ts.Setenv("SERVED_PORT", server.URL[strings.LastIndex(server.URL, ":")+1:])
}

// serveAPI starts an HTTP server that answers with what it was sent, as JSON, or with the status that the path ends in, and
// writes a line for each request into the file that it is given. /files/NAME is a file beside that.
func serveAPI(ts *testscript.TestScript, _ bool, args []string) {
	log := ts.MkAbs(args[0])
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintf(file, "%s %s %s\n", r.Method, r.RequestURI, body)
			file.Close()
		}
		mu.Unlock()
		if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
			http.ServeFile(w, r, filepath.Join(filepath.Dir(log), path.Base(name)))
			return
		}
		if r.URL.Path == "/token" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"access_token":"horse-of-%d-bytes","token_type":"Bearer","expires_in":300}`, len(body))
			return
		}
		if code, err := strconv.Atoi(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]); err == nil && code >= 300 && code < 600 {
			w.Header().Set("Location", "/v1/elsewhere")
			w.WriteHeader(code)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "uri": r.RequestURI, "body": string(body),
			"credential": r.Header.Get("Authorization"), "type": r.Header.Get("Content-Type"), "note": r.Header.Get("X-Note"),
			"key": r.Header.Get("Idempotency-Key")})
	}))
	ts.Defer(server.Close)
	ts.Setenv("API", server.URL)
}

func onlyOurPath(ts *testscript.TestScript, _ bool, _ []string) {
	ours, _, _ := strings.Cut(ts.Getenv("PATH"), string(filepath.ListSeparator))
	ts.Setenv("PATH", ours)
}
