package state_test

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  map[string]string
		want string
		err  string
	}{
		{
			name: "our own variable comes first",
			env:  map[string]string{"A2A_STATE_DIR": "/srv/a2a/", "XDG_STATE_HOME": "/x", "HOME": "/h"},
			want: "/srv/a2a",
		},
		{
			name: "a relative one would mean another record everywhere",
			env:  map[string]string{"A2A_STATE_DIR": "state", "HOME": "/h"},
			err:  `A2A_STATE_DIR is "state"; set it to an absolute path`,
		},
		{
			name: "the desktop's state directory",
			env:  map[string]string{"XDG_STATE_HOME": "/x/state", "HOME": "/h"},
			want: "/x/state/a2a-acp",
		},
		{
			name: "a relative one is passed over, as XDG says",
			env:  map[string]string{"XDG_STATE_HOME": "state", "HOME": "/h"},
			want: "/h/.local/state/a2a-acp",
		},
		{
			name: "nothing but a home",
			env:  map[string]string{"HOME": "/h"},
			want: "/h/.local/state/a2a-acp",
		},
		{
			name: "nothing at all",
			err:  "set one of them",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := state.Locate(func(name string) string { return test.env[name] })
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			switch {
			case err == nil && test.err != "":
				t.Errorf("no error, want one with %q", test.err)
			case err != nil && (test.err == "" || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v, want one with %q", err, test.err)
			}
		})
	}
}
