package executor

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const shopKey = "correct-horse-battery"

// asking makes a house with a tool that sends a GET to a server, with a key, and reads the answers as its author says.
func asking(t *testing.T, server http.Handler, says tool.Answer, when ...string) (*house, *tool.Tool) {
	t.Helper()
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": shopKey}
	client := httptool.New()
	t.Cleanup(client.Close)
	h.executor.client, h.executor.requests = client, requests{client: client}
	list := script("")
	list.Script, list.Sandbox.AllowedPaths, list.Parameters = "", nil, nil
	list.Sandbox.References = map[string]tool.Reference{tool.AuthBearer.Reference(): {Secret: "key"}}
	list.Sandbox.Limits.Output = 1 << 20
	list.ErrorMapping = map[int]tool.MappedError{404: {Code: -32002, Message: "None"}}
	for i, text := range when {
		list.ErrorMapping[meantBy(i)] = tool.MappedError{Code: -32000 - i, Message: text, If: text, Retryable: true}
	}
	list.HTTP = &tool.HTTP{Method: "GET", Line: "GET " + at.URL + "/list", Answer: says, API: tool.API{Name: "shop", Origin: at.URL,
		Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Auth: tool.Auth{Kind: tool.AuthBearer}}}
	template, findings := request.Compile(request.Spec{Method: "GET", Base: at.URL, Path: "/list",
		Query: []request.Field{{Name: "page", Value: request.Text("1")}}}, nil)
	reading, wrong := answer.Compile(says, when)
	if template == nil || len(wrong) > 0 {
		t.Fatal(findings, wrong)
	}
	h.tools = NewTools([]*Entry{{Tool: list, Request: template, Answer: reading}})
	return h, list
}

// TestPages checks that the pages of an answer are put together in their order, with the source's credential, within
// their bounds, and that nothing is asked of another origin, whatever a page names.
func TestPages(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	for name, test := range map[string]struct {
		next  func(page string) string // the URL behind a page
		most  int
		want  string // "" for a failure
		asked int
		says  string
	}{
		"two more":       {func(p string) string { return map[string]string{"1": "?page=2", "2": "/list?page=3"}[p] }, 10, "[11,12,21,22,31,32]", 3, ""},
		"too many":       {func(p string) string { return "?page=" + p + "1" }, 3, "[11,12,111,112,1111,1112]", 3, "there are more pages than the 3"},
		"a circle":       {func(p string) string { return map[string]string{"1": "?page=2", "2": "?page=1"}[p] }, 10, "[11,12,21,22]", 2, "read already"},
		"itself":         {func(string) string { return "?page=1" }, 10, "[11,12]", 1, "read already"},
		"another host":   {func(string) string { return other.URL + "/list" }, 10, "", 1, "another origin"},
		"a user":         {func(string) string { return "http://me@127.0.0.1/list" }, 10, "", 1, "another origin"},
		"another scheme": {func(string) string { return "https://127.0.0.1/list" }, 10, "", 1, "another origin"},
		"no host":        {func(string) string { return "file:///etc/passwd" }, 10, "", 1, "another origin"},
		"opaque":         {func(string) string { return "mailto:x" }, 10, "", 1, "another origin"},
		"a page fails":   {func(string) string { return "?page=404" }, 10, "", 2, "page 2"},
		"a page is long": {func(string) string { return "?page=long" }, 10, "", 2, "more than 1048576 bytes together"},
		"a page bursts":  {func(string) string { return "?page=bomb" }, 10, "", 2, "more than 1048576 bytes together"},
		"a page is none": {func(string) string { return "?page=none" }, 10, "", 2, "page 2 was answered, and the answer has no list at /items"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			h, _ := asking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.Header.Get("Authorization") != "Bearer "+shopKey || r.Method != "GET" {
					t.Errorf("%s with %q", r.Method, r.Header.Get("Authorization"))
				}
				page := r.FormValue("page")
				switch page {
				case "404":
					w.WriteHeader(404)
				case "long":
					io.WriteString(w, strings.Repeat("a", 2<<20))
				case "none":
					io.WriteString(w, `{"items": {}}`)
				case "bomb":
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					io.WriteString(z, strings.Repeat("a", 64<<20))
					z.Close()
				}
				json.NewEncoder(w).Encode(map[string]any{"items": []json.RawMessage{[]byte(page + "1"), []byte(page + "2")}, "next": test.next(page)})
			}), tool.Answer{Pages: tool.Pages{Next: tool.NextPointer, At: "/next", Items: "/items", Most: test.most}})
			result := h.execute(t.Context(), `{}`)
			told := fmt.Sprintf("%+v %+v %+v", result.Error, result.MCPError, result.Metadata.Sandbox.Hints)
			if (result.Status == tool.StatusCompleted) != (test.want != "") || test.want != "" && result.Stdout != test.want ||
				int(asked.Load()) != test.asked || !strings.Contains(told, test.says) {
				t.Errorf("%+v\n%s\n%d requests; want %s, %d", result, told, asked.Load(), test.want, test.asked)
			}
		})
	}
	t.Cleanup(func() {
		if elsewhere.Load() != 0 {
			t.Errorf("%d requests went elsewhere", elsewhere.Load())
		}
	})
}

// TestReadAnswers checks what an answer comes to: what is picked and shaped of it, without the credential that it repeats,
// what it means, and what is no answer to that.
func TestReadAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		says   tool.Answer
		when   []string
		want   string
		code   any // of a failure, or of what is meant; nil for none
		again  bool
	}{
		"picked":        {200, `{"data": {"n": 1}}`, tool.Answer{Pick: "/data"}, nil, `{"n": 1}`, nil, false},
		"shaped":        {200, `{"data": {"n": 1}}`, tool.Answer{Pick: "/data", Shape: "[body.n, status]"}, nil, `[1,200]`, nil, false},
		"the key":       {200, `{"a": "` + shopKey + `"}`, tool.Answer{Pick: "/a"}, nil, `"[secret]"`, nil, false},
		"the key in it": {200, `{"a": "\u0063orrect-horse-battery"}`, tool.Answer{Shape: "{'b': body.a}"}, nil, `{"b":"[secret]"}`, nil, false},
		"not there":     {200, `{}`, tool.Answer{Pick: "/data"}, nil, `{}`, tool.FailNoJSON, false},
		"no json":       {200, `hello`, tool.Answer{Pick: "/data"}, nil, `hello`, tool.FailNoJSON, false},
		"an error":      {404, `{"data": 1}`, tool.Answer{Pick: "/data"}, nil, `{"data": 1}`, -32002, false},
		"meant":         {200, `{"ok": false}`, tool.Answer{Pick: "/data"}, []string{"!body.ok"}, `{"ok": false}`, -32000, true},
		"not meant":     {200, `{"ok": true}`, tool.Answer{}, []string{"!body.ok"}, `{"ok": true}`, nil, false},
		"the second":    {404, `{"ok": true}`, tool.Answer{}, []string{"!body.ok", "status == 404"}, `{"ok": true}`, -32001, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, list := asking(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}), test.says, test.when...)
			list.Retry = tool.Retry{Attempts: 2}
			result := h.execute(t.Context(), `{}`)
			var code any
			switch {
			case result.Error != nil:
				code = result.Error.Code
			case result.MCPError != nil:
				code = result.MCPError.Code
			}
			if result.Stdout != test.want || code != test.code || (h.count("sleep") > 0) != test.again || result.Metadata.HTTP.Status != test.status {
				t.Errorf("%+v, %v, %v", result, code, h.steps)
			}
			if text, _ := json.Marshal(h.events); bytes.Contains(text, []byte(shopKey)) {
				t.Error("the key is on record")
			}
		})
	}
}
