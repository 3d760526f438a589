package audit

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestEncodeWhole: each member, alone and with all others, is written as encoding/json writes it; a member that the
// encoder does not know of is missing in the second.
func TestEncodeWhole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain ~\x7f", `"quoted" \`, "<a href=b>&", "new\nline\x00", "ä\u2028\U0001F600", "\xff", "\xed\xa0\x80"} {
		sameJSON(t, bloated(text))
		var event events.Event
		for _, part := range []any{&event, new(events.Act), new(events.Decision), new(events.Outcome)} {
			v := reflect.ValueOf(part).Elem()
			for _, field := range v.Fields() {
				before := reflect.New(v.Type()).Elem()
				before.Set(v)
				bloat(field, text, 2)
				whole := events.Event{Type: "x", Time: testTime}
				switch part := part.(type) {
				case *events.Event:
					whole = *part
					whole.Time = testTime
				case *events.Act:
					whole.Act = part
				case *events.Decision:
					whole.Decision = part
				case *events.Outcome:
					whole.Outcome = part
				}
				sameJSON(t, whole)
				v.Set(before)
			}
		}
	}
	sameJSON(t, events.Event{})
	sameJSON(t, events.Event{Time: testTime, Command: []string{}, Act: &events.Act{Paths: []string{""}, Arguments: map[string]any{}}})
	sameJSON(t, events.Event{Time: testTime, Outcome: &events.Outcome{Millis: math.NaN()}})
	sameJSON(t, events.Event{Time: testTime, Act: &events.Act{Arguments: map[string]any{"f": func() {}}}})
	sameJSON(t, events.Event{Time: testTime, Act: &events.Act{Arguments: map[string]any{"in": []any{map[string]any{"f": func() {}}}}}})
	for _, number := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1234567.891, 1e-6, 9.9e-7, 1e20, 1e21, math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.Inf(1), math.Inf(-1)} {
		code := int(min(1e9, max(-1e9, number)))
		sameJSON(t, events.Event{Time: testTime, Outcome: &events.Outcome{Millis: number, TokenMillis: number, ExitCode: &code, Killed: code}})
	}
	deep, itself := any("deep"), map[string]any{}
	for range 300 {
		deep = []any{map[string]any{"in": deep}}
	}
	itself["itself"] = []any{itself}
	for _, value := range []any{deep, itself, nil, true, false, "", "<\u2028\xff", 0, -7, int64(1) << 62, uint8(9), 1e21, 0.25, json.Number("1e5"), json.Number(""),
		json.Number("no"), json.RawMessage(`{"a": 1}`), []string{"a"}, []any(nil), []any{}, []any{nil, "a", []any{1}}, map[string]any(nil),
		map[string]any{}, map[string]any{"b": 1, "a": map[string]any{"\xff": nil, "\x00": "x", "": []any{}}}, map[string]string{"b": "", "a": "<"},
		new("text"), struct{ A int }{1}} {
		sameJSON(t, events.Event{Time: testTime, Act: &events.Act{Arguments: map[string]any{"v": value, "list": []any{value, value}}}})
	}
}

// FuzzEncodeWhole: whatever the texts of an event hold, it is written as encoding/json writes it.
func FuzzEncodeWhole(f *testing.F) {
	f.Add("plain", "x", int64(0), true)
	f.Add("new\nline", "\u2028<&>\x00\xff", int64(1), false)
	f.Add("", "\xed\xa0\x80\x7f", int64(1e18), true)
	f.Fuzz(func(t *testing.T, a, b string, nanos int64, yes bool) {
		event := bloated(b)
		event.Type, event.Session, event.Late, event.Sampled = events.Type(a), a, yes, !yes
		event.Time = testTime.AddDate(0, 0, int(nanos%1e6))
		event.Command = []string{a, b, ""}
		event.Act.Tool, event.Act.Paths, event.Act.ReadOnly = a, []string{b, a}, yes
		event.Act.Arguments = map[string]any{a: b, b: json.Number(a)}
		event.Decision.Rule = a
		sameJSON(t, event)
	})
}

func sameJSON(t *testing.T, event events.Event) {
	t.Helper()
	want, wantErr := encode(event)
	got, err := encodeWhole(&event)
	switch {
	case (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error():
		t.Errorf("error %v, want %v", err, wantErr)
	case err == nil && string(got) != string(want):
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
