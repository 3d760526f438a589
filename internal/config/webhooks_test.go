package config

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// webhooksOf reads webhooks on top of settings.
func webhooksOf(t *testing.T, base Settings, text string) []webhook.Spec {
	t.Helper()
	s, err := ReadSettings(File{Name: "a2a-acp.yaml", Layer: tool.LayerUser, Data: []byte(text)}, base)
	if err != nil {
		t.Fatal(err)
	}
	return s.Webhooks
}

// TestWebhooks checks what becomes of what people write, in our words and in the original's.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "ok", "settings_webhooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]webhook.Spec{}
	for _, s := range webhooksOf(t, DefaultSettings(), string(data)) {
		byID[s.ID] = s
	}
	stored := func(name string) webhook.Value {
		return webhook.Value{Reference: &tool.Reference{Secret: name}}
	}
	source := func(line int) tool.Source {
		return tool.Source{Layer: tool.LayerUser, File: "a2a-acp.yaml", Line: line, Column: 5}
	}
	for id, want := range map[string]webhook.Spec{
		"all": {ID: "all", Target: webhook.Target{URL: webhook.Value{Literal: "https://hooks.example.com/a2a"}}, Begin: webhook.BeginNow, Source: source(2)},
		"alarms": {ID: "alarms", Source: source(4), Begin: webhook.BeginBeginning, Format: webhook.FormatCloudEvents, Checkpoints: true,
			Target: webhook.Target{URL: stored("ALARM_URL"), Auth: webhook.Auth{Kind: webhook.AuthBearer, Value: stored("ALARM_TOKEN")},
				Signing: webhook.Signing{Secrets: []webhook.Value{stored("ALARM_KEY")}, Ed25519: true},
				Allow:   []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.1.0.0/16")},
				Ports:   []uint16{9443}, CAFile: "/etc/ssl/own.pem", Timeout: 10 * time.Second},
			Filter: webhook.Filter{
				Events:   []string{"tool.violated", "security_violation", "circuit_breaker_closed", "circuit_breaker_half_opened", "circuit_breaker_opened"},
				Disabled: []string{"tool_started"}, Tools: []string{"functions.*", "deploy"}, Decisions: []string{"reject", "ask"}, Agents: []string{"gemini*"},
			},
			Quiet: &webhook.Quiet{Start: 22 * 60, End: 7 * 60, Zone: time.UTC},
			Retry: webhook.Retry{Attempts: 5, First: time.Second, Longest: time.Hour, Multiplier: 2.5}},
		"the-originals": {ID: "the-originals", Source: source(38), Begin: webhook.BeginNow,
			Target: webhook.Target{URL: webhook.Value{Literal: "https://your-app.example.com/webhooks/a2a"},
				Auth: webhook.Auth{Kind: webhook.AuthBearer, Value: stored("ORIGINAL_TOKEN")}},
			Filter: webhook.Filter{Events: []string{"status_change", "message", "artifact", "input_required", "tool_execution"}, Disabled: []string{"task_feedback_required"}},
			Quiet:  &webhook.Quiet{Start: 22 * 60, End: 8 * 60, Zone: time.UTC},
			Retry:  webhook.Retry{Attempts: 3, First: time.Second, Longest: 30 * time.Second, Multiplier: 2, Jitter: webhook.Jitter}},
		"the-originals-key": {ID: "the-originals-key", Source: source(47), Begin: webhook.BeginNow,
			Target: webhook.Target{URL: webhook.Value{Literal: "https://api.example.com/webhooks"},
				Auth: webhook.Auth{Kind: webhook.AuthAPIKey, Name: "X-API-Key", Value: stored("ORIGINAL_KEY")}}},
		"the-originals-header": {ID: "the-originals-header", Source: source(50), Begin: webhook.BeginNow,
			Target: webhook.Target{URL: webhook.Value{Literal: "https://api.example.com/webhooks"},
				Auth: webhook.Auth{Kind: webhook.AuthHeader, Name: "Authorization", Value: stored("ORIGINAL_HEADER")}}},
	} {
		// A location has no fields that can be compared.
		if diff := cmp.Diff(want, byID[id], cmp.Comparer(func(a, b *time.Location) bool { return a == b }), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
}

// TestWebhooksOfLayers checks that a later file replaces a webhook by its id, and adds others.
func TestWebhooksOfLayers(t *testing.T) {
	t.Parallel()
	base := DefaultSettings()
	base.Webhooks = webhooksOf(t, base, "webhooks: [{id: a, url: https://a.example.com/}, {id: b, url: https://b.example.com/}]")
	all := webhooksOf(t, base, "webhooks: [{id: c, url: https://c.example.com/}, {id: a, url: https://other.example.com/}]")
	var got []string
	for _, s := range all {
		got = append(got, s.ID+" "+s.Target.URL.Literal)
	}
	want := []string{"a https://other.example.com/", "b https://b.example.com/", "c https://c.example.com/"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if base.Webhooks[0].Target.URL.Literal != "https://a.example.com/" {
		t.Error("the settings before were changed")
	}
}

// TestWebhookSecretsAreHidden checks that what stands in a file in plain text is not repeated about it, nor what may
// be a token in a URL.
func TestWebhookSecretsAreHidden(t *testing.T) {
	t.Parallel()
	text := `webhooks:
  - id: one
    url: https://hooks.example.com:99999/services/geheimpfad1234567
    authentication: {type: bearer, token: geheim-token-123456, key: geheim-key-1234567}
    signing: {secrets: [geheim-secret-123456]}
    events: [nothing]
`
	file := File{Name: "a2a-acp.yaml", Layer: tool.LayerUser, Data: []byte(text)}
	_, err := ReadSettings(file, DefaultSettings())
	if err == nil {
		t.Fatal("it was accepted")
	}
	list := readGolden("settings_x.yaml", []byte(text))
	AddExcerptsOf([]File{{Name: "settings_x.yaml", Data: []byte(text)}}, list)
	for _, said := range []string{err.Error(), list.Shown()} {
		if strings.Contains(said, "geheim") {
			t.Errorf("a secret is in\n%s", said)
		}
	}
}

// TestObsoleteVariables checks that what the original read is told, with what stands in its place.
func TestObsoleteVariables(t *testing.T) {
	t.Parallel()
	set, err := Load(Sources{Env: func(name string) string {
		return map[string]string{"PUSH_NOTIFICATION_HMAC_SECRET": "geheim-123456"}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	said := set.Warnings.Shown()
	if !strings.Contains(said, "PUSH_NOTIFICATION_HMAC_SECRET") || !strings.Contains(said, "signing: {secret: NAME}") || strings.Contains(said, "geheim") {
		t.Errorf("it says %q", said)
	}
}
