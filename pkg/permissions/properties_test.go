package permissions

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// For every text of the corpus: a further rule that stops never lets more happen, be it before or behind
// the others, in their file or in one of its own; and in whichever order the files of a layer are read, the
// decision is the same.
func TestCorpusKeepsTheOrder(t *testing.T) {
	t.Parallel()
	b := corpusBed(t, ordinaryFiles, trappedFiles)
	var asked askedOnce
	preset := presetFile(t, "balanced")
	files := []File{
		preset, v2(rule("look", Ask, commands("", "git log", "sed"))), v2(rule("yes", Approve, commands(RedirectsWorkspace, "touch", "rm main.go", "sort"))), v2(rule("low", Approve, atMost(RiskLow)), rule("offline", Approve, network(false, "git", "go"))),
		v1(rule("first", Approve, commands("", "git fetch")), rule("then", Reject, commands("", "git"))),
	}
	stops := []Rule{
		rule("no", Reject), rule("no", Reject, commands("", "cat")), rule("no", Reject, include("docs/**")), rule("no", Ask), rule("no", Ask, exclude("src/**")),
		rule("no", Reject, include("[")), rule("no", Reject, about("nothing.*")),
		rule("no", Reject, atLeast(RiskMedium)), rule("no", Reject, network(true)), rule("no", Ask, when("call.risk != 'low'")), rule("no", Reject, agents("x")),
		rule("no", Reject, wants("command", Matcher{Regex: ".*git.*"})), rule("no", Reject, when("params.nothing == 1")),
	}
	random := rand.New(rand.NewPCG(31, 0))
	// A choice of the files, in some order: the preset alone would leave most rules without a part. They
	// are compiled once, and each text meets some of them.
	type choice struct {
		before, again *Authority
		stop          Rule
		stopped       map[string]*Authority // by where the further rule stands
	}
	var choices []choice
	sets, every, least := 60, 1, 100
	if testing.Short() {
		sets, every, least = 12, 5, 20
	}
	for range sets {
		chosen := slices.Clone(files)
		random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:1+random.IntN(len(chosen))]
		c := choice{before: b.unchanging(&asked, chosen...), stop: stops[len(choices)%len(stops)], stopped: map[string]*Authority{}}
		random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		c.again = b.unchanging(&asked, chosen...)
		first, last := chosen[0], chosen[len(chosen)-1]
		first.Rules = append([]Rule{c.stop}, first.Rules...)
		last.Rules = append(slices.Clone(last.Rules), c.stop)
		// An Ask in front of a file of the original format may come before its Reject, which is what that
		// format means.
		if first.Version == Version2 || c.stop.Verdict != Ask {
			c.stopped["in front"] = b.unchanging(&asked, append([]File{first}, chosen[1:]...)...)
		}
		c.stopped["behind"] = b.unchanging(&asked, append(slices.Clone(chosen[:len(chosen)-1]), last)...)
		c.stopped["beside"] = b.unchanging(&asked, append(slices.Clone(chosen), File{Version: Version2, Layer: tool.LayerUser, TightenOnly: true, Rules: []Rule{c.stop}})...)
		choices = append(choices, c)
	}
	approved := 0
	for _, name := range []string{"reported.txt", "tricky.txt", "harmless.txt"} {
		for i, row := range readCorpus(t, name) {
			if i%every > 0 {
				continue
			}
			request := b.run(row.text)
			for range 2 {
				c := choices[random.IntN(len(choices))]
				before := c.before.Decide(request).Verdict
				if before == Approve {
					approved++
				}
				if again := c.again.Decide(request).Verdict; again != before {
					t.Fatalf("%s: %q: %s, and %s when the files are read in another order", row.at, row.text, before, again)
				}
				for where, stopped := range c.stopped {
					if after := stopped.Decide(request).Verdict; before.stronger(after) {
						t.Fatalf("%s: %q: %s, and %s with a further %s rule %s", row.at, row.text, before, after, c.stop.Verdict, where)
					}
				}
			}
		}
	}
	if approved < least {
		t.Errorf("only %d texts were approved, too few to prove anything", approved)
	}
}

// FuzzCommands: what the careful preset approves has an approving reason, is known in full and writes
// nothing; a rule that rejects everything still holds; and the same text with another command behind it, in
// front of it or around it, is not approved with it.
func FuzzCommands(f *testing.F) {
	for _, name := range []string{"reported.txt", "tricky.txt", "harmless.txt"} {
		for i, row := range readCorpus(f, name) {
			if !testing.Short() || i%10 == 0 {
				f.Add(row.text)
			}
		}
	}
	b := corpusBed(f, ordinaryFiles, trappedFiles) // nobody writes to it
	careful := presetFile(f, "careful")
	var asked askedOnce
	a, strict := b.unchanging(&asked, careful), b.unchanging(&asked, careful, v2(rule("no", Reject)))
	f.Fuzz(func(t *testing.T, text string) {
		r := b.run(text)
		if d := strict.Decide(r); d.Verdict != Reject {
			t.Errorf("with a rule that rejects everything: %s: %s", said(d), d.Reason)
		}
		d := a.Decide(r)
		if d.Verdict != Approve {
			return
		}
		if !slices.ContainsFunc(d.Reasons, func(reason Reason) bool { return reason.Matched && reason.Verdict == Approve && reason.Rule == d.Rule }) {
			t.Errorf("%q is approved by %s %q, and no reason says so: %+v", text, said(d), d.Rule, d.Reasons)
		}
		if !r.Shell.Certain() || len(r.Shell.Commands) == 0 || len(r.Shell.Writes) > 0 || len(r.Shell.Variables) > 0 || len(r.Doubts) > 0 {
			t.Errorf("%q is approved: %+v", text, r.Shell)
		}
		if strings.HasSuffix(text, `\`) {
			return // it joins the next line, whose words are arguments then
		}
		for _, more := range []string{
			text + "\nrm -rf x", text + "\n> x", "rm -rf x\n" + text, "{ " + text + "\n}; rm -rf x", "( " + text + "\n) && rm x", "rm x $(" + text + "\n)",
			"bash -c '" + strings.ReplaceAll(text, "'", `'\''`) + "\nrm x'",
		} {
			if d := a.Decide(b.run(more)); d.Verdict == Approve {
				t.Errorf("%q is approved", more)
			}
		}
	})
}
