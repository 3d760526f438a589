package app

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestClaimsThatCount has only the word of an issuer count that the person has named: an agent that starts a daemon of its
// own could have named another.
func TestClaimsThatCount(t *testing.T) {
	t.Parallel()
	staff := map[string]any{"roles": "staff"}
	access := &tool.Access{Rules: []tool.AccessRule{{
		Matchers: []tool.ClaimMatcher{{Path: []string{"roles"}, Operator: tool.ClaimEquals, Value: "staff"}},
	}}}
	for _, row := range []struct {
		name      string
		principal *serve.Principal
		want      bool
	}{
		{"of an issuer", &serve.Principal{Name: "corp:anna", Issuer: "corp", OnlyIssuer: true, Claims: staff}, true},
		{"other claims", &serve.Principal{Name: "corp:anna", Issuer: "corp", OnlyIssuer: true, Claims: map[string]any{"roles": "guest"}}, false},
		{"of an agent's own daemon", &serve.Principal{Name: agentsName("corp:anna"), Issuer: "corp", OnlyIssuer: true, Claims: staff}, false},
		{"of the configuration", &serve.Principal{Name: "ci"}, false},
		{"nobody", nil, false},
	} {
		var shown shownClaims
		if got := access.Lets(shown.of(row.principal)); got != row.want {
			t.Errorf("%s: is let in: %v, want %v", row.name, got, row.want)
		}
	}
}
