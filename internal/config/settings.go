package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
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
	// Search has MCP clients find tools and call them by two tools, in place of being offered all of them.
	Search bool
	Mask   Mask
	// MaxFrame is the longest line, in bytes, that the bridge takes from an agent.
	MaxFrame int
	Sandbox  Sandbox
	// ConfineRequired has a bridge start no agent that is not confined.
	ConfineRequired bool
	// ConfineByDefault has run and bridge start an agent in its sandbox where no flag says otherwise.
	ConfineByDefault bool
	People           People
	// Notifications are where a person is told that a question waits; nowhere by default.
	Notifications []Notification
	Audit         Audit
	Serve         serve.Settings
	Telemetry     Telemetry
	// Webhooks are who is told what happens, in the order of the files.
	Webhooks []webhook.Spec

	// Warnings are what people should be told of the files.
	Warnings yamldoc.Errors
	// Agents are driven without an editor, in the order of their names.
	Agents []Agent
}

// Telemetry says where spans and numbers of what happens may be sent, beside what the environment says.
type Telemetry struct {
	// Endpoint is a collector: the address that OTEL_EXPORTER_OTLP_ENDPOINT may name though it is on another
	// machine, and where is sent when no variable says anything. "" for none.
	Endpoint string
}

// Audit says how long the record is kept, and where copies of its checkpoints go.
type Audit struct {
	Keep   time.Duration // 0 for ever
	File   string        // absolute; "" for none
	Syslog bool
	Stdout bool // that of the daemon
	// Degrade has what only reads go on where nothing can be recorded.
	Degrade bool
}

// Notification is a place where a person is told that a question waits.
type Notification string

// The places.
const (
	NotifyDesktop  Notification = "desktop"  // freedesktop.org's notifications
	NotifyTerminal Notification = "terminal" // that of approvals watch
)

// People says how this machine's people are told from its agents. It is for root to say: what an agent's user
// can write is no evidence against that agent.
type People struct {
	// Container says that people work in these namespaces, though they are not those that the machine started
	// with.
	Container bool
	// Confirm is the command that asks for what an agent cannot give, such as a password, and ends with 0
	// when it got it. Empty for none.
	Confirm []string
	// AtTerminal has only a person at a terminal of this machine answer, and no client for its person.
	AtTerminal bool
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
	return Settings{Always: AlwaysKeep, MaxFrame: leastFrameMB << 20,
		Serve: serve.Settings{Limits: serve.DefaultLimits(), Grace: serve.DefaultGrace, Tasks: serve.DefaultTaskRetention()}}
}

// ReadSettings reads one settings file on top of other settings: what it does not say stays as it was. The
// error is an Errors that holds all mistakes of the file.
func ReadSettings(file File, base Settings) (Settings, error) {
	doc := yamldoc.Parse(file.Name, file.Data, yamldoc.Options{MayBeEmpty: true})
	settings := base
	if root, ok := doc.Root("a mapping of settings"); ok {
		yamldoc.ReadKeys(root, settingsOf(file), &settings)
	}
	doc.Finish()
	if err := doc.Found.Err(); err != nil {
		return base, err
	}
	settings.Warnings = append(slices.Clip(settings.Warnings), doc.Found...)
	return settings, nil
}

// settingsMapping is what a settings file may say.
func settingsMapping() yamldoc.Mapping[*Settings] {
	return yamldoc.Mapping[*Settings]{
		Name: "a settings file",
		Keys: []yamldoc.Key[*Settings]{
			yamldoc.NewKey("always", "keep or forward", (*Settings).readAlways),
			yamldoc.NewKey("expose", "a list of tool ids, or search", func(s *Settings, v yamldoc.Value) {
				if s.Search = v.Node.Value == "search" && !v.IsList(); !s.Search {
					v.SetTexts(&s.Expose)
				}
			}),
			yamldoc.NewKey("mask", "a mapping", func(s *Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, maskMapping(), &s.Mask)
			}),
			yamldoc.NewKey("sandbox", "a mapping", func(s *Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, sandboxSettingsMapping(), &s.Sandbox)
			}),
			yamldoc.NewKey("confine", "required, default or optional", (*Settings).readConfine),
			yamldoc.NewKey("people", "a mapping", func(s *Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, peopleMapping(), &s.People)
			}),
			yamldoc.NewKey("notifications", "a list of desktop and terminal", (*Settings).readNotifications),
			yamldoc.NewKey("audit", "a mapping", func(s *Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, auditMapping(), &s.Audit)
			}),
			yamldoc.NewKey("serve", "a mapping", func(s *Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, serveMapping(), &s.Serve)
			}),
			yamldoc.NewKey("telemetry", "a mapping", func(s *Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, telemetryMapping(), &s.Telemetry)
			}),
			yamldoc.NewKey("max_frame_mb", "a whole number of megabytes", (*Settings).readMaxFrame),
			yamldoc.NewKey("agents", "a mapping of names to agents", (*Settings).readAgents),
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"tools"}, Hint: "%s belongs in a tools file, such as tools.yaml"},
			{Names: []string{"auto_approval_policies"}, Hint: "%s belongs in auto_approval_policies.yaml"},
			{Names: []string{"permission_governors", "output_governors"},
				Hint: "%s belongs in governors.yaml"},
		},
	}
}

// settingsOf is what a settings file may say.
func settingsOf(file File) yamldoc.Mapping[*Settings] {
	n := settingsMapping()
	n.Keys = append(n.Keys, yamldoc.NewKey("webhooks", "a list of webhooks", func(s *Settings, v yamldoc.Value) {
		s.readWebhooks(file, v)
	}))
	if file.Layer != tool.LayerSystem {
		n.Keys = slices.DeleteFunc(n.Keys, func(k yamldoc.Key[*Settings]) bool { return k.Name == "people" })
		n.Elsewhere = append(n.Elsewhere, yamldoc.Misplaced{Names: []string{"people"},
			Hint: "%s is for root to say, in /etc/a2a-acp/a2a-acp.yaml"})
	}
	return n
}

func (p *People) readConfirm(v yamldoc.Value) {
	var words []string
	v.SetTexts(&words)
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		v.Fail(yamldoc.RuleValue, "",
			"want a command whose program is an absolute path, such as [/usr/bin/sudo, -k, -v]")
		return
	}
	p.Confirm = words
}

func maskMapping() yamldoc.Mapping[*Mask] {
	return yamldoc.Mapping[*Mask]{
		Name: "mask",
		Keys: []yamldoc.Key[*Mask]{
			yamldoc.NewKey("fs", "true or false", func(m *Mask, v yamldoc.Value) { v.SetBool(&m.FS) }),
			yamldoc.NewKey("terminal", "true or false", func(m *Mask, v yamldoc.Value) {
				v.SetBool(&m.Terminal)
			}),
		},
	}
}

func sandboxSettingsMapping() yamldoc.Mapping[*Sandbox] {
	return yamldoc.Mapping[*Sandbox]{
		Name: "sandbox",
		Keys: []yamldoc.Key[*Sandbox]{
			yamldoc.NewKey("allow_weak", "true or false", func(s *Sandbox, v yamldoc.Value) {
				v.SetBool(&s.AllowWeak)
			}),
		},
		Elsewhere: []yamldoc.Misplaced{{Names: sandboxMapping().Names(),
			Hint: "%s belongs to a tool, in tools.yaml"}},
	}
}

// longestKeep bounds keep_days: a hundred years.
const longestKeep = 36500

func auditMapping() yamldoc.Mapping[*Audit] {
	return yamldoc.Mapping[*Audit]{
		Name: "audit",
		Keys: []yamldoc.Key[*Audit]{
			yamldoc.NewKey("keep_days", "a whole number of days", func(a *Audit, v yamldoc.Value) {
				if n, ok := v.Int(1, longestKeep); ok {
					a.Keep = time.Duration(n) * 24 * time.Hour
				}
			}),
			yamldoc.NewKey("on_audit_failure", "block or degrade", (*Audit).readOnFailure),
			yamldoc.NewKey("checkpoints", "a mapping", func(a *Audit, v yamldoc.Value) {
				yamldoc.ReadKeys(v, checkpointsMapping(), a)
			}),
		},
	}
}

func (a *Audit) readOnFailure(v yamldoc.Value) {
	text, ok := v.Text()
	switch {
	case !ok:
	case text == "block" || text == "degrade":
		a.Degrade = text == "degrade"
	default:
		v.Fail(yamldoc.RuleValue, "block is what counts where nothing is said; degrade lets go on what only reads",
			"want block or degrade, found %s", yamldoc.Quote(text))
	}
}

func checkpointsMapping() yamldoc.Mapping[*Audit] {
	return yamldoc.Mapping[*Audit]{
		Name: "checkpoints",
		Keys: []yamldoc.Key[*Audit]{
			yamldoc.NewKey("file", "an absolute path", func(a *Audit, v yamldoc.Value) {
				var path string
				v.SetText(&path)
				if path != "" && !filepath.IsAbs(path) {
					v.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(path))
					return
				}
				a.File = path
			}),
			yamldoc.NewKey("syslog", "true or false", func(a *Audit, v yamldoc.Value) { v.SetBool(&a.Syslog) }),
			yamldoc.NewKey("stdout", "true or false", func(a *Audit, v yamldoc.Value) { v.SetBool(&a.Stdout) }),
		},
	}
}

func telemetryMapping() yamldoc.Mapping[*Telemetry] {
	return yamldoc.Mapping[*Telemetry]{
		Name: "telemetry",
		Keys: []yamldoc.Key[*Telemetry]{
			yamldoc.NewKey("endpoint", "an address such as https://collector.example:4318", func(t *Telemetry, v yamldoc.Value) {
				text, ok := v.Text()
				if !ok {
					return
				}
				u, err := url.Parse(text)
				if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
					v.Fail(yamldoc.RuleValue, "a header that proves who you are goes into OTEL_EXPORTER_OTLP_HEADERS",
						"want http://HOST:PORT or https://HOST:PORT of a collector")
					return
				}
				t.Endpoint = text
			}),
		},
	}
}

func peopleMapping() yamldoc.Mapping[*People] {
	return yamldoc.Mapping[*People]{
		Name: "people",
		Keys: []yamldoc.Key[*People]{
			yamldoc.NewKey("container", "true or false", func(p *People, v yamldoc.Value) {
				v.SetBool(&p.Container)
			}),
			yamldoc.NewKey("answer", "terminal", func(p *People, v yamldoc.Value) { readAtTerminal(v, &p.AtTerminal) }),
			yamldoc.NewKey("confirm", "a list of words, the first an absolute path", (*People).readConfirm),
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

func (s *Settings) readAlways(v yamldoc.Value) {
	text, ok := v.Text()
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
		v.Fail(yamldoc.RuleValue, hint, "want keep or forward, found %s", yamldoc.Quote(text))
	}
}

func (s *Settings) readNotifications(v yamldoc.Value) {
	var places []string
	v.SetTexts(&places)
	s.Notifications = nil
	for _, place := range places {
		switch Notification(place) {
		case NotifyDesktop, NotifyTerminal:
			s.Notifications = append(s.Notifications, Notification(place))
		default:
			v.Fail(yamldoc.RuleValue, "", "want desktop, terminal or both, found %s", yamldoc.Quote(place))
		}
	}
}

func (s *Settings) readMaxFrame(v yamldoc.Value) {
	if n, ok := v.Int(leastFrameMB, mostFrameMB); ok {
		s.MaxFrame = int(n) << 20
	}
}

// readConfine reads whether an agent may run unconfined, and whether one does where no flag says anything. The root-owned
// layer comes last, so what it says holds.
func (s *Settings) readConfine(v yamldoc.Value) {
	text, ok := v.Text()
	if ok && text != "required" && text != "default" && text != "optional" {
		hint := map[string]string{"yes": "write default", "no": "write optional"}[text]
		v.Fail(yamldoc.RuleValue, hint, "want required, default or optional, found %s", yamldoc.Quote(text))
		ok = false
	}
	if ok {
		s.ConfineRequired, s.ConfineByDefault = text == "required", text == "default"
	}
}
