package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gitrepo/gitrepotest"
)

// Every setting that is in the table without a word about its value is given values that name a program,
// and nothing is run by the commands that read. A2A_FUZZ_RUNS has all of them looked at; otherwise it is
// every seventh, another seventh for each value; and with -short every fiftieth.
func TestHarmlessSettingsRunNothing(t *testing.T) {
	t.Parallel()
	keys := instances(t)
	every := 7
	if os.Getenv("A2A_FUZZ_RUNS") != "" {
		every = 1
	} else if testing.Short() {
		every = 50
	}
	for i, value := range []string{"./evil", "!./evil", "x"} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			b := gitrepotest.New(t)
			b.Init("ws")
			b.Write("ws/.git/info/attributes", "* diff=x filter=x merge=x text\n")
			for _, program := range []string{"x", "git-x", "git-credential-x", "git-remote-x", "git-merge-x"} { // what a bare name could mean
				b.Program("ws/"+program, "")
			}
			config, err := os.ReadFile(b.WS + "/.git/config")
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			for at := i; at < len(keys); at += every {
				b.Write("ws/.git/config", string(config)+setting(keys[at], value))
				if hazard(t, b, "ws", Use{Reads: true}) != "" {
					continue
				}
				tried++
				for _, args := range reading {
					if run := b.Run("ws", []string{"PATH=" + os.Getenv("PATH") + ":" + b.WS}, args...); run.Ran {
						t.Errorf("%s = %s: git %s runs something: %s", keys[at], value, args, run.Output)
					}
				}
			}
			t.Logf("%d settings", tried)
			if tried == 0 {
				t.Error("no setting is let through")
			}
		})
	}
}

// reading are commands that between them look at everything that git looks at when it reads.
var reading = [][]string{{"status"}, {"diff"}, {"log", "-p", "--stat"}, {"blame", "a.txt"}, {"grep", "one"}, {"describe", "--always", "--dirty"}, {"branch", "-av"}, {"stash", "list"}}

// instances lists the keys of the table, with x for what is open.
func instances(t *testing.T) (keys []string) {
	t.Helper()
	for key := range read().byKey {
		keys = append(keys, key)
	}
	for _, p := range read().patterns {
		parts := []string{p.section}
		if p.subsection {
			parts = append(parts, "x")
		}
		name := p.name
		if p.open {
			name += "x"
		}
		keys = append(keys, strings.Join(append(parts, name), "."))
	}
	slices.Sort(keys)
	if len(keys) < 300 {
		t.Fatalf("only %d settings", len(keys))
	}
	return keys
}

// setting writes a setting as a file has it.
func setting(key, value string) string {
	parts := strings.Split(key, ".")
	if len(parts) == 2 {
		return fmt.Sprintf("[%s]\n\t%s = %q\n", parts[0], parts[1], value)
	}
	return fmt.Sprintf("[%s %q]\n\t%s = %q\n", parts[0], parts[1], parts[2], value)
}

// What a row says of a value holds for the whole of it.
func TestValues(t *testing.T) {
	t.Parallel()
	b := gitrepotest.New(t)
	b.Init("ws")
	b.Mkdir("ws/dir")
	b.Link("dir", "ws/link")
	b.Write("ws/.git/more", "")
	b.Write("elsewhere/x", "")
	b.Link(b.Elsewhere+"/x", "ws/out")
	r, err := asker(b).Look(t.Context(), b.WS)
	if err != nil {
		t.Fatal(err)
	}
	use := Use{Reads: true, Roots: []string{b.WS}, Home: b.Home, Secret: func(path string) string {
		if filepath.Base(path) == ".env" {
			return "may hold a secret"
		}
		return ""
	}}
	for key, values := range map[string]struct{ yes, no string }{
		"core.fsmonitor":          {"true|FALSE|1|", "./x|true;./x|truex|2"},
		"core.pager":              {"cat|less|less -FRX|delta|", "less -o x|less -FRXk|bat|cat; ./x|./cat"},
		"core.hookspath":          {".husky/_|hooks|/opt/hooks", "~/hooks|../hooks|a/../b|/proc/self/cwd/x|%(prefix)/x"},
		"include.path":            {"../more|more|../dir/x", "~/x|/etc/x|../../x|../link/x|../out|dir/../x|%(prefix)/x|/proc/self/cwd/x"},
		"blame.ignorerevsfile":    {".git-blame-ignore-revs|dir/x", "../x|/etc/passwd|~/x|out|link/x|.env|dir/.env"},
		"filter.lfs.clean":        {"git-lfs clean -- %f|\"git-crypt\" clean|", "git-lfs clean -- %f; x|./git-lfs clean|git-lfs|x"},
		"extensions.objectformat": {"sha1|sha256", "md5"},
		"extensions.refstorage":   {"files|reftable", "files:///x"},
		"format.pretty":           {"oneline|%h %s", "%G?|%h %+GS|%(trailers)"},
		"merge.ours.driver":       {"true", "./true|true x"},
		"submodule.x.update":      {"checkout|none", "!x"},
		"diff.submodule":          {"short", "log|diff"},
		"log.showsignature":       {"false", "true"},
	} {
		for _, value := range strings.Split(values.yes, "|") {
			if why := r.objection(Setting{Scope: "local", Origin: b.WS + "/.git/config", Key: key, Value: value}, use); why != "" {
				t.Errorf("%s = %q: %s", key, value, why)
			}
		}
		for _, value := range strings.Split(values.no, "|") {
			if r.objection(Setting{Scope: "local", Origin: b.WS + "/.git/config", Key: key, Value: value}, use) == "" {
				t.Errorf("%s = %q is let through", key, value)
			}
		}
	}
	fetching := use
	fetching.Fetches = true
	for value, harmless := range map[string]bool{
		"git@github.com:a/b.git": true, "https://github.com/a/b": true, "ssh://git@host:22/x": true, "host:path": true,
		"ext::./x": false, "../x": false, "/x": false, "file:///x": false, "x::y": false, "-oProxyCommand=x:y": false, "fd::3": false, "a b:c": false, "https://x/$(y)": false,
	} {
		if why := r.objection(Setting{Scope: "local", Key: "remote.o.url", Value: value}, fetching); (why == "") != harmless {
			t.Errorf("to fetch from %s: %q", value, why)
		}
	}
}
