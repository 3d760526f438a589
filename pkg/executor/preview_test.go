package executor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestPreview checks that a preview tells what a call would do, and does nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Reject))
	h.has(script(touch))
	preview, failure := h.executor.Preview(h.call(`{"word":"a b"}`))
	if failure != nil {
		t.Fatal(failure)
	}
	if preview.Decision.Result != "reject" || preview.Dir != h.dir || preview.Shown != touch || preview.Sandbox.Level != h.level {
		t.Errorf("got %+v", preview)
	}
	if diff := cmp.Diff([]string{"a b"}, preview.Values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if strings.Contains(preview.Script, "a b") {
		t.Errorf("the value stands in the script:\n%s", preview.Script)
	}
	if diff := cmp.Diff([]string{"plan", "decide reject"}, h.steps); diff != "" || h.hasRun() {
		t.Errorf("steps (-want +got), has run %t:\n%s", h.hasRun(), diff)
	}
	if _, failure := h.executor.Preview(h.call(`{"wrod":"x"}`)); failure == nil || failure.Code != tool.FailValidation {
		t.Errorf("got %v, want a validation_error", failure)
	}
}

// TestRequest checks what a call would ask for, as far as its arguments say.
func TestRequest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	work := script(`bash -c {{command}}; : {{#path}}{{path}}{{/path}} {{word}}`)
	work.AllowDynamicCommand = true
	work.Parameters = append(work.Parameters, tool.Parameter{Name: "command", Type: tool.TypeString, Required: true}, tool.Parameter{Name: "path", Type: tool.TypeString})
	h.has(work)
	full := h.executor.Request(h.call(`{"command":"git push <.env; rm x >log","path":"a/b"}`))
	if full.ShellText != "git push <.env; rm x >log" || full.Shell == nil {
		t.Fatalf("got shell %q, %+v; want the command", full.ShellText, full.Shell)
	}
	if diff := cmp.Diff([]string{"git", "push", "rm", "x", "log", ".env"}, words(*full.Shell)); diff != "" {
		t.Errorf("commands, what they write and what they read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]permissions.Path{{Name: "a/b", Write: true}}, full.Paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	for name, call := range map[string]tool.Call{
		"no arguments": h.call(``), "wrong arguments": h.call(`{"command":1}`), "no such tool": {Tool: "other", Dir: h.dir},
	} {
		r := h.executor.Request(call)
		if r.Action != permissions.ActionCall || r.Tools[0] != call.Tool || r.Shell != nil || r.Arguments != nil {
			t.Errorf("%s: got %+v, want a request about the tool alone", name, r)
		}
	}
	if diff := cmp.Diff([]string{"plan"}, h.steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestTools checks that tools are what they were made of, whatever others are made from them.
func TestTools(t *testing.T) {
	t.Parallel()
	var none *Tools
	if _, ok := none.Lookup("a"); ok || none.List() != nil || none.ListIn(tool.Workspace{Root: "/w"}) != nil {
		t.Error("there is something in none")
	}
	set := func(version string, ids ...string) (entries []*Entry) {
		for _, id := range ids {
			entries = append(entries, &Entry{Tool: &tool.Tool{ID: id, Version: version}})
		}
		return entries
	}
	w := tool.Workspace{Root: "/w"}
	first := NewTools(set("1", "b", "a"))
	own := first.WithOwn(w.Root, set("own", "c", "a"))
	second := own.With(set("2", "a"))
	for _, test := range []struct {
		name  string
		tools *Tools
		in    tool.Workspace
		want  string
	}{
		{"the first", first, w, "a1 b1"},
		{"with its own", own, w, "a1 b1 cown"},
		{"elsewhere", own, tool.Workspace{Root: "/x"}, "a1 b1"},
		{"nowhere", own, tool.Workspace{}, "a1 b1"},
		{"others, with its own", second, w, "a2 cown"},
	} {
		var got []string
		for _, entry := range test.tools.ListIn(test.in) {
			found, _ := test.tools.LookupIn(test.in, entry.Tool.ID)
			got = append(got, found.Tool.ID+found.Tool.Version)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
