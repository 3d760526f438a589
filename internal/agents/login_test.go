package agents

import "testing"

// TestLogins checks which commands are taken for a login: those of the agent that asked for it, with
// exactly what it adds.
func TestLogins(t *testing.T) {
	t.Parallel()
	logins := LoginsIn(t.TempDir())
	agent := []string{"gemini", "--acp"}
	if logins.Match([]string{"gemini", "--acp", "--login"}) {
		t.Error("there is a login before any was remembered")
	}
	for range 2 {
		if err := logins.Remember(agent, [][]string{{"--login"}, {}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := logins.Remember([]string{"claude"}, [][]string{{"auth", "login"}}); err != nil {
		t.Fatal(err)
	}
	if err := logins.Remember([]string{"claude", "--model", "small"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := logins.Remember([]string{"claude"}, [][]string{{"auth", "login"}, {"--model", "small"}, {"--model", "large"}}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		command []string
		want    bool
	}{
		{"its login", []string{"gemini", "--acp", "--login"}, true},
		{"two words", []string{"claude", "auth", "login"}, true},
		{"a start", []string{"gemini", "--acp"}, false},
		{"more behind it", []string{"gemini", "--acp", "--login", "-x"}, false},
		{"a start of another", []string{"claude", "--model", "small"}, false},
		{"another agent's", []string{"claude", "--login"}, false},
	} {
		if got := logins.Match(test.command); got != test.want {
			t.Errorf("%s: got %t", test.name, got)
		}
	}
}
