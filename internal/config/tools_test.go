package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func yes() *bool { v := true; return &v }
func no() *bool  { v := false; return &v }

// TestEveryKey reads a file that uses every key, and compares every field.
func TestEveryKey(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/ok/tools_everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := ReadTools(File{Name: "everything.yaml", Layer: tool.LayerFlag, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) != 1 {
		t.Fatalf("want one tool, got %d", len(tools))
	}
	want := tool.Tool{
		ID:          "everything",
		Name:        "Everything",
		Description: "Says all that can be said.",
		Script:      tools[0].Tool.Script,
		Parameters: []tool.Parameter{
			{Name: "text", Type: tool.TypeString, Required: true, Description: "Some text",
				Pattern: "[a-z ]+", Secret: true},
			{Name: "count", Type: tool.TypeInteger, Minimum: "1", Maximum: "10", Default: json.Number("3")},
			{Name: "rate", Type: tool.TypeNumber, Minimum: "0.5", Maximum: "1e3",
				Default: json.Number("1.10")},
			{Name: "level", Type: tool.TypeString, Enum: []any{"low", "high"}, Default: "low"},
			{Name: "from", Type: tool.TypeString, Format: tool.FormatIP, Default: "::1"},
			{Name: "loud", Type: tool.TypeBoolean, Default: true},
			{Name: "pairs", Type: tool.TypeObject,
				Default: map[string]any{"a": json.Number("1"), "b": []any{true, nil, "x"}}},
			{Name: "address", Type: tool.TypeObject, Nullable: true, Default: map[string]any{"street": "x", "lines": []any{"a"}},
				Properties: []tool.Parameter{
					{Name: "street", Type: tool.TypeString, Required: true, MinLength: number(1), MaxLength: number(80)},
					{Name: "zip code", Type: tool.TypeInteger, Default: json.Number("10115")},
					{Name: "lines", Type: tool.TypeArray, MinItems: number(1), MaxItems: number(3), Items: &tool.Parameter{Type: tool.TypeString}},
				}},
			{Name: "words", Type: tool.TypeArray, Default: []any{"a", "b"},
				Items: &tool.Parameter{Type: tool.TypeString, Pattern: "[a-z]+", Description: "one word"}},
		},
		Sandbox: tool.Sandbox{
			RequiresConfirmation: true,
			ConfirmationMessage:  "Say {{text}}?",
			WorkingDirectory:     ".",
			TempIsolation:        false,
			AllowedPaths: []tool.AllowedPath{{Path: "."}, {Path: "/data"},
				{Path: "/usr/share/dict", ReadOnly: true}, {Path: "/var/tmp"}},
			Environment: map[string]string{"BASE_URL": "https://api.example.com/v1", "PORT": "8080",
				"LANG": "C.UTF-8"},
			Grants: []string{"git", "ssh-agent"},
			References: map[string]tool.Reference{
				"API_KEY": {Secret: "API_KEY"}, "WHO": {Env: "USER"}, "TOKEN": {File: "/run/secrets/token"},
				"PASSWORD": {Command: []string{"pass", "show", "db/password"}},
			},
			Network:    tool.NetworkOn,
			Strict:     true,
			Sockets:    []string{"/run/postgresql/.s.PGSQL.5432"},
			Commands:   []string{"curl", "/usr/bin/env"},
			Require:    []string{"fs", "tree"},
			BestEffort: true,
			Limits: tool.Limits{
				Timeout: 90 * time.Second, CPU: 10 * time.Second, Memory: 128 << 20, FileSize: 1 << 20,
				Output:    2 << 20,
				OpenFiles: 10, Processes: 1, TempSize: 64 << 20, Addresses: 200_000 << 20,
			},
		},
		ErrorMapping: map[int]tool.MappedError{
			1: {Code: -32603, Message: "Internal error"},
			2: {Code: -32602, Message: "Invalid params", Detail: "Not {{text}}", Retryable: true},
		},
		Retry: tool.Retry{Attempts: 4, Backoff: tool.BackoffExponential,
			Delay: 500 * time.Millisecond, Multiplier: 1.5, MaxDelay: 10 * time.Second},
		CircuitBreaker: tool.CircuitBreaker{Failures: 3, Period: 30 * time.Second, Recovery: 90 * time.Second,
			HalfOpenCalls: 2},

		Output: tool.Output{Keep: 128 << 10, Spill: true, SpillMost: 64 << 20, JSON: true,
			Schema: `{"items":{"type":"string"},"type":"array"}`, Wrapped: true},
		Surface: tool.Surface{MCPProtocolError: true}, Audit: tool.AuditFull,

		Annotations: tool.Annotations{Title: "Everything", ReadOnly: no(), Destructive: no(),
			Idempotent: yes(), OpenWorld: yes()},
		TrustProgram: true,
		Tags:         []string{"one", "two"},
		Examples: []tool.Example{
			{Text: "say hello"},
			{
				Name: "a call", Arguments: json.RawMessage(`{"level":"high","text":"hello"}`),
				Setup: "mkdir e\n", Needs: []string{"printf"}, Line: 83,
				Files: []tool.ExampleFile{{Name: "a.txt", Content: "a"}, {Name: "b/c", Content: "x"},
					{Name: "d", Link: "a.txt"}},
				Expect: tool.Expectation{
					Stdout: &tool.TextMatch{Is: text("x"), Contains: []string{"hello", "high"},
						Lacks: []string{"low"}, Matches: "^h"},
					Stderr: &tool.TextMatch{Is: text("")},
					Files: []tool.FileMatch{
						{Name: "a.txt", Text: tool.TextMatch{Is: text("a")}}, {Name: "gone", Absent: true},
						{Name: "b/c", Text: tool.TextMatch{Contains: []string{"x"}}},
					},
				},
			},
			{Name: "example 3", Arguments: json.RawMessage(`{"text":"NOT WHAT IT MAY BE"}`), Line: 95,
				Expect: tool.Expectation{Error: tool.FailValidation}},
		},
		Middleware: tool.Middleware{
			Source:  tool.Source{Layer: tool.LayerFlag, File: "everything.yaml", Line: 108, Column: 5},
			Timeout: 2 * time.Minute, Limit: tool.CallLimit{Count: 10, Per: time.Minute, Key: tool.LimitClient},
			MostArguments: 10, MostBytes: 64 << 10, Redact: []string{"SECRET-[0-9]+", `(?i)password=(\S+)`},
			Audit: tool.AuditMetadata,
		},
		Version: "1.10",
		Author:  "Somebody",
		Source:  tool.Source{Layer: tool.LayerFlag, File: "everything.yaml", Line: 4, Column: 3},
	}
	if diff := cmp.Diff(want, tools[0].Tool); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if tools[0].Template == nil || tools[0].Confirmation == nil || tools[0].Details[2] == nil ||
		tools[0].Details[1] != nil {
		t.Errorf("want a template, a confirmation and the detail of 2 only, got %+v", tools[0])
	}
}

func text(s string) *string { return &s }

// TestDefaults reads the smallest tool.
func TestDefaults(t *testing.T) {
	t.Parallel()
	tools, err := ReadTools(File{Name: "x.yaml", Data: []byte("hello: {script: echo hello}\n")})
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Tool{
		ID: "hello", Name: "hello", Script: "echo hello",
		Sandbox: tool.Sandbox{TempIsolation: true, Network: tool.NetworkOff, Limits: tool.DefaultLimits()},
		Source:  tool.Source{File: "x.yaml", Line: 1, Column: 1},
	}
	if diff := cmp.Diff(want, tools[0].Tool); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOtherInterpreters: a script that bash does not run loads when it reads its parameters by itself, and a
// tag in it is told what to write instead, at its place in the file.
func TestOtherInterpreters(t *testing.T) {
	t.Parallel()
	for interpreter, cure := range map[string]string{
		"/usr/bin/env python3": `json.load(open(os.environ["A2A_PARAMS_FILE"]))["x"]`,
		"/usr/bin/node":        `process.env.A2A_PARAMS_FILE`, "/usr/bin/perl -w": `$ENV{A2A_PARAM_X}`,
	} {
		t.Run(interpreter, func(t *testing.T) {
			t.Parallel()
			data := "a:\n  script: |\n    #!" + interpreter + "\n    print(1)\n  parameters: [{name: x}]\n"
			tools, err := ReadTools(File{Name: "x.yaml", Data: []byte(data)})
			if err != nil {
				t.Fatal(err)
			}
			if tools[0].Tool.Unavailable != "" || tools[0].Template == nil {
				t.Errorf("unavailable: %q", tools[0].Tool.Unavailable)
			}
			_, err = ReadTools(File{Name: "x.yaml",
				Data: []byte(strings.Replace(data, "print(1)", "print({{x}})", 1))})
			if err == nil || !strings.Contains(err.Error(), "x.yaml:4:11: ") ||
				!strings.Contains(err.Error(), cure) {
				t.Errorf("a tag: %v", err)
			}
		})
	}
}

// TestTemplateSafety: warn makes missing declarations warnings, in a file of either form, and raw is nothing
// that there is.
func TestTemplateSafety(t *testing.T) {
	t.Parallel()
	const tools = "{a: {script: 'head -{{n}} f', parameters: [{name: n, required: true}]}}\n"
	for _, row := range []struct{ name, data, want string }{
		{"nothing said", tools, "only a number is safe here"},
		{"strict", "template_safety: strict\ntools: " + tools, "only a number is safe here"},
		{"warn", "template_safety: warn\ntools: " + tools, ""},
		{"warn at the end", "tools: " + tools + "template_safety: warn\n", ""},
		{"warn in a bare file",
			"template_safety: warn\na: {script: 'head -{{n}} f', parameters: [{name: n, required: true}]}\n",
			""},
		{"raw", "template_safety: raw\ntools: " + tools,
			"there is no raw: values never become part of a script"},
		{"something else", "template_safety: loose\ntools: " + tools, `want strict or warn, found "loose"`},
		{"no text", "template_safety: [warn]\ntools: " + tools, "want strict or warn, found a list"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			loaded, err := ReadTools(File{Name: "x.yaml", Data: []byte(row.data)})
			switch {
			case row.want != "":
				if err == nil || !strings.Contains(err.Error(), row.want) {
					t.Errorf("got %v, want %q", err, row.want)
				}
			case err != nil:
				t.Error(err)
			case len(loaded[0].Warnings) != 1 ||
				!strings.Contains(loaded[0].Warnings[0].Message, "every other value is refused"):
				t.Errorf("warnings: %v", loaded[0].Warnings)
			}
		})
	}
}

// TestImpliedParameters: files of the original format often leave declarations out, and load.
func TestImpliedParameters(t *testing.T) {
	t.Parallel()
	data := "a:\n  script: 'echo {{x}} {{y}}'\n  parameters: [{name: y, required: true, secret: true}]\n"
	tools, err := ReadTools(File{Name: "x.yaml", Data: []byte(data)})
	if err != nil {
		t.Fatal(err)
	}
	if len(tools[0].Tool.Parameters) != 2 || !tools[0].Tool.Parameters[1].Implied ||
		tools[0].Tool.Parameters[1].Name != "x" {
		t.Errorf("want y and the implied x, got %+v", tools[0].Tool.Parameters)
	}
	if len(tools[0].Warnings) != 1 || !strings.Contains(tools[0].Warnings[0].Hint, "- name: x") {
		t.Errorf("want one warning with the lines to paste, got %v", tools[0].Warnings)
	}
	if _, err := ReadTools(File{Name: "x.yaml", Data: []byte("version: 2\n" + data)}); err == nil {
		t.Error("with version: 2 an undeclared name is a mistake, and it loads")
	}
	if _, err := ReadTools(File{Name: "x.yaml",
		Data: []byte("tools:\n  a: {script: 'echo {{x}}'}\nversion: 2\n")}); err == nil {
		t.Error("with version: 2 at the end an undeclared name is a mistake, and it loads")
	}
}

// TestPatternsOfTheOriginal holds patterns of files without version: 2 to what they mean there: something
// about the beginning. Exported beside them, those of the strict format still mean the whole value.
func TestPatternsOfTheOriginal(t *testing.T) {
	t.Parallel()
	read := func(version, pattern string) *tool.Tool {
		t.Helper()
		data := version + "tools: {t: {script: 'echo {{x}}', parameters: [{name: x, required: true, pattern: '" + pattern + "'}]}}\n"
		tools, err := ReadTools(File{Name: "t.yaml", Data: []byte(data)})
		if err != nil {
			t.Fatal(err)
		}
		return &tools[0].Tool
	}
	takes := func(tl *tool.Tool, value string) bool {
		_, failure := tl.CheckArguments([]byte(`{"x": ` + strconv.Quote(value) + `}`))
		return failure == nil
	}
	for _, row := range []struct {
		pattern, value  string
		original, whole bool
	}{
		{"^https?://", "https://example.com/", true, false}, {"^https?://", "x https://", false, false},
		{"https?://", "https://example.com/", true, false},
		{"https?://", "see https://", false, false}, {"^[a-z]+$", "abc", true, true},
		{"^[a-z]+$", "abc1", false, false}, {"a|b", "bc", true, false},
		{"a|b", "cb", false, false}, {"^a|b$", "bc", false, false}, {"(a|b$)", "a1", true, false},
		{"[a-z]+\\z", "a\nb", false, false}, {"a.*", "a\nb", true, false},
		{"\\$", "$1", true, false},
	} {
		if got := takes(read("", row.pattern), row.value); got != row.original {
			t.Errorf("%s takes %q: %t, want %t", row.pattern, row.value, got, row.original)
		}
		if got := takes(read("version: 2\n", row.pattern), row.value); got != row.whole {
			t.Errorf("version 2: %s takes %q: %t, want %t", row.pattern, row.value, got, row.whole)
		}
	}
	dir := t.TempDir()
	for name, data := range map[string]string{
		"a.yaml": "tools: {a: {script: 'echo {{x}}', parameters: [{name: x, required: true, pattern: '^b'}]}}\n",
		"b.yaml": "version: 2\ntools: {b: {script: 'echo {{x}}', parameters: [{name: x, required: true, pattern: b|c}]}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Load(Sources{Tools: []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")}})
	if err != nil {
		t.Fatal(err)
	}
	file, _, err := Export(set, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := ReadTools(File{Name: "export.yaml", Data: file})
	if err != nil {
		t.Fatal(err)
	}
	if !takes(&tools[0].Tool, "bx") || takes(&tools[1].Tool, "bx") || !takes(&tools[1].Tool, "c") {
		t.Errorf("the patterns mean something else now:\n%s", file)
	}
}

func number(n int) *int { return &n }
