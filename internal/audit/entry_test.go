package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

func sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// bloated is an event with the same text in every field that takes one, and long lists of it.
func bloated(text string) events.Event {
	event := events.Event{Type: events.ToolDecided}
	bloat(reflect.ValueOf(&event).Elem(), text, 40)
	return event
}

// bloat fills in all that a value has room for: texts, and as many as it is told of whatever there may be
// many of; of what those hold, a tenth.
func bloat(v reflect.Value, text string, many int) {
	many = max(many, 1)
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		bloat(v.Elem(), text, many)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(testTime))
			return
		}
		for _, field := range v.Fields() {
			bloat(field, text, many)
		}
	case reflect.String:
		if v.IsZero() {
			v.SetString(text)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), many, many))
		for i := range many {
			bloat(v.Index(i), text, many/10)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range many {
			element := reflect.New(v.Type().Elem()).Elem()
			bloat(element, text, many/10)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprint(i, text)).Convert(v.Type().Key()), element)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(text))
	}
}

func TestNoEventIsLost(t *testing.T) {
	t.Parallel()
	bad := func(arguments map[string]any) events.Event {
		event := decided("kept")
		event.Act = &events.Act{Tool: "kept too", Arguments: arguments}
		return event
	}
	timed := func(millis float64) events.Event {
		event := decided("kept")
		event.Outcome = &events.Outcome{Status: "failed", Millis: millis}
		return event
	}
	tests := []struct {
		name  string
		event events.Event
		cut   string // why the line says that it is cut; "" when it is not
	}{
		{"an ordinary one", decided("x"), ""},
		{"one that just fits", decided(strings.Repeat("x", longestLine-envelopeSize-80)), ""},
		{"one that is a little too long", decided(strings.Repeat("x", longestLine-envelopeSize)), "longer than a line may be"},
		{"a text of 8 MiB", decided(strings.Repeat("x", 8<<20)), "longer than a line may be"},
		{"long texts everywhere", bloated(strings.Repeat("ä", 4<<10)), "longer than a line may be"},
		{"a long text about a circuit", events.Event{Type: events.ToolDecided, Circuit: &events.Circuit{Tool: strings.Repeat("x", 2<<20)}}, "longer than a line may be"},
		{"a long id", events.Event{Type: events.ToolDecided, Outcome: &events.Outcome{SameAs: strings.Repeat("x", 2<<20)}}, "longer than a line may be"},
		{"control characters everywhere", bloated(strings.Repeat("\x00", 4<<10)), "longer than a line may be"},
		{"bytes that are no text everywhere", bloated(strings.Repeat("\xff", 4<<10)), "longer than a line may be"},
		{"a number that JSON does not have", bad(map[string]any{"x": math.NaN()}), "unsupported value: NaN"},
		{"a time that JSON does not have", timed(math.Inf(1)), "unsupported value: +Inf"},
		{"a number that is none", bad(map[string]any{"x": json.Number("1 or 1=1")}), "invalid number literal"},
		{"a value that is no value", bad(map[string]any{"x": func() {}}), "unsupported type: func()"},
		{"a year that JSON does not have, inside", events.Event{Type: events.ToolDecided, Circuit: &events.Circuit{
			Tool: "x", Until: time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC),
		}}, "year outside of range"},
		{"a year that JSON does not have", events.Event{Type: events.ToolDecided, Time: time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)}, ""},
	}
	log, dir := openTest(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := log.Record(context.Background(), test.event); err != nil {
				t.Fatal(err)
			}
			lines := checkChain(t, dir)
			line := lines[len(lines)-1]
			cut, _ := line["cut"].(map[string]any)
			why, _ := cut["why"].(string)
			if !strings.Contains(why, test.cut) || (test.cut == "") != (cut == nil) {
				t.Errorf("cut because %q, want %q", why, test.cut)
			}
			if strings.HasPrefix(test.cut, "longer") && (cut["bytes"].(float64) < longestLine-envelopeSize || len(cut["sha256"].(string)) != 64) {
				t.Errorf("the cut does not say of what: %v", cut)
			}
			if line["type"] != "tool.decided" {
				t.Errorf("type %v", line["type"])
			}
			if strings.HasPrefix(test.name, "a number") {
				if act, _ := line["act"].(map[string]any); line["detail"] != "kept" || act["tool"] != "kept too" {
					t.Errorf("what could be kept is lost: %v", line)
				}
			}
		})
	}
	if entries, err := List(dir, Filter{}); err != nil || len(entries) != len(tests) {
		t.Errorf("%d entries can be read, want %d (%v)", len(entries), len(tests), err)
	}
}

// FuzzRecord: whatever an event holds, it becomes exactly one line of JSON, no longer than a line may be,
// that follows the line before.
func FuzzRecord(f *testing.F) {
	f.Add("plain", "x", 1)
	f.Add("new\nline", "\u2028<&>\x00\xff", 70000)
	f.Add("", "\xed\xa0\x80", 5000)
	f.Add("long", "x", 1_200_000)
	log, err := Open(filepath.Join(f.TempDir(), "audit"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { log.Close() })
	f.Fuzz(func(t *testing.T, a, b string, times int) {
		text := strings.Repeat(b, min(max(times, 0), 3*longestLine)/max(len(b), 1))
		event := events.Event{
			Type: events.Type(a), Session: b, Detail: text, Command: []string{a, text},
			Act:      &events.Act{Tool: a, Arguments: map[string]any{a: text, b: json.Number(a)}},
			Coverage: map[string]string{a: b, b: text},
		}
		r, err := newRecord(event, testTime, newID(testTime), nil)
		if err != nil {
			t.Fatal(err)
		}
		from := end{size: 10, seq: 41, hash: sum(nil)}
		next := from
		line := next.follow(nil, r)
		if len(line) > longestLine || bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("%d bytes, first newline at %d", len(line), bytes.IndexByte(line, '\n'))
		}
		var entry Entry
		if a != "" {
			if entry, err = parseEntry(line[:len(line)-1]); err != nil {
				t.Fatal(err)
			}
			if entry.Seq != 42 || entry.Prev != from.hash {
				t.Fatalf("number %d after %s", entry.Seq, entry.Prev)
			}
		}
		if want := (end{size: 10 + int64(len(line)), seq: 42, hash: sum(line[:len(line)-1])}); next != want {
			t.Fatalf("the end is %v, want %v", next, want)
		}
	})
}
