package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/celmistake"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// governorEntry is one governor that is being read.
type governorEntry struct {
	file   *governorsFile
	at     yamldoc.Value
	spec   governor.Spec
	output bool
	kind   yamldoc.Value // of type, where it is given
	given  map[string]yamldoc.Value
}

func newGovernorEntry(f *governorsFile, at yamldoc.Value, output bool) *governorEntry {
	return &governorEntry{
		file: f, at: at, output: output, given: map[string]yamldoc.Value{},
		spec: governor.Spec{
			Kind: governor.KindScript, Source: f.file.source(at), Timeout: governor.DefaultTimeout,
			OnError: governor.FallbackAsk, OnTimeout: governor.FallbackAsk,
			Script: governor.Script{Dir: filepath.Dir(f.file.Path), Network: tool.NetworkOff},
		},
	}
}

// governorMapping is what a governor may say. Which keys go with which type is told by kindKeys.
func governorMapping() yamldoc.Mapping[*governorEntry] {
	own := func(name string, read func(*governorEntry, yamldoc.Value)) func(*governorEntry, yamldoc.Value) {
		return func(e *governorEntry, v yamldoc.Value) {
			e.given[name] = v
			read(e, v)
		}
	}
	keys := []yamldoc.Key[*governorEntry]{
		yamldoc.NewKey("id", "a text", (*governorEntry).readID),
		yamldoc.NewKey("type", "script, http, cel, rate, budget, secrets or patterns", (*governorEntry).readKind),
		yamldoc.NewKey("timeout_ms", "a whole number of milliseconds",
			func(e *governorEntry, v yamldoc.Value) {
				setMillis(v, &e.spec.Timeout)
			}),
		yamldoc.NewKey("requires_manual", "true or false", func(e *governorEntry, v yamldoc.Value) {
			v.SetBool(&e.spec.RequiresManual)
		}),
		yamldoc.NewKey("required", "true or false", func(e *governorEntry, v yamldoc.Value) {
			v.SetBool(&e.spec.Required)
		}),
		yamldoc.NewKey("applies_to", "a list of tool ids, which may have * in them",
			func(e *governorEntry, v yamldoc.Value) {
				e.spec.AppliesTo = readToolPatterns(v)
			}),
		yamldoc.NewKey("on_error", "ask, reject or ignore", func(e *governorEntry, v yamldoc.Value) {
			e.readFallback(v, &e.spec.OnError)
		}),
		yamldoc.NewKey("on_timeout", "ask, reject or ignore", func(e *governorEntry, v yamldoc.Value) {
			e.readFallback(v, &e.spec.OnTimeout)
		}),
		yamldoc.NewKey("message", "a text", func(e *governorEntry, v yamldoc.Value) {
			v.SetText(&e.spec.Message)
		}),
		yamldoc.NewKey("command", "a list: the program and its arguments", (*governorEntry).readCommand),
		yamldoc.NewKey("network", "on or off", (*governorEntry).readNetwork),
		yamldoc.NewKey("environment", "a mapping of variables", (*governorEntry).readEnvironment),
		yamldoc.NewKey("url", "a URL", (*governorEntry).readURL),
		yamldoc.NewKey("headers", "a mapping of texts", (*governorEntry).readHeaders),
		yamldoc.NewKey("signing_secret", "a mapping, such as {secret: NAME}",
			func(e *governorEntry, v yamldoc.Value) {
				if reference, ok := readReference(v); ok {
					e.spec.HTTP.Secret = &reference
				}
			}),
		yamldoc.NewKey("allow_addresses", "a list of addresses or networks", (*governorEntry).readAllow),
		yamldoc.NewKey("expression", "a CEL expression", (*governorEntry).readExpression),
		yamldoc.NewKey("otherwise", "reject or ask", func(e *governorEntry, v yamldoc.Value) {
			v.OneOf([]string{"reject", "ask"}, func(s string) { e.spec.CEL.Otherwise = governor.Verb(s) })
		}),
		yamldoc.NewKey("limit", "a mapping", func(e *governorEntry, v yamldoc.Value) {
			yamldoc.ReadKeys(v, governorLimitMapping(), e)
		}),
		yamldoc.NewKey("patterns", "a list of regular expressions (RE2)", func(e *governorEntry, v yamldoc.Value) {
			e.spec.Patterns = readPatterns(v)
		}),
		yamldoc.NewKey("action", "reject, ask or redact", (*governorEntry).readAction),
	}
	for i := range keys {
		keys[i].Read = own(keys[i].Name, keys[i].Read)
	}
	return yamldoc.Mapping[*governorEntry]{
		Name: "a governor", Keys: keys,
		Elsewhere: []yamldoc.Misplaced{
			{Names: governorSettingsMapping().Names(),
				Hint: "%s belongs under permission_settings or output_settings"},
			{Names: governorLimitMapping().Names(), Hint: "%s belongs under limit"},
			{Names: []string{"timeout"}, Hint: "write timeout_ms for %s"},
			{Names: []string{"when"}, Hint: "write expression for %s"},
		},
	}
}

// kindKeys are the keys that only some types have.
var kindKeys = map[string][]governor.Kind{
	"command": {governor.KindScript}, "network": {governor.KindScript}, "environment": {governor.KindScript},
	"url": {governor.KindHTTP}, "headers": {governor.KindHTTP}, "signing_secret": {governor.KindHTTP},
	"allow_addresses": {governor.KindHTTP},
	"expression":      {governor.KindCEL}, "otherwise": {governor.KindCEL},
	"limit": {governor.KindRate, governor.KindBudget}, "patterns": {governor.KindPatterns},
	"action":  {governor.KindSecrets, governor.KindPatterns},
	"message": {governor.KindCEL, governor.KindRate, governor.KindBudget, governor.KindSecrets, governor.KindPatterns},
}

func (e *governorEntry) readID(v yamldoc.Value) {
	id, ok := v.Text()
	if ok && (id == "" || utf8.RuneCountInString(id) > longestID ||
		strings.ContainsFunc(id, display.Hidden)) {
		v.Fail(yamldoc.RuleValue, "", "want 1 to %d visible characters, found %s", longestID,
			yamldoc.Quote(id))
		return
	}
	e.spec.ID = id
}

func (e *governorEntry) readKind(v yamldoc.Value) {
	var known []string
	for _, kind := range governor.Kinds() {
		known = append(known, string(kind))
	}
	known = append(known, "python")
	e.kind = v
	v.OneOf(known, func(text string) {
		if e.spec.Kind = governor.Kind(text); text == "python" {
			// as in the original system, whose python governors are programs, too
			e.spec.Kind = governor.KindScript
		}
	})
}

func (e *governorEntry) readFallback(v yamldoc.Value, into *governor.Fallback) {
	v.OneOf([]string{"ask", "reject", "ignore"}, func(text string) { *into = governor.Fallback(text) })
	if *into == governor.FallbackIgnore {
		v.Warn("fail-open", "ask or reject stops what it could not look at",
			"where this governor gives no answer, nothing stops")
	}
}

func (e *governorEntry) readCommand(v yamldoc.Value) {
	words, ok := v.Texts()
	if ok && (len(words) == 0 || words[0] == "") {
		v.Fail(yamldoc.RuleEmpty, "write the program and its arguments: [python3, ./guard.py]",
			"there is no program")
	}
	for i, word := range words {
		if strings.ContainsRune(word, 0) {
			v.Doc.At(v.Node.Content[i], v.Name, "").Fail(yamldoc.RuleValue, "", "an argument cannot hold NUL")
		}
	}
	if len(words) == 1 && strings.ContainsAny(words[0], " \t|;&<>$") {
		v.Warn("shell", fmt.Sprintf("write a list of words, or [bash, -c, %q]", words[0]),
			"no shell reads the command: this is the name of one program")
	}
	e.spec.Script.Command = words
}

func (e *governorEntry) readNetwork(v yamldoc.Value) {
	if v.Node.Tag == "!!bool" { // YAML 1.1 takes on and off for these
		if is, ok := v.Bool(); ok && is {
			e.spec.Script.Network = tool.NetworkOn
		}
		return
	}
	v.OneOf([]string{"on", "off"}, func(text string) { e.spec.Script.Network = tool.Network(text) })
}

func (e *governorEntry) readEnvironment(v yamldoc.Value) {
	entries, _ := v.Entries()
	s := &e.spec.Script
	s.Environment, s.Secrets = map[string]string{}, map[string]tool.Reference{}
	for _, entry := range entries {
		name := entry.Name
		if !variableName.MatchString(name) {
			entry.Key.Fail(yamldoc.RuleValue, "",
				"a variable's name has letters, digits and _, and no digit first; found %s",
				yamldoc.Quote(name))
			continue
		}
		if why := command.RefusedInTools(name); why != "" {
			entry.Key.Fail("refused-variable", "set it in the program", "%s cannot be set here: %s", name,
				why)
			continue
		}
		if entry.Value.IsMapping() {
			if reference, ok := readReference(entry.Value); ok {
				s.Secrets[name] = reference
			}
			continue
		}
		entry.Value.Want = "a text, or {secret: NAME}"
		if literal, ok := entry.Value.Literal(); ok {
			s.Environment[name] = literal
			if what := credential(name, literal); what != "" {
				entry.Value.Warn("credential", "a2a-acp secrets set "+name+", and write {secret: "+name+"}",
					"%s, in plain text", what)
			}
		}
	}
}

func (e *governorEntry) readURL(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && u.User != nil:
		v.Fail(yamldoc.RuleValue, "put it into headers, as ${VARIABLE}",
			"a URL is shown and recorded, so no name and password may stand in it")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		v.Fail(yamldoc.RuleValue, "", "want http:// or https:// and a host")
	}
	e.spec.HTTP.URL = text
}

var (
	headerName  = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = lazyregexp.New(`^[\t -~]*$`)
)

// ourHeaders are set by the program: they say what a request is, and that it comes from us.
var ourHeaders = []string{
	"host", "content-length", "content-type", "transfer-encoding", "connection", "webhook-id",
	"webhook-timestamp", "webhook-signature", "idempotency-key",
}

func (e *governorEntry) readHeaders(v yamldoc.Value) {
	entries, _ := v.Entries()
	e.spec.HTTP.Headers = map[string]string{}
	for _, entry := range entries {
		if !headerName.MatchString(entry.Name) || slices.Contains(ourHeaders, strings.ToLower(entry.Name)) {
			entry.Key.Fail(yamldoc.RuleValue, "", "%s cannot be set here", yamldoc.Quote(entry.Name))
			continue
		}
		text, ok := entry.Value.Literal()
		if ok && !headerValue.MatchString(text) {
			entry.Value.Fail(yamldoc.RuleValue, "",
				"a header's value has no line breaks and no letters beyond ASCII")
			continue
		}
		e.spec.HTTP.Headers[entry.Name] = text
		if !strings.Contains(text, "${") {
			if what := credential(entry.Name, text); what != "" {
				entry.Value.Warn("credential", "write ${NAME} for a variable of the program's environment",
					"%s, in plain text", what)
			}
		}
	}
}

func (e *governorEntry) readAllow(v yamldoc.Value) {
	e.spec.HTTP.Allow = append(e.spec.HTTP.Allow, readAddresses(v)...)
}

// readAddresses reads a list of addresses and networks that may be reached.
func readAddresses(v yamldoc.Value) (all []netip.Prefix) {
	texts, _ := v.Texts()
	for i, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			address = address.Unmap()
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			v.Doc.At(v.Node.Content[i], v.Name, "").Fail(yamldoc.RuleValue, "",
				"want an address or a network, such as 127.0.0.1 or 10.1.0.0/16; found %s",
				yamldoc.Quote(text))
			continue
		}
		all = append(all, prefix.Masked())
	}
	return all
}

func (e *governorEntry) readExpression(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	e.spec.CEL.Expression = text
	err := governor.CheckExpression(text)
	var wrong *celmistake.Mistake
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		v.ReportAt(yamldoc.Error{Line: wrong.Line, Column: wrong.Column, Severity: yamldoc.SeverityError,
			Rule: "cel", Message: wrong.Message, Hint: wrong.Hint}, "")
	default:
		v.Fail("cel", "", "%v", err)
	}
}

func (e *governorEntry) readAction(v yamldoc.Value) {
	v.OneOf([]string{"reject", "ask", "redact"}, func(text string) { e.spec.Found = governor.Verb(text) })
	if e.spec.Found == governor.VerbRedact && !e.output {
		v.Fail(yamldoc.RuleValue, "write reject or ask",
			"an act is not changed on its way, so nothing can be taken out of it")
	}
}

// governorLimitMapping is what a rate or a budget may say.
func governorLimitMapping() yamldoc.Mapping[*governorEntry] {
	count := func(into func(*governorEntry) *int64) func(*governorEntry, yamldoc.Value) {
		return func(e *governorEntry, v yamldoc.Value) {
			if n, ok := v.Int(1, 1<<50); ok {
				*into(e) = n
			}
		}
	}
	calls := count(func(e *governorEntry) *int64 { return &e.spec.Limit.Calls })
	return yamldoc.Mapping[*governorEntry]{
		Name: "limit",
		Keys: []yamldoc.Key[*governorEntry]{
			yamldoc.NewKey("count", "a whole number of calls", calls),
			yamldoc.NewKey("calls", "a whole number of calls", calls),
			yamldoc.NewKey("bytes", "a whole number of bytes", count(func(e *governorEntry) *int64 {
				return &e.spec.Limit.Bytes
			})),
			yamldoc.NewKey("seconds", "seconds, or a duration such as 10m",
				func(e *governorEntry, v yamldoc.Value) {
					v.SetDuration(&e.spec.Limit.Running, 1000*time.Hour)
				}),
			yamldoc.NewKey("per", "seconds, or a duration such as 1h",
				func(e *governorEntry, v yamldoc.Value) {
					v.SetDuration(&e.spec.Limit.Per, 366*24*time.Hour)
				}),
			yamldoc.NewKey("key", "all, agent, tool or session", func(e *governorEntry, v yamldoc.Value) {
				v.OneOf([]string{"all", "agent", "tool", "session"}, func(s string) {
					e.spec.Limit.Key = governor.Key(s)
				})
			}),
			yamldoc.NewKey("beyond", "reject or ask", func(e *governorEntry, v yamldoc.Value) {
				v.OneOf([]string{"reject", "ask"}, func(s string) { e.spec.Limit.Beyond = governor.Verb(s) })
			}),
		},
	}
}

// check looks at the entry as a whole, and fills in what its type has by default.
func (e *governorEntry) check() {
	if !e.at.IsMapping() {
		return
	}
	e.at.Require("id", "")
	s := &e.spec
	for _, name := range governorMapping().Names() {
		v, given := e.given[name]
		if kinds := kindKeys[name]; given && kinds != nil && !slices.Contains(kinds, s.Kind) {
			v.Fail(yamldoc.RuleKey, "", "a governor of type %s has no such key", s.Kind)
		}
	}
	needs := map[governor.Kind]string{
		governor.KindScript: "command", governor.KindHTTP: "url", governor.KindCEL: "expression",
		governor.KindRate: "limit", governor.KindBudget: "limit", governor.KindPatterns: "patterns",
	}
	if name := needs[s.Kind]; name != "" {
		e.at.Require(name, "")
	}
	if e.file.file.Workspace && !s.Kind.InProject() {
		e.at.Fail("untrusted", "put it into your own governors.yaml",
			"a workspace's own file cannot hold a governor of type %s: it would run programs, reach out or count for others", s.Kind)
	}
	if s.Required && (s.OnError == governor.FallbackIgnore || s.OnTimeout == governor.FallbackIgnore) {
		e.given["required"].Fail(yamldoc.RuleValue, "take one of the two out",
			"a governor that is required cannot be ignored where it gives no answer")
	}
	if s.CEL.Otherwise == "" {
		s.CEL.Otherwise = governor.VerbReject
	}
	if s.Found == "" {
		if s.Found = governor.VerbAsk; e.output {
			s.Found = governor.VerbRedact
		}
	}
	e.checkLimit()
}

func (e *governorEntry) checkLimit() {
	s, at := &e.spec, e.given["limit"]
	if s.Kind != governor.KindRate && s.Kind != governor.KindBudget || at.Node == nil {
		return
	}
	if e.output {
		e.at.Fail(yamldoc.RuleKey,
			"move it to permission_governors: what calls have put out is counted there",
			"a governor of type %s decides before an act", s.Kind)
	}
	if s.Limit.Key == "" {
		s.Limit.Key = governor.KeyAll
	}
	if s.Limit.Beyond == "" {
		s.Limit.Beyond = governor.VerbReject
	}
	at.Require("per", "per: 1h")
	switch {
	case s.Kind == governor.KindRate && (s.Limit.Bytes > 0 || s.Limit.Running > 0):
		at.Fail(yamldoc.RuleValue, "write type: budget", "a rate counts calls only")
	case at.Has("count") || at.Has("calls") || at.Has("bytes") || at.Has("seconds"):
	case s.Limit.Calls == 0 && s.Limit.Bytes == 0 && s.Limit.Running == 0:
		at.Fail(yamldoc.RuleMissing, "count: 100, or for a budget also bytes or seconds",
			"it does not say how much there may be")
	}
}

// setMillis reads a whole number of milliseconds.
func setMillis(v yamldoc.Value, into *time.Duration) {
	if n, ok := v.Int(1, longestGovernor); ok {
		*into = time.Duration(n) * time.Millisecond
	}
}
