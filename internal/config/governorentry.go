package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// governorEntry is one governor that is being read.
type governorEntry struct {
	file   *governorsFile
	at     value
	spec   governor.Spec
	output bool
	kind   value // of type, where it is given
	given  map[string]value
}

func newGovernorEntry(f *governorsFile, at value, output bool) *governorEntry {
	return &governorEntry{
		file: f, at: at, output: output, given: map[string]value{},
		spec: governor.Spec{
			Kind: governor.KindScript, Source: f.file.source(at), Timeout: governor.DefaultTimeout,
			OnError: governor.FallbackAsk, OnTimeout: governor.FallbackAsk,
			Script: governor.Script{Dir: filepath.Dir(f.file.Path), Network: tool.NetworkOff},
		},
	}
}

// governorNoun is what a governor may say. Which keys go with which type is told by kindKeys.
func governorNoun() noun[*governorEntry] {
	own := func(name string, read func(*governorEntry, value)) func(*governorEntry, value) {
		return func(e *governorEntry, v value) {
			e.given[name] = v
			read(e, v)
		}
	}
	keys := []key[*governorEntry]{
		{"id", "a text", (*governorEntry).readID},
		{"type", "script, http, cel, rate, budget or secrets", (*governorEntry).readKind},
		{"timeout_ms", "a whole number of milliseconds", func(e *governorEntry, v value) { v.setMillis(&e.spec.Timeout) }},
		{"requires_manual", "true or false", func(e *governorEntry, v value) { v.setBool(&e.spec.RequiresManual) }},
		{"required", "true or false", func(e *governorEntry, v value) { v.setBool(&e.spec.Required) }},
		{"applies_to", "a list of tool ids, which may have * in them", (*governorEntry).readAppliesTo},
		{"on_error", "ask, reject or ignore", func(e *governorEntry, v value) { e.readFallback(v, &e.spec.OnError) }},
		{"on_timeout", "ask, reject or ignore", func(e *governorEntry, v value) { e.readFallback(v, &e.spec.OnTimeout) }},
		{"message", "a text", func(e *governorEntry, v value) { v.setText(&e.spec.Message) }},
		{"command", "a list: the program and its arguments", (*governorEntry).readCommand},
		{"network", "on or off", (*governorEntry).readNetwork},
		{"environment", "a mapping of variables", (*governorEntry).readEnvironment},
		{"url", "a URL", (*governorEntry).readURL},
		{"headers", "a mapping of texts", (*governorEntry).readHeaders},
		{"signing_secret", "a mapping, such as {secret: NAME}", func(e *governorEntry, v value) {
			if reference, ok := readReference(v); ok {
				e.spec.HTTP.Secret = &reference
			}
		}},
		{"allow_addresses", "a list of addresses or networks", (*governorEntry).readAllow},
		{"expression", "a CEL expression", (*governorEntry).readExpression},
		{"otherwise", "reject or ask", func(e *governorEntry, v value) {
			v.oneOf([]string{"reject", "ask"}, func(s string) { e.spec.CEL.Otherwise = governor.Verb(s) })
		}},
		{"limit", "a mapping", func(e *governorEntry, v value) { readKeys(v, governorLimitNoun(), e) }},
		{"action", "reject, ask or redact", (*governorEntry).readAction},
	}
	for i := range keys {
		keys[i].read = own(keys[i].name, keys[i].read)
	}
	return noun[*governorEntry]{
		name: "a governor", keys: keys,
		elsewhere: []misplaced{
			{names(governorSettingsNoun().keys), "%s belongs under permission_settings or output_settings"},
			{names(governorLimitNoun().keys), "%s belongs under limit"},
			{[]string{"timeout"}, "write timeout_ms for %s"},
			{[]string{"when"}, "write expression for %s"},
		},
	}
}

// kindKeys are the keys that only some types have.
var kindKeys = map[string][]governor.Kind{
	"command": {governor.KindScript}, "network": {governor.KindScript}, "environment": {governor.KindScript},
	"url": {governor.KindHTTP}, "headers": {governor.KindHTTP}, "signing_secret": {governor.KindHTTP}, "allow_addresses": {governor.KindHTTP},
	"expression": {governor.KindCEL}, "otherwise": {governor.KindCEL},
	"limit": {governor.KindRate, governor.KindBudget}, "action": {governor.KindSecrets},
	"message": {governor.KindCEL, governor.KindRate, governor.KindBudget, governor.KindSecrets},
}

func (e *governorEntry) readID(v value) {
	id, ok := v.text()
	if ok && (id == "" || utf8.RuneCountInString(id) > longestID || strings.ContainsFunc(id, display.Hidden)) {
		v.fail(ruleValue, "", "want 1 to %d visible characters, found %s", longestID, quote(id))
		return
	}
	e.spec.ID = id
}

func (e *governorEntry) readKind(v value) {
	var known []string
	for _, kind := range governor.Kinds() {
		known = append(known, string(kind))
	}
	known = append(known, "python")
	e.kind = v
	v.oneOf(known, func(text string) {
		if e.spec.Kind = governor.Kind(text); text == "python" {
			e.spec.Kind = governor.KindScript // as in the original system, whose python governors are programs, too
		}
	})
}

func (e *governorEntry) readAppliesTo(v value) {
	texts, ok := v.texts()
	if ok && len(texts) == 0 {
		v.fail(ruleEmpty, "name what it is about, or take the key out", "the list is empty")
	}
	for i, err := range permissions.CheckTools(texts) {
		v.doc.at(v.node.Content[i], v.name, "").fail(ruleValue, "", "%v", err)
	}
	e.spec.AppliesTo = texts
}

func (e *governorEntry) readFallback(v value, into *governor.Fallback) {
	v.oneOf([]string{"ask", "reject", "ignore"}, func(text string) { *into = governor.Fallback(text) })
	if *into == governor.FallbackIgnore {
		v.warn("fail-open", "ask or reject stops what it could not look at", "where this governor gives no answer, nothing stops")
	}
}

func (e *governorEntry) readCommand(v value) {
	words, ok := v.texts()
	if ok && (len(words) == 0 || words[0] == "") {
		v.fail(ruleEmpty, "write the program and its arguments: [python3, ./guard.py]", "there is no program")
	}
	for i, word := range words {
		if strings.ContainsRune(word, 0) {
			v.doc.at(v.node.Content[i], v.name, "").fail(ruleValue, "", "an argument cannot hold NUL")
		}
	}
	if len(words) == 1 && strings.ContainsAny(words[0], " \t|;&<>$") {
		v.warn("shell", fmt.Sprintf("write a list of words, or [bash, -c, %q]", words[0]), "no shell reads the command: this is the name of one program")
	}
	e.spec.Script.Command = words
}

func (e *governorEntry) readNetwork(v value) {
	if v.node.Tag == "!!bool" { // YAML 1.1 takes on and off for these
		if is, ok := v.boolean(); ok && is {
			e.spec.Script.Network = tool.NetworkOn
		}
		return
	}
	v.oneOf([]string{"on", "off"}, func(text string) { e.spec.Script.Network = tool.Network(text) })
}

func (e *governorEntry) readEnvironment(v value) {
	entries, _ := v.entries()
	s := &e.spec.Script
	s.Environment, s.Secrets = map[string]string{}, map[string]tool.Reference{}
	for _, entry := range entries {
		name := entry.name
		if !variableName.MatchString(name) {
			entry.key.fail(ruleValue, "", "a variable's name has letters, digits and _, and no digit first; found %s", quote(name))
			continue
		}
		if why := command.RefusedInTools(name); why != "" {
			entry.key.fail("refused-variable", "set it in the program", "%s cannot be set here: %s", name, why)
			continue
		}
		if isMapping(entry.value) {
			if reference, ok := readReference(entry.value); ok {
				s.Secrets[name] = reference
			}
			continue
		}
		entry.value.want = "a text, or {secret: NAME}"
		if literal, ok := entry.value.literal(); ok {
			s.Environment[name] = literal
			if what := credential(name, literal); what != "" {
				entry.value.warn("credential", "a2a-acp secrets set "+name+", and write {secret: "+name+"}", "%s, in plain text", what)
			}
		}
	}
}

func (e *governorEntry) readURL(v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && u.User != nil:
		v.fail(ruleValue, "put it into headers, as ${VARIABLE}", "a URL is shown and recorded, so no name and password may stand in it")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		v.fail(ruleValue, "", "want http:// or https:// and a host")
	}
	e.spec.HTTP.URL = text
}

var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = regexp.MustCompile(`^[\t -~]*$`)
)

// ourHeaders are set by the program: they say what a request is, and that it comes from us.
var ourHeaders = []string{
	"host", "content-length", "content-type", "transfer-encoding", "connection", "webhook-id", "webhook-timestamp", "webhook-signature", "idempotency-key",
}

func (e *governorEntry) readHeaders(v value) {
	entries, _ := v.entries()
	e.spec.HTTP.Headers = map[string]string{}
	for _, entry := range entries {
		if !headerName.MatchString(entry.name) || slices.Contains(ourHeaders, strings.ToLower(entry.name)) {
			entry.key.fail(ruleValue, "", "%s cannot be set here", quote(entry.name))
			continue
		}
		text, ok := entry.value.literal()
		if ok && !headerValue.MatchString(text) {
			entry.value.fail(ruleValue, "", "a header's value has no line breaks and no letters beyond ASCII")
			continue
		}
		e.spec.HTTP.Headers[entry.name] = text
		if !strings.Contains(text, "${") {
			if what := credential(entry.name, text); what != "" {
				entry.value.warn("credential", "write ${NAME} for a variable of the program's environment", "%s, in plain text", what)
			}
		}
	}
}

func (e *governorEntry) readAllow(v value) {
	texts, _ := v.texts()
	for i, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			address = address.Unmap()
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			v.doc.at(v.node.Content[i], v.name, "").fail(ruleValue, "", "want an address or a network, such as 127.0.0.1 or 10.1.0.0/16; found %s", quote(text))
			continue
		}
		e.spec.HTTP.Allow = append(e.spec.HTTP.Allow, prefix.Masked())
	}
}

func (e *governorEntry) readExpression(v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	e.spec.CEL.Expression = text
	err := governor.CheckExpression(text)
	var wrong *governor.ExpressionError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		line, column := v.place(wrong.Line, wrong.Column)
		v.doc.report(line, column, "cel", v.about("%s", wrong.Message), "")
	default:
		v.fail("cel", "", "%v", err)
	}
}

func (e *governorEntry) readAction(v value) {
	v.oneOf([]string{"reject", "ask", "redact"}, func(text string) { e.spec.Secrets = governor.Verb(text) })
	if e.spec.Secrets == governor.VerbRedact && !e.output {
		v.fail(ruleValue, "write reject or ask", "an act is not changed on its way, so nothing can be taken out of it")
	}
}

// governorLimitNoun is what a rate or a budget may say.
func governorLimitNoun() noun[*governorEntry] {
	count := func(into func(*governorEntry) *int64) func(*governorEntry, value) {
		return func(e *governorEntry, v value) {
			if n, ok := v.whole(1, 1<<50); ok {
				*into(e) = n
			}
		}
	}
	calls := count(func(e *governorEntry) *int64 { return &e.spec.Limit.Calls })
	return noun[*governorEntry]{
		name: "limit",
		keys: []key[*governorEntry]{
			{"count", "a whole number of calls", calls},
			{"calls", "a whole number of calls", calls},
			{"bytes", "a whole number of bytes", count(func(e *governorEntry) *int64 { return &e.spec.Limit.Bytes })},
			{"seconds", "seconds, or a duration such as 10m", func(e *governorEntry, v value) { v.setDuration(&e.spec.Limit.Running, 1000*time.Hour) }},
			{"per", "seconds, or a duration such as 1h", func(e *governorEntry, v value) { v.setDuration(&e.spec.Limit.Per, 366*24*time.Hour) }},
			{"key", "all, agent, tool or session", func(e *governorEntry, v value) {
				v.oneOf([]string{"all", "agent", "tool", "session"}, func(s string) { e.spec.Limit.Key = governor.Key(s) })
			}},
			{"beyond", "reject or ask", func(e *governorEntry, v value) {
				v.oneOf([]string{"reject", "ask"}, func(s string) { e.spec.Limit.Beyond = governor.Verb(s) })
			}},
		},
	}
}

// check looks at the entry as a whole, and fills in what its type has by default.
func (e *governorEntry) check() {
	if !isMapping(e.at) {
		return
	}
	e.at.mustHave("id", "")
	s := &e.spec
	for _, name := range names(governorNoun().keys) {
		v, given := e.given[name]
		if kinds := kindKeys[name]; given && kinds != nil && !slices.Contains(kinds, s.Kind) {
			v.fail(ruleKey, "", "a governor of type %s has no such key", s.Kind)
		}
	}
	needs := map[governor.Kind]string{
		governor.KindScript: "command", governor.KindHTTP: "url", governor.KindCEL: "expression", governor.KindRate: "limit", governor.KindBudget: "limit",
	}
	if name := needs[s.Kind]; name != "" {
		e.at.mustHave(name, "")
	}
	if e.file.file.Workspace && !s.Kind.InProject() {
		e.at.fail("untrusted", "put it into your own governors.yaml", "a workspace's own file cannot hold a governor of type %s: it would run programs, reach out or count for others", s.Kind)
	}
	if s.Required && (s.OnError == governor.FallbackIgnore || s.OnTimeout == governor.FallbackIgnore) {
		e.given["required"].fail(ruleValue, "take one of the two out", "a governor that is required cannot be ignored where it gives no answer")
	}
	if s.CEL.Otherwise == "" {
		s.CEL.Otherwise = governor.VerbReject
	}
	if s.Secrets == "" {
		if s.Secrets = governor.VerbAsk; e.output {
			s.Secrets = governor.VerbRedact
		}
	}
	e.checkLimit()
}

func (e *governorEntry) checkLimit() {
	s, at := &e.spec, e.given["limit"]
	if s.Kind != governor.KindRate && s.Kind != governor.KindBudget || at.node == nil {
		return
	}
	if e.output {
		e.at.fail(ruleKey, "move it to permission_governors: what calls have put out is counted there", "a governor of type %s decides before an act", s.Kind)
	}
	if s.Limit.Key == "" {
		s.Limit.Key = governor.KeyAll
	}
	if s.Limit.Beyond == "" {
		s.Limit.Beyond = governor.VerbReject
	}
	at.mustHave("per", "per: 1h")
	switch {
	case s.Kind == governor.KindRate && (s.Limit.Bytes > 0 || s.Limit.Running > 0):
		at.fail(ruleValue, "write type: budget", "a rate counts calls only")
	case at.has("count") || at.has("calls") || at.has("bytes") || at.has("seconds"):
	case s.Limit.Calls == 0 && s.Limit.Bytes == 0 && s.Limit.Running == 0:
		at.fail(ruleMissing, "count: 100, or for a budget also bytes or seconds", "it does not say how much there may be")
	}
}

// oneOf reads one of some words.
func (v value) oneOf(known []string, set func(string)) {
	text, ok := v.text()
	if !ok {
		return
	}
	if slices.Contains(known, text) {
		set(text)
		return
	}
	hint := ""
	if near := spelling.Nearest(text, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	v.fail(ruleValue, hint, "want %s, found %s", inList(known), quote(text))
}

func inList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// setMillis reads a whole number of milliseconds.
func (v value) setMillis(into *time.Duration) {
	if n, ok := v.whole(1, longestGovernor); ok {
		*into = time.Duration(n) * time.Millisecond
	}
}
