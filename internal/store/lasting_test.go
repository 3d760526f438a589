package store

import (
	"slices"
	"testing"
)

// What a yes can allow is read back as it was written, and one text as it was written before there was a choice.
func TestLasting(t *testing.T) {
	t.Parallel()
	for _, l := range []Lasting{nil, {"writing `a`"}, {"writing `a\nb`", `["x"]`, "every file"}} {
		value, err := l.Value()
		var got Lasting
		if err == nil {
			err = got.Scan(value)
		}
		if err != nil || !slices.Equal(got, l) {
			t.Errorf("%q is read as %q, %v", l, got, err)
		}
	}
	var before Lasting
	if err := before.Scan("writing `notes.txt`"); err != nil || !slices.Equal(before, Lasting{"writing `notes.txt`"}) {
		t.Errorf("one text is read as %q, %v", before, err)
	}
}
