package httpcache

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// header reads "Name: value" lines.
func header(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

func date(after time.Duration) string { return noon.Add(after).Format(http.TimeFormat) }

// keyed are the headers that stand in the key of these tests.
func keyed(name string) bool { return !strings.EqualFold(name, "X-Request-Id") }

// TestKept holds what is kept, and for how long, against RFC 9111.
func TestKept(t *testing.T) {
	t.Parallel()
	const never, asked = -1, 0 // not kept; kept, and never given out without asking
	tag := `ETag: "a"`
	for name, test := range map[string]struct {
		fresh   int // seconds
		headers []string
	}{
		"nothing is said":                    {never, nil},
		"only a date":                        {never, []string{"Date: " + date(0)}},
		"max-age (5.2.2.1)":                  {60, []string{"Cache-Control: max-age=60"}},
		"quoted":                             {60, []string{`Cache-Control: max-age="60"`}},
		"in capitals, among others":          {60, []string{"Cache-Control: foo, Max-Age=60, bar=baz"}},
		"in a second line":                   {60, []string{"Cache-Control: private", "Cache-Control: max-age=60"}},
		"private (5.2.2.7)":                  {60, []string{"Cache-Control: private, max-age=60"}},
		"private fields":                     {60, []string{`Cache-Control: private="x, no-store", max-age=60`}},
		"s-maxage is not ours (5.2.2.10)":    {60, []string{"Cache-Control: s-maxage=6000, max-age=60"}},
		"s-maxage alone":                     {never, []string{"Cache-Control: s-maxage=6000"}},
		"max-age before Expires (5.3)":       {60, []string{"Cache-Control: max-age=60", "Date: " + date(0), "Expires: " + date(time.Hour)}},
		"Expires":                            {3600, []string{"Date: " + date(0), "Expires: " + date(time.Hour)}},
		"Expires without a date":             {never, []string{"Expires: " + date(time.Hour)}},
		"Expires: 0":                         {never, []string{"Date: " + date(0), "Expires: 0"}},
		"Expires twice":                      {never, []string{"Date: " + date(0), "Expires: " + date(time.Hour), "Expires: " + date(2*time.Hour)}},
		"Expires in the past":                {never, []string{"Date: " + date(0), "Expires: " + date(-time.Hour)}},
		"no-store (5.2.2.5)":                 {never, []string{"Cache-Control: no-store, max-age=60", tag}},
		"no-store in another line":           {never, []string{"Cache-Control: max-age=60", "Cache-Control: NO-STORE"}},
		"no-cache (5.2.2.4)":                 {asked, []string{"Cache-Control: no-cache, max-age=60", tag}},
		"no-cache of a field":                {asked, []string{`Cache-Control: no-cache="Set-Cookie", max-age=60`, tag}},
		"no-cache, and nothing to ask with":  {never, []string{"Cache-Control: no-cache, max-age=60"}},
		"Pragma (5.4)":                       {never, []string{"Pragma: no-cache"}},
		"Pragma and Expires":                 {asked, []string{"Pragma: no-cache", "Date: " + date(0), "Expires: " + date(time.Hour), tag}},
		"max-age=0":                          {asked, []string{"Cache-Control: max-age=0", tag}},
		"twice (4.2.1)":                      {asked, []string{"Cache-Control: max-age=60, max-age=6000", tag}},
		"no number":                          {asked, []string{"Cache-Control: max-age=1h", tag}},
		"negative":                           {asked, []string{"Cache-Control: max-age=-1", tag}},
		"with a sign":                        {asked, []string{"Cache-Control: max-age=+60", tag}},
		"no value":                           {asked, []string{"Cache-Control: max-age", tag}},
		"an open quote":                      {asked, []string{`Cache-Control: max-age="60`, tag}},
		"no-store within a quote that ends":  {60, []string{`Cache-Control: x="no-store", max-age=60`}},
		"a quote within a quote":             {60, []string{`Cache-Control: x="\", no-store, \"", max-age=60`}},
		"larger than any number":             {86400, []string{"Cache-Control: max-age=99999999999999999999999999"}},
		"a year":                             {86400, []string{"Cache-Control: max-age=31536000"}},
		"Age (4.2.3)":                        {40, []string{"Cache-Control: max-age=60", "Age: 20"}},
		"Age twice":                          {30, []string{"Cache-Control: max-age=60", "Age: 20", "Age: 30"}},
		"Age is older than it is fresh":      {never, []string{"Cache-Control: max-age=60", "Age: 61"}},
		"Age that cannot be read":            {asked, []string{"Cache-Control: max-age=60", "Age: young", tag}},
		"an old date":                        {30, []string{"Cache-Control: max-age=60", "Date: " + date(-30*time.Second)}},
		"a date to come":                     {60, []string{"Cache-Control: max-age=60", "Date: " + date(time.Hour)}},
		"Vary (4.1)":                         {60, []string{"Cache-Control: max-age=60", "Vary: Accept, accept-language"}},
		"Vary: *":                            {never, []string{"Cache-Control: max-age=60", "Vary: *", tag}},
		"Vary: * among others":               {never, []string{"Cache-Control: max-age=60", "Vary: Accept,*", tag}},
		"Vary: * in another line":            {never, []string{"Cache-Control: max-age=60", "Vary: Accept", "Vary:  * "}},
		"Vary by what is in no key":          {never, []string{"Cache-Control: max-age=60", "Vary: x-request-id"}},
		"Vary by that in another line":       {never, []string{"Cache-Control: max-age=60", "Vary: Accept", "Vary: Cookie,\tX-REQUEST-ID\t,"}},
		"Vary with more than a name":         {never, []string{"Cache-Control: max-age=60", "Vary: X-Request-Id;q=1"}},
		"Vary in quotes":                     {never, []string{"Cache-Control: max-age=60", `Vary: "X-Request-Id"`}},
		"Vary with blanks between":           {never, []string{"Cache-Control: max-age=60", "Vary: Accept X-Request-Id"}},
		"a cookie":                           {never, []string{"Cache-Control: max-age=60", "Set-Cookie: session=1", tag}},
		"an empty cookie":                    {never, []string{"Cache-Control: max-age=60", "Set-Cookie: "}},
		"a range":                            {never, []string{"Cache-Control: max-age=60", "Content-Range: bytes 0-1/2"}},
		"a tag":                              {asked, []string{tag}},
		"a weak tag":                         {asked, []string{`ETag: W/"a"`}},
		"a tag without quotes":               {never, []string{"ETag: a"}},
		"two tags":                           {never, []string{tag, `ETag: "b"`}},
		"a tag with a quote":                 {never, []string{`ETag: "a", "b"`}},
		"a tag that is too long":             {never, []string{`ETag: "` + strings.Repeat("a", longestTag) + `"`}},
		"when it was changed":                {asked, []string{"Last-Modified: " + date(-time.Hour)}},
		"a change that is no date":           {never, []string{"Last-Modified: yesterday"}},
		"a change of another form":           {never, []string{"Last-Modified: " + noon.Format(time.RFC850)}},
		"stale-while-revalidate is not done": {60, []string{"Cache-Control: max-age=60, stale-while-revalidate=600, stale-if-error=600, immutable"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Keep(Answer{Status: 200, Header: header(test.headers...), Asked: noon, Came: noon}, nil, keyed)
			got := never
			if e != nil {
				for got = asked; e.Fresh(noon.Add(time.Duration(got) * time.Second)); {
					got += 10
				}
			}
			if got != test.fresh {
				t.Errorf("fresh for %d s, want %d", got, test.fresh)
			}
		})
	}
}

// TestKeptStatus checks that nothing is kept but whole answers.
func TestKeptStatus(t *testing.T) {
	t.Parallel()
	for status := 100; status < 600; status++ {
		e := Keep(Answer{Status: status, Header: header("Cache-Control: max-age=60"), Asked: noon, Came: noon}, nil, keyed)
		if (e != nil) != (status == 200) {
			t.Errorf("kept %t with status %d", e != nil, status)
		}
	}
}

// TestAge checks that the time an answer took counts, and that nothing is known once the clock has gone back.
func TestAge(t *testing.T) {
	t.Parallel()
	e := Keep(Answer{Status: 200, Header: header("Cache-Control: max-age=60", "Age: 10"), Asked: noon.Add(-20 * time.Second), Came: noon}, nil, keyed)
	for at, want := range map[time.Duration]bool{0: true, 29 * time.Second: true, 30 * time.Second: false, -time.Second: false, 1 << 62: false} {
		if got := e.Fresh(noon.Add(at)); got != want {
			t.Errorf("%s later it is fresh: %t, want %t", at, got, want)
		}
	}
}

// TestRevalidated checks what an entry is after its server has said that it holds (RFC 9111, 4.3.4).
func TestRevalidated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers  []string
		ok, keep bool
		fresh    bool // a minute later
	}{
		"nothing is said anew":        {nil, true, true, false},
		"for longer":                  {[]string{"Cache-Control: max-age=600"}, true, true, true},
		"the same tag":                {[]string{`ETag: "a"`, "Cache-Control: max-age=600"}, true, true, true},
		"the same tag, weakly":        {[]string{`ETag: W/"a"`, "Cache-Control: max-age=600"}, true, true, true},
		"another tag":                 {[]string{`ETag: "b"`}, false, false, false},
		"two tags":                    {[]string{`ETag: "a"`, `ETag: "b"`}, false, false, false},
		"a tag that is none":          {[]string{"ETag: a"}, false, false, false},
		"not to be kept any more":     {[]string{"Cache-Control: no-store"}, true, false, false},
		"it varies by anything now":   {[]string{"Vary: *"}, true, false, false},
		"by what is in no key":        {[]string{"Vary: X-Request-Id"}, true, false, false},
		"with a cookie":               {[]string{"Set-Cookie: a=b", "Cache-Control: max-age=600"}, true, false, true},
		"an age of the new one":       {[]string{"Age: 590", "Cache-Control: max-age=600"}, true, true, false},
		"no age of the one before it": {[]string{"Cache-Control: max-age=100"}, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := Keep(Answer{Status: 200, Header: header(`ETag: "a"`, "Age: 50", "Cache-Control: max-age=60"), Asked: noon, Came: noon},
				[]byte("body"), keyed)
			later := noon.Add(time.Hour)
			e, keep, ok := before.Revalidated(Answer{Status: 304, Header: header(test.headers...), Asked: later, Came: later}, keyed)
			if keep != test.keep || ok != test.ok || ok && e.Fresh(later.Add(time.Minute)) != test.fresh {
				t.Errorf("holds %t, kept %t, want %t, %t; then fresh: want %t", ok, keep, test.ok, test.keep, test.fresh)
			}
			if ok && string(e.Body) != "body" {
				t.Errorf("the body is %q", e.Body)
			}
		})
	}
}

// TestBounds checks that what is kept has bounds, and that what was looked for goes last.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"many": 1, "large": Longest, "too large": Longest + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, body := New(), make([]byte, size)
			for i := range 3 * mostEntries {
				c.Put(Key{byte(i), byte(i >> 8)}, &Entry{Body: body}, 0)
				c.Find(Key{})
				if c.bytes > mostBytes || c.entries.Len() > mostEntries || c.bytes < 0 {
					t.Fatalf("%d bytes of %d entries", c.bytes, c.entries.Len())
				}
			}
			first, _ := c.Find(Key{})
			if kept := size <= Longest; (first != nil) != kept || kept != (c.entries.Len() > 1) {
				t.Errorf("%d entries of %d bytes, the first among them: %t", c.entries.Len(), size, first != nil)
			}
			c.drop(func(*Entry) bool { return true })
			if c.bytes != 0 || c.entries.Len() != 0 {
				t.Errorf("%d bytes of %d entries when all are gone", c.bytes, c.entries.Len())
			}
		})
	}
}

// TestUnderWay checks that an answer is not kept that was under way while its URL was changed, or its credential refused.
func TestUnderWay(t *testing.T) {
	t.Parallel()
	for i, event := range []func(*Cache){
		func(c *Cache) { c.Changed("https://shop/orders") },
		func(c *Cache) { c.Refused(Key{7}) },
		func(*Cache) {},
	} {
		c := New()
		c.Put(Key{1}, &Entry{URL: "https://shop/orders"}, 0)
		c.Put(Key{2}, &Entry{URL: "https://shop/other", Holder: Key{7}}, 0)
		_, since := c.Find(Key{3})
		event(c)
		c.Put(Key{3}, &Entry{URL: "https://shop/orders"}, since)
		var there []string
		for k := range byte(4) {
			if e, _ := c.Find(Key{k}); e != nil {
				there = append(there, fmt.Sprint(k))
			}
		}
		if got, want := strings.Join(there, " "), []string{"2", "1", "1 2 3"}[i]; got != want {
			t.Errorf("after event %d there are %s, want %s", i, got, want)
		}
	}
}
