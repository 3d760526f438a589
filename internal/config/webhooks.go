package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// mostWebhooks bounds how many webhooks there may be.
const mostWebhooks = 5000

var webhookID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// webhookEntry is a webhook that is being read.
type webhookEntry struct {
	spec  webhook.Spec
	quiet quietEntry
	auth  authEntry
	retry retryEntry
}

// readWebhooks reads the webhooks of a file. One with the id of another file's stands in its place.
func (s *Settings) readWebhooks(file File, v yamldoc.Value) {
	items, _ := v.List("a list of webhooks")
	before := len(s.Webhooks)
	s.Webhooks = slices.Clone(s.Webhooks)
	seen := map[string]yamldoc.Value{}
	for _, item := range items {
		e := &webhookEntry{spec: webhook.Spec{Source: file.source(item), Begin: webhook.BeginNow}}
		item.Want = "a mapping, with id and url"
		if !yamldoc.ReadKeys(item, webhookMapping(), e) || !e.check(item) {
			continue
		}
		if first, twice := seen[e.spec.ID]; twice {
			item.Fail(yamldoc.RuleValue, "give one of them another id", "the id %s is that of line %d, too",
				yamldoc.Quote(e.spec.ID), first.Node.Line)
			continue
		}
		seen[e.spec.ID] = item
		i := slices.IndexFunc(s.Webhooks[:before], func(w webhook.Spec) bool { return w.ID == e.spec.ID })
		if i >= 0 {
			s.Webhooks[i] = e.spec
			continue
		}
		s.Webhooks = append(s.Webhooks, e.spec)
	}
	if len(s.Webhooks) > mostWebhooks {
		v.Fail(yamldoc.RuleValue, "", "there are %d webhooks, and there may be %d", len(s.Webhooks), mostWebhooks)
	}
}

// webhookMapping is what a webhook may say: our own keys, and those of the original system, whose push
// notifications people bring along.
func webhookMapping() yamldoc.Mapping[*webhookEntry] {
	own := []yamldoc.Key[*webhookEntry]{
		yamldoc.NewKey("id", "a text", (*webhookEntry).readID),
		yamldoc.NewKey("url", "a URL, or {secret: NAME}", (*webhookEntry).readURL),
		yamldoc.NewKey("events", "a list of names of events", (*webhookEntry).readEvents),
		yamldoc.NewKey("disabled_events", "a list of names of events", (*webhookEntry).readDisabled),
		yamldoc.NewKey("tools", "a list of tool ids, which may have * in them", func(e *webhookEntry, v yamldoc.Value) {
			readNames(v, &e.spec.Filter.Tools)
		}),
		yamldoc.NewKey("decisions", "a list of approve, reject and ask", (*webhookEntry).readDecisions),
		yamldoc.NewKey("agents", "a list of names of agents, which may have * in them",
			func(e *webhookEntry, v yamldoc.Value) { readNames(v, &e.spec.Filter.Agents) }),
		yamldoc.NewKey("quiet_hours", "a mapping", func(e *webhookEntry, v yamldoc.Value) {
			e.quiet.at = v
			yamldoc.ReadKeys(v, quietMapping(), &e.quiet)
		}),
		yamldoc.NewKey("authentication", "a mapping", func(e *webhookEntry, v yamldoc.Value) {
			e.auth.at = v
			yamldoc.ReadKeys(v, authMapping(), &e.auth)
		}),
		yamldoc.NewKey("signing", "a mapping", func(e *webhookEntry, v yamldoc.Value) {
			readSigning(v, &e.spec.Target.Signing)
		}),
		yamldoc.NewKey("allow_addresses", "a list of addresses or networks", func(e *webhookEntry, v yamldoc.Value) {
			e.spec.Target.Allow = append(e.spec.Target.Allow, readAddresses(v)...)
		}),
		yamldoc.NewKey("allow_ports", "a list of ports", (*webhookEntry).readPorts),
		yamldoc.NewKey("ca_file", "an absolute path", (*webhookEntry).readCAFile),
		yamldoc.NewKey("timeout", "seconds, or a duration such as 10s", func(e *webhookEntry, v yamldoc.Value) {
			v.SetDuration(&e.spec.Target.Timeout, webhook.LongestTimeout)
		}),
		yamldoc.NewKey("retry", "a mapping", func(e *webhookEntry, v yamldoc.Value) {
			e.retry.at = v
			yamldoc.ReadKeys(v, webhookRetryMapping(), &e.retry)
		}),
		yamldoc.NewKey("from", "now or beginning", func(e *webhookEntry, v yamldoc.Value) {
			v.OneOf([]string{string(webhook.BeginNow), string(webhook.BeginBeginning)}, func(text string) {
				e.spec.Begin = webhook.Begin(text)
			})
		}),
		yamldoc.NewKey("format", "seed, cloudevents or record", func(e *webhookEntry, v yamldoc.Value) {
			v.OneOf(webhook.FormatNames(), func(text string) { e.spec.Format = webhook.FormatOf(text) })
		}),
	}
	m := yamldoc.Mapping[*webhookEntry]{Name: "a webhook", Keys: own,
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"minPriority", "maxPriority", "priorityLevels", "min_priority", "max_priority"},
				Hint: "events have no priority here: name those that you want under events"},
			{Names: []string{"source", "type"}, Hint: "a webhook follows the record; name what you want under events"},
			{Names: authMapping().Names(), Hint: "%s belongs under authentication"},
		},
	}
	theirs := map[string]string{"events": "enabledEvents", "disabled_events": "disabledEvents", "retry": "retryConfig"}
	for _, key := range own {
		if name := theirs[key.Name]; name != "" {
			m.Keys = append(m.Keys, yamldoc.NewKey(name, key.Want, key.Read))
		}
	}
	for _, key := range quietMapping().Keys {
		name := "quietHours" + strings.ToUpper(key.Name[:1]) + key.Name[1:]
		m.Keys = append(m.Keys, yamldoc.NewKey(name, key.Want, func(e *webhookEntry, v yamldoc.Value) {
			e.quiet.at = v
			key.Read(&e.quiet, v)
		}))
	}
	m.Keys = append(m.Keys, yamldoc.NewKey("token", "a text, or {secret: NAME}", func(e *webhookEntry, v yamldoc.Value) {
		if !e.auth.given("type") {
			e.auth.at, e.auth.kind = v, webhook.AuthBearer
			e.auth.read("token", v)
		}
	}))
	return m
}

func (e *webhookEntry) readID(v yamldoc.Value) {
	v.SetText(&e.spec.ID)
	if e.spec.ID != "" && !webhookID.MatchString(e.spec.ID) {
		v.Fail(yamldoc.RuleValue, "", "want 1 to 64 letters, digits, dots, dashes and underscores, found %s",
			yamldoc.Quote(e.spec.ID))
	}
}

func (e *webhookEntry) readURL(v yamldoc.Value) {
	e.spec.Target.URL = readValue(v)
	if !v.IsMapping() {
		v.Hide() // many hold a token
	}
}

// readEvents reads names of events. One that nobody knows would never be sent.
func (e *webhookEntry) readEvents(v yamldoc.Value) {
	texts, _ := v.Texts()
	var names []string
	for i, text := range texts {
		found, known := webhook.EventNames(text)
		if !known {
			hint := "a2a-acp audit list --help says which there are"
			if near := spelling.Nearest(text, events.Names()); near != "" {
				hint = fmt.Sprintf("did you mean %s?", near)
			}
			v.Item(i).Fail(yamldoc.RuleValue, hint, "no event is called %s", yamldoc.Quote(text))
		}
		names = append(names, found...)
	}
	if len(texts) == 0 {
		v.Fail(yamldoc.RuleEmpty, "take the key out for all events", "it wants nothing")
		return
	}
	e.spec.WantEvents(names)
}

// readDisabled reads names of events that are not wanted. One that nobody knows does no harm.
func (e *webhookEntry) readDisabled(v yamldoc.Value) {
	texts, _ := v.Texts()
	for i, text := range texts {
		names, known := webhook.EventNames(text)
		if !known {
			v.Item(i).Warn(yamldoc.RuleValue, "", "no event is called %s", yamldoc.Quote(text))
		}
		e.spec.Filter.Disabled = append(e.spec.Filter.Disabled, names...)
	}
}

func (e *webhookEntry) readDecisions(v yamldoc.Value) {
	texts, _ := v.Texts()
	for i, text := range texts {
		v.Item(i).OneOf([]string{"approve", "reject", "ask"}, func(string) {})
		e.spec.Filter.Decisions = append(e.spec.Filter.Decisions, text)
	}
}

func readNames(v yamldoc.Value, into *[]string) {
	v.SetTexts(into)
	if len(*into) == 0 || slices.Contains(*into, "") {
		v.Fail(yamldoc.RuleEmpty, "take it out for all", "it wants nothing")
	}
}

func (e *webhookEntry) readPorts(v yamldoc.Value) {
	ports, _ := v.List("a list of ports")
	for _, port := range ports {
		port.Want = "a port from 1 to 65535"
		if n, ok := port.Int(1, 65535); ok {
			e.spec.Target.Ports = append(e.spec.Target.Ports, uint16(n))
		}
	}
}

func (e *webhookEntry) readCAFile(v yamldoc.Value) {
	v.SetText(&e.spec.Target.CAFile)
	if path := e.spec.Target.CAFile; path != "" && !filepath.IsAbs(path) {
		v.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(path))
	}
}

// check looks at a webhook as a whole, once all its keys were read.
func (e *webhookEntry) check(at yamldoc.Value) bool {
	if !at.Require("id", "") || !at.Require("url", "") {
		return false
	}
	before := len(at.Doc.Found)
	e.spec.Quiet = e.quiet.check()
	e.spec.Target.Auth = e.auth.check()
	e.spec.Retry = e.retry.check()
	url, _ := at.Get("url")
	if err := e.spec.Target.CheckURL(); err != nil && !url.IsFaulty() && url.Node != nil {
		url.Fail(yamldoc.RuleValue, "", "the URL cannot be used: %v", err)
	}
	return len(at.Doc.Found) == before || !at.Doc.Found[before:].Broken()
}

// readValue reads a text, or where it stands.
func readValue(v yamldoc.Value) webhook.Value {
	if v.IsMapping() {
		if reference, ok := readReference(v); ok {
			return webhook.Value{Reference: &reference}
		}
		return webhook.Value{}
	}
	var value webhook.Value
	v.SetLiteral(&value.Literal)
	if value.Literal == "" {
		v.Fail(yamldoc.RuleEmpty, "", "it is empty")
	}
	return value
}

// readSecretValue is readValue for what nobody should read in a file.
func readSecretValue(name string, v yamldoc.Value) webhook.Value {
	value := readValue(v)
	if value.Literal != "" {
		v.Hide()
		v.Warn("credential", "a2a-acp secrets set NAME, and write here: {secret: NAME}",
			"%s stands here in plain text", name)
	}
	return value
}

// readSigning reads with what requests are signed: one secret, or several while one is replaced.
func readSigning(v yamldoc.Value, s *webhook.Signing) {
	yamldoc.ReadKeys(v, yamldoc.Mapping[*webhook.Signing]{
		Name: "signing",
		Keys: []yamldoc.Key[*webhook.Signing]{
			yamldoc.NewKey("secret", "the name of a secret, or a list of two", func(s *webhook.Signing, v yamldoc.Value) {
				for _, item := range each(v) {
					var name webhook.Value
					reference := readNamedSecret(item)
					if name.Reference = reference; reference != nil {
						s.Secrets = append(s.Secrets, name)
					}
				}
			}),
			yamldoc.NewKey("env", "the name of a variable", func(s *webhook.Signing, v yamldoc.Value) {
				if reference := readNamedVariable(v); reference != nil {
					s.Secrets = append(s.Secrets, webhook.Value{Reference: reference})
				}
			}),
			yamldoc.NewKey("secrets", "a list such as [{secret: NEW}, {secret: OLD}]", func(s *webhook.Signing, v yamldoc.Value) {
				items, _ := v.List("a list such as [{secret: NEW}, {secret: OLD}]")
				for _, item := range items {
					item.Want = "{secret: NAME}"
					s.Secrets = append(s.Secrets, readSecretValue("a secret to sign with", item))
				}
			}),
			yamldoc.NewKey("ed25519", "true or false", func(s *webhook.Signing, v yamldoc.Value) { v.SetBool(&s.Ed25519) }),
		},
	}, s)
	if v.IsMapping() && len(v.Node.Content) == 0 || v.IsEmpty() {
		v.Fail(yamldoc.RuleEmpty, "write {secret: NAME} or {ed25519: true}", "it does not say with what requests are signed")
	}
}

// each are the items of a list, or the one value.
func each(v yamldoc.Value) []yamldoc.Value {
	if !v.IsList() {
		return []yamldoc.Value{v}
	}
	items, _ := v.List(v.Want)
	return items
}
