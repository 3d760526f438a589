package governor

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/filehash"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Host confines and runs programs. *sandbox.Host is one.
type Host interface {
	Plan(sandbox.Profile) (sandbox.Plan, error)
	Run(context.Context, sandbox.Plan, sandbox.Process) (sandbox.Outcome, error)
}

// Redactor takes the very values out of a text that this program has handed out: secrets of tools, tokens
// of governors.
type Redactor interface {
	Redact(string) string
}

// Vault gives the values that governors refer to: their tokens. *secret.Vault is one. Its errors hold no
// value.
type Vault interface {
	Value(context.Context, tool.Reference) (string, error)
}

type noVault struct{}

func (noVault) Value(context.Context, tool.Reference) (string, error) {
	return "", errors.New("there is nothing that keeps values")
}

// Options says what Governors are made of.
type Options struct {
	// Host gives the sandbox that scripts run in. It is asked for when the first of them is to run.
	// Required for scripts.
	Host func() (Host, error)
	// StateDir is where rates and budgets are counted; "" where nothing can be written, and then they are
	// errors.
	StateDir string
	Vault    Vault            // optional; without it a governor that refers to a value is an error
	Redactor Redactor         // optional
	Now      func() time.Time // optional, default time.Now

	dial dialOptions // of tests
}

// Governors are all governors in force. Which they are never changes: With and WithOwn return other ones.
// They are safe for concurrent use.
type Governors struct {
	o         Options
	ledger    *usageFile
	followUps *FollowUps
	programs  *filehash.Files

	files []*compiled
	own   map[string][]*compiled // by the workspace whose own they are
}

// compiled is a file whose governors can be asked.
type compiled struct {
	file               File
	hash               string // of what the file says
	permission, output []*member
}

// New makes Governors of no file.
func New(o Options) *Governors {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Vault == nil {
		o.Vault = noVault{}
	}
	return &Governors{o: o, ledger: newUsageFile(o.StateDir, o.Now), followUps: &FollowUps{}, programs: &filehash.Files{}}
}

// With returns the governors of other files, the weakest layer first, which share everything else. A
// governor that is the same as before keeps its circuit breaker. Those of workspaces stay.
func (g *Governors) With(files []File) *Governors {
	other := *g
	other.files = g.compile(files, g.files)
	return &other
}

// WithOwn returns Governors that have other ones of a workspace's own, for the sessions that work in it.
// They can stop acts, and approve none.
func (g *Governors) WithOwn(w tool.Workspace, files []File) *Governors {
	for i := range files {
		files[i].Project = true
	}
	other, key := *g, strings.Join(w.Dirs(), "\x00")
	if other.own = maps.Clone(g.own); other.own == nil {
		other.own = map[string][]*compiled{}
	}
	other.own[key] = g.compile(files, g.own[key])
	return &other
}

// WithFollowUps returns Governors that count their prompts in f.
func (g *Governors) WithFollowUps(f *FollowUps) *Governors {
	other := *g
	other.followUps = f
	return &other
}

// Active reports whether any governor could be asked about acts in the workspace.
func (g *Governors) Active(w tool.Workspace) bool {
	for _, c := range g.inForce(w) {
		if len(c.permission) > 0 || len(c.output) > 0 {
			return true
		}
	}
	return false
}

// Screens reports whether any governor could be asked about the output of a tool in the workspace.
func (g *Governors) Screens(w tool.Workspace, id string) bool {
	for _, c := range g.inForce(w) {
		for _, m := range c.output {
			if m.tools.Match([]string{id}) {
				return true
			}
		}
	}
	return false
}

// Hash names the governors in force for the workspace: SHA-256, in hexadecimal, of what their files say.
// Where they stand does not count. What is in the programs that they run, and in the files that those are
// given by name, counts as it is now; what these read by themselves does not. It is "" where there are
// none.
func (g *Governors) Hash(w tool.Workspace) string {
	if !g.Active(w) {
		return ""
	}
	h := sha256.New()
	h.Write([]byte("a2a-acp governors v1\n")) // never fails, and neither do those below
	for _, c := range g.inForce(w) {
		if len(c.permission)+len(c.output) > 0 {
			h.Write([]byte(c.hash + "\n"))
			for _, program := range g.programsOf(c) {
				fmt.Fprintf(h, "%d %s\n", len(program), program)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (g *Governors) inForce(w tool.Workspace) []*compiled {
	return append(slices.Clone(g.files), g.own[strings.Join(w.Dirs(), "\x00")]...)
}

func (g *Governors) compile(files []File, before []*compiled) []*compiled {
	known := map[string]*member{}
	for _, c := range before {
		for _, m := range slices.Concat(c.permission, c.output) {
			known[m.identity()] = m
		}
	}
	members := func(specs []Spec, phase string) []*member {
		var list []*member
		for _, spec := range specs {
			m := g.newMember(spec, phase)
			if old := known[m.identity()]; old != nil {
				m = old
			}
			list = append(list, m)
		}
		return list
	}
	var all []*compiled
	for _, file := range files {
		all = append(all, &compiled{
			file: file, hash: hashOf(file), permission: members(file.Permission, tool.PhasePermission),
			output: members(file.Output, tool.PhaseOutput),
		})
	}
	return all
}

// hashOf names what a file says: SHA-256, in hexadecimal.
func hashOf(file File) string {
	file.Name = ""
	for _, specs := range []*[]Spec{&file.Permission, &file.Output} {
		*specs = slices.Clone(*specs)
		for i := range *specs {
			(*specs)[i].Source = tool.Source{}
		}
	}
	encoded, err := json.Marshal(file)
	if err != nil { // what cannot be compared is never the same
		return rand.Text()
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// asked is a governor that is asked about one act, with the settings of its file.
type asked struct {
	*member
	settings *Settings
	project  bool
}

// Review asks the governors about an act. It returns when all have answered or their time is up, and waits
// for everything that they have started. Ending ctx ends it; then nothing is approved.
func (g *Governors) Review(ctx context.Context, review permissions.Review) permissions.Ruling {
	all := g.wanted(&review)
	if len(all) == 0 {
		return permissions.Ruling{Silent: true}
	}
	in := newInput(&review, g.o.Now())
	in.seal()
	opinions := g.ask(ctx, in, all)
	ruling := rule(opinions)
	ruling.Governance = governance(in, opinions)
	ruling.FollowUp = g.followUps.take(in, ruling.FollowUp, mostFollowUps(all))
	return ruling
}

// wanted lists the governors that are to be asked about an act.
func (g *Governors) wanted(review *permissions.Review) []asked {
	var all []asked
	for _, c := range g.inForce(review.Workspace) {
		for _, m := range c.permission {
			if m.wanted(review) {
				all = append(all, asked{m, &c.file.PermissionSettings, c.file.Project})
			}
		}
	}
	return all
}

// ask asks first those that look at the act, and then, unless one of them has rejected it, those that count
// it: what is not let through must not use up what may be let through.
func (g *Governors) ask(ctx context.Context, in *input, all []asked) []opinion {
	var look, count []asked
	for _, a := range all {
		if a.counts() {
			count = append(count, a)
		} else {
			look = append(look, a)
		}
	}
	deadline, stopOnReject := DefaultDeadline, false
	for i, a := range all {
		if i == 0 || a.settings.Deadline < deadline {
			deadline = a.settings.Deadline
		}
		stopOnReject = stopOnReject || a.settings.StopOnFirstReject
	}
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, errDeadline)
	defer cancel()
	opinions := together(ctx, in, look, stopOnReject)
	if strongest(opinions).verdict == permissions.Reject {
		return opinions
	}
	return append(opinions, together(ctx, in, count, stopOnReject)...)
}

// errDeadline ends governors that take too long together.
var errDeadline = errors.New("the time of all governors together was up")

// errDecided ends governors whose answer does not matter any more.
var errDecided = errors.New("another governor has rejected it already")

// together asks governors at the same time and waits for all of them.
func together(ctx context.Context, in *input, all []asked, stopOnReject bool) []opinion {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	opinions := make([]opinion, len(all))
	var asking sync.WaitGroup
	for i, a := range all {
		asking.Go(func() { // ends with the governor's answer, or when its time is up
			opinions[i] = a.opinion(ctx, in)
			opinions[i].project, opinions[i].settings = a.project, a.settings
			if stopOnReject && opinions[i].verdict == permissions.Reject {
				stop(errDecided)
			}
		})
	}
	asking.Wait()
	return opinions
}

// opinion is what asking one governor came to.
type opinion struct {
	member   *member
	answer   answer
	err      error // why there is no answer
	silent   bool  // it has nothing to say
	verdict  permissions.Verdict
	countsAs string
	millis   float64
	project  bool
	settings *Settings
}

// reason says in a sentence what the governor means.
func (o *opinion) reason() string {
	switch {
	case o.err != nil:
		return "it gave no answer: " + o.err.Error()
	case len(o.answer.messages) > 0:
		return strings.Join(o.answer.messages, "; ")
	case o.answer.status == statusReject:
		return "it rejects this"
	case o.answer.status == statusApprove:
		return "it approves this"
	}
	return "it wants a person to look at this"
}

// strongest returns the opinion that holds of all: reject before ask before approve, and of equal ones the
// first. It is silent when nobody spoke.
func strongest(opinions []opinion) opinion {
	rank := map[permissions.Verdict]int{permissions.Reject: 3, permissions.Ask: 2, permissions.Approve: 1}
	best := opinion{silent: true}
	for _, o := range opinions {
		if !o.silent && (best.silent || rank[o.verdict] > rank[best.verdict]) {
			best = o
		}
	}
	return best
}

// rule puts the opinions together.
func rule(opinions []opinion) permissions.Ruling {
	best := strongest(opinions)
	if best.silent {
		return permissions.Ruling{Silent: true}
	}
	r := permissions.Ruling{
		Verdict: best.verdict, Governor: best.member.spec.ID, At: best.member.spec.Source.String(),
		Reason: display.Line(best.reason()), Option: best.answer.option,
	}
	// A yes may stand in for a person's when its own file says so, and every one that looked at the act
	// could say what it thinks.
	r.Answers = best.verdict == permissions.Approve && best.err == nil
	for _, o := range opinions {
		switch {
		case o.err != nil:
			r.Answers = false
		case o.silent:
		case o.project || !o.settings.AllApprove:
			r.Answers = false
		}
		if o.answer.followUp != "" && (r.FollowUp == "" || o.member == best.member) {
			r.FollowUp = o.answer.followUp
		}
	}
	return r
}

// governance is what is put on record.
func governance(in *input, opinions []opinion) tool.Governance {
	told := tool.Governance{Phase: in.Phase, InputSHA256: in.hash,
		Answers: make([]tool.GovernorAnswer, 0, len(opinions))}
	for _, o := range opinions {
		spec := &o.member.spec
		a := tool.GovernorAnswer{
			Governor: spec.ID, At: spec.Source.String(), Type: string(spec.Kind),
			Status: string(o.answer.status), CountsAs: o.countsAs,
			Messages: o.answer.messages, Score: o.answer.score, Option: o.answer.option,
			FollowUp: o.answer.followUp,
			Metadata: o.answer.metadata, Redacted: o.answer.redacted, Millis: o.millis,
			ExitCode: o.answer.exitCode, HTTP: o.answer.http,
		}
		if o.err != nil {
			a.Error = cut(o.err.Error(), longestText)
		}
		told.Answers = append(told.Answers, a)
	}
	return told
}

func mostFollowUps(all []asked) int {
	most := 0
	for i, a := range all {
		if i == 0 || a.settings.MostFollowUps < most {
			most = a.settings.MostFollowUps
		}
	}
	return most
}

// FollowUps counts the prompts that governors have sent, by session and phase: without an end, an agent and
// a governor could talk for ever. The sessions are those of one door. The zero FollowUps has counted none;
// it is safe for concurrent use.
type FollowUps struct {
	mu   sync.Mutex
	sent map[string]int
}

// mostCounted bounds how many sessions are counted. Beyond them nothing more is sent.
const mostCounted = 4096

func (f *FollowUps) take(in *input, prompt string, most int) string {
	if prompt == "" {
		return ""
	}
	session := in.Phase + "\x00" + in.TaskID + "\x00" + in.SessionID
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sent == nil {
		f.sent = map[string]int{}
	}
	if _, known := f.sent[session]; !known && len(f.sent) >= mostCounted || f.sent[session] >= most {
		return ""
	}
	f.sent[session]++
	return prompt
}

// Forget drops what is counted for a session that has ended.
func (g *Governors) Forget(session string) { g.followUps.Forget(session) }

// Forget drops what is counted for a session that has ended.
func (f *FollowUps) Forget(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.sent {
		if strings.HasSuffix(key, "\x00"+session) {
			delete(f.sent, key)
		}
	}
}

// bug marks what cannot happen.
func bug(format string, args ...any) error { return fmt.Errorf("bug: "+format, args...) }
