package telemetry

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// opened opens a log with these variables, and returns what is said to the person and what standard error gets.
func opened(t *testing.T, env map[string]string) (l *Log, said, stderr *bytes.Buffer, err error) {
	t.Helper()
	said, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	l, err = OpenLog(LogOptions{Getenv: func(name string) string { return env[name] }, Stderr: stderr,
		Say:     func(line string) { said.WriteString(line + "\n") },
		Foreign: func(path string) bool { return strings.Contains(path, "/workspace/") }})
	if l != nil {
		t.Cleanup(func() { l.Close() })
	}
	return l, said, stderr, err
}

func TestLogIsOffByDefault(t *testing.T) {
	t.Parallel()
	if l, _, _, err := opened(t, nil); l != nil || err != nil {
		t.Errorf("got %v, %v", l, err)
	}
}

// refused is an event in which something stands that must not be logged whole.
func refused() events.Event {
	return events.Event{
		Type: events.ToolDecided, CallID: "c1", Session: "s\n\x1b]0;x\a", Act: &events.Act{Kind: "call", Tool: "grep", Shell: strings.Repeat("x", 600) + canary},
		Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "reject", Source: "policy", Rule: "no"}},
	}
}

func TestLogAsJSON(t *testing.T) {
	t.Parallel()
	l, said, stderr, err := opened(t, map[string]string{"LOG_FORMAT": "json", "LOG_LEVEL": "debug"})
	if err != nil {
		t.Fatal(err)
	}
	l.Say("guarding gemini")
	l.Event(refused())
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if len(lines) != 2 || said.Len() > 0 {
		t.Fatalf("standard error got %q, and the person %q", stderr, said)
	}
	var first, second map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first["msg"] != "said" || first["line"] != "guarding gemini" || first["level"] != "INFO" {
		t.Errorf("%s: %v", lines[0], err)
	}
	if err := json.Unmarshal([]byte(lines[1]), &second); err != nil || second["msg"] != "recorded" || second["event"] != "tool.decided" || second["level"] != "WARN" ||
		second["decision"] != "reject" || second["tool"] != "grep" {
		t.Errorf("%s: %v", lines[1], err)
	}
	if body, _ := second["body"].(string); len(body) != 503 || !strings.HasSuffix(body, "...") || strings.Contains(stderr.String(), canary) {
		t.Errorf("the body has %d bytes: %s", len(body), body)
	}
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		level string
		want  int // lines
	}{{"debug", 3}, {"info", 2}, {"warning", 1}, {"warn", 1}, {"error", 0}} {
		l, said, stderr, err := opened(t, map[string]string{"LOG_LEVEL": row.level})
		if err != nil {
			t.Fatal(err)
		}
		l.Say("always said")
		l.Event(refused())
		l.Event(events.Event{Type: events.ToolEnded, Outcome: &events.Outcome{Status: "completed"}})
		l.Event(events.Event{Type: events.ToolSeen, Act: &events.Act{Shell: canary}})
		if got := strings.Count(stderr.String(), "\n"); got != row.want || said.String() != "always said\n" {
			t.Errorf("%s: %d lines, want %d:\n%s", row.level, got, row.want, stderr)
		}
		if row.level != "debug" && strings.Contains(stderr.String(), canary) {
			t.Errorf("%s: what was done is logged:\n%s", row.level, stderr)
		}
		if strings.Contains(stderr.String(), "\x1b") {
			t.Errorf("the log gives the terminal commands: %q", stderr)
		}
	}
}

func TestLogFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a2a-acp.log")
	for range 2 { // it goes on where it was
		l, said, stderr, err := opened(t, map[string]string{"LOG_FILE": file, "LOG_FORMAT": "json"})
		if err != nil {
			t.Fatal(err)
		}
		l.Say("guarding")
		if said.String() != "guarding\n" || stderr.Len() > 0 {
			t.Errorf("said %q, and %q on standard error", said, stderr)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), `"line":"guarding"`) != 2 {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestHostileLogFile: a repository that sets LOG_FILE has no file that others run or read written to.
func TestHostileLogFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "profile")
	for _, link := range []string{"link.log"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "workspace"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"a shell reads it":     filepath.Join(dir, ".bashrc"),
		"hidden":               filepath.Join(dir, ".x.log"),
		"relative":             "here.log",
		"in the workspace":     filepath.Join(dir, "workspace", "a.log"),
		"a link":               filepath.Join(dir, "link.log"),
		"a device":             "/dev/null",
		"a directory":          filepath.Join(dir, "workspace"),
		"no directory":         filepath.Join(dir, "none", "a.log"),
		"up and down to there": filepath.Join(dir, "workspace") + "/../workspace/b.log",
	} {
		if l, _, _, err := opened(t, map[string]string{"LOG_FILE": file}); l != nil || err == nil {
			t.Errorf("%s: %s is used", name, file)
		}
	}
	if _, err := os.Stat(target); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", target, err)
	}
}

func TestWrongLog(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{{"LOG_LEVEL": "loud"}, {"LOG_FORMAT": "xml"}, {"LOG_LEVEL": "debug", "MAX_LOG_BODY_LENGTH": "all"}} {
		if l, _, _, err := opened(t, env); l != nil || err == nil {
			t.Errorf("%v: no mistake", env)
		}
	}
}
