package shellscan

import "testing"

// Where a text goes first is told only where nothing of it can run elsewhere.
func TestEnters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"cd a && ls": "a", "cd a && ls && b | c > d": "a", "cd 'a b' && (cd c; ls)": "a b", "cd a && { b; c; }": "a",
		"cd a; ls": "", "cd a || ls": "", "cd a && ls || b": "", "cd a && ls\nb": "", "cd a & ls": "", "cd a && ls &": "", "! cd a && b": "",
		"cd a > f && b": "", "cd a | b": "", "cd a": "", "cd && ls": "", "cd - && ls": "", "cd $x && ls": "", "x=1 cd a && ls": "",
		"cd -P a && ls": "", "(cd a) && b": "", "{ cd a; } && b": "", "ls && cd a": "", "time cd a && b": "", "bash -c 'cd a && ls'": "",
	} {
		if s := Scan(text, nil); s.Enters != want {
			t.Errorf("Scan(%q) enters %q, want %q", text, s.Enters, want)
		}
	}
	for _, row := range []struct {
		want string
		argv []string
	}{
		{"a", []string{"bash", "-lc", "cd a && ls"}}, {"", []string{"bash", "-lc", "cd a; ls"}}, {"", []string{"env", "bash", "-c", "cd a && ls"}},
		{"", []string{"cd", "a", "&&", "ls"}}, {"", []string{"find", ".", "-exec", "bash", "-c", "cd a && ls", ";"}},
	} {
		if s := ScanArgv(row.argv, nil); s.Enters != row.want {
			t.Errorf("ScanArgv(%q) enters %q, want %q", row.argv, s.Enters, row.want)
		}
	}
}
