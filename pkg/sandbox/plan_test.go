package sandbox

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// able is a machine of the lowest level.
func able() capability { return capability{weak: true, level: LevelRlimits} }

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	ordinary := func() Profile { return Profile{Dir: "/tmp", Limits: tool.DefaultLimits()} }
	for _, test := range []struct {
		name   string
		host   capability
		change func(*Profile)
		want   string
		code   tool.FailureCode // "" when it is not a Failure
	}{
		{"machine that owns nothing", capability{level: LevelNone, why: "no pidfd"}, func(*Profile) {}, "no pidfd", tool.FailSandbox},
		{"files that cannot be confined", capability{level: LevelRlimits, why: "no Landlock"}, func(*Profile) {}, "no Landlock", tool.FailSandbox},
		{"required files", able(), func(p *Profile) { p.Require = []Property{PropertyFiles} }, "requires fs", tool.FailSandbox},
		{"required memory", capability{level: LevelFull}, func(p *Profile) { p.Require = []Property{PropertyMemory} }, "requires memory", tool.FailSandbox},
		{"required tree", capability{level: LevelLandlock}, func(p *Profile) { p.Require = []Property{PropertyTree} }, "requires tree", tool.FailSandbox},
		{"an unknown requirement", able(), func(p *Profile) { p.Require = []Property{"magic"} }, "want some of", ""},
		{"commands", capability{level: LevelLandlock}, func(p *Profile) { p.Commands = []string{} }, "allowed_commands cannot be enforced", tool.FailSandbox},
		{"sockets, with abstract ones open", capability{level: LevelFull, landlock: 5}, func(p *Profile) { p.Sockets = []string{"/run/x"} }, "abstract ones", tool.FailSandbox},
		{"sockets", capability{level: LevelLandlock, landlock: 6}, func(p *Profile) { p.Sockets = []string{"/run/x"} }, "cannot be granted by name", tool.FailSandbox},
		{"a network of its own", capability{level: LevelLandlock}, func(p *Profile) { p.Isolated = true }, "no network interfaces", tool.FailSandbox},
		{"relative path", able(), func(p *Profile) { p.AllowedPaths = []tool.AllowedPath{{Path: "src"}} }, "want an absolute path", ""},
		{"relative socket", able(), func(p *Profile) { p.Sockets = []string{"sock"} }, "want an absolute path", ""},
		{"no directory", able(), func(p *Profile) { p.Dir = "" }, "want an absolute path", ""},
		{"relative directory", able(), func(p *Profile) { p.Dir = "src" }, "want an absolute path", ""},
		{"NUL in the directory", able(), func(p *Profile) { p.Dir = "/tmp\x00/x" }, "want an absolute path", ""},
		{"variable without a name", able(), func(p *Profile) { p.Environment = map[string]string{"": "x"} }, "a name is not empty", ""},
		{"variable with = in its name", able(), func(p *Profile) { p.Environment = map[string]string{"A=B": "x"} }, "no '='", ""},
		{"variable with NUL", able(), func(p *Profile) { p.Environment = map[string]string{"A": "x\x00B=y"} }, "a value has no NUL", ""},
		{"negative limit", able(), func(p *Profile) { p.Limits.Memory = -1 }, "limit on memory: want a positive number", ""},
		{"half a second of CPU", able(), func(p *Profile) { p.Limits.CPU = 500 * time.Millisecond }, "want whole seconds", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			profile := ordinary()
			test.change(&profile)
			p, err := plan(test.host, profile, 1000)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error with %q", err, test.want)
			}
			if p.Digest() != "" {
				t.Errorf("a refused plan has digest %q", p.Digest())
			}
			var failure *tool.Failure
			if got := errors.As(err, &failure); got != (test.code != "") || got && failure.Code != test.code {
				t.Errorf("got failure %v, want code %q", failure, test.code)
			}
		})
	}
}

// TestPlanDigest checks that two plans that differ in anything have different names, since a grant is bound
// to the name.
func TestPlanDigest(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(*Profile){
		"as it is":               func(*Profile) {},
		"directory":              func(p *Profile) { p.Dir = "/tmp" },
		"isolation":              func(p *Profile) { p.TempIsolation = true },
		"network":                func(p *Profile) { p.Network = tool.NetworkOn },
		"timeout":                func(p *Profile) { p.Limits.Timeout++ },
		"cpu":                    func(p *Profile) { p.Limits.CPU += time.Second },
		"memory":                 func(p *Profile) { p.Limits.Memory++ },
		"file size":              func(p *Profile) { p.Limits.FileSize++ },
		"output":                 func(p *Profile) { p.Limits.Output++ },
		"addresses":              func(p *Profile) { p.Limits.Addresses++ },
		"open files":             func(p *Profile) { p.Limits.OpenFiles++ },
		"processes":              func(p *Profile) { p.Limits.Processes++ },
		"path":                   func(p *Profile) { p.AllowedPaths = []tool.AllowedPath{{Path: "/a"}} },
		"read-only path":         func(p *Profile) { p.AllowedPaths = []tool.AllowedPath{{Path: "/a", ReadOnly: true}} },
		"variable":               func(p *Profile) { p.Environment = map[string]string{"AB": "C"} },
		"the same bytes, cut":    func(p *Profile) { p.Environment = map[string]string{"A": "BC"} },
		"variable, another":      func(p *Profile) { p.Environment = map[string]string{"AB": "D"} },
		"two variables":          func(p *Profile) { p.Environment = map[string]string{"A": "B", "C": "D"} },
		"a path like a variable": func(p *Profile) { p.AllowedPaths = []tool.AllowedPath{{Path: "/AB"}, {Path: "/C"}} },
		"temporary files":        func(p *Profile) { p.Limits.TempSize++ },
		"isolated network":       func(p *Profile) { p.Isolated, p.BestEffort = true, true },
		"best effort":            func(p *Profile) { p.BestEffort = true },
		"terminal":               func(p *Profile) { p.Terminal = true },
		"pseudo-terminals":       func(p *Profile) { p.Pty = true },
		"no command":             func(p *Profile) { p.Commands, p.BestEffort = []string{}, true },
		"a command":              func(p *Profile) { p.Commands, p.BestEffort = []string{"ls"}, true },
		"a socket":               func(p *Profile) { p.Sockets, p.BestEffort = []string{"/ls"}, true },
		"required network":       func(p *Profile) { p.Require = []Property{PropertyNetwork} },
	} {
		profile := Profile{Dir: "/", Limits: tool.DefaultLimits()}
		change(&profile)
		p, err := plan(able(), profile, 1000)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if other, ok := seen[p.Digest()]; ok {
			t.Errorf("%q and %q have the same digest", name, other)
		}
		seen[p.Digest()] = name
		if again, _ := plan(able(), profile, 1000); again.Digest() != p.Digest() {
			t.Errorf("%s: the same profile has two digests", name)
		}
	}
}

// TestPlanIsACopy checks that a plan does not change with the profile that it was made from: what was
// approved is what runs.
func TestPlanIsACopy(t *testing.T) {
	t.Parallel()
	profile := Profile{Dir: "/", Environment: map[string]string{"A": "before"}, AllowedPaths: []tool.AllowedPath{{Path: "/a"}}}
	p, err := plan(able(), profile, 1000)
	if err != nil {
		t.Fatal(err)
	}
	profile.Environment["A"], profile.AllowedPaths[0].Path = "after", "/b"
	if got := p.profile.Environment["A"] + p.profile.AllowedPaths[0].Path; got != "before/a" {
		t.Errorf("the plan changed with the profile: %q", got)
	}
}

func TestPlanReport(t *testing.T) {
	t.Parallel()
	p, err := plan(capability{weak: true, level: LevelRlimits, memory: 100 << 20, openFiles: 64}, Profile{Dir: "/", Limits: tool.DefaultLimits()}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	report := p.Report()
	want := tool.SandboxReport{
		Level: "rlimits", Network: false,
		// Memory and open files: as far as this machine allows.
		Limits:    map[string]int64{"timeout": 30_000, "cpu": 30, "memory": 100 << 20, "file_size": 10 << 20, "output": 10 << 20, "open_files": 64, "processes": 256},
		LimitsHit: []string{}, Hints: tool.Hints(p.NotEnforced()...),
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	for _, property := range []string{"fs: ", "memory: ", "isolation: ", "processes: ", "tree: ", "temp: "} {
		if !strings.Contains(strings.Join(p.NotEnforced(), "\n"), property) {
			t.Errorf("no hint says that %q is not enforced: %q", property, report.Hints)
		}
	}
}

// TestSignalsAreTold checks that it is said where a call can end this user's other processes.
func TestSignalsAreTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		c    capability
		want bool
	}{
		{capability{level: LevelRlimits, landlock: 7, weak: true}, true},
		{capability{level: LevelLandlock, landlock: 5}, true},
		{capability{level: LevelLandlock, landlock: 6}, false},
		{capability{level: LevelFull, landlock: 5}, false}, // it sees none
	} {
		p, err := plan(test.c, Profile{Dir: "/"}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(p.NotEnforced(), "\n"), "and signal them"); got != test.want {
			t.Errorf("%+v: told %t, want %t", test.c, got, test.want)
		}
	}
}

func TestPlanReportWithoutLimits(t *testing.T) {
	t.Parallel()
	p, err := plan(able(), Profile{Dir: "/"}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{}, p.Report().Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p, err := plan(able(), Profile{Dir: "/", Environment: map[string]string{"API_KEY": "x", "LANG": "de_DE.UTF-8"}}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"API_KEY=x", "HOME=/temp", "LANG=de_DE.UTF-8",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SHELL=/bin/sh", "TMPDIR=/temp",
	}
	if diff := cmp.Diff(want, p.environ("/temp", tool.Trace{})); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
