package permissions

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// The bounds of limits.
const (
	mostLimitCount = 10_000
	longestLimit   = 31 * 24 * time.Hour
	mostCounters   = 4096
)

// Counter keeps how often something happened within a time. It is safe for concurrent use.
type Counter interface {
	// Count tells how often the key was taken within the time before now.
	Count(key string, per time.Duration, now time.Time) (int, error)
	// Take takes the key once, unless it was taken count times within the time before now; then it is
	// false. Looking and taking are one step, whoever else takes at the same time.
	Take(key string, count int, per time.Duration, now time.Time) (bool, error)
}

// NewCounter makes a Counter that lives as long as the program.
func NewCounter() Counter { return &memoryCounter{taken: map[string][]time.Time{}} }

type memoryCounter struct {
	mu    sync.Mutex
	taken map[string][]time.Time
}

func (c *memoryCounter) Count(key string, per time.Duration, now time.Time) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(Within(c.taken[key], per, now)), nil
}

func (c *memoryCounter) Take(key string, count int, per time.Duration, now time.Time) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := Within(c.taken[key], per, now)
	if len(kept) >= count || c.taken[key] == nil && len(c.taken) >= mostCounters {
		return false, nil
	}
	c.taken[key] = append(kept, now)
	return true, nil
}

// Within returns those of the times that lie within per before now. A time that is yet to come counts: a
// clock that was set back must not make a limit forget.
func Within(times []time.Time, per time.Duration, now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(times), func(at time.Time) bool { return !at.After(now.Add(-per)) })
}

// limitKey names what a rule's limit counts for this act.
func (c *compiledRule) limitKey(v *evaluation) string {
	apart := ""
	switch c.Limit.Key {
	case LimitAgent:
		apart = v.Caller() // an agent could give itself another name for each call
	case LimitSession:
		apart = v.Session
	case LimitTool:
		apart = strings.Join(known(v.Tools), " ")
	case LimitWorkspace:
		apart = workspaceKey(v.Workspace)
	}
	return c.ID + "\x00" + string(c.Limit.Key) + "\x00" + apart
}

// limitReached tells why a rule's limit is reached; "" when it is not, or there is none.
func (c *compiledRule) limitReached(v *evaluation) string {
	if c.Limit == nil || c.Verdict != Approve || v.counter == nil {
		return ""
	}
	n, err := v.counter.Count(c.limitKey(v), c.Limit.Per, v.now)
	switch {
	case err != nil:
		return fmt.Sprintf("it cannot be told how often the rule has approved: %v", err)
	case n >= c.Limit.Count:
		return c.Limit.reached()
	}
	return ""
}

func (l *Limit) reached() string {
	text := fmt.Sprintf("the rule has approved %s within %s, which is its limit", display.Count(l.Count, "time", "times"), l.Per)
	if l.Key != "" && l.Key != LimitAll {
		text += " for one " + string(l.Key)
	}
	return text
}

func (c *checker) checkLimit(r *Rule) {
	l := r.Limit
	if l == nil {
		return
	}
	if r.Verdict != Approve {
		c.add("limit", "only what a rule approves is counted", "take the limit out")
	}
	if l.Count < 1 || l.Count > mostLimitCount {
		c.add("limit.count", fmt.Sprintf("want 1 to %d, found %d", mostLimitCount, l.Count), "")
	}
	if l.Per < time.Second || l.Per > longestLimit {
		c.add("limit.per", fmt.Sprintf("want 1s to %s, found %s", longestLimit, l.Per), "")
	}
	if !slices.Contains([]LimitKey{"", LimitAll, LimitAgent, LimitSession, LimitTool, LimitWorkspace}, l.Key) {
		c.add("limit.key", fmt.Sprintf("%q is nothing to count by", string(l.Key)),
			"all, agent, session, tool or workspace")
	}
}
