package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestFromResult(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name       string
		result     tool.Result
		text       string
		structured string
		isError    bool
	}{
		{
			"a success", tool.Result{Status: tool.StatusCompleted, Stdout: "out\n", Stderr: "note\n"},
			"out\nstderr:\nnote\n", `{"stdout":"out\n","stderr":"note\n","exitCode":0}`, false,
		},
		{"nothing to say", tool.Result{Status: tool.StatusCompleted}, "(no output)", `{"stdout":"","stderr":"","exitCode":0}`, false},
		{
			"another exit code, with its meaning",
			tool.Result{
				Status: tool.StatusFailed, ExitCode: 3, Stderr: "no row\n",
				MCPError: &tool.MCPError{Code: -32002, Message: "Resource not found", Detail: "no such row", ReturnCode: 3},
			},
			"Resource not found: no such row\nstderr:\nno row\nexit code 3",
			`{"stdout":"","stderr":"no row\n","exitCode":3,"mapped_error":{"code":-32002,"message":"Resource not found","detail":"no such row","retryable":false,"return_code":3}}`,
			true,
		},
		{
			"a denial", tool.Result{Status: tool.StatusDenied, ExitCode: -1, Error: tool.Failf(tool.FailDenied, "rule x")},
			"denied: rule x", `{"stdout":"","stderr":"","exitCode":-1,"error":{"code":"denied","message":"rule x","retryable":false,"details":{}}}`, true,
		},
		{
			"an end by a limit",
			tool.Result{Status: tool.StatusFailed, ExitCode: 137, Signal: "SIGKILL", Stdout: "x", Truncated: true, OutputLength: 99},
			"x\nended by SIGKILL\n(the output was cut: there were 99 bytes)", `{"stdout":"x","stderr":"","exitCode":137,"signal":"SIGKILL","truncated":true,"output_length":99}`, true,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := FromResult(row.result)
			if diff := cmp.Diff([]any{row.text, row.structured, row.isError}, []any{got.Content, string(got.Structured), got.IsError}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if !strings.Contains(string(got.Meta), diagnosticsKey) {
				t.Errorf("no diagnostics in %s", got.Meta)
			}
		})
	}
}

// TestDiagnostics is about what an error cannot say by itself: under acp-basic people and models are told
// it in words, under extended-json the fields say it; programs find it in _meta under either.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	for _, profile := range []tool.ErrorProfile{tool.ProfileBasic, tool.ProfileExtended} {
		got := FromResult(tool.Result{
			Status: tool.StatusFailed, ExitCode: 3, Stderr: "x",
			MCPError: &tool.MCPError{Code: -32002, Message: "Resource not found", Detail: "no row", ReturnCode: 3, Retryable: true},
			Metadata: tool.Metadata{
				Diagnostics: map[string]any{"error_profile": profile.Word(), "return_code": 3, tool.CureKey: "make a row"},
				Sandbox:     tool.SandboxReport{LimitsHit: []string{"cpu"}},
			},
		})
		block := "\ndiagnostics: error code -32002, return code 3, retryable, limits hit: cpu\ncure: make a row"
		if strings.HasSuffix(got.Content, block) != (profile == tool.ProfileBasic) {
			t.Errorf("%s: %q", profile, got.Content)
		}
		var meta struct {
			Ours struct {
				Code, ReturnCode int
				Message, Detail  string
				Retryable        bool
			} `json:"a2a-acp/diagnostics"`
			Original map[string]any `json:"a2a_diagnostics"`
		}
		if err := json.Unmarshal(got.Meta, &meta); err != nil || meta.Original["error_profile"] != profile.Word() || meta.Original["return_code"] != 3.0 {
			t.Errorf("%s: %s, %v", profile, got.Meta, err)
		}
		if o := meta.Ours; o.Code != -32002 || o.ReturnCode != 3 || o.Message != "Resource not found" || o.Detail != "no row" || !o.Retryable {
			t.Errorf("%s: %+v", profile, o)
		}
	}
}

// TestBinaryIsNotShown guards that bytes which no text can hold are told as what they are.
func TestBinaryIsNotShown(t *testing.T) {
	t.Parallel()
	got := FromResult(tool.Result{Status: tool.StatusCompleted, Stdout: "\x89PNG\x00", Metadata: tool.Metadata{Diagnostics: map[string]any{
		tool.BinaryKey: map[string]tool.Binary{"stdout": {Type: "image/png", Bytes: 5, SHA256: "ab"}},
	}}})
	const want = "[binary data, not shown: image/png, 5 bytes, sha256 ab]"
	if got.Content != want || !strings.Contains(string(got.Structured), want) {
		t.Errorf("got %q, %s", got.Content, got.Structured)
	}
}

// TestPictures is about what is told as a picture: a whole one of a kind that models take, and not too long.
func TestPictures(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestPicture+1)
	for _, row := range []struct {
		stdout string
		told   tool.Binary
		want   int
	}{
		{"\x89PNG\x00", tool.Binary{Type: "image/png", Bytes: 5}, 1},
		{"\x89PNG\x00", tool.Binary{Type: "image/png", Bytes: 6}, 0}, // cut
		{"\x89PNG\x00", tool.Binary{Type: "application/pdf", Bytes: 5}, 0},
		{"<svg>\x00", tool.Binary{Type: "image/svg+xml", Bytes: 6}, 0},
		{long, tool.Binary{Type: "image/png", Bytes: int64(len(long))}, 0},
	} {
		got := FromResult(tool.Result{Status: tool.StatusCompleted, Stdout: row.stdout, Metadata: tool.Metadata{Diagnostics: map[string]any{
			tool.BinaryKey: map[string]tool.Binary{"stdout": row.told},
		}}})
		if len(got.Images) != row.want || row.want == 1 && (string(got.Images[0].Data) != row.stdout || got.Images[0].Type != row.told.Type) {
			t.Errorf("%+v: got %d pictures", row.told, len(got.Images))
		}
		if !strings.HasPrefix(got.Content, "[binary data, not shown") {
			t.Errorf("%+v: told as %.60q", row.told, got.Content)
		}
	}
}

// TestCodeFor is facts of the revisions: what may be sent to whom.
func TestCodeFor(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ code, old, now int }{
		{-32002, -32002, -32602}, {-32042, -32042, -32602}, {-32603, -32603, -32603}, {-32602, -32602, -32602}, {-32601, -32601, -32601},
		{-32000, -32000, -32603}, {-32001, -32001, -32603}, {-32020, -32020, -32603}, {-32099, -32099, -32603}, {-31000, -31000, -31000}, {7, 7, 7},
	} {
		for _, version := range []string{"2024-11-05", "2025-06-18", "2025-11-25"} {
			if got := codeFor(row.code, version); got != row.old {
				t.Errorf("%d for %s: %d, want %d", row.code, version, got, row.old)
			}
		}
		for _, version := range []string{"", "2026-07-28", "2027-01-01"} {
			if got := codeFor(row.code, version); got != row.now {
				t.Errorf("%d for %q: %d, want %d", row.code, version, got, row.now)
			}
		}
	}
}

// TestCachedIsTold checks that a person can tell a kept result from a run.
func TestCachedIsTold(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{false, true} {
		meta := string(FromResult(tool.Result{Status: tool.StatusCompleted, Cached: cached}).Meta)
		if strings.Contains(meta, `"cached":true`) != cached {
			t.Errorf("of a result that is cached: %t, the diagnostics say %s", cached, meta)
		}
	}
}

func TestFromTool(t *testing.T) {
	t.Parallel()
	yes := true
	got := FromTool(&tool.Tool{
		ID: "count words", Name: "Count", Description: "Counts",
		Parameters:  []tool.Parameter{{Name: "file", Type: tool.TypeString, Required: true, Description: "which"}},
		Annotations: tool.Annotations{ReadOnly: &yes},
	})
	if got.Name != ToolName("count words") || got.Title != "Count" || got.Description != "Counts" || got.Annotations.ReadOnly == nil || !*got.Annotations.ReadOnly {
		t.Errorf("got %+v", got)
	}
	var schema struct {
		Type       string
		Properties map[string]struct{ Type, Description string }
		Required   []string
	}
	if err := json.Unmarshal(got.InputSchema, &schema); err != nil || schema.Type != "object" || schema.Properties["file"].Type != "string" || len(schema.Required) != 1 {
		t.Errorf("schema %s: %v", got.InputSchema, err)
	}
	if !json.Valid(got.OutputSchema) {
		t.Errorf("output schema %s", got.OutputSchema)
	}
}

// TestUnsaidHints: what the author does not say is told as the sandbox holds it, and not where none does.
func TestUnsaidHints(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, row := range []struct {
		name                   string
		said                   tool.Annotations
		held, destroys         bool // read-only and destructive, where the sandbox holds
		unheld, unheldDestroys bool
	}{
		{"nothing said", tool.Annotations{}, true, false, false, true},
		{"read-only", tool.Annotations{ReadOnly: &yes}, true, false, true, false},
		{"not read-only", tool.Annotations{ReadOnly: &no}, false, true, false, true},
		{"not destructive", tool.Annotations{Destructive: &no}, true, false, false, false},
	} {
		of := tool.Tool{ID: "x", Annotations: row.said, Sandbox: tool.Sandbox{TempIsolation: true, Network: tool.NetworkOff}}
		shown := FromTool(&of)
		if a := shown.Annotations; *a.ReadOnly != row.held || *a.Destructive != row.destroys || *a.OpenWorld {
			t.Errorf("%s: told read-only %v, destructive %v, open world %v", row.name, *a.ReadOnly, *a.Destructive, *a.OpenWorld)
		}
		if a := shown.Unheld(&of).Annotations; *a.ReadOnly != row.unheld || *a.Destructive != row.unheldDestroys {
			t.Errorf("%s, unheld: told read-only %v, destructive %v", row.name, *a.ReadOnly, *a.Destructive)
		}
	}
}

// TestRequestsOfOurs: a request without params has none; null is no value that they can have.
func TestRequestsOfOurs(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		"":          `{"jsonrpc":"2.0","id":"a2a-acp-1","method":"roots/list"}`,
		`{"a":"b"}`: `{"jsonrpc":"2.0","id":"a2a-acp-1","method":"roots/list","params":{"a":"b"}}`,
	} {
		var given json.RawMessage
		if params != "" {
			given = json.RawMessage(params)
		}
		if got, err := request("a2a-acp-1", "roots/list", given); err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%q gave %s, %v", params, got, err)
		}
	}
}
