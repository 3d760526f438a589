package tasklog

import (
	"sync"
	"time"
)

// news tells those who follow many tasks that something has happened to one of them. It does so at most every
// newsEvery, and at the latest with the next look of the writer.
type news struct {
	mu    sync.Mutex
	next  chan struct{} // closed when there are news, and replaced
	some  bool          // that were not told
	since time.Time     // when was told last
}

const newsEvery = 20 * time.Millisecond

// heard notes that something has happened.
func (n *news) heard() {
	n.mu.Lock()
	n.some = true
	early := time.Since(n.since) < newsEvery
	n.mu.Unlock()
	if !early {
		n.tell()
	}
}

func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.some {
		return
	}
	n.some, n.since = false, time.Now()
	close(n.next)
	n.next = make(chan struct{})
}

// LookAgain has whoever waits for News look again, as after another one may be told what there is already.
func (l *Log) LookAgain() {
	l.news.heard()
	l.news.tell()
}

// News returns a channel that is closed when something has happened to some task, soon after.
func (l *Log) News() <-chan struct{} {
	l.news.mu.Lock()
	defer l.news.mu.Unlock()
	return l.news.next
}
