package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTrustedByBytes: what counts is what was read, whatever the file says a moment later, and only that of
// the root.
func TestTrustedByBytes(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	trusted := tools("mine")
	write(t, dir+"/.a2a-acp/tools.yaml", trusted)
	write(t, dir+"/more/.a2a-acp/tools.yaml", trusted)
	asked := 0
	sources := Sources{
		Workspace: tool.Workspace{Root: dir, Additional: []string{dir + "/more"}},
		TrustState: func(file File) TrustState {
			asked++
			write(t, file.Path, tools("evil")) // between the look and the load
			if string(file.Data) == trusted {
				return Trusted
			}
			return Changed
		},
	}
	ids := func(set *Set) (ids []string) {
		for _, loaded := range set.Tools {
			ids = append(ids, loaded.Tool.ID+" "+loaded.Tool.Source.Layer.String())
		}
		return ids
	}
	set, err := Load(sources)
	if err != nil || !slices.Equal(ids(set), []string{"mine project"}) || asked != 1 {
		t.Errorf("%v, %v, asked %d times", ids(set), err, asked)
	}
	set, err = Load(sources)
	if err != nil || len(set.Tools) > 0 ||
		!strings.Contains(set.Warnings.Error(), "changed since somebody trusted it") {
		t.Errorf("%v, %v", ids(set), err)
	}
}

// TestMayNotAdd: no spelling of a workspace's tool takes the place of another's.
func TestMayNotAdd(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"deploy": false, "Deploy": false, "de-ploy": false, "functions.shell": false,
		"functions_shell": false, "Functions.x": false, "deploys": true, "own": true,
	} {
		if why := MayNotAdd(id, []string{"deploy"}); (why == "") != ok {
			t.Errorf("%s: %q", id, why)
		}
	}
}

func TestNamedScripts(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"./scripts/x.sh a":                           "scripts/x.sh",
		"bash scripts/x.sh; . lib.sh":                "lib.sh scripts/x.sh",
		"timeout 5 ./x.sh && env A=b ./y.sh":         "x.sh y.sh",
		"python3 -u tools/x.py":                      "tools/x.py",
		"bash -o pipefail x.sh; node -r ./y.js z.js": "x.sh z.js",
		"deno run -A x.ts; tsx y.ts; go run ./dir":   "y.ts",
		"python3 -m mod; python3 - x.py; sh -s x":    "",
		"cat data.txt | /usr/bin/sort":               "",
		"/w/abs.sh; ../out.sh; /elsewhere.sh":        "abs.sh",
		"bash -c 'echo x'; ./{{name}}; \"$x\"":       "",
	} {
		got := NamedScripts(&tool.Tool{Script: script}, "/w")
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	if got := NamedScripts(&tool.Tool{Script: "./x.sh", Sandbox: tool.Sandbox{WorkingDirectory: "sub"}},
		"/w"); !slices.Equal(got, []string{"sub/x.sh"}) {
		t.Errorf("got %q", got)
	}
}
