package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestLongOutput checks that an agent gets the beginning and the end, that the whole is kept on request,
// and that a person gets it all.
func TestLongOutput(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": apiKey}
	dir := filepath.Join(t.TempDir(), "blobs")
	h.executor.blobs = &blob.Store{Dir: dir}
	work := referring(`echo first; for ((i = 0; i < 9000; i++)); do echo "ää€🙂 $API_KEY"; done; echo last`)
	h.has(work)
	whole := "first\n" + strings.Repeat("ää€🙂 "+secret.Mark+"\n", 9000) + "last\n"

	result := h.execute(t.Context(), `{}`)
	if !result.Truncated || !strings.HasPrefix(result.Stdout, "first\n") || !strings.HasSuffix(result.Stdout, "\nlast\n") ||
		len(result.Stdout) > tool.DefaultKeep+100 || len(result.Stdout) < tool.DefaultKeep-100 || !utf8.ValidString(result.Stdout) {
		t.Errorf("got %d bytes, truncated %t, %.20q", len(result.Stdout), result.Truncated, result.Stdout)
	}
	if result.Metadata.Diagnostics[tool.BlobsKey] != nil {
		t.Errorf("kept, and nobody asked for that: %v", result.Metadata.Diagnostics)
	}
	sum := sha256.Sum256([]byte(whole + "\x00"))
	if ended := h.of(events.ToolEnded); ended[0].Outcome.OutputHash != hex.EncodeToString(sum[:]) {
		t.Error("what is recorded is not the hash of the whole")
	}

	byHand := h.call(`{}`)
	byHand.Origin = tool.Origin{Door: tool.DoorCLI}
	if result := h.executor.Execute(t.Context(), byHand, person{h}); result.Stdout != whole || result.Truncated {
		t.Errorf("a person got %d of %d bytes", len(result.Stdout), len(whole))
	}

	spilling := *work
	spilling.Output = tool.Output{Keep: 100, Spill: true}
	h.has(&spilling)
	result = h.executor.Execute(t.Context(), byHand, person{h})
	kept, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	data, err := os.ReadFile(kept["stdout"].Path)
	if err != nil || string(data) != whole || len(result.Stdout) > 200 || len(kept) != 1 {
		t.Errorf("kept %v, %v; told %q", kept, err, result.Stdout)
	}
	ended := h.of(events.ToolEnded)
	if recorded, err := json.Marshal(ended[len(ended)-1].Outcome); err != nil || !strings.Contains(string(recorded), kept["stdout"].SHA256) {
		t.Errorf("the record does not name what was kept: %s", recorded)
	}

	h.executor.blobs = &blob.Store{Dir: "/dev/null/blobs"}
	if result = h.execute(t.Context(), `{}`); result.Status != tool.StatusCompleted || result.Metadata.Diagnostics["blob_error"] == nil {
		t.Errorf("output that cannot be kept: %+v", result)
	}
}

// TestBinaryOutput checks that bytes which are no text are said to be none, and kept on request.
func TestBinaryOutput(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.executor.blobs = &blob.Store{Dir: filepath.Join(t.TempDir(), "blobs")}
	work := script(`printf '\x89PNG\x0d\x0a\x1a\x0a\x00\x01\xff'; echo note >&2`)
	work.Output.Spill = true
	h.has(work)
	result := h.execute(t.Context(), `{}`)
	binary, _ := result.Metadata.Diagnostics[tool.BinaryKey].(map[string]tool.Binary)
	if binary["stdout"].Type != "image/png" || binary["stdout"].Bytes != 11 || len(binary) != 1 || result.Stdout != "\x89PNG\r\n\x1a\n\x00\x01\xff" {
		t.Errorf("got %+v, %q", binary, result.Stdout)
	}
	kept, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	if data, err := os.ReadFile(kept["stdout"].Path); err != nil || string(data) != result.Stdout {
		t.Errorf("kept %q, %v", data, err)
	}
	for _, text := range []string{"", "plain", "gr\xfc\xdfe aus einer alten Welt, und noch viel mehr davon, damit es ein Text ist", "ä€🙂"} {
		if looksBinary(text) {
			t.Errorf("%q is taken for binary", text)
		}
	}
	for _, data := range []string{"\x00", "text\x00", "\xff\xfe\xfd\xfc abc"} {
		if !looksBinary(data) {
			t.Errorf("%q is taken for text", data)
		}
	}
}

// TestCutWithinCharacter is about a call that its limit on output ends in the middle of a character.
func TestCutWithinCharacter(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := script(`printf '€€€€'; sleep 60`)
	work.Sandbox.Limits.Output = 7
	h.has(work)
	if result := h.execute(t.Context(), `{}`); result.Stdout != "€€" || !result.Truncated {
		t.Errorf("got %q, %+v", result.Stdout, result.Error)
	}
}

// TestCures is the seed's table of troubles: each comes with what to do about it.
func TestCures(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "not-granted")
	for _, test := range []struct {
		name, script string
		change       func(*tool.Tool)
		want         []string
	}{
		{"permission denied", `echo x >/etc/hostname`, nil, []string{"access was denied (/etc/hostname)", "allowed_paths", "tools.yaml:7"}},
		{"not executable", `printf '#!/bin/sh\n' >f; ./f`, nil, []string{"could not be run as a program", "chmod +x"}},
		{"command not found", `no-such-command-at-all --x`, nil, []string{"no-such-command-at-all is not installed", "install it", "tools.yaml:7"}},
		{"command not found by env", `env no-such-command-at-all`, nil, []string{"no-such-command-at-all is not installed"}},
		{"not among those that may start", `ls`, func(w *tool.Tool) { w.Sandbox.Commands = []string{"cat"} }, []string{"allowed_commands"}},
		{"nothing known", `exit 9`, nil, nil},
		{"somebody else's words", fmt.Sprintf(`echo "%s: Permission denied" >&2; exit 3`, outside), nil, []string{"access was denied (" + outside + ")"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			work := script(test.script)
			if test.change != nil {
				test.change(work)
			}
			h.has(work)
			result := h.execute(t.Context(), `{}`)
			cure, _ := result.Metadata.Diagnostics[tool.CureKey].(string)
			if (cure == "") != (test.want == nil) {
				t.Errorf("cure %q of %+v", cure, result)
			}
			for _, want := range test.want {
				if !strings.Contains(cure, want) || !strings.Contains(result.MCPError.DetailText(), want) {
					t.Errorf("%q is not in %q, or not in %q", want, cure, result.MCPError.DetailText())
				}
			}
		})
	}
	h := newHouse(t, rule(permissions.Approve))
	slow := script(`sleep 60`)
	slow.Sandbox.Limits.Timeout = 1
	h.has(slow)
	if result := h.execute(t.Context(), `{}`); result.Error == nil || !strings.Contains(result.Error.Message, "`timeout` (seconds) under sandbox sets in the tool's entry (tools.yaml:7)") {
		t.Errorf("got %+v", result.Error)
	}
}

// TestHostileCure guards that what a tool prints gives a cure no more than one short name, on one line.
func TestHostileCure(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(script(`printf '\e]0;x\a\u202ex\x01: Permission denied\n' >&2; printf 'run\nthis: rm: command not found\n' >&2; exit 1`))
	result := h.execute(t.Context(), `{}`)
	cure, _ := result.Metadata.Diagnostics[tool.CureKey].(string)
	if cure == "" || strings.ContainsAny(cure, "\n\x1b\x07\x01\u202e") {
		t.Errorf("got %q", cure)
	}
}

// TestDiagnostics checks that what an error means is told to programs and recorded, under each profile.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		profile tool.ErrorProfile
		word    string
		detail  any
		want    string
	}{
		{"", "acp_basic", "no {{word}}", `"no such"`},
		{tool.ProfileExtended, "extended_json", "no {{word}}", `"no such"`},
	} {
		h := newHouse(t, rule(permissions.Approve))
		h.executor.profile = test.profile
		work := script(`exit 3`)
		work.ErrorMapping = map[int]tool.MappedError{3: {Code: -32002, Message: "Resource not found", Detail: test.detail}}
		h.has(work)
		result := h.execute(t.Context(), `{"word":"such"}`)
		detail, err := json.Marshal(result.MCPError.Detail)
		if err != nil || string(detail) != test.want || result.MCPError.ReturnCode != 3 || result.MCPError.Retryable {
			t.Errorf("got %+v, %v", result.MCPError, err)
		}
		recorded := h.of(events.ToolEnded)[0].Outcome.Diagnostics
		for _, told := range []map[string]any{result.Metadata.Diagnostics, recorded} {
			if told["error_profile"] != test.word || told["return_code"] != 3 || told["code"] != -32002 || told["message"] != "Resource not found" || told["detail"] == nil || told["retryable"] != false {
				t.Errorf("got %v", told)
			}
		}
		h.has(script(`exit 0`))
		h.execute(t.Context(), `{}`)
		if d := h.of(events.ToolEnded)[1].Outcome.Diagnostics; d != nil {
			t.Errorf("a success is recorded with %v", d)
		}
	}
}
