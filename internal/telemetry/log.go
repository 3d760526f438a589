package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Log is what LOG_LEVEL, LOG_FORMAT and LOG_FILE ask for: what the program says, and what it records, as a log. It
// is safe for concurrent use.
type Log struct {
	to    *slog.Logger
	file  *os.File // nil where it goes to standard error
	json  bool
	say   func(line string)
	most  int // bytes of a body
	write *lockedWriter
}

// LogOptions are those of OpenLog.
type LogOptions struct {
	Getenv func(string) string // required
	Stderr io.Writer           // required
	Say    func(line string)   // required: what says a line to the person without a log
	// Foreign reports whether a file may be the work of whoever wrote the workspace. Optional.
	Foreign func(path string) bool
}

// The bounds of a body: MAX_LOG_BODY_LENGTH, and the most that it may be.
const (
	usualBody = 500
	mostBody  = 64 << 10
)

// OpenLog returns the log that the environment asks for; nil for none. The error is for the person, and the program
// goes on without a log, since a repository can set variables. Close it.
func OpenLog(o LogOptions) (*Log, error) {
	level, format, file := o.Getenv("LOG_LEVEL"), strings.ToLower(o.Getenv("LOG_FORMAT")), o.Getenv("LOG_FILE")
	if level == "" && format == "" && file == "" {
		return nil, nil
	}
	var least slog.Level
	name := strings.Replace(strings.ToUpper(level), "WARNING", "WARN", 1)
	if err := least.UnmarshalText([]byte(name)); level != "" && err != nil {
		return nil, fmt.Errorf("LOG_LEVEL=%s: want debug, info, warn or error", cut(level, mostText))
	}
	if format != "" && format != "json" && format != "text" {
		return nil, fmt.Errorf("LOG_FORMAT=%s: want json or text", cut(format, mostText))
	}
	l := &Log{json: format == "json", say: o.Say, most: usualBody, write: &lockedWriter{to: o.Stderr}}
	if text := o.Getenv("MAX_LOG_BODY_LENGTH"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > mostBody {
			return nil, fmt.Errorf("MAX_LOG_BODY_LENGTH: want a number of bytes from 0 to %d", mostBody)
		}
		l.most = n
	}
	if file != "" {
		opened, err := openLogFile(file, o.Foreign)
		if err != nil {
			return nil, fmt.Errorf("LOG_FILE=%s is not used: %w", cut(file, mostText), err)
		}
		l.file, l.write.to = opened, opened
	}
	how := &slog.HandlerOptions{Level: least}
	if l.json {
		l.to = slog.New(slog.NewJSONHandler(l.write, how))
	} else {
		l.to = slog.New(slog.NewTextHandler(l.write, how))
	}
	return l, nil
}

// openLogFile opens a file that a variable names. What is logged holds words of an agent's, so it must be no file
// that anything runs or reads: a shell would run "$(…)" in a line of a log.
func openLogFile(path string, foreign func(string) bool) (*os.File, error) {
	if !filepath.IsAbs(path) || !strings.HasSuffix(path, ".log") || strings.HasPrefix(filepath.Base(path), ".") {
		return nil, errors.New("want an absolute path that ends in .log, whose name does not begin with a dot")
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if path = filepath.Join(dir, filepath.Base(path)); foreign != nil && foreign(path) {
		return nil, errors.New("it lies in the workspace, whose author could have set that; want a place outside of it")
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Say says a line to the person, and logs it.
func (l *Log) Say(line string) {
	if l.file != nil || !l.json {
		l.say(line)
	}
	if l.file != nil || l.json {
		l.to.Info("said", "line", line)
	}
}

// Event logs an event that was recorded: what was refused or has failed as a warning, the beginnings and ends of
// calls as information, and everything, with a part of what the record has, for debugging.
func (l *Log) Event(e events.Event) {
	level := levelOf(&e)
	if !l.to.Enabled(context.Background(), level) {
		return
	}
	list := []slog.Attr{slog.String("event", string(e.Type))}
	add := func(key, value string) {
		if value != "" {
			list = append(list, slog.String(key, cut(value, mostText)))
		}
	}
	add("call", e.CallID)
	add("task", e.Task)
	add("session", e.Session)
	add("agent", e.Agent)
	add("door", e.Door)
	add("principal", e.Principal)
	add("trace_id", e.TraceID)
	add("span_id", e.SpanID)
	if e.Act != nil {
		add("tool", e.Act.Tool)
		add("kind", e.Act.Kind)
	}
	if e.Decision != nil {
		add("decision", e.Decision.Result)
		add("source", e.Decision.Source)
		add("rule", e.Decision.Rule)
	}
	if o := e.Outcome; o != nil {
		add("status", o.Status)
		add("err", errorCode(o.Status, o))
		list = append(list, slog.Duration("dur", time.Duration(o.Millis*float64(time.Millisecond))))
	}
	if l.to.Enabled(context.Background(), slog.LevelDebug) && l.most > 0 {
		if body, err := json.Marshal(e); err == nil {
			list = append(list, slog.String("body", shortened(string(body), l.most)))
		}
	}
	l.to.LogAttrs(context.Background(), level, "recorded", list...)
}

// levelOf says how much an event matters.
func levelOf(e *events.Event) slog.Level {
	switch e.Type {
	case events.ToolViolated, events.ConfigRefused, events.FrameRefused, events.RecordRepaired, events.ClientRefused:
		return slog.LevelWarn
	case events.ToolDecided:
		if e.Decision != nil && e.Decision.Result == "reject" {
			return slog.LevelWarn
		}
		return slog.LevelDebug
	case events.ToolEnded:
		if e.Outcome != nil && e.Outcome.Status != string(tool.StatusCompleted) {
			return slog.LevelWarn
		}
		return slog.LevelInfo
	case events.BridgeStarted, events.BridgeEnded, events.DaemonStarted, events.DaemonEnded, events.SessionOpened,
		events.SessionClosed, events.ConfigLoaded, events.CircuitChanged, events.ApprovalAsked, events.ApprovalAnswered:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// shortened returns the beginning of a body that is longer than it may be, and says so.
func shortened(body string, most int) string {
	if len(body) <= most {
		return body
	}
	return cut(body, most) + "..."
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// lockedWriter writes one line at a time.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
