package answer

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func reading(t *testing.T, result tool.Answer, when ...string) *Reading {
	t.Helper()
	r, wrong := Compile(result, when)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return r
}

// TestResult is a table of what is picked and shaped: byte for byte where nothing is shaped.
func TestResult(t *testing.T) {
	t.Parallel()
	const body = ` {"data": {"items": [{"id": 12345678901234567890, "n": 1.50}, {"id": 2}], "a/b": "é<", "": 0}, "list": [[1], [2]]} `
	for _, test := range []struct{ pick, shape, want string }{ // "" for an error
		{"", "", body},
		{"/", "", strings.TrimSpace(body)},
		{"$", "", strings.TrimSpace(body)},
		{"/data/items/0", "", `{"id": 12345678901234567890, "n": 1.50}`},
		{"data.items.0.id", "", `12345678901234567890`},
		{"$.data.items[1].id", "", `2`},
		{"/data/a~1b", "", `"é<"`},
		{"/list/1/0", "", `2`},
		{"/data/items/2", "", ""},
		{"/data/items/-1", "", ""},
		{"/data/items/01", "", ""},
		{"/data/items/99999999999999999999", "", ""},
		{"/data/none", "", ""},
		{"/data/items/0/id/x", "", ""},
		{"", `body.data.items.map(i, i.n)`, ""},
		{"/list", `body.map(l, l[0])`, `[1,2]`},
		{"", `{"status": status, "kind": headers["content-type"]}`, `{"kind":"application/json","status":200}`},
		{"", `body.data["a/b"]`, `"é<"`},
		{"", `body.none`, ""},
	} {
		r := reading(t, tool.Answer{Pick: test.pick, Shape: test.shape})
		got, err := r.Result(Answer{200, http.Header{"Content-Type": {"application/json"}}, []byte(body)})
		if string(got) != test.want || (err == nil) != (test.want != "") {
			t.Errorf("pick %q, shape %q: %s, %v; want %s", test.pick, test.shape, got, err, test.want)
		}
	}
	for _, body := range []string{"", "no json", "{", "\xff", `{"a":1}{"a":2}`} {
		_, err := reading(t, tool.Answer{Pick: "/a"}).Result(Answer{200, nil, []byte(body)})
		if err == nil || err.Error() != "the answer is no JSON" {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// TestMeaning checks conditions over an answer: the first that holds counts, and one that cannot be decided does not.
func TestMeaning(t *testing.T) {
	t.Parallel()
	r := reading(t, tool.Answer{}, `body.code == "sold_out"`, `status >= 500 && headers["x-trouble"] == "yes"`, `body.contains("busy")`, `body.n > 2`)
	for _, test := range []struct {
		answer Answer
		want   int
	}{
		{Answer{200, nil, []byte(`{"code":"sold_out"}`)}, 0}, {Answer{409, nil, []byte(`{"code":"sold_out","n":3}`)}, 0},
		{Answer{503, http.Header{"X-Trouble": {"yes"}}, nil}, 1}, {Answer{200, http.Header{"X-Trouble": {"yes"}}, nil}, -1},
		{Answer{200, nil, []byte(`we are busy`)}, 2}, {Answer{200, nil, []byte(`{"n": 3}`)}, 3}, {Answer{200, nil, []byte(`{"n": 2.5}`)}, 3},
		{Answer{200, nil, []byte(`{"n": 2}`)}, -1}, {Answer{200, nil, []byte(`{}`)}, -1}, {Answer{200, nil, nil}, -1},
		{Answer{200, nil, []byte("\xff")}, -1},
	} {
		if got := r.Meaning(test.answer); got != test.want {
			t.Errorf("%+v: %d, want %d", test.answer, got, test.want)
		}
	}
	if (*Reading)(nil).Meaning(Answer{500, nil, nil}) != -1 {
		t.Error("nothing is said, and something is meant")
	}
}

// TestMistakes checks what cannot be compiled, and that the work of an expression is bounded.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, result := range []tool.Answer{
		{Pick: "a..b"}, {Pick: "a.*"}, {Pick: "$..a"}, {Pick: "a[?(@.b)]"}, {Shape: "body."}, {Shape: "nothing"},
		{Shape: strings.Repeat("1+", 4096) + "1"}, {Pages: tool.Pages{Next: tool.NextPointer, Items: "/"}},
		{Pages: tool.Pages{Next: tool.NextLink, Items: "a..b"}},
	} {
		if r, wrong := Compile(result, nil); len(wrong) != 1 || r != nil {
			t.Errorf("%+v: %v", result, wrong)
		}
	}
	if _, wrong := Compile(tool.Answer{}, []string{"status + 1"}); len(wrong) != 1 {
		t.Errorf("a number as a condition: %v", wrong)
	}
	many := []byte("[" + strings.Repeat("1,", 10_000) + "1]")
	r := reading(t, tool.Answer{Shape: "body.map(a, body.filter(b, b == a).size())"})
	if _, err := r.Result(Answer{200, nil, many}); err == nil {
		t.Error("a hundred million steps were taken")
	}
}

// TestNext is a table of how pages tell of the next one.
func TestNext(t *testing.T) {
	t.Parallel()
	const from = "https://a.example/list?page=1&q=x%20y"
	link := func(values ...string) Answer { return Answer{200, http.Header{"Link": values}, nil} }
	byLink := tool.Pages{Next: tool.NextLink, Items: "/"}
	byURL := tool.Pages{Next: tool.NextPointer, At: "/next", Items: "/"}
	byCursor := tool.Pages{Next: tool.NextCursor, At: "/next", Parameter: "page", Items: "/"}
	body := func(text string) Answer { return Answer{200, nil, []byte(text)} }
	for _, test := range []struct {
		pages  tool.Pages
		answer Answer
		want   string
	}{
		{byLink, link(`<https://a.example/list?page=2>; rel="next", <https://a.example/list?page=9>; rel="last"`), "https://a.example/list?page=2"},
		{byLink, link(`</x>; rel=prev, </y>; title="a, b; <z>; rel=next"; rel="last next"`), "https://a.example/y"},
		{byLink, link(`</x>; rel="prev"`, `<?page=3>; REL=Next`), "https://a.example/list?page=3"},
		{byLink, link(`</x>; title="rel=next"`), ""},
		{byLink, link(`</x>; rel="prev"; rel="next"`), ""},
		{byLink, link(`</x>; rel="nextpage"`), ""},
		{byLink, link(`</x`), ""}, {byLink, link(``), ""}, {byLink, link(`</x>`), ""}, {byLink, link(`</x>;;;rel=next`), "https://a.example/x"},
		{byLink, link(`</x>; title="\"; rel=next"`), ""},
		{byLink, link(`<//evil.example/x>; rel=next`), "https://evil.example/x"}, // who sends it looks at the origin
		{byLink, link(`<:>; rel=next`), ""},
		{byURL, body(`{"next": "/list?page=2#f"}`), "https://a.example/list?page=2"},
		{byURL, body(`{"next": null}`), ""}, {byURL, body(`{"next": ""}`), ""}, {byURL, body(`{}`), ""}, {byURL, body(`no`), ""},
		{byURL, body(`{"next": {"a": 1}}`), ""}, {byURL, body(`{"next": false}`), ""},
		{byCursor, body(`{"next": "a&q=evil#?"}`), "https://a.example/list?q=x%20y&page=a%26q%3Devil%23%3F"},
		{byCursor, body(`{"next": 2}`), "https://a.example/list?q=x%20y&page=2"},
		{byCursor, body(`{"next": 12345678901234567890}`), "https://a.example/list?q=x%20y&page=12345678901234567890"},
		{byCursor, body(`{"next": null}`), ""},
	} {
		if got := reading(t, tool.Answer{Pages: test.pages}).Next(test.answer, from, from); got != test.want {
			t.Errorf("%+v %s %v: %q, want %q", test.pages.Next, test.answer.Body, test.answer.Header, got, test.want)
		}
	}
}

// FuzzLink checks that no header makes the reader of links loop or fail.
func FuzzLink(f *testing.F) {
	f.Add(`<https://a.example/2>; rel="next", <x>; rel=last; a="\"`)
	f.Fuzz(func(t *testing.T, text string) {
		if next := nextLink(http.Header{"Link": {text}}); next != "" && !strings.Contains(text, "<"+next+">") {
			t.Errorf("%q leads to %q", text, next)
		}
	})
}
