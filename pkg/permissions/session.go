package permissions

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// The bounds of what is kept. Beyond them a person is asked again.
const (
	mostSessions = 1024
	mostKept     = 1024 // of one session
)

// Sessions are what people have allowed for the rest of a session. They are those of one door: another may
// have a session of the same name. Safe for concurrent use.
type Sessions struct {
	log     ApprovalLog // nil: nothing is written down
	mu      sync.RWMutex
	allowed map[string]map[string]askers // per session, by the keys of acts
	words   map[string][]keptWords       // per session, the oldest first
	// hidden keys what is written down: the key of a command could be tried out for the short secret in it.
	hidden []byte
}

// askers are the rules that asked when a person allowed something, by what they say. Any other that asks is heard.
type askers map[string]bool

// NewSessions returns Sessions in which nothing is allowed. Without a log nothing is written down.
func NewSessions(log ApprovalLog) *Sessions {
	hidden := make([]byte, sha256.Size)
	_, _ = rand.Read(hidden) // it never fails
	return &Sessions{log: log, allowed: map[string]map[string]askers{}, words: map[string][]keptWords{}, hidden: hidden}
}

// name is what the key of an act is written down as.
func (s *Sessions) name(key string) string {
	mac := hmac.New(sha256.New, s.hidden)
	mac.Write([]byte(key))
	return hex.EncodeToString(mac.Sum(nil))
}

// Allowance is what a person's "always" about an act can allow for the rest of its session: that which was shown, and not
// what the names of the act mean by the time of the answer. The zero Allowance allows nothing.
type Allowance struct {
	session, agent string
	scopes         []scope // that the person chooses one of, the narrowest first; none where it allows nothing
	nothing        string  // why it allows nothing
	asked          askers  // the rules that asked then
}

// Scopes returns in words what it can allow, the narrowest first.
func (a Allowance) Scopes() (words []string) {
	for _, s := range a.scopes {
		words = append(words, s.words)
	}
	return words
}

// Nothing returns in words why it allows nothing; "" where it allows something.
func (a Allowance) Nothing() string { return a.nothing }

// Allowance returns what an "always" about the act would allow. First as narrowly as it can be understood: the same file
// for a read or a write, the same text in the same directory for a command, the same tool for a call. Of files also what
// lies below their directory, and in the workspace (see wider); of a command also its first words with any behind (see
// wordsScope). All in the workspace that the session has now, and until another rule asks than those that do now. What is
// asked every time (see Authority.Decide) is asked every time, so it allows nothing of that. mask takes what nobody may see
// out of a text: the words are written down, and shown.
func (a *Authority) Allowance(r Request, mask func(string) string) (allows Allowance) {
	defer a.sayPanic(&allows.nothing, "")
	v, inForce := a.evaluate(r, a.now())
	rules, _ := inForce.decide(v)
	v.gatherGuard()
	scopes, why := v.scopes()
	if r.Session == "" && why == "" {
		scopes, why = nil, "there is no session"
	}
	allows = Allowance{session: r.Session, agent: r.Agent, nothing: mask(why), asked: askers{}}
	if words, ok := a.wordsScope(v, rules); ok && len(scopes) > 0 {
		scopes = append(scopes, words)
	}
	for _, s := range scopes {
		allows.scopes = append(allows.scopes, scope{key: v.here(s.key), words: mask(s.words), rule: s.rule, of: s.key})
	}
	for _, rule := range rules.asks {
		allows.asked[rule.saying()] = true
	}
	if rules.everyAnswer {
		allows.asked[everyAnswer] = true
	}
	return allows
}

// Remember keeps a person's "always" for the session, as far as the scope of this number says, counted from 1. It says in a
// sentence exactly what it kept, or why nothing.
func (a *Authority) Remember(allows Allowance, number int) (said string) {
	if number < 1 || number > len(allows.scopes) {
		return "nothing is kept: " + cmp.Or(allows.nothing, "that was not offered")
	}
	chosen := allows.scopes[number-1]
	session, key, words := allows.session, chosen.key, chosen.words
	if a.kept.log != nil {
		if err := a.kept.log.Granted(session, allows.agent, a.kept.name(key), words); err != nil {
			return "nothing is kept, since it could not be written down where you can take it back: " +
				display.Line(err.Error())
		}
	}
	a.kept.mu.Lock()
	defer a.kept.mu.Unlock()
	kept := a.kept.allowed[session]
	if kept == nil {
		if len(a.kept.allowed) >= mostSessions {
			return "nothing is kept: there are too many sessions"
		}
		kept = map[string]askers{}
		a.kept.allowed[session] = kept
	}
	if len(kept) >= mostKept && kept[key] == nil {
		return "nothing is kept: too much is kept already in this session"
	}
	if kept[key] == nil {
		kept[key] = askers{}
		if chosen.rule != nil {
			a.kept.words[session] = append(a.kept.words[session], keptWords{of: chosen.of, key: key, rule: *chosen.rule})
		}
	}
	maps.Copy(kept[key], allows.asked)
	return "kept for this session: " + words
}

// Forget drops what was kept for a session that has ended.
func (a *Authority) Forget(session string) {
	a.kept.mu.Lock()
	kept := len(a.kept.allowed[session]) > 0
	delete(a.kept.allowed, session)
	delete(a.kept.words, session)
	a.kept.mu.Unlock()
	if kept && a.kept.log != nil {
		a.kept.log.Ended(session)
	}
}

// keeps reports whether a person has allowed the act for its session, also as far as the rules ask that ask now.
func (a *Authority) keeps(v *evaluation, rules outcome) bool {
	key, _ := v.allowance()
	if key == "" || v.Session == "" {
		return false
	}
	holds := func(key string) bool {
		key = v.here(key)
		return a.kept.holds(v.Session, key, rules) &&
			(a.kept.log == nil || a.kept.log.Holds(v.Session, a.kept.name(key)))
	}
	return holds(key) || v.liesBelow(holds)
}

// holds reports whether something is allowed although the rules ask.
func (s *Sessions) holds(session, key string, rules outcome) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	kept := s.allowed[session][key]
	return kept != nil && (!rules.everyAnswer || kept[everyAnswer]) &&
		!slices.ContainsFunc(rules.asks, func(rule *compiledRule) bool { return !kept[rule.saying()] })
}

// here makes the key of what a person allows one of the act's workspace: what was shown there is not what it is
// in another. What is allowed for one of the daemon's principals is for no other, whatever their sessions are called.
func (v *evaluation) here(key string) string {
	if v.Served {
		return digest.Of("for", v.Caller(), workspaceKey(v.Workspace), key)
	}
	return digest.Of("in", workspaceKey(v.Workspace), key)
}

// allowance names what an "always" about the act would allow, and says it in words. The key is "" when
// nothing can be kept; then the words say why.
func (v *evaluation) allowance() (key, words string) {
	switch {
	case len(v.Doubts) > 0:
		return "", "the request cannot be believed, so you are asked every time"
	case v.Action == ActionSwitchMode:
		return "", "a change of mode is asked every time"
	case v.RequiresConfirmation:
		return "", "the tool's author wants you to be asked every time"
	}
	if why := v.guardedFile(); why != "" {
		return "", why + ", so you are asked every time"
	}
	switch {
	case v.runs():
		return v.commandAllowance()
	case v.Action == ActionRead || v.Action == ActionWrite:
		return v.fileAllowance()
	case v.Action == ActionCall, v.Action == ActionOther && len(v.Tools) > 0 &&
		strings.HasPrefix(v.Tools[0], "mcp."):
		return v.toolAllowance()
	}
	return "", fmt.Sprintf("an act of this kind (%s) is asked every time", display.Line(string(v.Action)))
}

func (v *evaluation) commandAllowance() (key, words string) {
	dir, err := v.facts.resolve("/", v.Dir)
	switch {
	case strings.TrimSpace(v.ShellText) == "":
		return "", "the command is not known"
	case err != nil || !filepath.IsAbs(v.Dir):
		return "", "the directory that it runs in cannot be told"
	}
	words = fmt.Sprintf("exactly this command, `%s`, in %s", display.Line(v.ShellText), display.Line(dir))
	// A tool that takes a command is not the terminal: it may run it elsewhere, or as somebody else, which its
	// other arguments may say.
	by := ""
	if v.Action == ActionCall && len(v.Tools) > 0 {
		arguments, err := Canonical(v.Arguments)
		if err != nil {
			return "", "its arguments cannot be told apart from others"
		}
		by = digest.Of(v.Tools[0], arguments)
		words += fmt.Sprintf(", by %s with the same arguments", display.Line(v.Tools[0]))
	}
	text, variables := v.ShellText, v.Variables
	switch {
	case len(variables) < len(v.Env):
		return "", "it cannot be told what its variables are set to"
	case len(v.Argv) > 0:
		text = ""
	}
	if len(variables) > 0 {
		words += ", with these variables as they are: " + display.Line(strings.Join(v.Env, ", "))
	}
	return digest.Of("command", by, CommandKey(text, v.Argv, variables), dir), words
}

func (v *evaluation) fileAllowance() (key, words string) {
	paths, why := v.resolvedPaths(func(resource) bool { return true })
	switch {
	case why != "":
		return "", why
	case len(paths) == 0:
		return "", "it names no file"
	}
	return digest.Of(append([]string{"files", string(v.Action)}, paths...)...), v.verb() + " " + v.shownAll(paths)
}

// toolAllowance keeps a tool for the workspace: files outside of it belong to what is kept, one by one.
func (v *evaluation) toolAllowance() (key, words string) {
	if len(v.Tools) == 0 || v.Tools[0] == "" {
		return "", "the tool has no name"
	}
	outside, why := v.resolvedPaths(func(p resource) bool { return !v.inside(p) })
	if why != "" {
		return "", why
	}
	words = fmt.Sprintf("every call of %s", display.Line(v.Tools[0]))
	switch {
	case len(outside) > 0:
		words += " that touches no other file outside the workspace than " + v.shownAll(outside)
	case len(v.resources) > 0:
		words += " that touches no file outside the workspace"
	}
	return digest.Of(append([]string{"tool", string(v.Action), v.Tools[0]}, outside...)...), words
}

// resolvedPaths lists the resources that count, sorted, or says why one cannot be told.
func (v *evaluation) resolvedPaths(counts func(resource) bool) (paths []string, why string) {
	for _, p := range v.resources {
		switch {
		case p.err != nil:
			return nil, "it cannot be told which file it touches"
		case counts(p):
			paths = append(paths, p.real)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), ""
}

func (v *evaluation) shownAll(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = shown(v.Workspace, path)
	}
	return strings.Join(names, ", ")
}
