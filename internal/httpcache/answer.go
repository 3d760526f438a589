package httpcache

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"
)

// Answer is an answer without its body: what says whether it is kept, and for how long.
type Answer struct {
	Status int
	Header http.Header
	// Asked is when the request was sent; Came is when all of the answer was there.
	Asked, Came time.Time
}

// Entry is an answer that is kept. It never changes.
type Entry struct {
	URL    string // that was asked, without the credential
	Holder Key    // names the credential that it was asked with
	Call   string // the id of the call that asked
	Body   []byte

	header http.Header // those of kept
	came   time.Time
	age    time.Duration // when it came
	fresh  time.Duration // the age at which it is fresh no more
}

// kept are the headers that say something about an answer that is kept.
func kept() []string {
	return []string{"Age", "Cache-Control", "Date", "Etag", "Expires", "Last-Modified", "Pragma", "Vary"}
}

// Keep returns what is kept of an answer to a GET or HEAD; nil where that is nothing. inKey reports whether the key
// says all that the request said in this header.
func Keep(of Answer, body []byte, inKey func(header string) bool) *Entry {
	switch {
	case of.Status != http.StatusOK: // others can be kept (RFC 9111, 3); a part (206) only by who puts parts together
		return nil
	case len(of.Header["Set-Cookie"])+len(of.Header["Content-Range"]) > 0:
		return nil
	case !determined(of.Header, inKey):
		return nil
	}
	e := (&Entry{Body: body}).as(of)
	if e.mayNot() || e.fresh <= e.age && !e.canBeAsked() {
		return nil
	}
	return e
}

// determined reports whether an answer depends on nothing that is not in the key (RFC 9111, 4.1). Headers that stand in
// the key decide, so nothing is compared when an entry is looked for.
func determined(header http.Header, inKey func(string) bool) bool {
	for _, line := range header["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			name = textproto.TrimString(name)
			if strings.ContainsFunc(name, notInName) || name != "" && !inKey(name) {
				return false
			}
		}
	}
	return true
}

// notInName reports whether a character has no place in the name of a header (RFC 9110, 5.1), or stands for any of them.
func notInName(c rune) bool {
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	return !letter && !strings.ContainsRune("!#$%&'+-.^_`|~", c)
}

// as returns the entry with what an answer says of how long it is kept (RFC 9111, 4.2).
func (e *Entry) as(of Answer) *Entry {
	next := *e
	next.header = http.Header{}
	for _, name := range kept() {
		if lines := of.Header[name]; len(lines) > 0 {
			next.header[name] = lines
		}
	}
	next.came, next.age, next.fresh = of.Came, next.ageOf(of), next.lifetime()
	return &next
}

// Fresh reports whether an entry may be given out without asking (RFC 9111, 4.2). Where the clock has gone back, it is
// not known, and so is not.
func (e *Entry) Fresh(now time.Time) bool {
	resident := now.Sub(e.came)
	return resident >= 0 && e.age+resident < e.fresh
}

// longestAge bounds what a server says in seconds (RFC 9111, 1.2.2).
const longestAge = 1 << 31

// ageOf is how old an answer is when it has come (RFC 9111, 4.2.3).
func (e *Entry) ageOf(of Answer) time.Duration {
	var apparent, said time.Duration
	if date, err := http.ParseTime(e.header.Get("Date")); err == nil {
		apparent = max(0, of.Came.Sub(date))
	}
	for _, line := range e.header["Age"] {
		n, ok := seconds(line)
		if !ok {
			n = longestAge * time.Second // of what cannot be read nobody knows how old it is
		}
		said = max(said, n)
	}
	return max(apparent, said+max(0, of.Came.Sub(of.Asked)))
}

// longestFresh is how long an answer is given out at the most without asking, whatever it says.
const longestFresh = 24 * time.Hour

// lifetime is the age at which an answer is fresh no more (RFC 9111, 4.2.1). s-maxage is for shared caches. Of what does
// not say so, or says it twice, it is 0: nothing is guessed.
func (e *Entry) lifetime() time.Duration {
	d := e.directives()
	pragma := strings.ToLower(e.header.Get("Pragma"))
	if d.has("no-cache") || len(e.header["Cache-Control"]) == 0 && strings.Contains(pragma, "no-cache") {
		return 0
	}
	if values, said := d["max-age"]; said {
		n, ok := seconds(values[0])
		if len(values) > 1 || !ok {
			return 0
		}
		return min(n, longestFresh)
	}
	expires, date := e.header["Expires"], e.header["Date"]
	if len(expires) != 1 || len(date) != 1 {
		return 0
	}
	until, err := http.ParseTime(expires[0])
	from, errDate := http.ParseTime(date[0])
	if err != nil || errDate != nil {
		return 0
	}
	return max(0, min(until.Sub(from), longestFresh))
}

// mayNot reports whether the server wants nobody to keep the answer (RFC 9111, 5.2.2.5).
func (e *Entry) mayNot() bool { return e.directives().has("no-store") }
