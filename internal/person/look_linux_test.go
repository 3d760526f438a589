package person

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatOfOddNames: a process chooses its name, and none makes it another's child.
func TestStatOfOddNames(t *testing.T) {
	t.Parallel()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	proc, err := openProc()
	if err != nil {
		t.Skip(err) // the scripts of the program say what holds then
	}
	defer proc.close()
	for _, name := range []string{"cat", ") S 0 0 (", "a) S 1 1", "(((", ") ", " "} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(cat, path); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path)
		if filepath.Base(cat) != "cat" { // a program of many, which goes by its name
			cmd.Args[0] = "cat"
		}
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := stdout.Read(make([]byte, 1)); err != nil { // it runs, under its name
			t.Errorf("%q: %v", name, err)
		}
		p, err := proc.stat(cmd.Process.Pid)
		if err != nil || p.parent != os.Getpid() || p.pid != cmd.Process.Pid || p.name != name || p.started == 0 {
			t.Errorf("%q: %+v, %v", name, p, err)
		}
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestNobodyElsesProc: nothing that a link of /proc leads to is read for a file of it.
func TestNobodyElsesProc(t *testing.T) {
	t.Parallel()
	proc, err := openProc()
	if err != nil {
		t.Skip(err)
	}
	defer proc.close()
	for _, name := range []string{"../etc/passwd", "/etc/passwd", "self/root/etc/passwd", "self/cwd/.", "self/fd/0/."} {
		if text, err := proc.read(name); err == nil {
			t.Errorf("%s: read %q", name, text)
		}
	}
	if got, err := proc.link("self/ns/pid"); err != nil || !strings.HasPrefix(got, "pid:[") {
		t.Errorf("self/ns/pid: %q, %v", got, err)
	}
}

func TestSchedulers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"cron": true, "CRON": true, "crond": true, "atd": true, "": false, "#": false, "cronx": false, "bash": false, "at": false} {
		if got := isScheduler(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
	for line := range strings.Lines(schedulersText) {
		name, source, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || len(name) > 15 || strings.TrimSpace(source) == "" {
			t.Errorf("%q: want a name of at most 15 bytes, and where that is said", line)
		}
	}
}
