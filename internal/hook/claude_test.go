package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadClaude(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	code := func(n int) *int { return &n }
	for _, test := range []struct {
		name, event string
		want        Call // without Input
		err         string
	}{
		{"a command", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"ls\n-l"}}`,
			Call{ID: "c", Tool: "Bash", Dir: "/w", Kind: "execute", Title: "ls\n-l"}, ""},
		{"a file written", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Write","tool_use_id":"c","tool_input":{"file_path":"/w/a","content":""}}`,
			Call{ID: "c", Tool: "Write", Dir: "/w", Kind: "edit", Title: "Write /w/a", Changes: []Change{{Path: "/w/a"}}, ChangesAreAll: true}, ""},
		{"a file written, and more said", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Write","tool_use_id":"c","tool_input":{"file_path":"/w/a","Content":"no","content":"yes"}}`,
			Call{ID: "c", Tool: "Write", Dir: "/w", Kind: "edit", Title: "Write /w/a", Changes: []Change{{Path: "/w/a", NewText: "yes"}}}, ""},
		{"a text that is another tool's", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"NotebookEdit","tool_use_id":"c","tool_input":{"notebook_path":"/w/a.ipynb","new_source":"yes","file_path":"/w/a.ipynb","content":"no"}}`,
			Call{ID: "c", Tool: "NotebookEdit", Dir: "/w", Kind: "edit", Title: "NotebookEdit /w/a.ipynb"}, ""},
		{"a change in all places", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Edit","tool_use_id":"c","tool_input":{"file_path":"/w/a","old_string":"a","new_string":"b","replace_all":true}}`,
			Call{ID: "c", Tool: "Edit", Dir: "/w", Kind: "edit", Title: "Edit /w/a", Changes: []Change{{Path: "/w/a", OldText: text("a"), NewText: "b"}}}, ""},
		{"a command in another spelling", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"Command":"ls"}}`,
			Call{ID: "c", Tool: "Bash", Dir: "/w", Kind: "execute"}, ""},
		{"a command that is none", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":["ls"]}}`, Call{}, "command: json: cannot"},
		{"members of a server's own", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"mcp__s__find","tool_use_id":"c","tool_input":{"query":{"a":1},"path":["b"]}}`,
			Call{ID: "c", Tool: "mcp__s__find", Dir: "/w", Title: "mcp__s__find"}, ""},
		{"edits", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"MultiEdit","tool_use_id":"c","tool_input":{"file_path":"/w/a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":""}]}}`,
			Call{ID: "c", Tool: "MultiEdit", Dir: "/w", Kind: "edit", Title: "MultiEdit /w/a",
				Changes: []Change{{Path: "/w/a", OldText: text("a"), NewText: "b"}, {Path: "/w/a", OldText: text("c")}}, ChangesAreAll: true}, ""},
		{"edits, one in all places", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"MultiEdit","tool_use_id":"c","tool_input":{"file_path":"/w/a","edits":[{"old_string":"a","new_string":"b","replace_all":true}]}}`,
			Call{ID: "c", Tool: "MultiEdit", Dir: "/w", Kind: "edit", Title: "MultiEdit /w/a",
				Changes: []Change{{Path: "/w/a", OldText: text("a"), NewText: "b"}}}, ""},
		{"a search everywhere", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Grep","tool_use_id":"c","tool_input":{"pattern":"x"}}`,
			Call{ID: "c", Tool: "Grep", Dir: "/w", Kind: "search", Title: "Grep x", Locations: []string{"/w/"}}, ""},
		{"names elsewhere", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Glob","tool_use_id":"c","tool_input":{"pattern":"/etc/ss*/*"}}`,
			Call{ID: "c", Tool: "Glob", Dir: "/w", Kind: "search", Title: "Glob /etc/ss*/*", Locations: []string{"/w/", "/etc/"}}, ""},
		{"a tool of a server", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"mcp__s__t","tool_use_id":"c","tool_input":{}}`,
			Call{ID: "c", Tool: "mcp__s__t", Dir: "/w", Title: "mcp__s__t"}, ""},
		{"an agent below", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Agent","tool_use_id":"c","tool_input":{"description":"d","prompt":"p","subagent_type":"x","run_in_background":true}}`,
			Call{ID: "c", Tool: "Agent", Dir: "/w", Title: "Agent", Harmless: true}, ""},
		{"an agent below in a tree of its own", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Agent","tool_use_id":"c","tool_input":{"description":"d","prompt":"p","isolation":"worktree"}}`,
			Call{ID: "c", Tool: "Agent", Dir: "/w", Title: "Agent"}, ""},
		{"an agent on another machine", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Task","tool_use_id":"c","tool_input":{"prompt":"p","isolation":"remote"}}`,
			Call{ID: "c", Tool: "Task", Dir: "/w", Title: "Task"}, ""},
		{"a skill", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Skill","tool_use_id":"c","tool_input":{"skill":"deploy"}}`,
			Call{ID: "c", Tool: "Skill", Dir: "/w", Title: "Skill deploy", Note: "A skill may run commands of its own while it is loaded, and no hook asks about these."}, ""},
		{"while planning", `{"hook_event_name":"PreToolUse","cwd":"/w","permission_mode":"plan","tool_name":"ExitPlanMode","tool_use_id":"c","tool_input":{}}`,
			Call{ID: "c", Tool: "ExitPlanMode", Dir: "/w", Title: "ExitPlanMode", TheirOwn: true, Planning: true}, ""},
		{"what failed", `{"hook_event_name":"PostToolUseFailure","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"false"},"error":"Exit code 1\nno"}`,
			Call{Moment: After, ID: "c", Tool: "Bash", Dir: "/w", Kind: "execute", Title: "false", Failed: true, Error: "Exit code 1\nno", Exit: code(1)}, ""},
		{"another failure", `{"hook_event_name":"PostToolUseFailure","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{},"error":"it says: Exit code 1"}`,
			Call{Moment: After, ID: "c", Tool: "Bash", Dir: "/w", Kind: "execute", Failed: true, Error: "it says: Exit code 1"}, ""},
		{"no id", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_input":{}}`, Call{}, "was not told which tool"},
		{"an endless id", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"` + strings.Repeat("c", 300) + `","tool_input":{}}`, Call{}, "was not told which tool"},
		{"a name that writes to a terminal", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"\u001b[2J","tool_use_id":"c"}`, Call{}, `"\x1b[2J"`},
		{"no directory", `{"hook_event_name":"PreToolUse","cwd":".","tool_name":"Bash","tool_use_id":"c","tool_input":{}}`, Call{}, "was not told which tool"},
		{"another moment", `{"hook_event_name":"Stop","cwd":"/w"}`, Call{}, `was started for "Stop"`},
		{"no input", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c"}`, Call{}, `the input of Claude's "Bash"`},
		{"a list for input", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":[]}`, Call{}, `the input of Claude's "Bash"`},
		{"no JSON", `no`, Call{}, "what Claude told its hook"},
		{"two tools", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"ls"},"Tool_Name":"TodoWrite"}`, Call{}, "stands there twice"},
		{"two inputs", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"rm -r x"},"tool_input":{"command":"ls"}}`, Call{}, "stands there twice"},
		{"two inputs, one escaped", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"rm -r x"},"tool_inpu\u0074":{"command":"ls"}}`, Call{}, "stands there twice"},
		{"a tool in another case", `{"hook_event_name":"PreToolUse","cwd":"/w","Tool_Name":"TodoWrite","tool_use_id":"c","tool_input":{}}`, Call{}, "was not told which tool"},
		{"a tool that is no text", `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":["Bash"],"tool_use_id":"c","tool_input":{}}`, Call{}, "tool_name: json: cannot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadClaude([]byte(test.event))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if name := strings.TrimPrefix(got.File, "/w/"); !strings.Contains(got.Title, name) {
				t.Errorf("the file is %q, and the title %q", got.File, got.Title)
			}
			got.Input, got.File = nil, ""
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestGlobPlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ dir, pattern, want string }{
		{"", "**/*.go", "./"},
		{"src", "*.go", "src/"},
		{"", "src/**", "./src/"},
		{"", "/etc/passwd", "/etc/"},
		{"", "/etc/**", "/etc/"},
		{"", "../other/*", "./../other/"},
		{"", "*/../../etc/*", "/"},
		{"w", "{/etc,src}/**", "/"},
		{"w", "src{/../../etc,}/**", "/"},
		{"w", "src/{a,b}", "w/src/"},
		{"w", "*.{go,md}", "w/"},
		{"w", `\/etc/*`, "/"},
		{"w", "@(/etc|src)/*", "/"},
		{"w", "[/]etc/*", "/"},
	} {
		if got := globPlace(test.dir, test.pattern); got != test.want {
			t.Errorf("globPlace(%q, %q) = %q, want %q", test.dir, test.pattern, got, test.want)
		}
	}
}

// TestSayClaude checks that only an answer that allows says so: Claude takes what is no decision for its own
// to make.
func TestSayClaude(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[Verdict]string{Allow: "allow", Deny: "deny", Undecided: "", 7: "deny"} {
		var said struct {
			HookSpecificOutput struct{ HookEventName, PermissionDecision string }
		}
		if err := json.Unmarshal(SayClaude(Answer{Verdict: verdict, Reason: "\"\u2028"}), &said); err != nil {
			t.Fatal(err)
		}
		if said.HookSpecificOutput.PermissionDecision != want {
			t.Errorf("%d is told as %q, want %q", verdict, said.HookSpecificOutput.PermissionDecision, want)
		}
	}
}

// TestFile checks which file a call reads or changes: what an agent tells its model with it depends on where that lies.
func TestFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		read        func([]byte) (Call, error)
		event, want string
	}{
		{ReadClaude, `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Read","tool_use_id":"c","tool_input":{"file_path":"/w/a"}}`, "/w/a"},
		{ReadClaude, `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"NotebookEdit","tool_use_id":"c","tool_input":{"notebook_path":"/w/b"}}`, "/w/b"},
		{ReadClaude, `{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"mcp__s__t","tool_use_id":"c","tool_input":{"file_path":"/w/a"}}`, ""},
		{ReadOpencode, `{"moment":"before","tool":"read","call":"c","dir":"/w","input":{"filePath":"a"}}`, "a"},
		{ReadOpencode, `{"moment":"before","tool":"bash","call":"c","dir":"/w","input":{"command":"x","filePath":"a"}}`, ""},
	} {
		if got, err := test.read([]byte(test.event)); err != nil || got.File != test.want {
			t.Errorf("%s: it is %q, want %q; %v", test.event, got.File, test.want, err)
		}
	}
}
