package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const structuredDetail = `version: 2
a:
  script: exit 3 # {{path}}
  parameters: [{name: path, required: true}]
  error_mapping:
    3: {code: -32002, detail: {uri: "file://{{path}}", tried: [1, "{{path}}.txt", null], plain: {yes: true}}}
`

// TestErrorProfiles guards that what ACP's clients would show as [object Object] is a mistake, unless it was
// asked for.
func TestErrorProfiles(t *testing.T) {
	t.Parallel()
	for _, profile := range []tool.ErrorProfile{"", tool.ProfileBasic} {
		_, err := ReadTools(File{Name: "x.yaml", Data: []byte(structuredDetail), ErrorProfile: profile})
		if err == nil || !strings.Contains(err.Error(), "x.yaml:6:31") ||
			!strings.Contains(err.Error(), "A2A_ERROR_PROFILE=extended-json") {
			t.Errorf("under %q: %v", profile, err)
		}
	}
	tools, err := ReadTools(File{Name: "x.yaml", Data: []byte(structuredDetail),
		ErrorProfile: tool.ProfileExtended})
	if err != nil {
		t.Fatal(err)
	}
	got, err := tools[0].Details[3].Render(map[string]any{"path": "/a"})
	if err != nil {
		t.Fatal(err)
	}
	list := got.(map[string]any)["tried"].([]any)
	want := map[string]any{"uri": "file:///a", "tried": []any{list[0], "/a.txt", nil},
		"plain": map[string]any{"yes": true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wrong := strings.Replace(structuredDetail, "{{path}}.txt", "{{pth}}", 1)
	if _, err := ReadTools(File{Name: "x.yaml", Data: []byte(wrong),
		ErrorProfile: tool.ProfileExtended}); err == nil ||
		!strings.Contains(err.Error(), `no parameter "pth" is declared`) {
		t.Errorf("a name inside of a detail that nobody declares: %v", err)
	}
}

// TestErrorProfileVariable is about A2A_ERROR_PROFILE.
func TestErrorProfileVariable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set  string
		want tool.ErrorProfile
	}{{"", tool.ProfileBasic}, {"acp-basic", tool.ProfileBasic}, {"extended-json", tool.ProfileExtended},
		{"EXTENDED_JSON", tool.ProfileExtended}} {
		set, err := Load(Sources{Env: env(ErrorProfileVariable, test.set)})
		if err != nil || set.ErrorProfile != test.want {
			t.Errorf("%q: %v, %v", test.set, set, err)
		}
	}
	if _, err := Load(Sources{Env: env(ErrorProfileVariable, "verbose")}); err == nil ||
		!strings.Contains(err.Error(), `want acp-basic or extended-json, found "verbose"`) {
		t.Errorf("got %v", err)
	}
}

// TestCanonicalTexts pins the texts that clients look for (JSON-RPC 2.0, 5.1; ACP, Error).
func TestCanonicalTexts(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"-32700": "Parse error", "-32600": "Invalid request", "-32601": "Method not found",
		"-32602": "Invalid params", "-32603": "Internal error", "-32000": "Authentication required",
		"-32002": "Resource not found", "-32800": "Request cancelled", "7": "Tool failed",
	} {
		for _, form := range []string{code, "{code: " + code + "}",
			"{code: " + code + ", retryable: false}"} {
			tools, err := ReadTools(File{Name: "x.yaml",
				Data: []byte("a:\n  script: exit 3\n  error_mapping: {\"3\": " + form + "}\n")})
			if err != nil {
				t.Fatal(err)
			}
			if got := tools[0].Tool.ErrorMapping[3]; got.Message != want || got.Retryable ||
				got.Detail != nil {
				t.Errorf("%s: %+v, want %q", form, got, want)
			}
		}
	}
}
