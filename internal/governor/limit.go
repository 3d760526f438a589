package governor

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"
)

// limiter is a governor that counts: so many calls, bytes of output or seconds of running in so long, for
// everybody or for each agent, tool or session. What it has counted outlives this program, and all programs
// that share a state directory count together.
type limiter struct {
	id      string
	limit   Limit
	message string
	ledger  *usageFile
}

func (l *limiter) judge(ctx context.Context, in *input) (answer, error) {
	wait, what, err := l.ledger.spend(ctx, l.account(in), l.limit, !in.review.Earlier)
	if err != nil {
		return answer{}, fmt.Errorf("what there was before cannot be counted: %w", err)
	}
	if what == "" {
		return answer{status: statusAbstain}, nil // that there is room is no reason to approve
	}
	a := answer{status: verbStatus(l.limit.Beyond)}
	text := fmt.Sprintf("the limit is reached: %s in %s%s; there is room again in %s", what,
		inWords(l.limit.Per), l.each(in), inWords(wait.Round(time.Second)))
	if l.message != "" {
		text = l.message + " (" + text + ")"
	}
	a.messages = []string{text}
	return a, nil
}

// account names what is counted together.
func (l *limiter) account(in *input) string {
	name := ""
	switch l.limit.Key {
	case KeyAgent:
		name = in.review.Caller // and not the name that it gives itself, which it could change for each call
	case KeyTool:
		name = in.ToolCall.ToolID
	case KeySession:
		name = in.SessionID
	}
	// Sessions name themselves, as long as they please.
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s/%s/%x", l.id, l.limit.Key, sum[:12])
}

func (l *limiter) each(in *input) string {
	switch l.limit.Key {
	case KeyAgent:
		if in.Agent == "" {
			return " for you"
		}
		return fmt.Sprintf(" for the agent (it calls itself %s)", quoted(in.Agent))
	case KeyTool:
		return fmt.Sprintf(" for the tool %s", quoted(in.ToolCall.ToolID))
	case KeySession:
		return " in this session"
	}
	return ""
}

// inWords writes a duration without the units that are zero.
func inWords(d time.Duration) string {
	if d < time.Second {
		d = time.Second
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if len(text) > len(zero) && text[len(text)-len(zero):] == zero {
			text = text[:len(text)-2]
		}
	}
	return text
}
