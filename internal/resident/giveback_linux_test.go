package resident

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"
)

// TestGiveBack has a test program give back what its start has read of its file.
func TestGiveBack(t *testing.T) {
	if !fixed() {
		t.Skip("this test is linked to be anywhere: nothing is given back")
	}
	before := fileBacked(t)
	GiveBack()
	after := fileBacked(t)
	if after >= before {
		t.Errorf("%d kB of files are in memory, and %d before", after, before)
	}
	// All that was given back is there when it is needed.
	runtime.GC()
	if n := len(regexp.MustCompile(`(\w+) (\w+)`).FindStringSubmatch("still here")); n != 3 {
		t.Errorf("a regular expression found %d groups, want 3", n)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"00400000-013f2000 r-xp 00000000 fe:00 10240128                           /bin/a2a-acp\n": true,
		"013f2000-02473000 r--p 00ff2000 fe:00 10240128                           /bin/a2a-acp\n": true,
		"02473000-025ad000 rw-p 02073000 fe:00 10240128                           /bin/a2a-acp\n": false,
		"00400000-013f2000 r-xp 00000000 fe:00 10240128                           /bin/other\n":   false,
		"00400000-013f2000 r-xp 00000000 fe:00 10240128             /bin/a2a-acp (deleted)\n":     false,
		"27eca4400000-27eca5000000 rw-p 00000000 00:00 0\n":                                       false,
		"zz-0 r-xp 00000000 fe:00 1 /bin/a2a-acp\n":                                               false,
	} {
		if _, _, ok := readOnly([]byte(line), "/bin/a2a-acp"); ok != want {
			t.Errorf("%q: got %v, want %v", line, ok, want)
		}
	}
}

// fileBacked returns how much of this process's memory is of files, in kB.
func fileBacked(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this kernel does not tell")
	}
	size, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return size
}
