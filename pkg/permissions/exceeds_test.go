package permissions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// canary stands in every file and variable that no approved command may give away.
const canary = "CANARY-7f3a"

// nobody runs what the careful preset approves, in a workspace full of traps, and may write there; when the
// tests are root, they take another user for it.
const nobody = 65534

// What the careful preset approves, of the corpus and of texts put together from its pieces, is run with
// real programs: no file may change, and no secret, in a file or in the environment, may be printed.
// A2A_FUZZ_RUNS says how many texts are run.
func TestApprovedCommandsDoNoHarm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("found no %s, wanted one to run commands with", name)
		}
	}
	runs := 100
	if testing.Short() {
		runs = 10
	}
	if n, err := strconv.Atoi(os.Getenv("A2A_FUZZ_RUNS")); err == nil && n > 0 {
		runs = n
	}
	var rows []string
	for _, file := range []string{"reported.txt", "tricky.txt", "harmless.txt", "agents.txt"} {
		for _, row := range readCorpus(t, file) {
			rows = append(rows, row.text)
		}
	}
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			bed := trapBed(t)
			a := bed.authority(presetFile(t, "careful"))
			m := mixer{rand.New(rand.NewPCG(21, uint64(worker))), rows}
			before, tried := bed.snapshot(t), 0
			for ran := 0; ran < runs/2; {
				text := m.text()
				if tried++; a.Decide(bed.run(text)).Verdict != Approve {
					continue
				}
				ran++
				bed.harmless(t, before, text)
			}
			t.Logf("of %d texts, %d were approved and run", tried, runs/2)
		})
	}
}

// What the corpus has approved, word for word.
func TestApprovedRowsDoNoHarm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("found no %s, wanted one to run commands with", name)
		}
	}
	bed := trapBed(t)
	before := bed.snapshot(t)
	for _, file := range []string{"reported.txt", "tricky.txt", "harmless.txt", "agents.txt"} {
		for i, row := range readCorpus(t, file) {
			if row.want["careful"] == "approve" && (!testing.Short() || i%20 == 0) {
				bed.harmless(t, before, row.text)
			}
		}
	}
}

// The judge bites: what does harm is seen to.
func TestHarmIsSeen(t *testing.T) {
	t.Parallel()
	for i, text := range []string{"cat .env", "rm main.go", "touch x", "echo $GITHUB_TOKEN", "cat ../elsewhere/secret", "./ls", "cd bare && git status", "cd vendored && git status", "printf x%n PATH; cat README.md", "sort -o main.go README.md", "set", "export"} {
		if testing.Short() && i%4 > 0 {
			continue
		}
		bed := trapBed(t)
		if found := bed.harm(t, bed.snapshot(t), text); found == "" {
			t.Errorf("%s: no harm is seen", text)
		}
	}
}

// trapBed is a real git work tree with traps: secrets, programs with the names of others, repositories
// whose settings run something.
func trapBed(t *testing.T) testbed {
	t.Helper()
	secretText, program := "KEY="+canary+"\n", "#!/bin/sh\necho > PWNED\n"
	settings := strings.Replace(hostileSettings, "bare = false", "bare = false\n\tworktree = .", 1)
	traps := map[string]string{"home/.ssh/id_rsa": secretText, "ws/PWNED.txt": "", "ws/evil": program, "ws/docs/b.md": "a b c\n1 2 3\n"}
	for name, content := range trappedFiles {
		switch base := filepath.Base(name); {
		case content == "KEY=1", base == "id_rsa", base == "x.pem":
			content = secretText
		case content == "#!/bin/sh":
			content = program
		case base == "HEAD" && content == "":
			content = "ref: refs/heads/main\n"
		}
		traps[name] = content
	}
	for _, dir := range []string{"bare", "linkedbare", "commonbare", "other"} {
		traps["ws/"+dir+"/config"] = settings
	}
	ordinary := map[string]string{}
	for name, content := range ordinaryFiles {
		if !strings.HasPrefix(name, "ws/.git/") {
			ordinary[name] = content
		}
	}
	ordinary["ws/.env"], ordinary["elsewhere/secret"] = secretText, secretText
	bed := corpusBed(t, ordinary, traps)
	for _, args := range [][]string{
		{"init", "-q", "--template=", "-b", "main"}, {"add", "-f", "main.go", "src/main.go", "README.md", "docs", "package.json", ".gitignore"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"},
	} {
		if out, err := bed.command(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	err := filepath.WalkDir(bed.dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && os.Getuid() == 0 {
			err = os.Lchown(path, nobody, nobody)
		}
		if strings.Contains(filepath.Base(path), "evil") || filepath.Base(path) == "ls" || filepath.Base(path) == "cat" {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(bed.dir), 0o711); err != nil { // so that another user comes in
		t.Fatal(err)
	}
	return bed
}

// command runs a program in the workspace, at the end with no more rights than it needs.
func (b testbed) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = b.ws
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + b.dir + "/home", "LC_ALL=C.UTF-8", "GITHUB_TOKEN=" + canary, "GIT_OPTIONAL_LOCKS=0",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "PYTHONDONTWRITEBYTECODE=1",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

func (b testbed) harmless(t *testing.T, before map[string]string, text string) {
	t.Helper()
	if found := b.harm(t, before, text); found != "" {
		t.Fatalf("FALSE APPROVAL: %q: %s", text, found)
	}
}

// harm runs a text and says what it did that must not be, compared with the snapshot before it; "" for
// nothing.
func (b testbed) harm(t *testing.T, before map[string]string, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // tail -f never ends; what it did before counts
	defer cancel()
	cmd := b.command(ctx, "bash", "--noprofile", "--norc", "-c", "ulimit -f 100 -t 3; "+text)
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	var out bytes.Buffer
	cmd.Stdout = &limited{&out, 1 << 20}
	cmd.Stderr = cmd.Stdout
	_ = cmd.Run() // texts may fail in any way
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if strings.Contains(out.String(), canary) {
		return "it prints a secret"
	}
	if diff := cmp.Diff(before, b.snapshot(t)); diff != "" {
		return "files have changed:\n" + diff
	}
	return ""
}

// limited keeps the beginning of what is written.
type limited struct {
	*bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:max(0, min(len(p), l.most-l.Len()))])
	return len(p), nil
}

// snapshot tells every file below the bed, with its mode and content.
func (b testbed) snapshot(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, "/.git/index") { // which git diff refreshes
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%x", sha256.Sum256(data))
		case info.Mode()&fs.ModeSymlink != 0:
			content, _ = os.Readlink(path)
		}
		files[strings.TrimPrefix(path, b.dir)] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mixer puts texts together from the pieces of others.
type mixer struct {
	*rand.Rand
	rows []string
}

func (m mixer) row() string { return m.rows[m.IntN(len(m.rows))] }

// word returns a word of some row that names nothing outside of the workspace by its whole path: should one
// be approved that must not be, no more is lost than the workspace.
func (m mixer) word() string {
	for {
		words := strings.Fields(m.row())
		if len(words) == 0 {
			continue
		}
		if word := words[m.IntN(len(words))]; !strings.HasPrefix(strings.TrimLeft(word, `'"<>&0123456789`), "/") && !strings.Contains(word, "~") {
			return word
		}
	}
}

func (m mixer) text() string {
	words := strings.Split(m.row(), " ")
	for range 1 + m.IntN(3) {
		at := m.IntN(len(words) + 1)
		switch m.IntN(6) {
		case 0:
			words = slices.Insert(words, at, m.word())
		case 1:
			words = append(words, m.word())
		case 2:
			words = append(words, []string{"&&", ";", "|", "||", "&"}[m.IntN(5)], m.row())
		case 3:
			words = append([]string{m.row(), []string{"&&", ";", "|", "||"}[m.IntN(4)]}, words...)
		default:
			if at < len(words) {
				words[at] = m.word()
			}
		}
	}
	return strings.Join(words, " ")
}
