package process

import (
	"slices"
	"strings"
	"testing"
)

// TestOwner checks that a process is known by more than its number, which comes again.
func TestOwner(t *testing.T) {
	t.Parallel()
	fields := strings.Fields(This())
	if len(fields) != 4 || slices.Contains(fields, "-") { // what cannot be told
		t.Fatalf("this process is %q", This())
	}
	with := func(i int, value string) string {
		changed := append([]string(nil), fields...)
		changed[i] = value
		return strings.Join(changed, " ")
	}
	for _, test := range []struct {
		name, owner string
		want        bool
	}{
		{"this one", This(), true},
		{"one that had the number before", with(1, "1"), false},
		{"one of another boot", with(2, "00000000-0000-0000-0000-000000000000"), false},
		{"one of another namespace", with(3, "pid:[1]"), true},
		{"a number that nobody has", with(0, "4194305"), false},
		{"a path", with(0, "../self"), false},
		{"nothing", "", false},
	} {
		if got := Lives(test.owner); got != test.want {
			t.Errorf("%s (%q): lives %t, want %t", test.name, test.owner, got, test.want)
		}
	}
}
