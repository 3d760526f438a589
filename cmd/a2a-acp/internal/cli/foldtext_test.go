package cli

import "testing"

// TestFoldText breaks sentences between words, and leaves what a file holds, and what is no terminal, as it is.
func TestFoldText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text  string
		width int
		want  string
	}{
		{"a2a-acp: asks: touch a; answer with a2a-acp approvals approve 2qsud9eb", 0,
			"a2a-acp: asks: touch a; answer with a2a-acp approvals approve 2qsud9eb"},
		{"a2a-acp: asks: touch a; answer with a2a-acp approvals approve 2qsud9eb", 40,
			"a2a-acp: asks: touch a; answer\n  with a2a-acp approvals approve\n  2qsud9eb"},
		{"a2a-acp: no file is called xxxxxxxx a2a-acp: allowed", 40, "a2a-acp: no file is called\n  xxxxxxxx a2a-acp: allowed"},
		{"a2a-acp: no file is called xxxxxxxx A2A_ACP — allowed", 40, "a2a-acp: no file is called\n  xxxxxxxx A2A_ACP — allowed"},
		{"  no   answers from here: there is nobody who types\nnext", 30, "  no   answers from here:\n    there is nobody who types\nnext"},
		{"f.yaml:5:1: rule a: the value is wrong\n  |\n5 |   when: this line of the file is long\n  |   ^~~~", 24,
			"f.yaml:5:1: rule a: the\n  value is wrong\n  |\n5 |   when: this line of the file is long\n  |   ^~~~"},
		{"0123456789012345678901234567890123456789 word", 20, "0123456789012345678901234567890123456789\n  word"},
		{"                                  deep in", 40, "                                  deep in"},
	} {
		if got := foldText(row.text, row.width); got != row.want {
			t.Errorf("%q, %d wide:\n%s\nwant\n%s", row.text, row.width, got, row.want)
		}
	}
}
