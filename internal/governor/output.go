package governor

import (
	"context"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Screen counts what a call has used, and asks the output governors what of its output may be seen. First
// the secrets, and what patterns match, are taken out, so that no program and no URL is told of them; then
// the others are asked, all at the same time, about what is left.
//
// What cannot be looked at is withheld, as on_error and on_timeout say: there is nobody to ask here, so a
// question counts as a rejection. What was done stays done.
func (g *Governors) Screen(ctx context.Context, finished permissions.Finished) permissions.Screened {
	g.count(ctx, &finished)
	var scans, others []asked
	for _, c := range g.inForce(finished.Review.Workspace) {
		for _, m := range c.output {
			switch {
			case !m.tools.Match(finished.Review.Tools):
			case m.spec.Kind == KindSecrets, m.spec.Kind == KindPatterns:
				scans = append(scans, asked{m, &c.file.OutputSettings, c.file.Project})
			default:
				others = append(others, asked{m, &c.file.OutputSettings, c.file.Project})
			}
		}
	}
	if len(scans)+len(others) == 0 {
		return permissions.Screened{Silent: true}
	}
	s := &screening{g: g, finished: &finished, out: permissions.Screened{
		Silent: true, Stdout: finished.Result.Stdout, Stderr: finished.Result.Stderr,
		Governance: tool.Governance{Phase: tool.PhaseOutput},
	}}
	for _, scan := range scans {
		s.ask(ctx, []asked{scan})
	}
	if s.out.Withheld == "" && len(others) > 0 {
		if replaced := s.ask(ctx, others); replaced { // what was put in its place is looked at as well
			for _, scan := range scans {
				s.ask(ctx, []asked{scan})
			}
		}
	}
	return s.out
}

// screening is one output on its way through the governors.
type screening struct {
	g        *Governors
	finished *permissions.Finished
	out      permissions.Screened
}

// ask asks governors about the output as it is now, and takes over what they say.
func (s *screening) ask(ctx context.Context, all []asked) (replaced bool) {
	in := newOutput(s.finished, s.out.Stdout, s.out.Stderr, s.g.o.Now())
	in.seal()
	opinions := s.g.ask(ctx, in, all)
	said := governance(in, opinions)
	s.out.Governance.InputSHA256 = said.InputSHA256
	s.out.Governance.Answers = append(s.out.Governance.Answers, said.Answers...)
	best := strongest(opinions)
	if best.silent {
		return false
	}
	ruling := rule(opinions)
	if prompt := s.g.followUps.take(in, ruling.FollowUp, mostFollowUps(all)); prompt != "" {
		s.out.Silent, s.out.FollowUp = false, prompt
		s.by(&best)
	}
	if best.verdict != permissions.Approve {
		s.withhold(&best, display.Line(best.reason()))
		return false
	}
	return s.replace(opinions)
}

// replace puts in place of the output what a governor gave. Two that give something different cannot both
// be followed.
func (s *screening) replace(opinions []opinion) bool {
	var by *opinion
	stdout, stderr := s.out.Stdout, s.out.Stderr
	for i := range opinions {
		o := &opinions[i]
		if o.answer.replaced == nil || o.silent {
			continue
		}
		theirs, theirErr := s.out.Stdout, s.out.Stderr
		if o.answer.replaced.Stdout != nil {
			theirs = *o.answer.replaced.Stdout
		}
		if o.answer.replaced.Stderr != nil {
			theirErr = *o.answer.replaced.Stderr
		}
		if by != nil && (theirs != stdout || theirErr != stderr) {
			s.withhold(o, "two governors want different texts in its place")
			return false
		}
		by, stdout, stderr = o, theirs, theirErr
	}
	if by == nil || stdout == s.out.Stdout && stderr == s.out.Stderr {
		return false
	}
	s.out.Silent, s.out.Stdout, s.out.Stderr = false, stdout, stderr
	s.by(by)
	return true
}

func (s *screening) withhold(o *opinion, why string) {
	s.out.Silent, s.out.Withheld, s.out.Stdout, s.out.Stderr = false, why, "", ""
	s.by(o)
}

func (s *screening) by(o *opinion) {
	s.out.Governor, s.out.At = o.member.spec.ID, o.member.spec.Source.String()
}

// count tells the budgets what a call has used. One that cannot be counted makes the next call an error of
// its governor, so nothing is done about it here.
func (g *Governors) count(ctx context.Context, finished *permissions.Finished) {
	in := newInput(&finished.Review, g.o.Now())
	for _, c := range g.inForce(finished.Review.Workspace) {
		for _, m := range c.permission {
			l, ok := m.judge.(*limiter)
			if !ok || l.limit.Bytes == 0 && l.limit.Running == 0 || !m.wanted(&finished.Review) {
				continue
			}
			within, cancel := context.WithTimeout(ctx, m.spec.Timeout)
			ran := time.Duration(finished.Result.ExecutionTimeMS * float64(time.Millisecond))
			_ = l.ledger.add(within, l.account(in), l.limit, finished.Result.OutputLength, ran)
			cancel()
		}
	}
}
