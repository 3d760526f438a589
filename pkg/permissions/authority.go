package permissions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Options configure an Authority.
type Options struct {
	Policies *Set // optional: without it only the defaults hold
	// Commands is what is known of programs; nil for what comes with this program.
	Commands *command.Catalogue
	// OwnPaths are the absolute names of our configuration, state and sockets, files or directories. No
	// rule lets an agent touch them.
	OwnPaths []string
	Home     string // optional: what ~/ stands for in policies; absolute

	Now func() time.Time // optional, default time.Now
	// Counter knows how often rules have approved. Optional, default one that lives as long as the program.
	Counter Counter
	// Environ is the environment of the agents' commands: git is asked with it about repositories, and it
	// names the shell of an agent. Optional, default the environment of this process.
	Environ []string
	// ApprovalLog keeps what people allow for a session, so that they can revoke it. Optional.
	ApprovalLog ApprovalLog
}

// ApprovalLog keeps what people have allowed for a session. It may block on the disk for a moment.
type ApprovalLog interface {
	// Granted keeps what was allowed: key identifies it, words describes it. With an error nothing is
	// allowed.
	Granted(session, agent, key, words string) error
	// Holds reports whether it is still allowed, that is, nobody has revoked it. If that cannot be told, it
	// is not.
	Holds(session, key string) bool
	// Ended reports that the session has ended.
	Ended(session string)
}

// Authority decides whether an act may happen. Its rules are immutable: With and WithOwn return an
// Authority with other rules. It is safe for concurrent use and never waits for a person.
type Authority struct {
	home      string
	sensitive *sensitiveFiles
	now       func() time.Time
	counter   Counter
	files     files
	git       gitAsker
	shell     string // that an agent runs its texts with; "" for the system's own
	// ungathered, which only tests set, is called with what is looked at although it was not gathered.
	ungathered func(what string)
	// panics, which only tests set, lets panics through.
	panics bool
	kept   *Sessions

	policies *Set
	commands *command.Catalogue
	own      map[string]*Set // by the workspace whose own rules they are
	// atTerminal says that only a person at a terminal answers, whatever rule asks.
	atTerminal bool
}

// New makes an Authority.
func New(o Options) *Authority {
	a := &Authority{
		home: o.Home, sensitive: newSensitive(o.OwnPaths), now: o.Now, counter: o.Counter,
		files:    machine{},
		git:      &gitrepo.Asker{Environ: o.Environ},
		policies: o.Policies, commands: o.Commands, kept: NewSessions(o.ApprovalLog),
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.counter == nil {
		a.counter = NewCounter()
	}
	if real, err := newFacts(machine{}).resolve("/", o.Home); err == nil && o.Home != "" {
		a.home = real
	}
	if a.policies == nil {
		a.policies = NewSet(nil)
	}
	if o.Environ == nil {
		a.shell = variable("SHELL")
	}
	for _, set := range o.Environ {
		if shell, ok := strings.CutPrefix(set, "SHELL="); ok {
			a.shell = shell
		}
	}
	return a
}

// With returns an Authority with other rules and another catalogue of programs. It shares everything else:
// the counters of rules, and what a person has allowed in a session, as far as the new rules permit. The
// rules of workspaces stay.
func (a *Authority) With(policies *Set, commands *command.Catalogue) *Authority {
	other := *a
	other.commands = commands
	if other.policies = policies; policies == nil {
		other.policies = NewSet(nil)
	}
	return &other
}

// WithAnswers returns an Authority under which only a person at a terminal answers, whatever rule asks, or no longer.
// That is a rule as others are: where it has come since, an answer that waits does not count, nor does what was
// allowed for a session.
func (a *Authority) WithAnswers(atTerminal bool) *Authority {
	other := *a
	other.atTerminal = atTerminal
	return &other
}

// WithOwn returns an Authority with other rules of a workspace's own, for the sessions that work in it.
// Rules in a file that nobody trusts can only reject (see File.TightenOnly): whoever wrote the repository
// must not choose what is allowed.
func (a *Authority) WithOwn(w tool.Workspace, files []File) *Authority {
	for i := range files {
		files[i].TightenOnly = files[i].TightenOnly || files[i].Root == ""
	}
	other := *a
	if other.own = maps.Clone(a.own); other.own == nil {
		other.own = map[string]*Set{}
	}
	other.own[workspaceKey(w)] = NewSet(files)
	return &other
}

// WithSessions returns an Authority that keeps in sessions what people allow for sessions.
func (a *Authority) WithSessions(s *Sessions) *Authority {
	other := *a
	other.kept = s
	return &other
}

func workspaceKey(w tool.Workspace) string { return strings.Join(w.Dirs(), "\x00") }

// Policy returns a hash of the rules in force (see Set.Hash) and of a person's own rows about programs,
// which make the same rules decide differently.
func (a *Authority) Policy() string {
	return inForce{policies: a.policies, commands: a.commands, atTerminal: a.atTerminal}.name()
}

// Decide returns whether the act may happen. It considers the request, the links of its paths and, for some
// commands, the names of files. About commands of git it asks git, which takes some milliseconds and at
// most three seconds. It has no effect and never waits for a person.
//
// The order of the steps matters for security: no later step lifts the result of an earlier one, except
// that a rule which names a file exactly lifts the question about that file. A panic on the way is a
// rejection.
func (a *Authority) Decide(r Request) (d Decision) {
	defer a.rejectPanic(&d)
	v, inForce := a.evaluate(r, a.now())
	rules, policy := inForce.decide(v)
	return a.decideBy(v, rules, policy)
}

// Take is Decide for an act that is carried out if it is approved: it counts towards the limit of the rule
// that approves it. If the limit leaves one approval for two acts, one of them is asked about.
func (a *Authority) Take(r Request) (d Decision) {
	defer a.rejectPanic(&d)
	v, inForce := a.evaluate(r, a.now())
	rules, policy := inForce.decide(v)
	return a.countApproval(v, rules, a.decideBy(v, rules, policy))
}

// countApproval counts an approval towards its rule's limit, and asks if the limit is reached.
func (a *Authority) countApproval(v *evaluation, rules outcome, d Decision) Decision {
	if d.Verdict != Approve || d.Source != SourcePolicy {
		return d
	}
	for _, rule := range rules.approving() {
		limit := rule.Limit
		if limit == nil {
			continue
		}
		taken, err := a.counter.Take(rule.limitKey(v), limit.Count, limit.Per, v.now)
		if err == nil && taken {
			continue
		}
		d.Verdict, d.Option, d.Reason = Ask, "", limit.reached()
		if err != nil {
			d.Reason = fmt.Sprintf("it cannot be told how often the rule has approved: %v", err)
		}
		return d
	}
	return d
}

// inForce is the rules that apply to a request: those of all files and those of its workspace.
type inForce struct {
	policies, own *Set
	session       *Set // what a person has allowed in the session; nil where that is not asked
	commands      *command.Catalogue
	atTerminal    bool         // see Authority.WithAnswers
	found         [3][]finding // what each rule of the three says of the request alone; see gather
}

func (a *Authority) rulesFor(r Request) inForce {
	return inForce{policies: a.policies, own: a.own[workspaceKey(r.Workspace)], commands: a.commands,
		atTerminal: a.atTerminal}
}

// name identifies everything that the rules decide by.
func (f inForce) name() string {
	name := f.policies.Hash()
	if f.own != nil {
		name += "+" + f.own.Hash()
	}
	if commands := f.commands.Hash(); commands != "" {
		name += "+" + commands
	}
	if f.atTerminal {
		name += "+" + everyAnswer
	}
	return name
}

func (f inForce) decide(v *evaluation) (rules outcome, policy string) {
	rules = f.policies.decide(v, f.found[0])
	if f.own != nil {
		rules = rules.with(f.own.decide(v, f.found[1]))
	}
	if f.session != nil {
		rules = rules.with(f.session.decide(v, f.found[2]))
	}
	rules = rules.together(v)
	if f.atTerminal {
		rules.atTerminal, rules.everyAnswer = true, true
	}
	return rules, f.name()
}

// everyAnswer names what is in force where only a person at a terminal answers, whatever rule asks.
const everyAnswer = "answer:terminal"

// evaluate gathers the facts that the rules in force need to know of the request.
func (a *Authority) evaluate(r Request, now time.Time) (*evaluation, inForce) {
	rules := a.rulesFor(r)
	v := a.newEvaluation(r)
	v.now = now
	if r.Action == ActionExecute {
		v.mayRead = a.readsNamed(v)
	}
	rules.gather(v)
	return v, rules
}

// readsNamed returns what reports, once for each file, whether a rule approves that whoever wants to run a command reads a file
// with the tool for that. Of one that may hold a secret only a rule that names it does, and then a command may read it, too. A
// rule with a limit does not count: what the command reads is not counted.
func (a *Authority) readsNamed(r *evaluation) func(path string) bool {
	same := *a
	same.files = knownFiles{r.facts}
	known := map[string]bool{}
	return func(path string) bool {
		may, ok := known[path]
		if !ok {
			r.gather(func() { may = same.approvesReading(r, path) })
			known[path] = may
		}
		return may
	}
}

func (a *Authority) approvesReading(r *evaluation, path string) bool {
	v, inForce := a.evaluate(Request{Door: r.Door, Action: ActionRead, Tools: []string{ToolRead}, Paths: []Path{{Name: path}},
		Arguments: map[string]any{"path": path}, Workspace: r.Workspace, Dir: r.Dir, Agent: r.Agent, Principal: r.Principal,
		Served: r.Served, Session: r.Session, Mode: r.Mode, Headless: r.Headless, Confined: r.Confined}, r.now)
	rules, _ := inForce.decide(v)
	d := a.decide(v, rules)
	return d.Verdict == Approve && d.Source == SourcePolicy &&
		!slices.ContainsFunc(rules.approving(), func(rule *compiledRule) bool { return rule.Limit != nil })
}

// namedToRead reports whether a file may be read by the act's command although it may hold a secret, since a rule names it.
func (v *evaluation) namedToRead(path string) bool { return v.mayRead != nil && v.mayRead(path) }

func (a *Authority) newEvaluation(r Request) *evaluation {
	r.agentShell = a.shell
	if r.Shell != nil && !r.Commands.Same(a.commands) {
		r.Doubts = append(r.Doubts[:len(r.Doubts):len(r.Doubts)],
			"your commands.yaml says something else than when the command was read")
	}
	r.Commands = a.commands
	v := newEvaluation(r, a.home, a.sensitive, a.files, a.git)
	v.counter, v.facts.ungathered = a.counter, a.ungathered
	return v
}

func (a *Authority) decideBy(v *evaluation, rules outcome, policy string) Decision {
	d := a.decide(v, rules)
	if d.Verdict == Approve && d.Source == SourcePolicy {
		d.Obligation = v.obligation()
		if profile := rules.profile(); profile != "" {
			d.Obligation.Profile = profile
			d.Obligation.Why = "it runs in the sandbox, under the profile " + profile + ", and not where that cannot be had"
		}
	}
	d.Reasons, d.Policy = rules.reasons, policy
	d.AtTerminal = rules.atTerminal
	return d
}

func (a *Authority) decide(v *evaluation, rules outcome) Decision {
	if rules.rule != nil && rules.verdict == Reject {
		return rules.decision()
	}
	if rules.rejectsUnmatched(v) {
		return rules.byFile()
	}
	if len(v.Doubts) > 0 {
		return Decision{Source: SourceDoubt, Reason: "the request cannot be believed: " + v.Doubts[0]}
	}
	if v.Action == ActionSwitchMode {
		return Decision{Source: SourceDefault,
			Reason: "another mode changes what the agent may do by itself, so you are always asked"}
	}
	if v.RequiresConfirmation {
		return Decision{Source: SourceTool, Reason: "the tool's author wants you to be asked every time"}
	}
	if rules.rule != nil && rules.verdict == Approve && slices.ContainsFunc(rules.approving(), v.destroysUnnamed) {
		return Decision{Source: SourceTool, Rule: rules.rule.ID, At: rules.rule.Source.String(),
			Reason: "the tool's author says that it removes or overwrites something, and the rule does not name it"}
	}
	if rules.rule != nil && rules.verdict == Approve {
		return rules.decision() // a rule approves a file that is more than data only when it names it exactly
	}
	v.gatherGuard() // no rule answers for what it touches
	if why := v.guardedFile(); why != "" {
		return Decision{Source: SourceControlFile, Reason: why}
	}
	if a.keeps(v, rules) {
		return Decision{Verdict: Approve, Source: SourceSession, Reason: "you allowed it for this session"}
	}
	if rules.rule != nil {
		return rules.decision()
	}
	if d, approves := a.keepsWords(v); approves {
		return d
	}
	d := v.byDefault()
	if rules.unmatched != nil && !typedByPerson(v) {
		d = rules.byFile()
	} else {
		d.Open = d.Verdict == Ask
	}
	if why := rules.whyNot(v); d.Verdict == Ask && !strings.Contains(d.Reason, ": ") {
		d.Reason += why
	}
	return d
}

// destroysUnnamed reports whether a call of somebody else's removes or overwrites something, as the tool's author
// says, while a rule approves whatever tool it is.
func (v *evaluation) destroysUnnamed(rule *compiledRule) bool {
	return v.Destructive && v.Action == ActionCall && !rule.names() && !v.byPerson()
}

// rejectsUnmatched reports whether a file rejects acts that no rule is about.
func (a outcome) rejectsUnmatched(v *evaluation) bool {
	return a.rule == nil && a.unmatched != nil && *a.unmatched == Reject && !typedByPerson(v)
}

// byFile is what a file's own default says of an act that no rule is about.
func (a outcome) byFile() Decision {
	return Decision{
		Verdict: *a.unmatched, Source: SourceDefault,
		Reason: fmt.Sprintf("no rule approves or rejects it, and the defaults of %s say %s", display.Line(a.unmatchedIn),
			*a.unmatched),
	}
}

// decision returns what the rules decided.
func (a outcome) decision() Decision {
	d := Decision{
		Verdict: a.verdict, Source: SourcePolicy, Rule: a.rule.ID, At: a.rule.Source.String(),
		Reason: a.reason(),
	}
	if a.verdict == a.rule.Verdict {
		d.Option, d.SkipGovernors = a.rule.Option, a.rule.SkipGovernors
	}
	for _, rule := range a.beside {
		if d.SkipGovernors = d.SkipGovernors && rule.SkipGovernors; rule.Option != d.Option {
			d.Option = ""
		}
	}
	return d
}

// guardedFile returns why the act needs a person because of a file that it touches; "" if all are plain
// data.
func (v *evaluation) guardedFile() string {
	if v.runs() {
		return v.commandGuard()
	}
	for _, p := range v.resources {
		if why := v.guarded(p); why != "" {
			return why
		}
	}
	return ""
}

// Guarded returns why a person is asked about the act every time, whatever they said before: a file that it
// touches is more than data. It returns "" if none is.
func (a *Authority) Guarded(r Request) (why string) {
	defer a.sayPanic(&why, "")
	v := a.newEvaluation(r)
	v.gatherGuard()
	return v.guardedFile()
}
