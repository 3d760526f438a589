package display

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 tools are", 1: "1 tool is", 2: "2 tools are"} {
		if got := Count(n, "tool is", "tools are"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
