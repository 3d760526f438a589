package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Whatever the files give a secret to is named, once.
func TestSecretUsers(t *testing.T) {
	t.Parallel()
	to := func(name string) *tool.Reference { return &tool.Reference{Secret: name} }
	given := map[string]tool.Reference{"A": *to("ONE"), "B": *to("ONE"), "C": *to("TWO"), "D": {Env: "E"}}
	s := Set{
		Tools: []Loaded{{Tool: tool.Tool{ID: "clone", Sandbox: tool.Sandbox{References: given}}}},
		Governors: []governor.File{{
			Permission: []governor.Spec{{ID: "script", Script: governor.Script{Secrets: given}}},
			Output:     []governor.Spec{{ID: "http", HTTP: governor.HTTP{Secret: to("THREE")}}},
		}},
		Settings: Settings{
			Webhooks: []webhook.Spec{{ID: "hook", Target: webhook.Target{
				URL: webhook.Value{Reference: to("URL")}, Auth: webhook.Auth{Value: webhook.Value{Reference: to("ONE")}},
				Signing: webhook.Signing{Secrets: []webhook.Value{{Reference: to("KEY")}, {Literal: "x"}}},
			}}},
			Agents: []Agent{{Name: "claude", References: given}},
			Serve:  serve.Settings{Principals: map[string]serve.PrincipalSpec{"ci": {Token: *to("CI")}, "env": {Token: tool.Reference{Env: "E"}}}},
		},
	}
	want := []SecretUser{
		{"ONE", "tool", "clone"}, {"TWO", "tool", "clone"},
		{"URL", "webhook", "hook"}, {"ONE", "webhook", "hook"}, {"KEY", "webhook", "hook"},
		{"ONE", "governor", "script"}, {"TWO", "governor", "script"}, {"THREE", "governor", "http"},
		{"ONE", "agent", "claude"}, {"TWO", "agent", "claude"},
		{"CI", "principal", "ci"},
	}
	if diff := cmp.Diff(want, s.SecretUsers()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
