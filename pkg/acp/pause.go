package acp

import (
	"context"
	"time"
)

// pause waits until a click on the question before cannot be meant for this one.
func (b *Bridge) pause(ctx context.Context) error {
	for {
		b.mu.Lock()
		rest := time.Until(b.lastEnded.Add(b.o.Pause))
		b.mu.Unlock()
		if rest <= 0 {
			return context.Cause(ctx)
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// clicked notes that something has ended that a person may have clicked on.
func (b *Bridge) clicked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lastEnded = time.Now()
}
