package webhook

import (
	"testing"
	"time"
)

// TestQuiet checks when quiet hours are over, on both sides of midnight and where clocks are changed.
func TestQuiet(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine has no time zones: ", err)
	}
	lord, err := time.LoadLocation("Australia/Lord_Howe") // its clocks are changed by half an hour
	if err != nil {
		t.Skip(err)
	}
	clock := func(text string) Clock {
		c, err := ParseClock(text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, test := range []struct {
		name, start, end string
		zone             *time.Location
		now, until       string // RFC 3339; "" for not quiet
	}{
		{"before", "22:00", "07:00", time.UTC, "2026-11-24T21:59:59Z", ""},
		{"at the start", "22:00", "07:00", time.UTC, "2026-11-24T22:00:00Z", "2026-11-25T07:00:00Z"},
		{"before midnight", "22:00", "07:00", time.UTC, "2026-11-24T23:59:59Z", "2026-11-25T07:00:00Z"},
		{"after midnight", "22:00", "07:00", time.UTC, "2026-11-25T00:00:00Z", "2026-11-25T07:00:00Z"},
		{"a moment before the end", "22:00", "07:00", time.UTC, "2026-11-25T06:59:59Z", "2026-11-25T07:00:00Z"},
		{"at the end", "22:00", "07:00", time.UTC, "2026-11-25T07:00:00Z", ""},
		{"of one day", "12:30", "13:15", time.UTC, "2026-11-25T12:30:00Z", "2026-11-25T13:15:00Z"},
		{"of one day, before", "12:30", "13:15", time.UTC, "2026-11-25T12:29:59Z", ""},
		{"of one day, behind", "12:30", "13:15", time.UTC, "2026-11-25T13:15:00Z", ""},
		{"minutes count", "22:45", "07:00", time.UTC, "2026-11-24T22:44:00Z", ""},
		{"in a zone", "22:00", "07:00", berlin, "2026-11-24T21:30:00Z", "2026-11-25T06:00:00Z"},
		{"at the end of a month", "22:00", "07:00", time.UTC, "2026-11-30T23:00:00Z", "2026-12-01T07:00:00Z"},
		{"at the end of a year", "22:00", "07:00", time.UTC, "2026-12-31T23:00:00Z", "2027-01-01T07:00:00Z"},
		{"the clocks go forward", "22:00", "07:00", berlin, "2027-03-28T00:30:00Z", "2027-03-28T05:00:00Z"},
		{"the end is not there that day", "22:00", "02:30", berlin, "2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z"},
		{"the clocks go back", "22:00", "07:00", berlin, "2026-10-25T00:30:00Z", "2026-10-25T06:00:00Z"},
		{"the hour that comes twice, first", "01:00", "02:30", berlin, "2026-10-24T23:30:00Z", "2026-10-25T01:30:00Z"},
		{"the hour that comes twice, again", "01:00", "02:30", berlin, "2026-10-25T01:15:00Z", "2026-10-25T01:30:00Z"},
		{"half an hour", "22:00", "07:00", lord, "2026-10-03T15:29:00Z", "2026-10-03T20:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		if err != nil {
			t.Fatal(err)
		}
		q := &Quiet{Start: clock(test.start), End: clock(test.end), Zone: test.zone}
		got := ""
		if until := q.until(now); !until.IsZero() {
			got = until.UTC().Format(time.RFC3339)
		}
		if got != test.until {
			t.Errorf("%s (%s, at %s): until %q, want %q", test.name, q, test.now, got, test.until)
		}
	}
	if until := (*Quiet)(nil).until(time.Now()); !until.IsZero() {
		t.Error("without hours it is quiet")
	}
}

// TestQuietEnds checks at each minute of some days that quiet hours end, in the future, and that it is not
// quiet for ever.
func TestQuietEnds(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{time.UTC}
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"} {
		if zone, err := time.LoadLocation(name); err == nil {
			zones = append(zones, zone)
		}
	}
	for _, zone := range zones {
		for _, q := range []*Quiet{{1320, 420, zone}, {60, 150, zone}, {0, 1439, zone}, {1439, 0, zone}} {
			for _, day := range []string{"2026-10-24", "2026-11-01", "2027-03-13", "2027-03-27", "2027-04-03", "2011-12-29"} {
				at, err := time.Parse(time.DateOnly, day)
				if err != nil {
					t.Fatal(err)
				}
				for range 3 * 24 * 60 {
					at = at.Add(time.Minute)
					for now, n := at, 0; ; n++ {
						until := q.until(now)
						if until.IsZero() {
							break
						}
						if !until.After(now) || n > 120 {
							t.Fatalf("%s at %s: quiet until %s", q, at, until)
						}
						now = until
					}
				}
			}
		}
	}
}

// TestParseClock checks what is a time of day.
func TestParseClock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Clock{"00:00": 0, "07:05": 425, "23:59": 1439} {
		if got, err := ParseClock(text); got != want || err != nil || got.String() != text {
			t.Errorf("%q: got %d (%s), %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "7:00", "24:00", "12:60", "12", "12:00:00", "noon", "-1:00", "12:0", " 12:00"} {
		if got, err := ParseClock(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// TestDelays checks what a Retry waits, with and without jitter.
func TestDelays(t *testing.T) {
	t.Parallel()
	growing := Retry{Attempts: 5, First: time.Second, Longest: 10 * time.Second, Multiplier: 3}
	jumping := Retry{Attempts: 200, First: time.Hour, Longest: LongestDelay, Multiplier: 100, Jitter: 1}
	for _, test := range []struct {
		name     string
		retry    Retry
		failures int
		random   float64
		want     time.Duration
	}{
		{"the first of a day", Retry{}, 1, 0.5, 5 * time.Second},
		{"the least of it", Retry{}, 1, 0, 4 * time.Second},
		{"the most of it", Retry{}, 1, 1, 6 * time.Second},
		{"the last of a day", Retry{}, 7, 0.5, 10 * time.Hour},
		{"beyond", Retry{}, 99, 0.5, 10 * time.Hour},
		{"its first", growing, 1, 0, time.Second},
		{"its second", growing, 2, 0, 3 * time.Second},
		{"its third", growing, 3, 1, 9 * time.Second},
		{"its longest", growing, 4, 0, 10 * time.Second},
		{"more than a number holds", jumping, 200, 0.5, LongestDelay},
		{"all of it jitter", jumping, 1, 0, 0},
	} {
		if got := test.retry.delay(test.failures, test.random); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	var sum time.Duration
	for _, delay := range aDay {
		sum += delay
	}
	if sum < 24*time.Hour || sum > 48*time.Hour || (Retry{}).attempts() != 8 {
		t.Errorf("it is tried over %s, %d times", sum, (Retry{}).attempts())
	}
}

// TestPatterns checks what * stands for.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, name string
		fits          bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a", "ab", false}, {"", "", true}, {"", "a", false},
		{"*", "", true}, {"*", "x/y", true}, {"a*", "a", true}, {"a*", "ab", true}, {"a*", "ba", false},
		{"*b", "ab", true}, {"*b", "bab", true}, {"*b", "ba", false}, {"a*b", "ab", true}, {"a*b", "aab", true}, {"a*b", "a", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"a*b*c", "abc", true}, {"a*b*c", "axbxc", true}, {"a*b*c", "acb", false},
		{"functions.acp_fs__*_text_file", "functions.acp_fs__read_text_file", true}, {"**", "x", true}, {"a[b]", "ab", false}, {"a?", "ab", false},
		{"ab*ba", "aba", false},
	} {
		if got := fitsPattern(test.pattern, test.name); got != test.fits {
			t.Errorf("%q and %q: %t", test.pattern, test.name, got)
		}
	}
}
