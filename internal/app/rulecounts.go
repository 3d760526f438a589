package app

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// counts keeps how often rules have approved in a file of the state directory, so that a limit holds for
// all bridges of a user together, and outlives them. It is a permissions.Counter.
type counts struct{ file state.Shared }

func newCounts(dir string) *counts { return &counts{state.SharedFile(dir, "limits.json")} }

// counted is one key of the file. Times are in milliseconds since 1970.
type counted struct {
	Per   time.Duration `json:"per"`
	Times []int64       `json:"times"`
}

// mostCounted bounds the keys of the file. An agent chooses its own name, and so the keys of a limit by
// agent.
const mostCounted = 1024

// keyOf names a key in the file: what it is made of may be long, and is nobody's business there.
func keyOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// Count implements permissions.Counter.
func (c *counts) Count(key string, per time.Duration, now time.Time) (int, error) {
	all := map[string]counted{}
	if err := c.file.Read(&all); err != nil {
		return 0, err
	}
	return len(permissions.Within(moments(all[keyOf(key)].Times), per, now)), nil
}

// Take implements permissions.Counter.
func (c *counts) Take(key string, count int, per time.Duration, now time.Time) (taken bool, err error) {
	all := map[string]counted{}
	err = c.file.Change(&all, func() (bool, error) {
		for name, other := range all { // what no limit looks at any more
			if len(permissions.Within(moments(other.Times), other.Per, now)) == 0 {
				delete(all, name)
			}
		}
		name := keyOf(key)
		kept := permissions.Within(moments(all[name].Times), per, now)
		if _, known := all[name]; len(kept) >= count || !known && len(all) >= mostCounted {
			return false, nil
		}
		next := counted{Per: per}
		for _, at := range append(kept, now) {
			next.Times = append(next.Times, at.UnixMilli())
		}
		all[name], taken = next, true
		return true, nil
	})
	return taken && err == nil, err
}

func moments(millis []int64) []time.Time {
	times := make([]time.Time, len(millis))
	for i, at := range millis {
		times[i] = time.UnixMilli(at)
	}
	return times
}
