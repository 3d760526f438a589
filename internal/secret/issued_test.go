package secret

import (
	"fmt"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestIssued checks that a value is known once it was given out, in every form, and not before; and how
// many are.
func TestIssued(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"TOKEN": "correct-horse", "REGION": "eu-west", "OTHER": "battery-staple"}
	handed := &Issued{}
	v := &Vault{Environ: func(name string) string { return environment[name] }, Issued: handed}
	const text = "correct-horse eu-west battery-staple Y29ycmVjdC1ob3JzZQ=="
	if got := handed.Redact(text); got != text {
		t.Errorf("before anything was given out: %q", got)
	}
	if err := v.Missing(tool.Reference{Env: "OTHER"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"TOKEN", "REGION", "TOKEN"} {
		if _, err := v.Value(t.Context(), tool.Reference{Env: name}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := handed.Redact(text), "[secret] eu-west battery-staple [secret]=="; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := v.Value(t.Context(), tool.Reference{Env: "MISSING"}); err == nil || len(handed.values) != 1 {
		t.Errorf("got %v, %d values", err, len(handed.values))
	}
	if handed.add("of-seven"[1:]); handed.Redact("f-seven") != "f-seven" {
		t.Error("a short value is looked for in everything")
	}
	if handed.add("of-eight"); handed.Redact("of-eight") != Mark {
		t.Error("a value of eight bytes is not known")
	}
	for i := range mostIssued {
		handed.add(fmt.Sprintf("another-value-%d", i))
	}
	if got := handed.Redact("correct-horse another-value-255"); got != "correct-horse [secret]" || len(handed.values) != mostIssued {
		t.Errorf("of too many values: %q, %d are known", got, len(handed.values))
	}
}
