package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"
)

// TestEveryValueInItsPlace sends made-up values in made-up templates to all servers that are there: each reads the
// very value in its place, or nothing is sent. A2A_REQUEST_RUNS says how many requests, and A2A_REQUEST_SEED where to
// begin.
func TestEveryValueInItsPlace(t *testing.T) {
	t.Parallel()
	runs, seed := number(t, "A2A_REQUEST_RUNS", 2000), number(t, "A2A_REQUEST_SEED", 42)
	if testing.Short() {
		runs = min(runs, 500)
	}
	all := servers(t)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true}}
	t.Cleanup(client.CloseIdleConnections)
	var next, sent, refused, unserved atomic.Int64
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() { // ends when all are sent, or at the first mistake
			for n := next.Add(1) - 1; n < int64(runs) && !t.Failed(); n = next.Add(1) - 1 {
				s := all[int(n)%len(all)]
				m := makeUp(uint64(seed) + uint64(n))
				switch err := m.tryOn(t, s, client); {
				case err == nil:
					sent.Add(1)
				case errors.Is(err, errNothingSent):
					refused.Add(1)
				case errors.As(err, new(errNotServed)):
					unserved.Add(1)
				default:
					t.Errorf("%s, seed %d: %v\n%+v\n%q", s.name, seed+int(n), err, m.spec, m.arguments)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d requests were read as they are meant, %d not sent, %d refused by servers", sent.Load(), refused.Load(), unserved.Load())
	if !t.Failed() && (sent.Load() < int64(runs)/5 || unserved.Load() > int64(runs)/10) {
		t.Error("too little was sent to say anything")
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var errNothingSent = errors.New("nothing is sent")

// tryOn renders a call and has a server read it.
func (m *madeUp) tryOn(t testing.TB, s *server, client *http.Client) error {
	if m.want.XML != nil && !s.xml {
		return errNothingSent
	}
	if m.encoded && s.front {
		return errNothingSent // a server in front undoes it: that is what slash: encoded says
	}
	template, found := Compile(m.spec, m.parameters)
	if template == nil {
		return fmt.Errorf("%+v", found)
	}
	rendered, failure := template.Render(m.arguments, "call")
	if failure != nil {
		return fmt.Errorf("%w: %w", errNothingSent, failure)
	}
	got, err := s.ask(t, client, rendered)
	if err != nil {
		return err
	}
	want := m.want
	if s.markless {
		want.Parts = withoutMarks(want.Parts, got.Parts)
	}
	return want.same(got)
}

// withoutMarks takes the marks of UTF-8 away that a text begins with, where it was read without them: node's formData()
// takes away up to two.
func withoutMarks(meant, read []seenPart) (kept []seenPart) {
	for i, part := range meant {
		for range 2 {
			if i < len(read) && read[i].Content != part.Content {
				part.Content = strings.TrimPrefix(part.Content, "\ufeff")
			}
		}
		kept = append(kept, part)
	}
	return kept
}

// same wants what was read to be what was meant.
func (want *seen) same(got *seen) error {
	if got.Method != want.Method {
		return fmt.Errorf("the method is %s", got.Method)
	}
	if strings.Join(got.Segments, "\x00") != strings.Join(want.Segments, "\x00") {
		return fmt.Errorf("the path is %q, want %q", got.Segments, want.Segments)
	}
	if decoded := "/" + strings.Join(got.Segments, "/"); path.Clean(decoded) != decoded {
		return fmt.Errorf("the path %q leads to %q", decoded, path.Clean(decoded))
	}
	for name, pairs := range map[string][2][][2]string{"query": {want.Query, got.Query}, "form": {want.Form, got.Form}} {
		if fmt.Sprintf("%q", pairs[0]) != fmt.Sprintf("%q", pairs[1]) {
			return fmt.Errorf("the %s is %q, want %q", name, pairs[1], pairs[0])
		}
	}
	for name, value := range want.Headers {
		if got.Headers[name] != value {
			return fmt.Errorf("the header %s is %q, want %q", name, got.Headers[name], value)
		}
	}
	for name := range got.Headers {
		if _, meant := want.Headers[name]; !meant && !usual[name] {
			return fmt.Errorf("there is a header %s: %q", name, got.Headers[name])
		}
	}
	if want.JSON != nil || got.JSON != nil {
		a, _ := json.Marshal(want.JSON)
		b, _ := json.Marshal(got.JSON)
		var x, y any
		_ = json.Unmarshal(a, &x)
		_ = json.Unmarshal(b, &y)
		if !reflect.DeepEqual(x, y) {
			return fmt.Errorf("the body is %s, want %s", b, a)
		}
	}
	if fmt.Sprintf("%q", got.Parts) != fmt.Sprintf("%q", want.Parts) {
		return fmt.Errorf("the parts are %q, want %q", got.Parts, want.Parts)
	}
	if a, b := withoutEmpty(want.XML), withoutEmpty(got.XML); a != b {
		return fmt.Errorf("the elements are %s, want %s", b, a)
	}
	if got.Text != want.Text {
		return fmt.Errorf("the text is %q, want %q", got.Text, want.Text)
	}
	return nil
}

func withoutEmpty(texts []string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return fmt.Sprintf("%q", kept)
}

// usual are headers that the client, or a server in front, adds.
var usual = map[string]bool{
	"host": true, "user-agent": true, "content-length": true, "content-type": true, "accept-encoding": true, "connection": true,
	"x-forwarded-for": true, "x-forwarded-host": true, "x-forwarded-server": true, "transfer-encoding": true,
}

// FuzzRender has a value of the fuzzer's in each kind of place.
func FuzzRender(f *testing.F) {
	for _, value := range nasty {
		f.Add(uint64(1), value)
	}
	f.Fuzz(func(t *testing.T, seed uint64, value string) {
		if !utf8.ValidString(value) {
			t.Skip() // arguments are text
		}
		m := makeUpOf(seed, &value)
		if err := m.tryOn(t, &server{xml: true}, nil); err != nil && !errors.Is(err, errNothingSent) {
			t.Fatal(err)
		}
	})
}
