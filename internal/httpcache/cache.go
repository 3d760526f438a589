package httpcache

import (
	"crypto/sha256"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Key names a request with all that decides what it is answered with. It is a keyed hash, of which nobody learns what
// stands in it.
type Key [sha256.Size]byte

// The bounds of what is kept.
const (
	mostEntries = 1000
	mostBytes   = 32 << 20
	// Longest is how long a body may be that is kept.
	Longest = 4 << 20
	// perEntry is what an entry takes beside its body, near enough: headers have 64 KB at the most.
	perEntry = 1 << 10
)

// Cache holds answers. Safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	entries *simplelru.LRU[Key, *Entry]
	bytes   int
	drops   Moment
}

// Moment is a moment in the life of a Cache.
type Moment uint64

// New makes an empty Cache.
func New() *Cache {
	c := &Cache{}
	c.entries, _ = simplelru.NewLRU(mostEntries, func(_ Key, e *Entry) { c.bytes -= e.size() }) // fails of no size
	return c
}

func (e *Entry) size() int {
	n := len(e.Body) + len(e.URL) + perEntry
	for _, lines := range e.header {
		for _, line := range lines {
			n += len(line)
		}
	}
	return n
}

// Find returns the entry of a key, nil for none, and when that was.
func (c *Cache) Find(k Key) (*Entry, Moment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := c.entries.Get(k)
	return e, c.drops
}

// Put keeps an entry in the place of one that has the key; nil only drops that. since is when it was looked for: an answer
// that was under way while something was dropped may be older than the reason for that, and is not kept. The entries
// that were not looked for the longest go where there is no room.
func (c *Cache) Put(k Key, e *Entry, since Moment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Remove(k)
	if e == nil || len(e.Body) > Longest || c.drops != since {
		return
	}
	c.bytes += e.size()
	c.entries.Add(k, e)
	for c.bytes > mostBytes {
		c.entries.RemoveOldest()
	}
}

// Changed drops what is kept of a URL, whoever has asked: a request that is not safe has been carried out there (RFC
// 9111, 4.4).
func (c *Cache) Changed(url string) {
	c.drop(func(e *Entry) bool { return e.URL == url })
}

// Refused drops what was asked for with a credential that a server does not take any more.
func (c *Cache) Refused(holder Key) {
	c.drop(func(e *Entry) bool { return e.Holder == holder })
}

func (c *Cache) drop(which func(*Entry) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for _, k := range c.entries.Keys() {
		if e, ok := c.entries.Peek(k); ok && which(e) {
			c.entries.Remove(k)
		}
	}
}
