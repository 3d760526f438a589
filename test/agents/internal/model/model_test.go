package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNext(t *testing.T) {
	t.Parallel()
	script := line{person, Prompt(Step{Say: "one"}, Step{Say: "two"})}
	for _, test := range []struct {
		name         string
		conversation []line
		want         string
	}{
		{"no script", []line{{person, "hello"}}, "(no script)"},
		{"the first answer", []line{script}, "one"},
		{"the second, after a result", []line{script, {machine, ""}, {tool, "result"}}, "two"},
		{"text and calls of one answer are one", []line{script, {machine, "text"}, {machine, "calls"}, {tool, ""}}, "two"},
		{"over", []line{script, {machine, ""}, {tool, ""}, {machine, ""}}, "(the script is over)"},
		{"what the agent adds to the prompt", []line{script, {person, "<system-reminder>"}}, "one"},
		{"a later script, in the middle of an earlier one", []line{script, {machine, ""}, {person, Prompt(Step{Say: "new"})}}, "new"},
		{"the last of two in one text", []line{{person, script.text + Prompt(Step{Say: "new"})}}, "new"},
		{"a script in a result is none", []line{script, {machine, ""}, {tool, Prompt(Step{Say: "new"})}}, "two"},
		{"a broken script", []line{{person, "@@[{]@@"}}, "the model server cannot read this script: invalid character ']' looking for beginning of object key string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := next(test.conversation).Say; got != test.want {
				t.Errorf("says %q, want %q", got, test.want)
			}
		})
	}
}

func TestPiecesLoseNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "ab", "abcd", "Grüße, 世界, and all"} {
		if got := strings.Join(pieces(text), ""); got != text {
			t.Errorf("pieces(%q) are %q together", text, got)
		}
	}
}

// post sends a request to a Server, and gives the status and the body of the answer.
func post(t *testing.T, s *Server, path string, body any) (int, string) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(server.URL+path, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

type object = map[string]any

func geminiRequest(prompt string, tools ...string) object {
	functions := []object{}
	for _, name := range tools {
		functions = append(functions, object{"name": name})
	}
	return object{
		"contents": []object{{"role": "user", "parts": []object{{"text": prompt}}}},
		"tools":    []object{{"functionDeclarations": functions}},
	}
}

func anthropicRequest(prompt string, tools ...string) object {
	list := []object{}
	for _, name := range tools {
		list = append(list, object{"name": name})
	}
	return object{"messages": []object{{"role": "user", "content": prompt}}, "tools": list}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	const generate, stream = "/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse"
	magic := Call{Act: MCP, Server: "my-server", Tool: "a.tool", Arguments: json.RawMessage(`{"x":6}`)}
	for _, test := range []struct {
		name   string
		path   string
		body   object
		status int
		want   []string // in the answer, in this order
	}{
		{"gemini says", generate, geminiRequest(Prompt(Step{Say: "hello"}), "read_file"), 200, []string{`"hello"`, `"STOP"`}},
		{
			"gemini streams", stream, geminiRequest(Prompt(Step{Think: "hm", Say: "abc"}), "read_file"), 200,
			[]string{`"text":"hm"`, `"thought":true`, `"a"`, `"b"`, `"c"`, `"STOP"`},
		},
		{
			"gemini calls", stream, geminiRequest(Prompt(Step{Calls: []Call{{Act: Write, Path: "/f", Text: "t"}}}), "write_file"), 200,
			[]string{`"functionCall":{"args":{"content":"t","file_path":"/f"},"id":"call_1","name":"write_file"}`},
		},
		{
			"gemini keeps the dots of a tool", stream, geminiRequest(Prompt(Step{Calls: []Call{magic}}), "mcp_my-server_a.tool"), 200,
			[]string{`{"args":{"x":6},"id":"call_1","name":"mcp_my-server_a.tool"}`},
		},
		{"gemini fails", stream, geminiRequest(Prompt(Step{Fail: 429}), "read_file"), 429, []string{`"code":429`}},
		{"gemini does an errand", generate, geminiRequest(Prompt(Step{Say: "hello"})), 200, []string{"a title"}},
		{"gemini counts", "/v1beta/models/m:countTokens", object{}, 200, []string{`"totalTokens"`}},
		{"claude says", "/v1/messages", anthropicRequest(Prompt(Step{Say: "hello"}), "Read"), 200, []string{`"hello"`, `"end_turn"`}},
		{
			"claude calls", "/v1/messages", anthropicRequest(Prompt(Step{Calls: []Call{magic}}), "mcp__my-server__a_tool"), 200,
			[]string{`"id":"call_1","input":{"x":6},"name":"mcp__my-server__a_tool"`, `"stop_reason":"tool_use"`},
		},
		{
			"a tool that is not there", "/v1/messages", anthropicRequest(Prompt(Step{Calls: []Call{{Act: Shell}}}), "Read"), 200,
			[]string{"[Bash is not among the tools: Read]"},
		},
		{"claude fails", "/v1/messages", anthropicRequest(Prompt(Step{Fail: 400}), "Read"), 400, []string{"the script says so"}},
		{
			"claude does an errand", "/v1/messages", object{
				"messages": []object{{"role": "user", "content": Prompt(Step{Say: "hello"})}},
				"output_config": object{"format": object{"schema": object{
					"type": "object", "properties": object{"title": object{"type": "string"}},
				}}},
			}, 200, []string{`{\"title\":\"a title\"}`},
		},
		{"claude counts", "/v1/messages/count_tokens", object{}, 200, []string{`"input_tokens"`}},
		{"anything else", "/v1/secrets", object{}, 404, []string{"the model server has no /v1/secrets"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			status, answer := post(t, new(Server), test.path, test.body)
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			rest := answer
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("no %s in its place in:\n%s", want, answer)
				}
				rest = after
			}
		})
	}
}

func TestClaudeStream(t *testing.T) {
	t.Parallel()
	body := anthropicRequest(Prompt(Step{Say: "abc", Calls: []Call{{Act: Read, Path: "/f"}}}), "Read")
	body["stream"] = true
	_, answer := post(t, new(Server), "/v1/messages?beta=true", body)
	var got []string
	for event := range strings.Lines(answer) {
		if name, ok := strings.CutPrefix(event, "event: "); ok {
			got = append(got, strings.TrimSpace(name))
		}
	}
	want := []string{
		"message_start",
		"content_block_start", "content_block_delta", "content_block_delta", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"message_delta", "message_stop",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// An agent repeats the whole conversation with every request.
func TestTold(t *testing.T) {
	t.Parallel()
	s := new(Server)
	result := func(id, text string) object {
		return object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id, "content": text}}}
	}
	post(t, s, "/v1/messages", object{"messages": []object{result("1", "first")}})
	post(t, s, "/v1/messages", object{"messages": []object{result("1", "first"), result("2", "second")}, "tools": []object{{"name": "Read"}}})
	post(t, s, "/v1/models/m:generateContent", object{"contents": []object{{"role": "user", "parts": []object{
		{"functionResponse": object{"id": "3", "name": "read_file", "response": object{"output": "third"}}},
	}}}})
	want := []Told{{ID: "1", Text: "first"}, {ID: "2", Text: "second"}, {ID: "3", Tool: "read_file", Text: `{"output":"third"}`}}
	if diff := cmp.Diff(want, s.Told()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Read"}, s.Offered()); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
}

// A turn that hangs says what it has to say, and ends when the agent hangs up.
func TestHang(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path string
		body       object
	}{
		{"gemini", "/v1beta/models/m:streamGenerateContent", geminiRequest(Prompt(Step{Say: "abc", Hang: true}), "read_file")},
		{"claude", "/v1/messages", anthropicRequest(Prompt(Step{Say: "abc", Hang: true}), "Read")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			early := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				new(Server).ServeHTTP(w, r)
				early = r.Context().Err() == nil
			}))
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			test.body["stream"] = true
			text, err := json.Marshal(test.body)
			if err != nil {
				t.Fatal(err)
			}
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+test.path, bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			lines := bufio.NewScanner(response.Body)
			for lines.Scan() && !strings.Contains(lines.Text(), `"c"`) {
			}
			if !strings.Contains(lines.Text(), `"c"`) {
				t.Error("the stream ended before all was said")
			}
			hangUp()
			server.Close() // waits for the request to end
			if early {
				t.Error("the turn ended by itself")
			}
		})
	}
}

func TestInstance(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}}}`: `{"a":"a title","b":1}`,
		`{"enum":["high","low"]}`:        `"high"`,
		`{"anyOf":[{"type":"boolean"}]}`: `true`,
		`{"type":"array"}`:               `[]`,
		`{"type":"object"}`:              `{}`,
		`{}`:                             `null`,
		`7`:                              `null`,
	} {
		if got := string(instance(json.RawMessage(schema))); got != want {
			t.Errorf("instance(%s) is %s, want %s", schema, got, want)
		}
	}
}
