package a2aacp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

// TestProgramsStandInTheCatalogue holds every package against internal/command: what is known about
// programs is data there, and no other package tells programs apart by their names, but for those that
// namePrograms lists.
func TestProgramsStandInTheCatalogue(t *testing.T) {
	t.Parallel()
	programs := map[string]bool{}
	for _, name := range command.Names() {
		programs[name] = true
	}
	for name := range strings.FieldsSeq(ordinaryWords) {
		delete(programs, name)
	}
	for name := range programs {
		if command.Builtin(name) {
			delete(programs, name) // bash's own, which is what shellscan and render are made of
		}
	}
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if name := entry.Name(); err == nil && (name == "testdata" || name == "node_modules" || name == "build" || path == "internal/command" || path == "test") {
				return fs.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				return field.Names == nil || !strings.Contains(field.Tag.Value, ":") // names of members
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			words := strings.Fields(text)
			list := len(words) > 2 && !slices.ContainsFunc(words, func(word string) bool { return !programs[word] })
			switch {
			case err != nil || !programs[text] && !list:
				return true
			case programs[text]:
				words = words[:1] // git log is a program's name here, too
			}
			allowed := namePrograms[path]
			for _, word := range words {
				if !slices.Contains(strings.Fields(allowed.names), word) {
					t.Errorf("%s names the program %s: what is known about it belongs to internal/command/commands.yaml", files.Position(literal.Pos()), word)
				}
				used[path+" "+word] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, allowed := range namePrograms {
		for name := range strings.FieldsSeq(allowed.names) {
			if allowed.why == "" || !used[path+" "+name] {
				t.Errorf("%s: %s is listed and does not stand there, or nobody says why", path, name)
			}
		}
	}
}

// ordinaryWords are names of programs that are words of English, of our own verbs or of keys, too.
const ordinaryWords = `at batch config dash date diff expect factor file free host ip last mail more nameref next patch script
	standard tail time timeout toolbox tree watch env id base64 groups`

// namePrograms lists what tells programs apart by their names nevertheless, and why.
var namePrograms = map[string]struct{ names, why string }{
	"cmd/a2a-acp/internal/doctor/doctor.go":    {"bash", "the name of a line of doctor"},
	"internal/hook/opencode.go":                {"bash grep", "the names of opencode's tools"},
	"cmd/a2a-acp/internal/tools/curl.go":       {"curl", "a command line that is shown, and whose flags are curl's"},
	"cmd/a2a-acp/internal/secrets/secrets.go":  {"rm", "another name of our verb remove"},
	"internal/agents/agents.go":                {"node", "where Zed has put the node that starts its agents"},
	"internal/audit/eventjson.go":              {"coverage", "a member of an event"},
	"internal/app/app.go":                      {"bash", "bash runs the scripts"},
	"internal/app/hookdoor.go":                 {"bash", "bash reads a command that runs in the sandbox"},
	"internal/bench/callmemory.go":             {"bash", "measures bash"},
	"internal/bench/http.go":                   {"curl", "measures curl"},
	"internal/bench/mcp.go":                    {"bash", "measures bash"},
	"internal/bench/sandbox.go":                {"bash bwrap firejail", "measures bash, and other sandboxes beside ours"},
	"internal/bench/toolcall.go":               {"bash", "measures bash"},
	"internal/config/governorentry.go":         {"python", "a kind of governor that people write"},
	"pkg/a2a/originalstream.go":                {"ping", "what a client of the original's says on a WebSocket"},
	"internal/config/toolentry.go":             {"bash", "a key that people write for script"},
	"internal/pflagkind/kind.go":               {"strings", "what pflag calls a list of texts"},
	"internal/doctor/diagnosis.go":             {"bash", "bash runs the scripts"},
	"internal/doctor/doctor.go":                {"docker podman", "what marks a container"},
	"internal/mcpserver/server.go":             {"ping", "a method of MCP"},
	"internal/mcpserver/stdio.go":              {"ping", "a method of MCP"},
	"internal/gitrepo/ask.go":                  {"git", "git is asked what it would do"},
	"internal/gitrepo/gitrepotest/bed.go":      {"git strace", "git is asked what it would do, below strace"},
	"internal/gitrepo/gitrepotest/cases.go":    {"mv rm", "subcommands of git in test cases"},
	"internal/gitrepo/gitrepotest/generate.go": {"cat", "values of settings in test cases"},
	"internal/governor/pattern.go":             {"gh", "the letters of GitHub's tokens"},
	"internal/person/proc_linux.go":            {"readlink", "a system call"},
	"internal/render/program.go":               {"ash awk bash bun deno fish gawk ksh lua luajit mawk mksh node nodejs perl php pypy python ruby sh zsh", "how a script in each language reads its parameters, and which options its interpreter gets"},
	"internal/scaffold/entry.go":               {"git", "an example in a new tool"},
	"internal/sensitive/fold.go":               {"ss", "letters"},
	"internal/shellscan/command.go":            {"ash bash expr git rbash sh", "which language the code of a shell is; git and expr are told by their own rules"},
	"internal/shellscan/loopnames.go":          {"find", "a find that finds what a pattern stands for"},
	"internal/shellscan/pipeline.go":           {"xargs", "what xargs reads is told by the words in front of it"},
	"internal/shellscan/programs.go":           {"ash bash find git rbash sh xargs", "readers of words that follow no row alone"},
	"internal/shellscan/scan.go":               {"bash", "the language of a text"},
	"internal/shellwords/language.go":          {"R awk jq lua make perl php python ruby sed yq", "names of languages"},
	"internal/shellwords/special.go":           {"find git perl python xargs", "readers of words that follow no row alone, by the names that rows give them"},
	"internal/shellwords/xargs.go":             {"xargs", "readers of words that follow no row alone, by the names that rows give them"},
	"internal/taint/assign.go":                 {"make", "who a value is checked for, in a message"},
	"internal/taint/filewriters.go":            {"dd", "the words of dd are NAME=VALUE, which no row says"},
	"internal/taint/variableuses.go":           {"make", "who a value is checked for, in a message"},
	"pkg/acp/act.go":                           {"bash", "the language of a fenced text"},
	"pkg/acp/claimedcommand.go":                {"bash sh zsh", "the shells in which agents wrap a command of theirs"},
	"pkg/acp/permission.go":                    {"bash", "the language of a fenced text"},
	"pkg/acp/permissionact.go":                 {"bash", "the language of a fenced text"},
	"pkg/executor/scripttold.go":               {"bash", "the language of a fenced text"},
	"pkg/permissions/chosenprogram.go":         {"go", "the word by which a go.mod asks for a version"},
	"pkg/permissions/command.go":               {"bash find git sh xargs", "git's options in front of its subcommand, the text behind bash -c, and names that find and xargs give"},
	"pkg/permissions/commandwords.go":          {"awk jq sed", "what a program in each language may hold"},
	"pkg/permissions/foundnames.go":            {"xargs", "names that find and xargs give"},
	"pkg/permissions/git.go":                   {"git", "what git would run in a repository is asked of git"},
	"pkg/permissions/widening.go":              {"git ln", "what git would run in a repository is asked of git; a link means another file where it stands"},
	"pkg/sandbox/childsetup_linux.go":          {"prlimit setsid", "system calls"},
	"pkg/sandbox/proof_linux.go":               {"bash", "the proofs are run by bash"},
	"pkg/sandbox/sparedir_linux.go":            {"chown mkdir", "system calls"},
	"pkg/sandbox/mountview_linux.go":           {"mkdir", "system calls"},
	"internal/telemetry/environment.go":        {"gzip", "an encoding of HTTP, and what OTEL_EXPORTER_OTLP_COMPRESSION may say"},
	"internal/telemetry/send.go":               {"gzip", "an encoding of HTTP"},
	"internal/telemetry/span.go":               {"sync", "a mode of execution"},
}
