package editor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is an agent in an editor's settings, under the name that people choose it by.
type Entry struct {
	Name    string
	Command string   // absolute: an editor that is started from a desktop has another PATH than a shell
	Args    []string // of it
}

// Guarded returns the entry of an agent that is started below program, which is ours, with flags of bridge.
func Guarded(program, title string, agent []string, flags ...string) Entry {
	args := append([]string{"bridge"}, flags...)
	return Entry{Name: title + guarded, Command: program, Args: append(append(args, "--"), agent...)}
}

// Guarded reports whether the entry starts a bridge of ours: the program has its name, or the entry has one
// that Guarded gives.
func (e Entry) Guarded() bool {
	return len(e.Args) > 0 && e.Args[0] == "bridge" &&
		(filepath.Base(e.Command) == "a2a-acp" || strings.HasSuffix(e.Name, guarded))
}

// guarded ends the names of entries of ours.
const guarded = ", guarded"

// server is an entry as it is written. Registry agents of Zed's have no command.
type server struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// JSON writes entries as the editor reads them, for people who paste them.
func (e Editor) JSON(entries []Entry) ([]byte, error) {
	settings, err := parse(nil)
	if err != nil {
		return nil, err
	}
	if err := settings.enable(e, entries); err != nil {
		return nil, err
	}
	return settings.bytes(), nil
}

// value writes an entry, with what each of its lines begins with.
func (e Editor) value(entry Entry, prefix, indent string) (hujson.Literal, error) {
	s := server{Command: entry.Command, Args: entry.Args, Env: map[string]string{}}
	if e.custom {
		s.Type = "custom"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("write the entry %q: %w", entry.Name, err)
	}
	return hujson.Literal(strings.TrimSuffix(b.String(), "\n")), nil
}
