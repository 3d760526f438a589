package governor

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// x makes a made-up secret look like none to whoever searches this repository for secrets.
func x(parts ...string) string { return strings.Join(parts, "") }

// samples are one secret of each kind, made up.
func samples() map[string]string {
	key := x("-----BEGIN ", "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAA\nAAABAAAAMwAAAAtzc2gtZWQyNTUxOQ\n-----END ", "OPENSSH PRIVATE KEY-----")
	letters := func(n int) string { return strings.Repeat("aB3dE5gH7k", 20)[:n] }
	hexes := func(n int) string { return strings.Repeat("0123456789abcdef", 20)[:n] }
	return map[string]string{
		"AWS access key id": x("AKIA", "IOSFODNN7EXAMPLE"), "AWS secret access key": x("aws_secret_access_key = ", letters(40)),
		"GitHub token": x("ghp_", letters(36)), "GitHub fine-grained token": x("github_pat_", letters(60)),
		"GitLab token": x("glpat-", letters(20)), "Slack token": x("xoxb-", "123456789012-", letters(24)),
		"Slack app token": x("xapp-", "1-A0B1-123-", hexes(20)), "Slack webhook": x("https://hooks.slack.com/", "services/T000/B000/", letters(24)),
		"OpenAI or Anthropic key": x("sk-", "ant-api03-", letters(40)), "sk- key": x("sk-", letters(48)),
		"Stripe key": x("sk_live_", letters(24)), "Stripe webhook secret": x("whsec_", letters(32)),
		"Google API key": x("AIza", letters(35)), "Google OAuth token": x("ya29.", letters(40)), "Google OAuth secret": x("GOCSPX-", letters(28)),
		"Hugging Face token": x("hf_", strings.Repeat("aBcDeFgH", 5)[:34]), "npm token": x("npm_", letters(36)),
		"PyPI token": x("pypi-", "AgE", letters(60)), "DigitalOcean token": x("dop_v1_", hexes(64)),
		"SendGrid key": x("SG.", letters(22), ".", letters(43)), "Twilio key": x("twilio_key=", "SK", hexes(32)),
		"Telegram bot token": x("123456789:AA", letters(33)), "Shopify token": x("shpat_", hexes(32)),
		"Azure storage key": x("AccountKey=", letters(86), "=="), "age secret key": x("AGE-SECRET-KEY-1", strings.Repeat("Q", 58)),
		"HashiCorp Vault token": x("hvs.", letters(30)),
		"JSON web token":        x("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".", letters(43)),
		"password in a URL":     x("postgres://app:", "hunter2x@db.example.com/app"), "HTTP authorization": x("Authorization: Bearer ", letters(30)),
		"private key": key,
	}
}

// secretPart is what of a sample must not be seen: the words around it are no secret.
func secretPart(sample string) string {
	for _, before := range []string{" = ", "AccountKey=", "twilio_key=", "Bearer ", "app:"} {
		if _, after, ok := strings.Cut(sample, before); ok {
			after, _, _ = strings.Cut(after, "@")
			return after
		}
	}
	return sample
}

// TestPatterns checks that each kind of secret is found, as it is and encoded, and that all kinds have a
// sample.
func TestPatterns(t *testing.T) {
	t.Parallel()
	all := samples()
	for _, p := range patterns {
		sample, ok := all[p.name]
		if !ok {
			t.Errorf("%s: there is no sample", p.name)
			continue
		}
		for form, text := range map[string]string{
			"as it is": sample, "base64": base64.StdEncoding.EncodeToString([]byte("some text before " + sample + " and after")),
			"base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(":" + sample)), "percent": url.QueryEscape("k=" + sample + "&x=1"),
			"in JSON": string(mustJSON(t, map[string]string{"k": sample})),
		} {
			clean, count := redact("begin " + text + " end")
			if count == 0 || strings.Contains(clean, secretPart(text)) || form != "in JSON" && !strings.HasPrefix(clean, "begin ") || !strings.HasSuffix(clean, " end") && form != "as it is" {
				t.Errorf("%s, %s: got %q, %d", p.name, form, clean, count)
			}
			if form == "as it is" && !strings.Contains(clean, "[redacted: ") {
				t.Errorf("%s: got %q", p.name, clean)
			}
		}
	}
	if len(patterns) < 25 {
		t.Errorf("there are %d patterns", len(patterns))
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// TestNoSecrets checks that what looks random is left alone.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "hello", "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"commit 9a2f95d0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6", "id 550e8400-e29b-41d4-a716-446655440000", "task-based sk-learn risk-averse",
		"https://example.com/a/b?c=d", "user@example.com", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"integrity sha512-" + strings.Repeat("Ab1/", 20) + "==", "git@github.com:a/b.git", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq", "the word authorization: none",
		"https://host:8080/x@y", strings.Repeat("A", 5000),
	} {
		if clean, count := redact(text); count != 0 || clean != text {
			t.Errorf("%q: got %q", text, clean)
		}
	}
}

// known is an exact redactor as internal/secret makes one.
type known string

func (k known) Redact(s string) string { return strings.ReplaceAll(s, string(k), "[yours]") }

// TestSecretsGovernor checks both phases: an act that holds a secret is asked about or rejected, output
// loses it.
func TestSecretsGovernor(t *testing.T) {
	t.Parallel()
	token := samples()["GitHub token"]
	h := newHouse(t)
	h.governors.o.Redactor = known("hunter2")
	act := func(text string) permissions.Review {
		r := h.review()
		r.Arguments = map[string]any{"deep": []any{map[string]any{"text": text}}}
		return r
	}
	h.has(spec("leaks", KindSecrets, func(s *Spec) { s.Found = VerbAsk }))
	for text, silent := range map[string]bool{"plain": true, "x " + token: false, "say hunter2": false} {
		if r := h.governors.Review(t.Context(), act(text)); r.Silent != silent || !silent && r.Verdict != permissions.Ask || strings.Contains(r.Reason, token) {
			t.Errorf("%q: got %+v", text, r)
		}
	}
	h.has(spec("leaks", KindSecrets, func(s *Spec) { s.Found = VerbReject }))
	if r := h.governors.Review(t.Context(), act(token)); r.Verdict != permissions.Reject {
		t.Errorf("got %+v", r)
	}

	clean := spec("clean", KindSecrets, func(s *Spec) { s.Found = VerbRedact })
	h.screens(clean)
	s := h.governors.Screen(t.Context(), permissions.Finished{Review: h.review(), Result: tool.Result{Stdout: "a " + token + " b", Stderr: "hunter2"}})
	if s.Silent || s.Stdout != "a [redacted: GitHub token] b" || s.Stderr != "[yours]" || s.Withheld != "" || s.Governor != "clean" || s.Governance.Answers[0].Redacted != 2 {
		t.Errorf("got %+v", s)
	}
	if s := h.governors.Screen(t.Context(), permissions.Finished{Review: h.review(), Result: tool.Result{Stdout: "fine"}}); !s.Silent {
		t.Errorf("got %+v", s)
	}
	h.screens(spec("strict", KindSecrets, func(s *Spec) { s.Found = VerbReject }))
	if s := h.governors.Screen(t.Context(), permissions.Finished{Review: h.review(), Result: tool.Result{Stdout: token}}); s.Withheld == "" || s.Stdout != "" {
		t.Errorf("got %+v", s)
	}
}

// redact takes secrets out of a text and counts them.
func redact(text string) (clean string, count int) {
	places := secretsIn(text)
	return without(text, places), len(places)
}

// What a person's own expressions match is taken out of output: the first group where there is one, and what
// two match together as one. In an act it is a reason to stop.
func TestPatternsOfOnesOwn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		patterns   []string
		text, want string
	}{
		{[]string{"SECRET"}, "a SECRET b SECRET", "a [redacted] b [redacted]"},
		{[]string{`id=(\d+)`}, "id=12 id=x id=7", "id=[redacted] id=x id=[redacted]"},
		{[]string{"abc", "cde"}, "abcde", "[redacted]"},
		{[]string{"x*"}, "axxb", "a[redacted]b"},
		{[]string{"(?i)grüße"}, "GRÜßE", "[redacted]"},
		{[]string{"nothing"}, "a\xffb", "a\xffb"},
	} {
		if got := without(row.text, finder(row.patterns)(row.text)); got != row.want {
			t.Errorf("%q in %q: %q, want %q", row.patterns, row.text, got, row.want)
		}
	}
	h := newHouse(t)
	ids := spec("ids", KindPatterns, func(s *Spec) { s.Patterns, s.Found = []string{"prod-[0-9]+"}, VerbReject })
	h.has(ids)
	review := h.review()
	review.Arguments = map[string]any{"host": []any{"x prod-12"}}
	if r := h.governors.Review(t.Context(), review); r.Verdict != permissions.Reject || !strings.Contains(r.Reason, "a pattern matches") {
		t.Errorf("got %+v", r)
	}
	ids.Found = VerbRedact
	h.screens(ids)
	s := h.governors.Screen(t.Context(), permissions.Finished{Review: h.review(), Result: tool.Result{Stdout: "on prod-12", Stderr: "prod-7: gone"}})
	if s.Stdout != "on [redacted]" || s.Stderr != "[redacted]: gone" || s.Governance.Answers[0].Redacted != 2 {
		t.Errorf("got %+v", s)
	}
}
