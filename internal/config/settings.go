package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Always says what becomes of a person's "always" that is the answer to an agent's question.
type Always string

// The values of Always.
const (
	AlwaysKeep    Always = "keep"    // we keep it as a grant for the session, and the agent goes on asking
	AlwaysForward Always = "forward" // the agent gets it, and may stop asking
)

// Settings are those of the program itself, from a2a-acp.yaml.
type Settings struct {
	Always Always
	// Expose names the tools that came with the program and are offered to agents all the same.
	Expose []string
	Mask   Mask
	// MaxFrame is the longest line, in bytes, that the bridge takes from an agent.
	MaxFrame int
	Sandbox  Sandbox
	// ConfineRequired has a bridge start no agent that is not confined.
	ConfineRequired bool
	People          People
}

// People says how this machine's people are told from its agents. It is for root to say: what an agent's user can write is
// no evidence against that agent.
type People struct {
	// Container says that people work in these namespaces, though they are not those that the machine started with.
	Container bool
	// Confirm is the command that asks for what an agent cannot give, such as a password, and ends with 0 when it got it. Empty
	// for none.
	Confirm []string
}

// Sandbox are the settings of the sandbox as a whole.
type Sandbox struct {
	// AllowWeak lets tools run on a machine that cannot confine their files.
	AllowWeak bool
}

// Mask hides abilities of the editor from the agent.
type Mask struct {
	FS       bool // fs/read_text_file and fs/write_text_file
	Terminal bool // terminal/*
}

// The bounds of max_frame_mb. Agents send whole files and images in one line, so the least is generous.
const (
	leastFrameMB = 64
	mostFrameMB  = 4096
)

// DefaultSettings are the settings where no file says anything.
func DefaultSettings() Settings {
	return Settings{Always: AlwaysKeep, MaxFrame: leastFrameMB << 20}
}

// ReadSettings reads one settings file on top of other settings: what it does not say stays as it was. The error is an
// Errors that holds all mistakes of the file.
func ReadSettings(file File, base Settings) (Settings, error) {
	doc := (&document{file: file.Name, mayBeEmpty: true}).parse(file.Data)
	settings := base
	if doc.root != nil {
		readKeys(doc.at(doc.root, "", "a mapping of settings"), settingsOf(file.Layer), &settings)
	}
	doc.finish()
	if err := doc.found.err(); err != nil {
		return base, err
	}
	return settings, nil
}

// settingsNoun is what a settings file may say.
func settingsNoun() noun[*Settings] {
	return noun[*Settings]{
		name: "a settings file",
		keys: []key[*Settings]{
			{"always", "keep or forward", (*Settings).readAlways},
			{"expose", "a list of tool ids", func(s *Settings, v value) { v.setTexts(&s.Expose) }},
			{"mask", "a mapping", func(s *Settings, v value) { readKeys(v, maskNoun(), &s.Mask) }},
			{"sandbox", "a mapping", func(s *Settings, v value) { readKeys(v, sandboxSettingsNoun(), &s.Sandbox) }},
			{"confine", "required or optional", (*Settings).readConfine},
			{"people", "a mapping", func(s *Settings, v value) { readKeys(v, peopleNoun(), &s.People) }},
			{"max_frame_mb", "a whole number of megabytes", (*Settings).readMaxFrame},
		},
		elsewhere: []misplaced{
			{[]string{"tools"}, "%s belongs in a tools file, such as tools.yaml"},
			{[]string{"auto_approval_policies"}, "%s belongs in auto_approval_policies.yaml"},
			{[]string{"permission_governors", "output_governors"}, "%s belongs in governors.yaml"},
		},
	}
}

// settingsOf is what a settings file of a layer may say.
func settingsOf(layer tool.Layer) noun[*Settings] {
	n := settingsNoun()
	if layer != tool.LayerSystem {
		n.keys = slices.DeleteFunc(n.keys, func(k key[*Settings]) bool { return k.name == "people" })
		n.elsewhere = append(n.elsewhere, misplaced{[]string{"people"}, "%s is for root to say, in /etc/a2a-acp/a2a-acp.yaml"})
	}
	return n
}

func (p *People) readConfirm(v value) {
	var words []string
	v.setTexts(&words)
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		v.fail(ruleValue, "", "want a command whose program is an absolute path, such as [/usr/bin/sudo, -k, -v]")
		return
	}
	p.Confirm = words
}

func maskNoun() noun[*Mask] {
	return noun[*Mask]{
		name: "mask",
		keys: []key[*Mask]{
			{"fs", "true or false", func(m *Mask, v value) { v.setBool(&m.FS) }},
			{"terminal", "true or false", func(m *Mask, v value) { v.setBool(&m.Terminal) }},
		},
	}
}

func sandboxSettingsNoun() noun[*Sandbox] {
	return noun[*Sandbox]{
		name: "sandbox",
		keys: []key[*Sandbox]{
			{"allow_weak", "true or false", func(s *Sandbox, v value) { v.setBool(&s.AllowWeak) }},
		},
		elsewhere: []misplaced{{names(sandboxNoun().keys), "%s belongs to a tool, in tools.yaml"}},
	}
}

func peopleNoun() noun[*People] {
	return noun[*People]{
		name: "people",
		keys: []key[*People]{
			{"container", "true or false", func(p *People, v value) { v.setBool(&p.Container) }},
			{"confirm", "a list of words, the first an absolute path", (*People).readConfirm},
		},
	}
}

// ReadPeople reads what root says of people, in the settings file of a directory that is root's alone.
func ReadPeople(systemDir string) (People, error) { return readPeople(Sources{SystemDir: systemDir}) }

func readPeople(s Sources) (People, error) {
	file, err := s.read(directory(s.SystemDir, tool.LayerSystem)[kindSettings])
	if errors.Is(err, errAbsent) {
		return People{}, nil
	}
	if err != nil {
		return People{}, fmt.Errorf("%s: %w", filepath.Join(s.SystemDir, settingsName), err)
	}
	settings, err := ReadSettings(file, DefaultSettings())
	return settings.People, err
}

func (s *Settings) readAlways(v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	switch Always(text) {
	case AlwaysKeep, AlwaysForward:
		s.Always = Always(text)
	default:
		hint := ""
		if near := spelling.Nearest(text, []string{string(AlwaysKeep), string(AlwaysForward)}); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		v.fail(ruleValue, hint, "want keep or forward, found %s", quote(text))
	}
}

func (s *Settings) readMaxFrame(v value) {
	if n, ok := v.whole(leastFrameMB, mostFrameMB); ok {
		s.MaxFrame = int(n) << 20
	}
}

// readConfine reads whether an agent may run unconfined. The root-owned layer comes last, so what it says holds.
func (s *Settings) readConfine(v value) {
	text, ok := v.text()
	if ok && text != "required" && text != "optional" {
		hint := map[string]string{"yes": "write required", "no": "write optional"}[text]
		v.fail(ruleValue, hint, "want required or optional, found %s", quote(text))
		ok = false
	}
	if ok {
		s.ConfineRequired = text == "required"
	}
}
