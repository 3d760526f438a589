package secret

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"strings"
	"testing"
)

// password has what shells, URLs, JSON and HTML write in a way of their own.
const password = `p4$$ w/ö'rd"+<&>\x%`

const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----"

// TestForms is about what real programs print that were given a value.
func TestForms(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("sup3r-s3cret/", 9) // base64(1) breaks its line
	for _, test := range []struct{ name, value, script string }{
		{"as it is", password, `printf '<%s>' "$V"`},
		{"twice", password, `printf '%s%s' "$V" "$V"`},
		{"base64", password, `printf %s "$V" | base64`},
		{"base64 with a line end", password, `echo "$V" | base64`},
		{"base64 broken into lines", long, `printf %s "$V" | base64`},
		{"base64 broken into short lines", long, `printf %s "$V" | base64 -w 5`},
		{"basic authorization, one byte before", password, `printf 'u:%s' "$V" | base64`},
		{"basic authorization, two bytes before", password, `printf 'u1:%s' "$V" | base64`},
		{"basic authorization, three bytes before", password, `printf 'u12:%s@host' "$V" | base64`},
		{"xtrace", password, `set -x; : "$V"`},
		{"declare", password, `declare -p V`},
		{"printf %q", password, `printf %q "$V"`},
		{"env", password, `env | grep ^V=`},
		{"hexadecimal", password, `printf %s "$V" | od -An -v -tx1 | tr -d ' \n'`},
		{"lines of a key", key, `printf %s "$V" | sed 's/^/    /'`},
		{"one line of a key", key, `printf %s "$V" | sed -n 2p`},
		{"a key with the line ends of Windows", key, `printf '%s' "$V" | sed 's/$/\r/'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "bash", "-c", test.script)
			cmd.Env = []string{"V=" + test.value, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatal(err)
			}
			got := New(test.value).String(string(out))
			if !strings.Contains(got, Mark) {
				t.Errorf("%q is not marked: %q", out, got)
			}
			leaks(t, got, test.value)
		})
	}
}

// TestEncodedForms are those that Go's own libraries write.
func TestEncodedForms(t *testing.T) {
	t.Parallel()
	r := New(password)
	inJSON, _ := json.Marshal(map[string]string{"password": password})
	for _, text := range []string{
		url.QueryEscape(password), url.PathEscape(password), string(inJSON), "https://u:" + url.PathEscape(password) + "@host/",
		base64.URLEncoding.EncodeToString([]byte("x" + password + "y")), fmt.Sprintf("%x", password), fmt.Sprintf("%X", password),
		"p4%24%24%20w%2f%c3%b6%27rd%22%2b%3c%26%3e%5cx%25", `p4$$ w/\u00f6'rd\"+<&>\\x%`,
	} {
		if got := r.String(text); !strings.Contains(got, Mark) || len(got) > len(Mark)+25 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// leaks looks for four letters of the value in a row, in the text and in what the text encodes.
func leaks(t *testing.T, text, value string) {
	t.Helper()
	for at := 0; at+8 <= len(value); at++ {
		piece := value[at : at+8]
		if !strings.HasPrefix(strings.TrimSpace(piece), "-") && !strings.Contains(piece, "PRIVATE") && strings.Contains(text, piece) &&
			!strings.Contains("-----BEGIN PRIVATE KEY----- -----END PRIVATE KEY-----", strings.TrimSpace(piece)) {
			t.Errorf("%q stands in %q", piece, text)
			return
		}
	}
}

// TestBorders divides a stream at every place, into two, and into single bytes.
func TestBorders(t *testing.T) {
	t.Parallel()
	const a, b = "hunter2-hunter", "ter2-hunt3r!"
	text := "x" + a + "|" + b + "hunter2-hunt3r!" + a[:5] + "\n" + base64.StdEncoding.EncodeToString([]byte(a)) + "ö" + a[:10]
	r := New(a, b)
	want := r.String(text)
	if strings.Contains(want, a) || strings.Contains(want, b) || !strings.HasPrefix(want, "x[secret]|[secret]") {
		t.Fatalf("got %q", want)
	}
	write := func(parts ...string) string {
		var out strings.Builder
		w := r.Writer(&out)
		for _, part := range parts {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("Write gives %d, %v", n, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for at := range text {
		if got := write(text[:at], text[at:]); got != want {
			t.Fatalf("divided at %d: %q, want %q", at, got, want)
		}
	}
	if got := write(strings.Split(text, "")...); got != want {
		t.Errorf("in single bytes: %q, want %q", got, want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var parts []string
		for rest := text; rest != ""; {
			n := 1 + random.IntN(len(rest))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		if got := write(parts...); got != want {
			t.Fatalf("%q: %q, want %q", parts, got, want)
		}
	}
}

// TestOverlap guards that of two values which overlap nothing is left standing.
func TestOverlap(t *testing.T) {
	t.Parallel()
	if got := New("abcdef", "cdefgh").String("-abcdefgh-"); got != "-[secret]-" {
		t.Errorf("got %q", got)
	}
	if got := New("abcd", "abcdefgh").String("abcdefgh abcd abcdefg"); got != "[secret] [secret] [secret]efg" {
		t.Errorf("got %q", got)
	}
}

// TestCut is about a text that something has cut off within a value.
func TestCut(t *testing.T) {
	t.Parallel()
	r := New("correct-horse-battery")
	for _, test := range []struct{ in, want string }{
		{"it is correct-horse", "it is [secret]"},
		{"it is corr", "it is [secret]"},
		{"it is correct-horse-battery", "it is [secret]"},
		{"it is other", "it is other"},
	} {
		if got := r.Cut(test.in); got != test.want {
			t.Errorf("%q became %q, want %q", test.in, got, test.want)
		}
	}
	if got := r.String("it is correct-horse"); got != "it is correct-horse" {
		t.Errorf("a text that ends by itself became %q", got)
	}
}

// TestLeavesOthersAlone guards that nothing is taken out that is no value.
func TestLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	text := "The quick brown fox jumps over the lazy dog. abc 123 \x00\xff ä"
	for _, r := range []*Redactor{nil, New(), New(""), New("abc"), New("hunter2", password, key)} {
		if got := r.String(text); got != text {
			t.Errorf("got %q", got)
		}
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriterKeepsItsError(t *testing.T) {
	t.Parallel()
	w := New("hunter22").Writer(broken{})
	if _, err := w.Write([]byte("text")); !errors.Is(err, errBroken) {
		t.Errorf("Write gives %v", err)
	}
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close gives %v", err)
	}
}

// FuzzBorders: however a stream is divided, it comes out the same, and holds no value.
func FuzzBorders(f *testing.F) {
	f.Add("hunter22", "a hunter22 b", 3)
	f.Add(password, password+password, 7)
	f.Add("aaaa", "aaaaaaab", 2)
	f.Fuzz(func(t *testing.T, value, text string, at int) {
		if at < 0 || at > len(text) || len(value) > 200 || len(text) > 2000 {
			return
		}
		r := New(value)
		var out strings.Builder
		w := r.Writer(&out)
		for _, part := range []string{text[:at], text[at:]} {
			if _, err := w.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := r.String(text); got != out.String() {
			t.Fatalf("divided %q, whole %q", out.String(), got)
		}
		if len(value) >= ShortestValue && !strings.Contains(Mark, value) {
			for _, part := range strings.Split(out.String(), Mark) {
				if strings.Contains(part, value) {
					t.Fatalf("%q holds %q", out.String(), value)
				}
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	r := New("ghp_0123456789abcdefghijABCDEFGHIJ456789", password, key)
	text := strings.Repeat("2026-11-21T10:00:00Z INFO request served path=/api/v1/things status=200 bytes=5123\n", 12000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}
