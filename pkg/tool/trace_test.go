package tool

import (
	"strings"
	"testing"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "b7ad6b7169203331"
)

func TestParseTrace(t *testing.T) {
	t.Parallel()
	good := "00-" + traceID + "-" + parent + "-01"
	for name, test := range map[string]struct {
		header, state string
		want          Trace
	}{
		"as the recommendation writes it":     {good, "", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"not sampled":                         {"00-" + traceID + "-" + parent + "-00", "", Trace{ID: traceID, Parent: parent}},
		"flags that nobody knows":             {"00-" + traceID + "-" + parent + "-fe", "", Trace{ID: traceID, Parent: parent}},
		"a later version":                     {"cc-" + traceID + "-" + parent + "-01", "", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a later version that says more":      {"cc-" + traceID + "-" + parent + "-01-what the future", "", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a later version with half a field":   {"cc-" + traceID + "-" + parent + "-01.what", "", Trace{}},
		"this version with more":              {good + "-x", "", Trace{}},
		"nothing":                             {"", "", Trace{}},
		"too short":                           {good[:len(good)-1], "", Trace{}},
		"a blank in front":                    {" " + good, "", Trace{}},
		"a newline behind":                    {good + "\n", "", Trace{}},
		"capital letters":                     {strings.ToUpper(good), "", Trace{}},
		"no trace":                            {"00-" + strings.Repeat("0", 32) + "-" + parent + "-01", "", Trace{}},
		"no parent":                           {"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01", "", Trace{}},
		"the version that is none":            {"ff-" + traceID + "-" + parent + "-01", "", Trace{}},
		"no hexadecimal":                      {"00-" + strings.Repeat("g", 32) + "-" + parent + "-01", "", Trace{}},
		"a shell's words":                     {"00-$(touch x)" + traceID[:23] + "-" + parent + "-01", "", Trace{}},
		"dashes elsewhere":                    {"00" + traceID + "--" + parent + "--01", "", Trace{}},
		"much more":                           {"cc-" + traceID + "-" + parent + "-01-" + strings.Repeat("x", 1<<20), "", Trace{}},
		"with a state":                        {good, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7", Trace{ID: traceID, Parent: parent, Sampled: true, State: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"}},
		"with blanks and empty members":       {good, "a=1, ,b@c=2 3", Trace{ID: traceID, Parent: parent, Sampled: true, State: "a=1, ,b@c=2 3"}},
		"a state with a newline":              {good, "a=1\nX: y", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state with a letter that is none":  {good, "a=ä", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state with a capital key":          {good, "A=1", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state with a key twice":            {good, "a=1,a=2", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state with an equals in its value": {good, "a=1=2", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state without values":              {good, ",,,", Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state that is long":                {good, "a=" + strings.Repeat("x", 600), Trace{ID: traceID, Parent: parent, Sampled: true}},
		"a state with many members":           {good, strings.TrimSuffix(strings.Repeat("a=1,", 33), ","), Trace{ID: traceID, Parent: parent, Sampled: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ParseTrace(test.header, test.state); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestTraceChild(t *testing.T) {
	t.Parallel()
	if (Trace{}).Child() != (Trace{}) || (Trace{}).Header() != "" {
		t.Error("something comes of no trace")
	}
	one := ParseTrace("00-"+traceID+"-"+parent+"-01", "a=1").Child()
	if one.Parent != parent || !isHex(one.Span, 16) || one.Header() != "00-"+traceID+"-"+one.Span+"-01" || one.State != "a=1" {
		t.Errorf("%+v", one)
	}
	two := one.Child()
	if two.Parent != one.Span || two.Span == one.Span || ParseTrace(two.Header(), two.State).Parent != two.Span {
		t.Errorf("%+v below %+v", two, one)
	}
}

func FuzzParseTrace(f *testing.F) {
	f.Add("00-"+traceID+"-"+parent+"-01", "a=1")
	f.Add("cc-"+traceID+"-"+parent+"-01-x", "a@b=1,c=2")
	f.Fuzz(func(t *testing.T, header, state string) {
		got := ParseTrace(header, state)
		if got == (Trace{}) {
			return
		}
		sent := got.Child()
		for _, text := range []string{sent.Header(), sent.State} {
			if strings.Trim(text, " \t") != "" && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
				t.Errorf("%q", text)
			}
		}
		if again := ParseTrace(sent.Header(), sent.State); again.ID != got.ID || again.Parent != sent.Span || again.State != got.State {
			t.Errorf("%+v is read as %+v", sent, again)
		}
	})
}
