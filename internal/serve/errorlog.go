package serve

import (
	"fmt"
	"log" //nolint:depguard // http.Server takes nothing else
	"strings"
	"sync"
	"time"
)

// errorLog is what http.Server complains to: handshakes that fail, and handlers that panic. Anybody who can
// connect has it complain, so only so much is told.
type errorLog struct {
	say func(string)

	mu     sync.Mutex
	since  time.Time
	told   int
	silent int
}

// The bounds of what is told.
const (
	toldPer  = time.Minute
	mostTold = 10
	longest  = 2048 // bytes of one complaint
)

func newErrorLog(say func(string)) *log.Logger { return log.New(&errorLog{say: say}, "", 0) }

// Write implements io.Writer: a complaint at a time.
func (l *errorLog) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p[:min(len(p), longest)]))
	l.mu.Lock()
	if now := time.Now(); now.Sub(l.since) >= toldPer {
		if l.silent > 0 {
			text += fmt.Sprintf(" (%d more were not told)", l.silent)
		}
		l.since, l.told, l.silent = now, 0, 0
	}
	l.told++
	tell := l.told <= mostTold
	if !tell {
		l.silent++
	}
	l.mu.Unlock()
	if tell {
		l.say(text)
	}
	return len(p), nil
}
