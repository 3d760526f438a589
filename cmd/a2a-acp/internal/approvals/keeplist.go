package approvals

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	record "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// mostListed is how many answers are listed.
const mostListed = 30

// keepableAnswer is an answer in `approvals keep -o json`.
type keepableAnswer struct {
	Number int64     `json:"number"` // of the act on record
	Time   time.Time `json:"time"`
	Agent  string    `json:"agent,omitempty"`
	Act    string    `json:"act"`
	Scopes []string  `json:"scopes"`        // that it can be kept with; none where it cannot
	Why    string    `json:"why,omitempty"` // why it cannot
}

// listKeepable lists what was approved, the last of each kind of act.
func listKeepable(env *cli.Environment, all bool, f cli.Format) error {
	judge, err := app.NewJudge(env.AppOptions(nil, nil), false)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	acts, err := record.RecordedActs(env, keptSince)
	if err != nil {
		return err
	}
	answers, seen, more := []keepableAnswer{}, map[string]bool{}, 0
	for _, act := range slices.Backward(acts) {
		title := record.TitleOf(audit.ActRecord{act.Entry})
		key := act.Request.Workspace.Root + "\x00" + act.Request.Agent + "\x00" + title
		if !act.Approved() || seen[key] {
			continue
		}
		if seen[key] = true; len(answers) == mostListed && !all {
			more++
			continue
		}
		rules, why := judge.Keep(act, acts, false)
		answer := keepableAnswer{Number: act.Seq, Time: act.Time, Agent: display.Line(act.Request.Agent), Act: title,
			Scopes: []string{}, Why: display.Line(why)}
		for _, k := range rules {
			if k.Why == "" {
				answer.Scopes = append(answer.Scopes, string(k.Scope))
			}
		}
		answers = append(answers, answer)
	}
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, answers)
	}
	if len(answers) == 0 {
		env.Say("you have approved nothing in the last 30 days")
		return nil
	}
	out := cli.Table{Head: []string{"NO", "TIME", "AGENT", "SCOPES", "ACT"}}
	several := slices.ContainsFunc(answers, func(a keepableAnswer) bool { return a.Agent != answers[0].Agent })
	if !several {
		out.Head = slices.Delete(out.Head, 2, 3)
	}
	for _, a := range answers {
		scopes := strings.Join(a.Scopes, ",")
		if scopes == "" {
			scopes = "none"
		}
		row := []string{strconv.FormatInt(a.Number, 10), cli.Clock(a.Time), agents.Short(a.Agent), scopes, a.Act}
		if !several {
			row = slices.Delete(row, 2, 3)
		}
		out.Add(row...)
	}
	out.Write(env.Stdout)
	if more > 0 {
		env.Say(fmt.Sprintf("%d more before these: --all lists them", more))
	}
	env.Say("to keep one: a2a-acp approvals keep, and its NO; where SCOPES is none, that says why")
	return nil
}
