package secret

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestHarmless checks that ordinary output stays as it is, whatever the values are: keys and passwords as
// they are given out, words, and numbers.
func TestHarmless(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, path := range []string{"../../README.md", "../../docs/tools.md", "../../docs/secrets.md", "../../ARCHITECTURE.md", "../../go.sum", "../../tools.yaml", "forms.go", "dump.go"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	for _, script := range []string{
		"ls -laR /usr/lib | head -c 100000", "env", "git -C ../.. log --stat | head -c 100000", "od -c /bin/true | head -c 100000",
		"xxd /bin/true | head -c 100000", "hexdump -C /bin/true | head -c 100000", "base64 /bin/true | head -c 100000", "seq 9000",
		"od -An -t u1 /bin/true | head -c 100000", "od -d /bin/true | head -c 100000", "od -t u4 /bin/true | head -c 100000",
		"xxd -b /bin/true | head -c 100000", "ls -la --color=always --hyperlink=always /usr/bin | head -c 100000", "cat /bin/true | head -c 100000", "cat /etc/services /etc/passwd",
	} {
		out, err := exec.CommandContext(t.Context(), "bash", "-c", script).Output()
		if err != nil {
			t.Logf("%s: %v", script, err) // a program that this machine does not have
		}
		texts = append(texts, string(out))
	}
	if testing.Short() {
		for i, text := range texts {
			texts[i] = text[:min(len(text), 5_000)]
		}
	}
	var keys []string
	for i := range 200 {
		sum := sha256.Sum256(fmt.Append(nil, i))
		keys = append(keys, hex.EncodeToString(sum[:10]), base64.StdEncoding.EncodeToString(sum[:9+i%20]),
			`pa"s'$`+base64.URLEncoding.EncodeToString(sum[:5])+"%", fmt.Sprintf("Tr0ub4dor&%d %x", i, sum[:2]))
	}
	keys = append(keys, password, key, "correct horse battery staple", "letmein-1!", "hunter22", "Пароль-1")
	every := New(keys...)
	short := []string{"zq1x", "4711", "70-4", "k'Z\"", "%%%%", "q4zz", `\\\\`, "&amp", "++4+", "0xq "}
	for _, text := range texts {
		if got := every.String(text); got != text {
			t.Errorf("taken out of what begins with %.60q: %s", text, difference(text, got))
		}
		for _, value := range short {
			if got, want := New(value).String(text), strings.ReplaceAll(text, value, Mark); got != want {
				t.Errorf("%q is taken out of what begins with %.60q: %s", value, text, difference(want, got))
			}
		}
	}
}

// difference shows where two texts begin to differ.
func difference(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	at = max(0, at-30)
	return fmt.Sprintf("%.90q is %.90q", a[at:], b[at:])
}
