package permissions

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func wants(name string, m Matcher) func(*Rule) {
	return func(r *Rule) { r.Matchers = map[string]Matcher{name: m} }
}
func when(text string) func(*Rule)       { return func(r *Rule) { r.When = text } }
func agents(globs ...string) func(*Rule) { return func(r *Rule) { r.Agents = globs } }
func principals(globs ...string) func(*Rule) {
	return func(r *Rule) { r.Principals = globs }
}
func inWorkspaces(globs ...string) func(*Rule) {
	return func(r *Rule) { r.Workspaces = globs }
}
func inModes(modes ...string) func(*Rule) { return func(r *Rule) { r.Modes = modes } }
func atMost(risk Risk) func(*Rule)        { return func(r *Rule) { r.MaxRisk = risk } }
func atLeast(risk Risk) func(*Rule)       { return func(r *Rule) { r.MinRisk = risk } }
func network(is bool, allow ...string) func(*Rule) {
	return func(r *Rule) { r.Commands = &Commands{Allow: allow, Network: &is} }
}

func args(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func with(r Request, change func(*Request)) Request {
	change(&r)
	return r
}

func yesNo(is bool) *bool { return &is }

// One row for each way in which a condition of version 2 holds or does not, for a rule that approves and
// for one that rejects: what cannot be told keeps the first from matching, and has the second ask.
func TestConditions(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	url := func(text string) Request { return b.call("web", args("url", text)) }
	hosts := wants("url", Matcher{Host: []string{"api.example.com", "*.internal", "localhost:8080"}})
	given := func(value any) Request { return b.call("x", args("a", value)) }
	served := func(name string) Request {
		return with(given(1), func(r *Request) { r.Principal, r.Served = name, true })
	}
	at := func(root string, more ...string) Request {
		return with(given(1), func(r *Request) { r.Workspace = tool.Workspace{Root: root, Additional: more} })
	}
	prompt := with(b.request(ActionOther, "mcp.s.t"), func(r *Request) { r.Prompt = true })
	tests := []struct {
		name    string
		rule    func(*Rule)
		request Request
		approve bool    // whether an approving rule matches
		reject  Verdict // what a rejecting rule makes of it; Approve for no match
		why     string  // of the approving rule's reason
	}{
		{"in", wants("a", Matcher{In: []any{"GET", json.Number("2")}}), given("GET"), true, Reject, ""},
		{"in, a number by value", wants("a", Matcher{In: []any{json.Number("2")}}), given(json.Number("2.0")), true, Reject, ""},
		{"in, other letters", wants("a", Matcher{In: []any{"delete"}}), given(" DELETE"), false, Reject, "not one of"},
		{"in, another", wants("a", Matcher{In: []any{"GET"}}), given("POST"), false, Approve, `the argument a is "POST": not one of "GET"`},
		{"in, every one of a list", wants("a", Matcher{In: []any{"x", "y"}}), given([]any{"x", "y"}), true, Reject, ""},
		{"in, one of a list is not", wants("a", Matcher{In: []any{"x"}}), given([]any{"x", "z"}), false, Reject, "not one of"},
		{"in, an empty list", wants("a", Matcher{In: []any{"x"}}), given([]any{}), false, Approve, "is empty"},
		{"in, an object", wants("a", Matcher{In: []any{"x"}}), given(map[string]any{}), false, Approve, "not one of"},
		{"not there", wants("a", Matcher{In: []any{"x"}}), b.call("x", nil), false, Approve, "there is no argument a"},
		{"an agent that does not tell", wants("a", Matcher{In: []any{"x"}}), prompt, false, Ask, "there is no argument a"},
		{"absent", wants("a", Matcher{Absent: yesNo(true)}), b.call("x", nil), true, Reject, ""},
		{"absent, null", wants("a", Matcher{Absent: yesNo(true)}), given(nil), true, Reject, ""},
		{"absent, there", wants("a", Matcher{Absent: yesNo(true)}), given(""), false, Approve, "the rule wants none"},
		{"not absent", wants("a", Matcher{Absent: yesNo(false)}), given(""), true, Reject, ""},
		{"not absent, not there", wants("a", Matcher{Absent: yesNo(false)}), b.call("x", nil), false, Approve, "there is no"},

		{"max", wants("a", Matcher{Max: "30"}), given(json.Number("3e1")), true, Reject, ""},
		{"max, more", wants("a", Matcher{Max: "30"}), given(json.Number("30.000000000000000000001")), false, Approve, "more than 30"},
		{"max, a huge exponent", wants("a", Matcher{Max: "30"}), given(json.Number("1e999999999")), false, Approve, "more than 30"},
		{"max, far below", wants("a", Matcher{Max: "30"}), given(json.Number("-1e999999999")), true, Reject, ""},
		{"max, a tiny one", wants("a", Matcher{Max: "0", Min: "0"}), given(json.Number("1e-999999999")), false, Approve, "more than 0"},
		{"max, a text that is a number", wants("a", Matcher{Max: "30"}), given("31"), false, Approve, "more than 30"},
		{"max, no number", wants("a", Matcher{Max: "30"}), given("many"), false, Ask, "it is no number"},
		{"min", wants("a", Matcher{Min: "-2"}), given(json.Number("-2")), true, Reject, ""},
		{"min, less", wants("a", Matcher{Min: "-2"}), given(json.Number("-2.5")), false, Approve, "less than -2"},

		{"host", hosts, url("https://api.example.com/v1?x=a@b"), true, Reject, ""},
		{"host, capitals", hosts, url("HTTPS://API.Example.COM"), true, Reject, ""},
		{"host, below", hosts, url("http://a.b.internal/"), true, Reject, ""},
		{"host, not below", hosts, url("http://internal/"), false, Approve, "its host is internal"},
		{"host, its usual port", hosts, url("https://api.example.com:443/"), true, Reject, ""},
		{"host, another port", hosts, url("https://api.example.com:8443/"), false, Reject, "its host is api.example.com:8443"},
		{"host, the port of the rule", hosts, url("http://localhost:8080/x"), true, Reject, ""},
		{"host, not that of the rule", hosts, url("http://localhost/x"), false, Reject, "its host is localhost"},
		{"host, another name that begins so", hosts, url("https://api.example.com.evil.org/"), false, Approve, "its host is"},
		{"host, in front of an @", hosts, url("https://api.example.com@evil.org/"), false, Reject, "everybody reads"},
		{"host, behind an @", hosts, url("https://evil.org@api.example.com/"), false, Reject, "everybody reads"},
		{"host, a backslash", hosts, url(`https://evil.org\@api.example.com/`), false, Reject, "everybody reads"},
		{"host, a fragment behind it", hosts, url("https://evil.org#@api.example.com/"), false, Reject, "everybody reads"},
		{"host, curl's braces", hosts, url("https://{api.example.com,evil.org}/"), false, Reject, "everybody reads"},
		{"host, another scheme", hosts, url("gopher://api.example.com/"), false, Reject, "everybody reads"},
		{"host, no scheme", hosts, url("api.example.com/x"), false, Reject, "everybody reads"},
		{"host, a newline behind it", hosts, url("https://api.example.com\n"), false, Reject, "everybody reads"},
		{"host, another alphabet", hosts, url("https://аpi.example.org/"), false, Ask, "everybody reads"},
		{"host, a dot at its end", hosts, url("https://api.example.com./"), false, Reject, "everybody reads"},
		{"host, a number", hosts, given(json.Number("1")), false, Approve, "there is no argument url"},

		{"regex", wants("a", Matcher{Regex: "[a-z-]+"}), given("a-b"), true, Reject, ""},
		{"regex, only a part", wants("a", Matcher{Regex: "[a-z-]+"}), given("a-b; rm"), false, Approve, "it does not match"},
		{"regex, a line of its own", wants("a", Matcher{Regex: "a.*"}), given("a\nb"), false, Reject, "it does not match"},
		{"regex, no text", wants("a", Matcher{Regex: ".*"}), given(json.Number("1")), false, Ask, "it is no text"},

		{"min, less, of as many digits", wants("a", Matcher{Min: "20"}), given(json.Number("15")), false, Approve, "less than 20"},
		{"min, less, of fewer digits", wants("a", Matcher{Min: "10"}), given(json.Number("5")), false, Approve, "less than 10"},
		{"min, below nought, of more digits", wants("a", Matcher{Min: "-2"}), given(json.Number("-10")), false, Approve, "less than -2"},
		{"max, below nought", wants("a", Matcher{Max: "-10"}), given(json.Number("-2")), false, Approve, "more than -10"},
		{"max, written as an exponent", wants("a", Matcher{Max: "3e1"}), given(json.Number("29.5")), true, Reject, ""},
		{"max, more than one written as an exponent", wants("a", Matcher{Max: "3e1"}), given(json.Number("31")), false, Approve, "more than 3e1"},
		{"max, a list", wants("a", Matcher{Max: "30"}), given([]any{[]any{json.Number("1")}}), false, Ask, "it is no number"},
		{"host, no text", wants("a", Matcher{Host: []string{"example.com"}}), given(json.Number("7")), false, Ask, "it is no text"},
		{"within, no text", wants("a", Matcher{Within: "docs"}), given(json.Number("7")), false, Ask, "it is no text"},
		{"within, everywhere", wants("a", Matcher{Within: "/"}), given(b.dir + "/elsewhere/x"), true, Reject, ""},
		{"within, all of a home", wants("a", Matcher{Within: "~"}), given(b.dir + "/home/notes/n.md"), true, Reject, ""},
		{"within, a name that hides something", wants("a", Matcher{Within: "docs"}), given("docs/a\u202e.md"), false, Reject, "U+202E"},
		{"within", wants("a", Matcher{Within: "docs"}), given("docs/a.md"), true, Reject, ""},
		{"within, itself", wants("a", Matcher{Within: "docs/"}), given("docs/"), true, Reject, ""},
		{"within, dots", wants("a", Matcher{Within: "docs"}), given("docs/../src/a.go"), false, Approve, "`src/a.go` is not within docs"},
		{"within, a link out", wants("a", Matcher{Within: "docs"}), given("docs/to_src/a.go"), false, Reject, "`src/a.go` is not within docs"},
		{"within, a name that begins so", wants("a", Matcher{Within: "docs"}), given("docs2/a"), false, Approve, "is not within docs"},
		{"within, capitals", wants("a", Matcher{Within: "docs"}), given("DOCS/a"), false, Reject, "is not within docs"},
		{"within, a URL", wants("a", Matcher{Within: "docs"}), given("file://" + b.ws + "/docs/a.md"), true, Reject, ""},
		{"within, a control file", wants("a", Matcher{Within: "."}), given(".git/hooks/pre-commit"), false, Reject, "runs as code later"},
		{"within, a hard link", wants("a", Matcher{Within: "docs"}), given("docs/linked.md"), false, Reject, "hard links"},
		{"within, one of several outside", wants("a", Matcher{Within: "docs"}), given([]any{"docs/a.md", "src/a.go"}), false, Reject, "is not within"},
		{"within, an absolute one", wants("a", Matcher{Within: b.dir + "/elsewhere"}), given("../elsewhere/x"), true, Reject, ""},
		{"within, a home", wants("a", Matcher{Within: "~/notes"}), given(b.dir + "/home/notes/n.md"), true, Reject, ""},

		{"agent", agents("codex*"), with(given(1), func(r *Request) { r.Agent = "codex-cli" }), true, Reject, ""},
		{"agent, capitals", agents("codex*"), with(given(1), func(r *Request) { r.Agent = "Codex" }), false, Reject, "the agent is Codex"},
		{"principal", principals("ci*"), served("ci-main"), true, Reject, ""},
		{"principal, an issuer's", principals("corp:repo:org/*"), served("corp:repo:org/app:ref:main"), true, Reject, ""},
		{"principal, capitals", principals("ci*"), served("CI"), false, Reject, "the principal is CI"},
		{"principal, another", principals("ci*"), served("web"), false, Approve, "the principal is web"},
		{"principal, none", principals("*"), given(1), false, Approve, "did not come through the daemon"},
		{"principal, an agent's command of that name", principals("*"), with(given(1), func(r *Request) { r.Principal = "ci" }), false, Approve, "did not come through the daemon"},
		{"workspace", inWorkspaces(escapeGlob(b.ws), escapeGlob(b.dir)+"/more"), given(1), true, Reject, ""},
		{"workspace, below a directory", inWorkspaces("/nowhere", escapeGlob(b.dir)+"/**"), given(1), true, Reject, ""},
		{"workspace, below a home", inWorkspaces("~/shop"), at(b.dir + "/home/shop"), true, Reject, ""},
		{"workspace, a directory of it", inWorkspaces("~/shop"), at(b.dir + "/home/shop/src"), false, Approve, "/home/shop/src, and the rule is about ~/shop"},
		{"workspace, that it lies in", inWorkspaces("~/shop/src"), at(b.dir + "/home/shop"), false, Approve, "the workspace is"},
		{"workspace, capitals", inWorkspaces("~/shop"), at(b.dir + "/home/Shop"), false, Reject, "the workspace is"},
		{"workspace, one of two", inWorkspaces("~/shop"), at(b.dir+"/home/shop", b.dir+"/home/clone"), false, Reject, "/home/clone, and the rule is about"},
		{"workspace, both", inWorkspaces("~/shop", "~/clone"), at(b.dir+"/home/shop", b.dir+"/home/clone"), true, Reject, ""},
		{"workspace, none", inWorkspaces("/**"), with(given(1), func(r *Request) { r.Workspace = tool.Workspace{} }), false, Approve, "it has no workspace"},
		{"agent, none", agents("codex*"), given(1), false, Ask, "there is no agent's name"},
		{"mode, headless", inModes("headless"), with(given(1), func(r *Request) { r.Headless = true }), true, Reject, ""},
		{"mode, interactive", inModes("headless"), given(1), false, Approve, "the mode is interactive"},
		{"mode, of the agent", inModes("plan"), with(given(1), func(r *Request) { r.Mode = "plan" }), true, Reject, ""},
		{"mode, spelled otherwise", inModes("bypassPermissions"), with(given(1), func(r *Request) { r.Mode = "bypass_permissions" }), false, Reject, "bypass_permissions"},

		{"risk, low", atMost(RiskLow), b.read("docs/a.md"), true, Reject, ""},
		{"risk, medium", atMost(RiskLow), b.write("docs/a.md"), false, Approve, "the risk is medium"},
		{"risk, outside", atMost(RiskMedium), b.call("x", nil, "../elsewhere/x"), false, Approve, "lies outside the workspace"},
		{"risk, a command that reads", atMost(RiskLow), b.run("ls | head -3"), true, Reject, ""},
		{"risk, a command that is not known", atLeast(RiskMedium), b.run("make-things"), true, Reject, "the risk"},
		{"risk, of a removal", atLeast(RiskHigh), b.run("rm -rf src"), true, Reject, ""},
		{"risk, of a download", atLeast(RiskHigh), b.run("git fetch"), true, Reject, ""},
		{"risk, of what cannot be told", atLeast(RiskHigh), b.run("eval $X"), true, Reject, ""},
		{"risk, of what only reads", atLeast(RiskMedium), b.run("ls"), false, Approve, "the risk is low (it only reads)"},

		{"no network", network(false, "git"), b.run("git fetch"), false, Reject, "`git` reaches other machines"},
		{"no network, behind a launcher", network(false, "curl"), b.run("timeout 3 curl x"), false, Reject, "reaches other machines"},
		{"no network, at home", network(false, "git log"), b.run("git log"), true, Reject, ""},
		{"network", network(true, "git log"), b.run("git log"), true, Approve, ""},
		{"any network", network(true), b.run("ls; /usr/bin/curl x"), false, Reject, "no command is named"},

		{"when", when("params.a == 3"), given(json.Number("3")), true, Reject, ""},
		{"when, false", when("params.a == 3"), given(json.Number("4")), false, Approve, "when: params.a == 3 is false"},
		{"when, an error", when("params.b == 3"), given(json.Number("4")), false, Reject, "no such key: b"},
		{"when, has", when("has(params.b) && params.b == 3"), given(json.Number("4")), false, Approve, "is false"},
		{"when, too much work", when("params.a.all(x, params.a.all(y, params.a.all(z, x + y + z >= 0)))"), given(many(200)), false, Reject, "cost"},
		{"when, of the call", when("call.tool == 'x' && call.action == 'call' && call.door == 'mcp' && call.risk == 'medium' && size(call.paths) == 0"), given(1), true, Reject, ""},
		{"when, files", when("call.paths.all(p, p.startsWith('docs/'))"), b.write("docs/../docs/a.md"), true, Reject, ""},
		{"when, programs", when("'rm' in call.commands"), b.run("ls; rm x"), true, Reject, ""},
		{"when, variables", when("call.env.exists(k, k == 'PROD')"), with(given(1), func(r *Request) { r.Env = []string{"PROD"} }), true, Reject, ""},
		{"when, optional", when("params.?a.orValue('x') == 'x'"), b.call("x", nil), true, Reject, ""},

		{"a server's tool as Claude spells it", about("mcp__s__t"), b.request(ActionOther, "mcp.s.t"), true, Reject, ""},
		{"as Gemini spells it", about("t (s MCP Server)"), b.request(ActionOther, "mcp.s.t"), true, Reject, ""},
		{"any tool of a server", about("mcp__s__*"), b.request(ActionOther, "mcp.s.u"), true, Reject, ""},
		{"in another spelling", about("mcp__my-server__t"), b.request(ActionOther, "mcp.my.server_t"), false, Reject, "the tool is mcp.my.server_t"},
		{"another server's", about("mcp__s__t"), b.request(ActionOther, "mcp.z.t"), false, Approve, "the tool is"},
		{"ours, as the agent knows it", about("mcp__a2a-acp__x"), given(1), true, Reject, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			yes := rule("r", Approve, test.rule)
			d := b.authority(v2(yes)).Decide(test.request)
			if got := d.Verdict == Approve && d.Source == SourcePolicy; got != test.approve {
				t.Errorf("an approving rule: %s: %+v", said(d), d.Reasons)
			}
			if !strings.Contains(d.Reasons[0].Why, test.why) {
				t.Errorf("why: %q; want it to contain %q", d.Reasons[0].Why, test.why)
			}
			d = b.authority(v2(rule("r", Reject, test.rule))).Decide(test.request)
			got := Approve
			if d.Reasons[0].Matched {
				got = d.Reasons[0].Verdict
			}
			if got != test.reject {
				t.Errorf("a rejecting rule: %s: %+v", got, d.Reasons)
			}
		})
	}
}

func many(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = json.Number(fmt.Sprint(i))
	}
	return list
}

// A time that is over ends a rule, and not before.
func TestExpires(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	end := time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)
	yes := rule("r", Approve, include("docs/**"))
	yes.Expires = end
	for at, want := range map[time.Time]Verdict{end.Add(-time.Second): Approve, end: Ask, end.Add(time.Hour): Ask} {
		a := New(Options{Policies: NewSet([]File{v2(yes)}), Now: func() time.Time { return at }})
		if d := a.Decide(b.write("docs/a.md")); d.Verdict != want {
			t.Errorf("at %s: %s: %+v", at, said(d), d.Reasons)
		}
	}
}

// What is counted for a principal of the daemon is nothing of an agent's whose command is called so.
func TestCaller(t *testing.T) {
	t.Parallel()
	command, principal, another := Request{Principal: "ci"}, Request{Principal: "ci", Served: true}, Request{Principal: "web", Served: true}
	seen := map[string]bool{command.Caller(): true, principal.Caller(): true, another.Caller(): true, "": true}
	if len(seen) != 4 {
		t.Errorf("callers that are the same: %v", seen)
	}
}

// A limit counts what goes ahead, asks beyond it, forgets with time, and counts apart what its key says.
func TestLimit(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	yes := rule("r", Approve, include("docs/**"))
	yes.Limit = &Limit{Count: 2, Per: time.Hour, Key: LimitAgent}
	a := New(Options{Policies: NewSet([]File{v2(yes, rule("also", Approve, include("docs/**")))}), Now: func() time.Time { return now }})
	by := func(agent string) Request {
		return with(b.write("docs/a.md"), func(r *Request) { r.Principal = agent })
	}
	expect := func(what string, got Decision, want Verdict) {
		t.Helper()
		if got.Verdict != want {
			t.Errorf("%s: %s: %s", what, said(got), got.Reason)
		}
	}
	for range 5 {
		expect("looking counts nothing", a.Decide(by("one")), Approve)
	}
	expect("the first", a.Take(by("one")), Approve)
	expect("the second", a.Take(by("one")), Approve)
	third := a.Take(by("one"))
	expect("the third", third, Ask)
	if want := "the rule has approved 2 times within 1h0m0s, which is its limit for one agent"; third.Reason != want {
		t.Errorf("reason %q, want %q", third.Reason, want)
	}
	if third.Reasons[0].Condition != "limit" || third.Rule != "r" {
		t.Errorf("%+v", third)
	}
	expect("the same agent by another name", a.Take(with(by("one"), func(r *Request) { r.Agent = "somebody else" })), Ask)
	expect("another agent", a.Take(by("two")), Approve)
	now = now.Add(time.Hour - time.Nanosecond)
	expect("just before", a.Take(by("one")), Ask)
	now = now.Add(time.Nanosecond)
	expect("an hour later", a.Take(by("one")), Approve)
	now = now.Add(-2 * time.Hour)
	expect("a clock that was set back", a.Take(by("one")), Approve)
	expect("and no more", a.Take(by("one")), Ask)
}

// Of acts that are taken at the same time no more than the limit are approved.
func TestLimitAtOnce(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	yes := rule("r", Approve, include("docs/**"))
	yes.Limit = &Limit{Count: 5, Per: time.Hour}
	a := b.authority(v2(yes))
	verdicts := make(chan Verdict)
	for range 40 {
		go func() { verdicts <- a.Take(b.write("docs/a.md")).Verdict }()
	}
	approved := 0
	for range 40 {
		if <-verdicts == Approve {
			approved++
		}
	}
	if approved != 5 {
		t.Errorf("%d were approved, want 5", approved)
	}
}

// Looking and taking are one step: whoever looked while there was one left may still come too late.
func TestCounterTakesNoMore(t *testing.T) {
	t.Parallel()
	c, now := NewCounter(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i, want := range []bool{true, true, false} {
		if got, err := c.Take("k", 2, time.Hour, now); got != want || err != nil {
			t.Errorf("take %d: %t, %v", i+1, got, err)
		}
	}
}

// A counter that cannot be read never approves.
type brokenCounter struct{}

func (brokenCounter) Count(string, time.Duration, time.Time) (int, error) { return 0, os.ErrPermission }
func (brokenCounter) Take(string, int, time.Duration, time.Time) (bool, error) {
	return true, os.ErrPermission
}

type brokenTake struct{ brokenCounter }

func (brokenTake) Count(string, time.Duration, time.Time) (int, error) { return 0, nil }

func TestBrokenCounter(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	yes := rule("r", Approve, include("docs/**"))
	yes.Limit = &Limit{Count: 5, Per: time.Hour}
	for _, counter := range []Counter{brokenCounter{}, brokenTake{}} {
		a := New(Options{Policies: NewSet([]File{v2(yes)}), Counter: counter})
		if d := a.Take(b.write("docs/a.md")); d.Verdict != Ask || !strings.Contains(d.Reason, "permission denied") {
			t.Errorf("%T: %s: %s", counter, said(d), d.Reason)
		}
	}
}

// A rule that is watched changes nothing, whatever it says, and tells what it would do.
func TestObserve(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	watched := func(verdict Verdict) Rule {
		return rule("w", verdict, include("docs/**"), func(r *Rule) { r.Observe = true })
	}
	yes := rule("yes", Approve, include("docs/**"))
	for _, test := range []struct {
		rules []Rule
		want  Verdict
	}{{[]Rule{watched(Reject), yes}, Approve}, {[]Rule{watched(Approve)}, Ask}, {[]Rule{watched(Ask), yes}, Approve}} {
		for _, file := range []File{v2(test.rules...), v1(test.rules...)} {
			d := b.authority(file).Decide(b.write("docs/a.md"))
			if d.Verdict != test.want || !d.Reasons[0].Observed || !d.Reasons[0].Matched || !strings.Contains(d.Reasons[0].Why, "would "+test.rules[0].Verdict.String()) {
				t.Errorf("%s: %+v", said(d), d.Reasons)
			}
		}
	}
}

// What no rule is about, where a file says so: rejected or asked, and a person's own act is his.
func TestUnmatched(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	says := func(verdict Verdict, f File) File {
		f.Unmatched = &verdict
		return f
	}
	other := rule("other", Approve, include("src/**"))
	own := with(b.call("x", nil), func(r *Request) { r.Door = tool.DoorCLI })
	for _, test := range []struct {
		name    string
		files   []File
		request Request
		want    string
	}{
		{"rejected", []File{says(Reject, v2(other))}, b.read("docs/a.md"), "reject default"},
		{"asked", []File{says(Ask, v2(other))}, b.read("docs/a.md"), "ask default"},
		{"the strongest", []File{says(Reject, v2()), says(Ask, v2(other))}, b.read("docs/a.md"), "reject default"},
		{"the strongest, from the last file", []File{says(Ask, v2()), says(Reject, v2(other))}, b.read("docs/a.md"), "reject default"},
		{"matched", []File{says(Reject, v2(other))}, b.write("src/a.go"), "approve policy"},
		{"a control file", []File{says(Reject, v2(other))}, b.write(".envrc"), "reject default"},
		{"of a person", []File{says(Reject, v2(other))}, own, "approve caller"},
		{"of a workspace, rejecting", []File{{Version: Version2, TightenOnly: true, Unmatched: says(Reject, File{}).Unmatched}}, b.read("docs/a.md"), "reject default"},
		{"never approved", []File{says(Approve, v2(other))}, b.write("docs/a.md"), "ask default"},
	} {
		if d := b.authority(test.files...).Decide(test.request); said(d) != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, said(d), d.Reason, test.want)
		}
	}
}

// An act of which values are not on record is told to be so exactly when the verdict depends on one.
func TestRedecide(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	r := with(b.call("x", args("a", "[secret]", "b", json.Number("1")), "docs/a.md"), func(r *Request) { r.Withheld = map[string]bool{"a": true} })
	yes, never := rule("yes", Approve, include("docs/**")), rule("never", Reject, wants("a", Matcher{In: []any{"x"}}))
	for _, test := range []struct {
		name    string
		rules   []Rule
		want    Verdict
		untold  int
		inOrder bool // of the original format
	}{
		{"no rule needs it", []Rule{yes}, Approve, 0, false},
		{"a rejecting rule needs it", []Rule{yes, never}, Approve, 1, false},
		{"rejected anyway", []Rule{rule("no", Reject), never}, Reject, 0, false},
		{"another argument keeps it from matching", []Rule{yes, rule("never", Reject, func(r *Rule) {
			r.Parameters, r.Matchers = args("b", json.Number("2")), map[string]Matcher{"a": {In: []any{"x"}}}
		})}, Approve, 0, false},
		{"an approving rule needs it", []Rule{rule("yes", Approve, include("docs/**"), wants("a", Matcher{Regex: "x"}))}, Ask, 1, false},
		{"a condition needs it", []Rule{yes, rule("never", Reject, when("params.a == 'x'"))}, Approve, 1, false},
		{"a condition needs another", []Rule{yes, rule("never", Reject, when("params.b == 2 && params.a == 'x'"))}, Approve, 0, false},
		{"behind the first that matches", []Rule{yes, never}, Approve, 0, true},
	} {
		file := v2(test.rules...)
		if test.inOrder {
			file = v1(test.rules...)
		}
		d, untold := b.authority(file).Redecide(r, time.Now())
		if d.Verdict != test.want || len(untold) != test.untold {
			t.Errorf("%s: %s, %+v", test.name, said(d), untold)
		}
		if live := b.authority(file).Decide(r); test.untold > 0 && live.Verdict == Approve {
			t.Errorf("%s: approved without the value", test.name)
		}
	}
}

// The value of a secret argument stands in no reason, however a rule looks at it.
func TestReasonsTellNoSecret(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	const secret = "hunter2"
	for _, long := range []string{secret, strings.Repeat(secret, 30)} {
		for _, change := range []func(*Rule){
			equal("a", "x"), wants("a", Matcher{In: []any{"x"}}), wants("a", Matcher{Host: []string{"example.com"}}), wants("a", Matcher{Max: "3"}),
			wants("a", Matcher{Regex: "x"}), wants("a", Matcher{Within: "docs"}), wants("a", Matcher{Absent: yesNo(true)}),
			when("int(params.a) == 3"), when("params.a == 'x'"), when("params[params.a] == 3"),
		} {
			for _, verdict := range []Verdict{Approve, Reject} {
				r := with(b.call("x", args("a", long)), func(r *Request) { r.Secret = map[string]bool{"a": true} })
				d := b.authority(v2(rule("r", verdict, change))).Decide(r)
				if text := fmt.Sprintf("%+v", d); strings.Contains(text, secret) {
					t.Errorf("%s", text)
				}
			}
		}
	}
}

// Every reason says whose rule it is, where it stands, and which condition decided.
func TestReasonsAreComplete(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	d := b.authority(v2(
		rule("tool", Approve, about("x")), rule("paths", Approve, include("src/**")), rule("agent", Approve, agents("x")), rule("principal", Approve, principals("x")),
		rule("when", Approve, when("false")), rule("yes", Approve, include("docs/**")),
	)).Decide(b.write("docs/a.md"))
	var conditions []string
	for _, r := range d.Reasons {
		if r.At != "p.yaml:7" || r.Layer != "user" || r.Why == "" || r.Matched != (r.Rule == "yes") {
			t.Errorf("%+v", r)
		}
		conditions = append(conditions, r.Condition)
	}
	if want := []string{"applies_to", "include_paths", "agents", "principals", "when", ""}; !slices.Equal(conditions, want) {
		t.Errorf("conditions %q, want %q", conditions, want)
	}
}
