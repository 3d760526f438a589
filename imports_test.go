package a2aacp

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/a2a-acp/a2a-acp"

// may says which packages of ours a package may import. ARCHITECTURE.md draws it; this makes it true. A
// package that is not in the table fails the test, so that a new one gets its place on purpose.
//
// Words import nothing. What can be read, fuzzed and trusted alone (ndjson, render, taint, shellscan,
// sandbox) imports words only, and the one table of what programs do with their words. Doors speak a protocol
// and hold no rules: they never import each other, nor config, sandbox or executor. Only app puts things
// together.
var may = map[string][]string{
	"": {}, // the files that the program brings along

	"pkg/tool": {"internal/spelling"}, // did you mean …?
	// cobratools: other programs link it, so it has nothing of rules, sandbox and record.
	"pkg/cobratools":      {"pkg/tool", "internal/argv", "internal/atomicfile", "internal/display", "internal/editor", "internal/mcpserver", "internal/ndjson", "internal/pflagkind", "internal/state", "internal/toolyaml"},
	"examples/cobratools": {"pkg/cobratools"},
	"pkg/events":          {"pkg/tool"},
	"internal/shellwords": {"internal/command", "internal/plainyaml"},
	"internal/plainyaml":  {},
	"internal/pathwalk":   {},
	"internal/command":    {"internal/plainyaml"},
	"internal/bashsyntax": {},
	"internal/argument":   {"pkg/tool"},
	"internal/agents":     {"internal/lazyregexp", "internal/state"},
	"internal/atomicfile": {},
	"internal/filelock":   {},
	"internal/editor":     {"internal/atomicfile"},
	"internal/celmistake": {},
	"internal/display":    {},
	"internal/spelling":   {},
	"internal/ndjson":     {},
	"internal/state":      {"internal/atomicfile", "internal/filelock"},
	"internal/profile":    {"pkg/tool"},
	"internal/secret":     {"pkg/tool", "pkg/events", "internal/atomicfile", "internal/filelock"},
	"internal/grant":      {"pkg/tool", "internal/spelling"},
	"internal/blob":       {},
	"internal/store":      {"internal/database", "internal/process"}, // what the rows mean is said by internal/approval
	"internal/tasklog":    {"internal/database", "internal/process"}, // what an event says is its door's business
	"internal/database":   {"internal/filelock"},
	"internal/process":    {},
	"internal/digest":     {},
	"internal/filehash":   {},
	"internal/argv":       {"pkg/tool"}, // cobratools links it, and nothing of the daemon
	"internal/pflagkind":  {"pkg/tool"},
	"internal/exit":       {},
	"internal/lines":      {},
	"internal/lazyregexp": {},
	"internal/resident":   {},
	"internal/ratelimit":  {},
	"internal/dirs":       {"pkg/tool", "internal/state"},

	"internal/shellscan": {"pkg/tool", "internal/command", "internal/shellwords"},
	// sensitive: which files run although no command names them. command: which programs are known, beside
	// those that do something with their words.
	"internal/taint": {"pkg/tool", "internal/argument", "internal/bashsyntax", "internal/command", "internal/sensitive", "internal/shellwords"},
	// taint: where a value goes in a script; what a template is, taint does not know.
	"internal/render": {"pkg/tool", "internal/argument", "internal/bashsyntax", "internal/command", "internal/tagfilter", "internal/taint"},
	// tagfilter: the words in a tag, for both kinds of templates.
	"internal/tagfilter":  {},
	"pkg/sandbox":         {"pkg/tool", "internal/pathwalk"},
	"internal/steering":   {"pkg/sandbox", "internal/gitrepo", "internal/sensitive"}, // what a sandbox asks about files
	"internal/supervisor": {"internal/resident", "pkg/sandbox"},
	"internal/person":     {"internal/config", "internal/supervisor", "pkg/sandbox"}, // config: whom root believes
	"internal/gitrepo":    {},
	"internal/sensitive":  {},
	"pkg/permissions":     {"pkg/tool", "internal/celmistake", "internal/command", "internal/digest", "internal/display", "internal/gitrepo", "internal/pathwalk", "internal/sensitive", "internal/shellscan", "internal/shellwords"},

	"internal/gitrepo/gitrepotest": {}, // what tests make repositories with

	"internal/outputschema": {}, // what a tool prints, and nothing of tools

	// The way of every act: what is asked, and the gate that decides, has governors and people asked, and
	// records.
	"internal/notify":   {"internal/display", "internal/store"},
	"internal/inbox":    {"internal/agents", "internal/display", "internal/store"},
	"internal/approval": {"pkg/tool", "pkg/events", "pkg/permissions", "internal/digest", "internal/display", "internal/store"},
	"internal/gate":     {"pkg/tool", "pkg/events", "pkg/permissions", "internal/approval", "internal/command", "internal/digest"},

	"internal/netguard": {},
	// display: what an authority says is shown to a person.
	"internal/acmecert": {"internal/atomicfile", "internal/display", "internal/netguard"},
	// request: words alone; what a template makes of values can be read and fuzzed by itself.
	"internal/request":   {"pkg/tool", "internal/display", "internal/spelling", "internal/tagfilter"},
	"internal/answer":    {"pkg/tool", "internal/celmistake"},
	"internal/httpcache": {}, // which answers are kept, and nothing of who asks
	"internal/httptool":  {"pkg/tool", "internal/netguard", "internal/request"},
	// sandbox: a governor's program runs in it, as a tool does.
	"internal/governor": {"pkg/tool", "pkg/permissions", "pkg/sandbox", "internal/atomicfile", "internal/celmistake", "internal/display", "internal/filehash", "internal/filelock", "internal/netguard", "internal/secret", "internal/shellwords"},

	// serve: doors are handlers that know nothing of it.
	"internal/serve": {"pkg/tool", "internal/acmecert", "internal/netguard", "internal/ratelimit", "internal/unixsocket"},

	// audit: it follows the record, and nobody tells it anything else.
	"internal/telemetry": {"pkg/tool", "pkg/events", "internal/atomicfile", "internal/audit"},
	"internal/ocsf":      {"pkg/events"}, // the record's events in other words

	"internal/audit": {"pkg/events", "pkg/tool", "internal/atomicfile", "internal/filelock"},
	// secret: what a receiver says is shown without what it was sent.
	"internal/webhook": {"pkg/tool", "pkg/events", "internal/atomicfile", "internal/audit", "internal/display", "internal/filelock", "internal/netguard", "internal/secret", "internal/store"},
	// yamldoc knows what people write, and nothing of what it means.
	"internal/yamldoc": {"internal/display", "internal/spelling"},
	// serve: what a2a-acp.yaml says of the daemon are its own types. shellscan: a script is held against its own allowed_commands when it is read. governor: what its file
	// says are its own types. agents: which need no command. shellwords: which words of a script's commands name what it runs.
	"internal/config": {"pkg/tool", "internal/a2aclient", "internal/acmecert", "internal/agents", "internal/answer", "internal/celmistake", "internal/command", "internal/display", "internal/governor", "internal/grant", "internal/outputschema", "internal/netguard", "internal/pathwalk", "internal/profile", "internal/render", "internal/request", "internal/secret", "internal/serve", "internal/shellscan", "internal/shellwords", "internal/spelling", "internal/webhook", "internal/yamldoc", "pkg/events", "pkg/permissions"},
	"pkg/executor":    {"pkg/tool", "pkg/events", "internal/a2aclient", "internal/answer", "internal/approval", "internal/argv", "internal/blob", "internal/command", "internal/digest", "internal/display", "internal/filehash", "internal/gate", "internal/outputschema", "internal/httptool", "internal/netguard", "internal/ratelimit", "internal/render", "internal/request", "internal/secret", "internal/sensitive", "internal/shellscan", "internal/spelling", "pkg/permissions", "pkg/sandbox", "internal/httpcache"},

	"internal/tooltest": {"pkg/tool"},
	// config: what a rule is suggested as is read back as a file.
	"internal/replay": {"pkg/tool", "pkg/events", "pkg/permissions", "internal/audit", "internal/command", "internal/config", "internal/display", "internal/governor", "internal/secret", "internal/yamldoc"},
	// permissions: what a new tool's command is known to do is what the careful rules know.
	"internal/scaffold":    {"pkg/tool", "internal/command", "internal/config", "internal/render", "internal/shellscan", "internal/toolyaml", "pkg/permissions"},
	"pkg/acp":              {"pkg/tool", "pkg/events", "pkg/permissions", "internal/approval", "internal/display", "internal/gate", "internal/ndjson"},
	"internal/agentclient": {"internal/ndjson"}, // what it starts, and whom it asks, is handed to it
	"internal/mcpserver":   {"pkg/tool", "internal/ndjson"},
	"internal/toolsocket":  {"pkg/tool", "internal/mcpserver", "internal/unixsocket"},
	"internal/unixsocket":  {},
	"pkg/a2a":              {"pkg/tool", "pkg/permissions", "internal/a2agrpc", "internal/a2alegacy", "internal/agentclient", "internal/approval", "internal/display", "internal/jcs", "internal/tasklog", "internal/webhook"},
	"internal/a2alegacy":   {},
	"internal/a2agrpc":     {},
	"internal/jcs":         {},
	"internal/a2aclient":   {"internal/a2agrpc", "internal/a2alegacy", "internal/jcs"}, // a client of strangers' servers, which knows nothing of ours
	// hook: started for every act of an agent's own, so it is small and knows nothing of the rest.
	"internal/hook": {"internal/ndjson", "internal/unixsocket"},

	// acp: a boundary is what the bridge holds a confined agent to, in the door's own words.
	"internal/confine": {"pkg/tool", "pkg/events", "pkg/permissions", "pkg/sandbox", "pkg/acp", "internal/command", "internal/digest", "internal/dirs", "internal/display", "internal/exit", "internal/pathwalk", "internal/profile", "internal/sensitive", "internal/steering", "internal/supervisor"},

	// config: what is shown of a workspace's files is what they are read as.
	"internal/trust": {"pkg/tool", "pkg/events", "internal/command", "internal/config", "internal/dirs", "internal/display", "internal/state", "internal/unasked", "internal/yamldoc"},
	// command: which variables have programs run what they name. sensitive: which files of a repository hold a secret.
	"internal/unasked": {"internal/command", "internal/sensitive"},
	// sandbox and what makes one: what is said to work has been tried.
	"internal/doctor": {
		"pkg/sandbox", "pkg/tool", "internal/agents", "internal/audit", "internal/config", "internal/confine", "internal/dirs",
		"internal/display", "internal/person", "internal/profile", "internal/sensitive", "internal/state", "internal/steering", "internal/supervisor",
		"internal/yamldoc",
	},
	"internal/app": {
		"", "pkg/tool", "pkg/events", "pkg/permissions", "pkg/sandbox", "pkg/executor", "pkg/a2a", "pkg/acp",
		"internal/agentclient", "internal/agents", "internal/approval", "internal/audit", "internal/blob", "internal/config", "internal/confine", "internal/digest", "internal/dirs",
		"internal/display", "internal/exit", "internal/gate",
		"internal/governor", "internal/hook", "internal/httptool", "internal/lines", "internal/mcpserver", "internal/ndjson", "internal/notify", "internal/person", "internal/profile", "internal/ratelimit", "internal/replay", "internal/resident", "internal/secret", "internal/sensitive", "internal/serve", "internal/spelling", "internal/state", "internal/tasklog",
		"internal/steering", "internal/store", "internal/supervisor", "internal/telemetry", "internal/toolsocket", "internal/tooltest", "internal/trust", "internal/unasked", "internal/unixsocket", "internal/webhook", "internal/yamldoc",
	},
	// A verb has what it asks for and no more; main puts them together.
	"cmd/a2a-acp/internal/cli": {
		"pkg/permissions", "pkg/tool", "internal/agents", "internal/app", "internal/approval",
		"internal/command", "internal/config", "internal/confine", "internal/dirs", "internal/display", "internal/exit", "internal/inbox", "internal/person",
		"internal/profile", "internal/spelling", "internal/telemetry", "internal/yamldoc", "internal/atomicfile",
	},
	"cmd/a2a-acp/internal/a2a": {"pkg/permissions", "internal/a2aclient", "internal/display", "internal/exit", "cmd/a2a-acp/internal/cli"},
	"cmd/a2a-acp/internal/approvals": {
		"pkg/tool", "internal/agents", "internal/app", "internal/audit", "internal/config", "internal/display", "internal/exit", "internal/inbox",
		"internal/replay", "internal/store", "cmd/a2a-acp/internal/audit", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/agents": {
		"internal/agentclient", "internal/app", "internal/display", "internal/exit", "internal/lines", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/audit": {
		"pkg/events", "pkg/permissions", "pkg/tool", "internal/agents", "internal/app", "internal/audit", "internal/display",
		"internal/exit", "internal/ocsf", "internal/replay", "internal/secret", "internal/spelling", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/bridge": {
		"internal/agents", "internal/app", "internal/confine", "internal/exit", "internal/lines",
		"internal/supervisor", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/run": {
		"internal/agents", "internal/app", "internal/approval", "internal/display", "internal/exit", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/doctor": {
		"internal/agents", "internal/app", "internal/confine", "internal/display", "internal/doctor", "internal/exit",
		"internal/profile", "cmd/a2a-acp/internal/cli",
	},
	// sandbox: a program is asked there what it can do, and nowhere else.
	"cmd/a2a-acp/internal/imports": {
		"pkg/sandbox", "pkg/tool", "internal/app", "internal/cliimport", "internal/command", "internal/config", "internal/dirs", "internal/display", "internal/exit", "internal/grant",
		"internal/httptool", "internal/mcpserver", "internal/netguard", "internal/openapi", "internal/request", "internal/secret", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/mcp": {
		"internal/app", "internal/exit", "internal/resident", "internal/toolsocket", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/policy": {
		"pkg/events", "pkg/permissions", "pkg/tool", "internal/agents", "internal/app", "internal/audit", "internal/config",
		"internal/display", "internal/exit", "internal/governor", "internal/replay", "internal/sensitive",
		"internal/spelling", "internal/yamldoc", "cmd/a2a-acp/internal/audit", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/sandbox": {
		"pkg/tool", "internal/confine", "internal/exit", "internal/profile", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/secrets": {
		"internal/app", "internal/display", "internal/exit", "internal/secret", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/serve": {"internal/app", "internal/exit", "internal/lines", "internal/serve", "cmd/a2a-acp/internal/cli"},
	"cmd/a2a-acp/internal/setup": {
		"pkg/permissions", "pkg/sandbox", "internal/agents", "internal/config", "internal/editor", "internal/exit", "internal/notify",
		"internal/yamldoc", "cmd/a2a-acp/internal/cli", "cmd/a2a-acp/internal/editor", "cmd/a2a-acp/internal/tools",
	},
	"cmd/a2a-acp/internal/editor": {
		"internal/agents", "internal/display", "internal/editor", "internal/exit", "internal/spelling", "internal/unasked", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/tools": {
		"pkg/events", "pkg/executor", "pkg/permissions", "pkg/tool", "internal/agents", "internal/app", "internal/atomicfile",
		"internal/audit", "internal/blob", "internal/command", "internal/config", "internal/display", "internal/exit", "internal/governor",
		"internal/grant", "internal/mcpserver", "internal/person", "internal/scaffold", "internal/spelling", "internal/toolyaml", "internal/tooltest", "internal/trust",
		"internal/yamldoc", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/trust": {
		"pkg/tool", "internal/app", "internal/command", "internal/config", "internal/display", "internal/exit", "internal/grant",
		"internal/trust", "internal/yamldoc", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp/internal/upgrade": {"internal/display", "internal/exit", "cmd/a2a-acp/internal/cli"},
	"cmd/a2a-acp/internal/webhooks": {
		"internal/app", "internal/display", "internal/exit", "internal/inbox", "internal/store", "internal/webhook", "cmd/a2a-acp/internal/cli",
	},
	"cmd/a2a-acp": {
		"internal/hook", "internal/supervisor", "cmd/a2a-acp/internal/a2a", "cmd/a2a-acp/internal/agents", "cmd/a2a-acp/internal/approvals", "cmd/a2a-acp/internal/audit",
		"cmd/a2a-acp/internal/bridge", "cmd/a2a-acp/internal/cli", "cmd/a2a-acp/internal/doctor",
		"cmd/a2a-acp/internal/editor", "cmd/a2a-acp/internal/imports", "cmd/a2a-acp/internal/mcp", "cmd/a2a-acp/internal/policy", "cmd/a2a-acp/internal/run",
		"cmd/a2a-acp/internal/sandbox", "cmd/a2a-acp/internal/secrets", "cmd/a2a-acp/internal/serve", "cmd/a2a-acp/internal/setup", "cmd/a2a-acp/internal/tools",
		"cmd/a2a-acp/internal/trust", "cmd/a2a-acp/internal/upgrade", "cmd/a2a-acp/internal/webhooks",
	},

	// The rows of decisions and of replay make rules and a record of their own.
	"internal/bench": {
		"pkg/a2a", "pkg/tool", "pkg/sandbox", "pkg/events", "pkg/permissions", "internal/app", "internal/audit", "internal/config", "internal/mcpserver", "internal/toolsocket",
		"internal/cliimport", "internal/httptool", "internal/openapi", "internal/render", "internal/request", "internal/replay", "internal/serve", "internal/tasklog", "internal/store", "internal/webhook",
	},
	"internal/demo": {},
	// sandbox: programs are asked there. config: what an import is, and entries as they will be read.
	"internal/cliimport": {"pkg/sandbox", "pkg/tool", "internal/command", "internal/config", "internal/display", "internal/filehash", "internal/grant", "internal/pflagkind", "internal/toolyaml"},
	// config: entries as they will be read. No network: a document is handed to it.
	"internal/openapi":  {"pkg/tool", "internal/command", "internal/config", "internal/toolyaml", "internal/yamldoc"},
	"internal/toolyaml": {"pkg/tool", "internal/display", "internal/yamldoc"},
	"internal/zoo":      {}, // what tests import
	// app: agents behind a bridge, as everywhere. It is the composition of a program for tests.
	"internal/sut": {"internal/app", "internal/lines", "internal/store", "internal/supervisor", "internal/tasklog", "internal/webhook", "pkg/a2a"},

	// What `import cli` is held against.
	"test/clis":                    {"pkg/sandbox", "pkg/tool", "internal/cliimport", "internal/config", "internal/pflagkind"},
	"test/conformance":             {"pkg/tool", "internal/httptool", "internal/request"},  // styles and tokens are held against what others make
	"test/specs":                   {"pkg/tool", "internal/mcpserver", "internal/openapi"}, // what `import openapi` is held against
	"test/conformance/server":      {"internal/mcpserver"},
	"test/agents":                  {},
	"test/agents/internal/editor":  {},
	"test/agents/internal/model":   {},
	"test/agents/internal/schema":  {},
	"test/agents/internal/wiretap": {},
	"test/agents/internal/witness": {},
}

// TestImports holds every package against the table. Imports of tests are free.
func TestImports(t *testing.T) {
	t.Parallel()
	for name, imports := range listPackages(t) {
		allowed, ok := may[name]
		if !ok {
			t.Errorf("package %q has no place in the table of imports_test.go", name)
			continue
		}
		for _, imported := range imports {
			if !slices.Contains(allowed, imported) && imported != "internal/lazyregexp" {
				t.Errorf("package %q must not import %q", name, imported)
			}
		}
	}
}

// TestSharedStepsKnowNoScripts keeps what is only true of scripts out of the steps of a call that every kind of
// tool shares: the runners' files (script*.go, argv*.go) alone know of bash and the sandbox. executor.go names the sandbox
// as what a process runs in.
func TestSharedStepsKnowNoScripts(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("pkg/executor/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "script") || strings.HasPrefix(base, "argv") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			switch path := strings.Trim(spec.Path.Value, `"`); {
			case path == module+"/pkg/sandbox" && base == "executor.go":
			case path == module+"/pkg/sandbox", path == module+"/internal/shellscan", path == module+"/internal/command":
				t.Errorf("%s imports %s: what is only true of scripts belongs to the runner of scripts", name, path)
			}
		}
	}
}

// TestTableNamesPackages keeps the table free of packages that are gone.
func TestTableNamesPackages(t *testing.T) {
	t.Parallel()
	packages := listPackages(t)
	for name := range may {
		if _, ok := packages[name]; !ok {
			t.Errorf("the table names %q, which does not exist", name)
		}
	}
}

// listPackages returns the packages of the module and what of the module each of them imports, for every
// system that the program is built for.
func listPackages(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	for _, goos := range []string{"linux", "darwin"} {
		cmd := exec.Command("go", "list", "-e", "-tags", "agents", "-json=ImportPath,Imports", "./...")
		cmd.Env = append(cmd.Environ(), "GOOS="+goos)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				ImportPath string
				Imports    []string
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			name := relative(p.ImportPath)
			for _, imported := range p.Imports {
				if imported == module || strings.HasPrefix(imported, module+"/") {
					packages[name] = append(packages[name], relative(imported))
				}
			}
			if _, ok := packages[name]; !ok {
				packages[name] = nil
			}
		}
	}
	return packages
}

func relative(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}
