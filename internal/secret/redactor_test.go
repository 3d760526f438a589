package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// password has what shells, URLs, JSON and HTML write in a way of their own.
const password = `p4$$ w/ö'rd"+<&>\x%`

const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----"

var jsonKey = `{"type": "service_account", "private_key": "` + strings.ReplaceAll(key, "\n", `\n`) + `"}`

// TestLines is about values of several lines, and those that stand twice.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, script string }{
		{"twice", password, `printf '%s%s' "$V" "$V"`},
		{"lines of a key", key, `printf %s "$V" | sed 's/^/    /'`},
		{"one line of a key", key, `printf %s "$V" | sed -n 2p`},
		{"a key with the line ends of Windows", key, `printf '%s' "$V" | sed 's/$/\r/'`},
		{"one line of a key in base64", key, `printf %s "$V" | sed -n 2p | base64`},
		{"a key in JSON", key, `printf %s "$V" | sed ':a; N; $!ba; s/\n/\\n/g'`},
		{"a key with escapes for its line ends", strings.ReplaceAll(key, "\n", `\n`), `printf %b "$V" | cat -n`},
		{"a key in a value of JSON", jsonKey, `jq -nr 'env.V | fromjson.private_key' | cat -n`},
		{"a key in JSON in JSON", strconv.Quote(jsonKey), `jq -nr 'env.V | fromjson | fromjson.private_key' | sed -n 2p`},
		{"folded", values["long"], `printf 'head %s tail' "$V" | fold -w 10`},
		{"folded at blanks, indented", values["foreign"], `printf %s "$V" | fold -s -w 12 | sed 's/^/    /'`},
		{"sed l", values["signs"], `printf '%s\n' "$V" | sed -n 'l 12'`},
		{"a character on each line", values["letters"], `printf %s "$V" | grep -o .`},
		{"a list of characters", values["long"], `jq -nc 'env.V / ""'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := run(t, t.TempDir(), test.value, test.script)
			got := New(test.value).String(out)
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

// leaks looks for eight bytes of the value in a row.
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
	for at := range text {
		if got := divided(t, r, false, text[:at], text[at:]); got != want {
			t.Fatalf("divided at %d: %q, want %q", at, got, want)
		}
	}
	if got := divided(t, r, false, strings.Split(text, "")...); got != want {
		t.Errorf("in single bytes: %q, want %q", got, want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var parts []string
		for rest := text; rest != ""; {
			n := 1 + random.IntN(len(rest))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		if got := divided(t, r, false, parts...); got != want {
			t.Fatalf("%q: %q, want %q", parts, got, want)
		}
	}
}

// divided returns what comes out of a stream that is written in parts.
func divided(t *testing.T, r *Redactor, cut bool, parts ...string) string {
	t.Helper()
	var out strings.Builder
	w := r.Writer(&out)
	for _, part := range parts {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("Write gives %d, %v", n, err)
		}
	}
	end := w.Close
	if cut {
		end = w.Cut
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return out.String()
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

// TestCutWithinForms cuts what programs print anywhere within the value: of what was printed of it, no more
// than three letters stay.
func TestCutWithinForms(t *testing.T) {
	t.Parallel()
	const value = "q/W'e\"r T%y\\ZuIö&p<[x]>"
	r := New(value)
	inJSON, _ := json.Marshal(value)
	for _, test := range []struct {
		form   string
		needed int // bytes of it that four letters take
	}{
		{value, 6}, {url.QueryEscape(value), 14}, {strings.Trim(string(inJSON), `"`), 7}, {strconv.QuoteToASCII(value), 7},
		{html.EscapeString(value), 12}, {base64.StdEncoding.EncodeToString([]byte(value)), 8}, {hex.EncodeToString([]byte(value)), 10},
		{fmt.Sprintf("% x", value), 15}, {hex.Dump([]byte(value)), 24}, {fmt.Sprint([]byte(value)), 20},
	} {
		for at := test.needed; at <= len(test.form); at++ {
			got := r.Cut("it is\n" + test.form[:at])
			if rest, ok := strings.CutPrefix(got, "it is\n"); !ok || !strings.Contains(rest, Mark) || len(strings.ReplaceAll(rest, Mark, "")) > 11 {
				t.Errorf("%q became %q", test.form[:at], got)
			}
		}
	}
}

// TestHeldBack checks that no text makes a Writer hold back more and more.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	const value = "hunter22-hunter22"
	length := 50_000
	if testing.Short() {
		length = 17_000
	}
	for _, beginning := range []string{"", "hunter22-", "0000000  ", "00000000: 6875 6e74  ", "104 117 110 ", "aHVudGVy", "aHVudGVyMjIt", `\`, "%", "&am", `\u00`} {
		for _, rest := range []string{"\x00", " ", "\n", `\`, "%", "&", "%5C", `\\`, "'", "-", "a", "0", "0 ", "00 ", "\xff", "$", `\u{`, "\x1b[", "\x1b", "\x1b[0;", "%25", "&amp;", "hunter", "aHVu", "68 ", "\b", "\b_", "h\b", "\x1b]", "\x1b\\", "\x1b]8;", "\xbf", "8224 ", "0b1 "} {
			w := New(value).Writer(io.Discard)
			if _, err := w.Write([]byte(beginning + strings.Repeat(rest, length/len(rest)))); err != nil {
				t.Fatal(err)
			}
			if most := 16 << 10; len(w.held) > most {
				t.Errorf("of %q and many %q, %d bytes are held back, want at most %d", beginning, rest, len(w.held), most)
			}
		}
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
	if _, err := w.Write([]byte("longer than what is held back")); !errors.Is(err, errBroken) {
		t.Errorf("Write gives %v", err)
	}
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close gives %v", err)
	}
}

// FuzzBorders: however a stream is divided, it comes out the same, whether it ends or is cut off, and holds
// no value.
func FuzzBorders(f *testing.F) {
	f.Add("hunter22", "a hunter22 b", 3)
	f.Add(password, password+password, 7)
	f.Add("aaaa", "aaaaaaab", 2)
	f.Add("\x00\x00\x00\x10", "0000000 00000010000", 19)
	f.Add("abababababab", "abababababaabababababab", 5)
	f.Add(`41be%2f\x6e`, `100%2541be%252f%5C\\x6e \\\\\u00%34\u0031&#x34;1be`, 9)
	f.Add("letmein-now!", "00000000: 6c65 746d 6569 6e2d 6e6f 7721  letmein-now!\n0000000   l   e   t   m   e   i   n   -   n   o   w   !\n", 70)
	f.Add("letmein-now!", "0000000 066554 066564 064545 026556 067556 020567\n[108, 101, 116] 6c:65:74:6d 0x6c, 0x65", 40)
	f.Add("letmein-now!", "let\x1b]8;;a\x1b\\mei\x1b[31mn-\x1b]8;;\anow! l\ble\b_tm\bmein\b\b-now!", 12)
	f.Add("letmein-now!", "00000000: 01101100 01100101  le\n0000000 25964 28020 26989 11630 28526 8567\n", 30)
	f.Add("letmein-now!", "  bGV0bWVp\r\n  bi1ub3ch l\x00e\x00t\x00m\x00", 20)
	f.Fuzz(func(t *testing.T, value, text string, at int) {
		if at < 0 || at > len(text) || len(value) > 200 || len(text) > 2000 {
			return
		}
		r := New(value)
		for _, cut := range []bool{false, true} {
			whole := divided(t, r, cut, text)
			if got := divided(t, r, cut, text[:at], text[at:]); got != whole {
				t.Fatalf("divided %q, whole %q", got, whole)
			}
			if got := divided(t, r, cut, strings.Split(text, "")...); got != whole {
				t.Fatalf("in single characters %q, whole %q", got, whole)
			}
			if len(value) < ShortestValue || strings.Contains(Mark, value) {
				continue
			}
			for _, part := range strings.Split(whole, Mark) {
				if strings.Contains(part, value) {
					t.Fatalf("%q holds %q", whole, value)
				}
			}
		}
	})
}

// FuzzForms: a value is found however it is written, between whatever else there is.
func FuzzForms(f *testing.F) {
	f.Add("hunter22", "a", "b")
	f.Add(password, `\`, "%")
	f.Add("nobody-41/secret-of-his", `C:\`, "\n")
	f.Add("deadbeef+cafe/0123", "100%", "41")
	f.Add("amp;secret-of-hers-1", "&", ";")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		sure, _ := newText().of(value, 0, false)
		if len(sure) < 16 || len(value) > 100 || len(before)+len(after) > 200 || strings.ContainsAny(value, "\x00\x1b") {
			return // nobody's secret has an ESC in it; behind a backslash, written as %5C%1B, it is not found
		}
		if plain := strings.Map(func(r rune) rune {
			if strings.ContainsRune(`\"'%`, r) {
				return -1
			}
			return r
		}, value); len(plain) < 8 {
			return // of such a value little is left but what escapes are made of
		}
		for _, text := range []string{value, before, after} {
			if !utf8.ValidString(text) {
				return // what JSON has of it is something else
			}
		}
		r := New(value)
		text := before + value + after
		inJSON, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := json.Marshal(string(inJSON))
		if err != nil {
			t.Fatal(err)
		}
		quoted := strconv.QuoteToASCII(text)
		for _, form := range []string{
			text, url.QueryEscape(text), url.PathEscape(text), url.PathEscape(url.QueryEscape(text)), html.EscapeString(text), url.QueryEscape(html.EscapeString(text)),
			string(inJSON), string(twice), quoted, strings.ReplaceAll(text, "'", "''"), hex.Dump([]byte(text)), fmt.Sprint([]byte(text)),
			fmt.Sprintf("% x", text), fmt.Sprintf("%#v", []byte(text)), base64.StdEncoding.EncodeToString([]byte(text)),
		} {
			if got := r.String(form); !strings.Contains(got, Mark) {
				t.Errorf("%q is not found in %q", value, form)
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat("2026-11-21T10:00:00Z INFO request served path=/api/v1/things status=200 bytes=5123\n", 12000)
	many := []string{"ghp_0123456789abcdefghijABCDEFGHIJ456789", password, key}
	for i := range 100 {
		many = append(many, fmt.Sprintf("%cey-%d-abcdefghij", 'a'+i%26, i))
	}
	for name, values := range map[string][]string{"few": many[:3], "many": many} {
		b.Run(name, func(b *testing.B) {
			r := New(values...)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.String(text)
			}
		})
	}
}

// BenchmarkOutputs is about what takes more than plain text does: numbers, and colours.
func BenchmarkOutputs(b *testing.B) {
	r := New("ghp_0123456789abcdefghijABCDEFGHIJ456789", password, key)
	var numbers, dump strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&numbers, "%d %d,%d\n", i, i*i, i*7919)
		fmt.Fprintf(&dump, "%07o %5d %5d %5d %5d\n", i*8, i*31%65536, i*37%65536, i*41%65536, i*43%65536)
	}
	for name, text := range map[string]string{
		"numbers": numbers.String(), "dump": dump.String(), "binary": binaryText(1 << 20),
		"colours": strings.Repeat("\x1b[32msrc/main.go\x1b[0m\x1b[36m:\x1b[0m12\x1b[36m:\x1b[0m\treturn \x1b[01;31merr\x1b[0m\n", 12000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.String(text)
			}
		})
	}
}

func binaryText(n int) string {
	random, text := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return string(text)
}

// BenchmarkRepeats is about a long value that is its own beginning many times, and a text of nothing else.
func BenchmarkRepeats(b *testing.B) {
	r := New(strings.Repeat("ab", LongestValue/2-1) + "c")
	text := strings.Repeat("ab", 1<<19)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}

// BenchmarkBeginAlike is about a value of many lines that begin alike, and a text of nothing but that
// beginning.
func BenchmarkBeginAlike(b *testing.B) {
	var value strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&value, "export WHAT_ALL_LINES_BEGIN_WITH_%04d=%d\n", i, i*i*7919)
	}
	r := New(value.String())
	text := strings.Repeat("export WHAT_ALL_LINES_BEGIN_WITH_", 1<<15)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}

// BenchmarkNew makes the redactor of a call, and that of the longest value.
func BenchmarkNew(b *testing.B) {
	for name, value := range map[string]string{"short": "ghp_0123456789abcdefghijABCDEFGHIJ456789", "longest": manyLines()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				New(value, password)
			}
		})
	}
}

func manyLines() string {
	var b strings.Builder
	for i := 0; b.Len() < LongestValue-64; i++ {
		fmt.Fprintf(&b, "%063d\n", i*i)
	}
	return b.String()
}
