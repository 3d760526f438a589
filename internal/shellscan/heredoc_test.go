package shellscan

import (
	"os/exec"
	"strings"
	"testing"
)

// A message that cat prints from a here-document whose delimiter is quoted is the text that it is; whatever else it could be
// is not known.
func TestPrintedText(t *testing.T) {
	t.Parallel()
	const known = "Mend it\n\n- $HOME, \"x\" and `id`"
	for _, row := range []struct {
		name, text string
		fixed      bool
	}{
		{"as agents write it", "git commit -m \"$(cat <<'EOF'\n" + known + "\n\nEOF\n)\"", true},
		{"expanded", "git commit -m \"$(cat <<EOF\n" + known + "\nEOF\n)\"", false},
		{"with another delimiter in quotes", "git commit -m \"$(cat <<\"EOF\"\n" + known + "\nEOF\n)\"", false},
		{"its tabs are cut", "git commit -m \"$(cat <<-'EOF'\n" + known + "\nEOF\n)\"", false},
		{"split into words", "git commit -m $(cat <<'EOF'\n" + known + "\nEOF\n)", false},
		{"with more", "git commit -m \"x$(cat <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"numbered", "git commit -m \"$(cat -n <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"of a file, too", "git commit -m \"$(cat x <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"of two", "git commit -m \"$(cat <<'EOF' <<'EOG'\n" + known + "\nEOF\nEOG\n)\"", false},
		{"by another program", "git commit -m \"$(tac <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"by a function", "cat() { ls; }; git commit -m \"$(cat <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"with a variable", "git commit -m \"$(X=1 cat <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"behind another", "git commit -m \"$(cd x; cat <<'EOF'\n" + known + "\nEOF\n)\"", false},
		{"with a carriage return", "git commit -m \"$(cat <<'EOF'\n" + known + "\r\nEOF\n)\"", false},
		{"with a character that nobody sees", "git commit -m \"$(cat <<'EOF'\n" + known + "\u202e\nEOF\n)\"", false},
	} {
		for _, c := range Scan(row.text, nil).Commands {
			if c.Name != "git" {
				continue
			}
			if got := c.Args[len(c.Args)-1]; got.Fixed != row.fixed || got.Fixed && got.Text != known {
				t.Errorf("%s: %+v, want it fixed: %t", row.name, got, row.fixed)
			}
		}
	}
}

// Where the text is taken to be known, bash hands on that very text.
func TestPrintedTextIsBashs(t *testing.T) {
	t.Parallel()
	known := 0
	for _, text := range []string{
		"a", "", "\n", "a\n\n\n", "\n\na", " a \n\tb", "a\\\nb", "a\\\\\nb", "\\", "a\\", "$x `id` $(id) ${x}", "'", "\"", "'\"'\"", "#", "a #b", "EOF ", " EOF", "EOFa",
		"a\\EOF\nb", "<<X\nb\nX", ")", "\")", "))", "$((1", "{a,b} ~ * ?", "%s %d", "-n", "--no-verify", "é ü 漢", "a\r\nb", "a\x00b", "\xff", "a\u200bb", "\\$x \\` \\\"",
		"\\\nEOF", "a\\\nEOF", strings.Repeat("long ", 5000),
	} {
		script := "printf '%s|' \"$(cat <<'EOF'\n" + text + "\nEOF\n)\""
		s := Scan(script, nil)
		for _, c := range s.Commands {
			if c.Name != "printf" || !s.Certain() || !c.Args[len(c.Args)-1].Fixed {
				continue
			}
			known++
			out, err := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", script).Output()
			if want := c.Args[len(c.Args)-1].Text + "|"; err != nil || string(out) != want {
				t.Errorf("%q: bash hands on %q (%v), want %q", text, out, err, want)
			}
		}
	}
	if known < 25 {
		t.Errorf("only %d texts are known", known)
	}
}
