package process

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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

// TestNoFiles checks that a process lives that nobody can look at, since no file can be opened any more: its questions,
// and the answers to them, are not others' for that.
func TestNoFiles(t *testing.T) {
	self := This()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	lives := Lives(self)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !lives {
		t.Error("this process has ended, they say")
	}
}
