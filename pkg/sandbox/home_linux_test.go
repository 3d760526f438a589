//go:build amd64 || arm64

package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestHomes runs calls of users whose homes lie in unusual places: in and beside those that are shown
// empty. What was granted is there, and nothing else of the home is.
func TestHomes(t *testing.T) {
	if os.Getenv(machineCaller) == "" {
		for _, caller := range callers {
			if os.Geteuid() == 0 || caller == "user" {
				t.Run(caller, func(t *testing.T) { inMachine(t, caller) })
			}
		}
		return
	}
	uid, owned := callerUser()
	for i, place := range []string{
		"/home/people", "/mnt", "/mnt/home", "/srv", "/srv/a/b", "/var/spool", "/var/tmp", "/dev/shm", "/run/people", "/tmp/people",
	} {
		if testing.Short() && i%len(callers) != slices.Index(callers, os.Getenv(machineCaller)) {
			continue
		}
		for _, sockets := range []bool{false, true} {
			name := place
			if sockets {
				name += " with a socket"
			}
			t.Run(name, func(t *testing.T) {
				at := filepath.Join(place, "of somebody")
				if err := os.MkdirAll(filepath.Join(at, "work"), 0o755); err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(at)
				shell(t, at, "mkdir state; echo mine >state/file; echo not mine >secret; echo text >work/text")
				door, err := net.Listen("unix", filepath.Join(at, "door"))
				if err != nil {
					t.Fatal(err)
				}
				defer door.Close()
				if owned {
					for _, path := range []string{at, at + "/work", at + "/state", at + "/state/file", at + "/work/text"} {
						if err := os.Chown(path, uid, uid); err != nil {
							t.Fatal(err)
						}
					}
				}
				t.Setenv("HOME", at)
				host, err := Open(Options{Level: LevelFull, Grace: time.Second})
				if err != nil {
					t.Fatal(err)
				}
				defer host.Close()
				if host.Level() != LevelFull {
					lacking(t, host.Why())
				}
				want := "state\nwork\nmine\ntext\ncommitted\n"
				s := script{
					text: `cd ..; for f in door secret state work; do [ -e $f ] && echo $f; done; cat state/file work/text; cat secret 2>/dev/null; : >secret 2>/dev/null; echo committed >work/new && cat work/new`,
					dir:  filepath.Join(at, "work"), allowed: []tool.AllowedPath{{Path: filepath.Join(at, "work")}, {Path: filepath.Join(at, "state")}},
				}
				if sockets {
					want = "door\n" + want
					s.profile = func(p *Profile) { p.Sockets = []string{filepath.Join(at, "door")} }
				}
				out := s.run(t.Context(), t, host)
				if diff := cmp.Diff(want, string(out.Stdout)); diff != "" {
					t.Errorf("%s%s%q", diff, out.Stderr, out.Hints)
				}
			})
		}
	}
}

// TestAccountHome checks that the home of our account is shown empty as well where HOME names another.
func TestAccountHome(t *testing.T) {
	if os.Getenv(machineCaller) == "" {
		if os.Geteuid() != 0 {
			t.Skip("only root lays another file over /etc/passwd")
		}
		inMachine(t, "root")
		return
	}
	const account, other = "/srv/account", "/srv/other"
	defer os.RemoveAll(account)
	defer os.RemoveAll(other)
	shell(t, "/", "mkdir -p "+account+" "+other+"/work; touch "+account+"/secret")
	passwd := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(passwd, []byte("root:x:0:0::"+account+":/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	shell(t, "/", "mount --bind "+passwd+" /etc/passwd")
	defer shell(t, "/", "umount /etc/passwd")
	t.Setenv("HOME", other)
	host, err := Open(Options{Level: LevelFull, Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if host.Level() != LevelFull {
		lacking(t, host.Why())
	}
	out := script{text: "for f in " + account + "/secret " + other + "/work; do [ -e $f ] && echo $f; done", dir: other + "/work"}.run(t.Context(), t, host)
	if string(out.Stdout) != other+"/work\n" {
		t.Errorf("the call sees %q; %s", out.Stdout, out.Stderr)
	}
	if host.isSomebodys(account, 1000) || host.isSomebodys(other, 1000) {
		t.Error("one of the homes is shown as a whole where a call starts in it")
	}
}
