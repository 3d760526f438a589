package openapi

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/config"
)

// refreshing makes a file of a document whose operation b is this, and returns what a later document would make of it.
func refreshing(t *testing.T, before, after string) (file string, later *Made) {
	t.Helper()
	document := func(operation string) string {
		return around(`{"/a":{"get":{"operationId":"a"}},"/b/{id}":{"post":` + operation + `},"/sound":{"get":{"operationId":"sound"}}}`)
	}
	made, err := makeOf(t, document(before))
	if err != nil {
		t.Fatal(err)
	}
	first, err := made.File()
	if err != nil {
		t.Fatal(err)
	}
	if later, err = makeOf(t, document(after)); err != nil {
		t.Fatal(err)
	}
	return string(first), later
}

// operation is an operation b with a summary and parameters beside id.
func operationB(summary, parameters string) string {
	return `{"operationId":"b","summary":"` + summary + `","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}` + parameters + `]}`
}

const (
	pageB = `,{"name":"page","in":"query","schema":{"type":"integer"}}`
	sizeB = `,{"name":"size","in":"query","schema":{"type":"integer"}}`
)

// TestTakeOver checks what a changed document comes to in a file that a person has edited: what nobody else has changed is as
// in the document, and every other byte stays as it was.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	old, now := operationB("Old", pageB), operationB("New", pageB+sizeB)
	for name, test := range map[string]struct {
		edit  [][2]string // of the file, before
		after string      // the operation; now if not given
		lines []string
		want  [][2]string // of the edited file
	}{
		"nothing was edited": {lines: []string{"~ b (description, parameters, http)"}, want: [][2]string{
			{"description: Old", "description: New"},
			{"      - {name: page, type: integer}\n", "      - {name: page, type: integer}\n      - {name: size, type: integer}\n"},
			{"query: {page: '{{page}}'}", "query: {page: '{{page}}', size: '{{size}}'}"}}},
		"other keys and comments": {edit: [][2]string{
			{"    description: Old\n", "    # mine\n    description: Old\n\n    # about the parameters\n"},
			{"    http:\n      source: api\n      post: /b/{{id}}\n      query: {page: '{{page}}'}\n", "    retry: {attempts: 1}\n    http:\n      source: api\n      post: /b/{{id}}\n      query: {page: '{{page}}'}\n    # the end of b\n\n"}},
			lines: []string{"~ b (description, parameters, http)"}, want: [][2]string{
				{"description: Old", "description: New"},
				{"      - {name: page, type: integer}\n", "      - {name: page, type: integer}\n      - {name: size, type: integer}\n"},
				{"query: {page: '{{page}}'}", "query: {page: '{{page}}', size: '{{size}}'}"}}},
		"words of a person's": {edit: [][2]string{{"description: Old", "description: My own words # and why"}},
			lines: []string{"~ b (parameters, http)", "! b: description is other in the document, and was changed here or has a comment"}, want: [][2]string{
				{"      - {name: page, type: integer}\n", "      - {name: page, type: integer}\n      - {name: size, type: integer}\n"},
				{"query: {page: '{{page}}'}", "query: {page: '{{page}}', size: '{{size}}'}"}}},
		"a comment in it": {edit: [][2]string{{"      post: /b/{{id}}\n", "      post: /b/{{id}} # the new API\n"}},
			after: operationB("New", pageB), lines: []string{"~ b (description)"}, want: [][2]string{{"description: Old", "description: New"}}},
		"a comment in what is changed": {edit: [][2]string{{"      - {name: page, type: integer}\n", "      - {name: page, type: integer} # from 1\n"}},
			lines: []string{"~ b (description)", "! b: parameters is other in the document, and was changed here or has a comment",
				"! b: http is other in the document, and was changed here or has a comment"}, want: [][2]string{{"description: Old", "description: New"}}},
		"a request that was changed": {edit: [][2]string{{"query: {page: '{{page}}'}", "query: {page: '{{page}}', mine: 1}"}},
			lines: []string{"~ b (description)", "! b: parameters is other in the document, and was changed here or has a comment",
				"! b: http is other in the document, and was changed here or has a comment"}, want: [][2]string{{"description: Old", "description: New"}}},
		"a request that was changed, and words about a parameter": {edit: [][2]string{{"query: {page: '{{page}}'}", "query: {page: '{{page}}', mine: 1}"}},
			after: operationB("Old", strings.Replace(pageB, `"name"`, `"description":"Which","name"`, 1)), lines: []string{"~ b (parameters)"},
			want: [][2]string{{"{name: page, type: integer}", "{name: page, type: integer, description: Which}"}}},
		"a parameter that was taken out": {edit: [][2]string{{"      - {name: page, type: integer}\n", ""}, {"      query: {page: '{{page}}'}\n", ""}},
			after: operationB("Old", strings.Replace(pageB, `"in"`, `"style":"pipeDelimited","in"`, 1))},
		"written otherwise": {edit: [][2]string{{"description: Old", "description:\n      \"Old\""}},
			after: operationB("New", pageB), lines: []string{"~ b (description)"}, want: [][2]string{{"description:\n      \"Old\"", "description: New"}}},
		"the same by hand": {edit: [][2]string{{"description: Old", "description: 'New'"}}, after: operationB("New", pageB)},
		"no mark": {edit: [][2]string{{"  b: # made: MARK\n", "  b:\n"}},
			lines: []string{"! b is other in the document; its entry does not say what was made of the document (# made: …), so a person may have written it"}},
		"nothing is other": {after: old},
		"parameters are gone": {after: `{"operationId":"b","summary":"Old","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}]}`,
			lines: []string{"~ b (parameters, http)"}, want: [][2]string{{"      - {name: page, type: integer}\n", ""}, {"      query: {page: '{{page}}'}\n", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.after == "" {
				test.after = now
			}
			file, later := refreshing(t, old, test.after)
			for _, change := range test.edit {
				file = changed(t, file, change)
			}
			data, lines, err := later.Refresh(config.File{Name: "made", Data: []byte(file)})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(lines, "\n"), strings.Join(test.lines, "\n"); got != want {
				t.Errorf("told\n%s\nwant\n%s", got, want)
			}
			want := file
			for _, change := range test.want {
				want = changed(t, want, change)
			}
			marks := regexp.MustCompile(`# made: \S+`)
			if got := marks.ReplaceAllString(string(data), "#"); got != marks.ReplaceAllString(want, "#") {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again, _, err := later.Refresh(config.File{Name: "made", Data: data})
			if err != nil || string(again) != string(data) {
				t.Errorf("once more: %v\n%s", err, again)
			}
			crlf := strings.ReplaceAll(file, "\n", "\r\n")
			if other, _, err := later.Refresh(config.File{Name: "made", Data: []byte(crlf)}); err != nil || string(other) != strings.ReplaceAll(string(data), "\n", "\r\n") {
				t.Errorf("with the other ends of lines: %v\n%q", err, other)
			}
		})
	}
}

// changed replaces a text that is there once; MARK in it is the mark of b.
func changed(t *testing.T, file string, change [2]string) string {
	t.Helper()
	if strings.Contains(change[0], "MARK") {
		_, mark, _ := strings.Cut(file, "  b: # made: ")
		mark, _, _ = strings.Cut(mark, "\n")
		change[0] = strings.Replace(change[0], "MARK", mark, 1)
	}
	if strings.Count(file, change[0]) != 1 {
		t.Fatalf("%q is there %d times in\n%s", change[0], strings.Count(file, change[0]), file)
	}
	return strings.Replace(file, change[0], change[1], 1)
}

// TestRefreshInventory checks that tools that are new are added, and those that are gone switched off.
func TestRefreshInventory(t *testing.T) {
	t.Parallel()
	document := func(operations string) string {
		return around(`{` + operations + `,"/sound":{"get":{"operationId":"sound"}}}`)
	}
	made, err := makeOf(t, document(`"/a":{"get":{"operationId":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	first, err := made.File()
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.Replace(string(first), "    description: GET /sound\n", "    description: My own words # a comment\n", 1)
	now, err := makeOf(t, document(`"/c":{"get":{"operationId":"c"}}`))
	if err != nil {
		t.Fatal(err)
	}
	file := config.File{Name: "made", Data: []byte(mine)}
	data, lines, err := now.Refresh(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines, " "); got != "+ c - a" {
		t.Errorf("told %q", got)
	}
	want := strings.Replace(mine, "    description: GET /a\n", "    enabled: false\n    description: GET /a\n", 1)
	if got := regexp.MustCompile(`  c: # made: \S+\n`).ReplaceAllString(string(data), "  c:\n"); got != want+"  c:\n    description: GET /c\n"+
		"    annotations: {title: GET /c, readOnlyHint: true}\n    http:\n      source: api\n      get: /c\n" {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	file.Data = data
	again, lines, err := now.Refresh(file)
	if err != nil || string(again) != string(data) || len(lines) > 0 {
		t.Errorf("once more: %q, %v\n%s", lines, err, again)
	}
	for name, text := range map[string]string{
		"c is not added: its tools are not written one below the other": "version: 2\nsources: {api: {base_url: \"https://api.example.com\"}}\n" +
			"tools: {mine: {description: d, script: date}}\n",
		"the source api is not added, since sources is": strings.ReplaceAll(strings.ReplaceAll(mine, "sources:\n  api:\n    base_url: https://api.example.com\n", "sources: {other: {base_url: \"https://api.example.com\"}}\n"), "source: api", "source: other"),
	} {
		if _, _, err := now.Refresh(config.File{Name: "made", Data: []byte(text)}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefreshLeavesOthers has a document refresh a file in which a person has written tools of the same source, and for a
// selection of its operations: what it says nothing of is as it was.
func TestRefreshLeavesOthers(t *testing.T) {
	t.Parallel()
	document := around(`{"/a":{"get":{"operationId":"a"}},"/b":{"get":{"operationId":"b"}}}`)
	only := func(id string) *Made {
		made, err := Make(Request{Data: []byte(document), Tokens: size, Select: []string{id}})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	first, err := only("a").File()
	if err != nil {
		t.Fatal(err)
	}
	file := config.File{Name: "made", Data: append(first, "  mine:\n    description: My own\n    http: {source: api, get: /mine}\n"...)}
	before := string(file.Data)
	data, lines, err := only("b").Refresh(file)
	if err != nil || !slices.Equal(lines, []string{"+ b"}) || !strings.HasPrefix(string(data), before) {
		t.Errorf("told %q, %v\n%s", lines, err, data)
	}
	reaching := only("a")
	reaching.by.Addresses = []netip.Prefix{netip.MustParsePrefix("10.1.2.3/32")}
	if _, lines, err = reaching.Refresh(file); err != nil ||
		!slices.Equal(lines, []string{"! the source api does not reach 10.1.2.3/32: write it into its allow_addresses"}) {
		t.Errorf("an address: %q, %v", lines, err)
	}
	if lines, err := only("a").Drift(file); err != nil || len(lines) > 0 {
		t.Errorf("drift: %q, %v", lines, err)
	}
}

// TestRefreshAddsTheSource has tools be added to a file that was not made of the document.
func TestRefreshAddsTheSource(t *testing.T) {
	t.Parallel()
	made, err := makeOf(t, around(`{"/a":{"get":{"operationId":"a"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const (
		tool    = "  # my tool\n  mine: {description: d, script: date}\n"
		example = "  tried:\n    description: d\n    script: date\n    examples:\n      - {name: a call, expect: {exit: 0}}\n      - in words\n"
	)
	for name, test := range map[string]struct{ file, want string }{
		"a file without sources": {"# my file\nversion: 2\n\n# my tools\ntools:\n" + tool,
			"# my file\nversion: 2\n\nsources:\n  api:\n    base_url: https://api.example.com\n\n# my tools\ntools:\n" + tool},
		"a file with others": {"version: 2\nsources: # mine\n    # the shop\n    shop: {base_url: \"https://shop.example.com\"}\ntools:\n" + tool,
			"version: 2\nsources: # mine\n    api:\n      base_url: https://api.example.com\n    # the shop\n    shop: {base_url: \"https://shop.example.com\"}\ntools:\n" + tool},
		"a tool with an example, as tools new writes one": {"version: 2\ntools:\n" + tool + example,
			"version: 2\nsources:\n  api:\n    base_url: https://api.example.com\n\ntools:\n" + tool + example},
		"a file with the source": {"version: 2\nsources: {api: {base_url: \"https://api.example.com\"}}\ntools:\n" + tool,
			"version: 2\nsources: {api: {base_url: \"https://api.example.com\"}}\ntools:\n" + tool},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			data, lines, err := made.Refresh(config.File{Name: "mine", Data: []byte(strings.ReplaceAll(test.file, "\n", end))})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, _, _ := strings.Cut(string(data), "  a: # made:"); got != strings.ReplaceAll(test.want, "\n", end) {
				t.Errorf("%s:\n%q\nwant\n%q", name, got, strings.ReplaceAll(test.want, "\n", end))
			}
			if got, added := strings.Join(lines, " "), test.file != test.want; got != map[bool]string{true: "+ the source api + a", false: "+ a"}[added] {
				t.Errorf("%s: told %q", name, got)
			}
		}
	}
}

// TestRefreshKeysBehind has a tool be added to a file in which other keys stand behind the tools: it comes behind the last
// tool, and every other byte stays, also the comments that belong to what comes next.
func TestRefreshKeysBehind(t *testing.T) {
	t.Parallel()
	made, err := makeOf(t, around(`{"/a":{"get":{"operationId":"a"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const (
		head = "version: 2\ntools:\n    mine: {description: d, script: date}   # mine\n    # the end\n"
		tail = "\n# where they go\nsources:\n  api: {base_url: \"https://api.example.com\"}\n# what comes along\ntemplate_safety: strict\n"
	)
	for _, end := range []string{"\n", "\r\n"} {
		at := func(text string) string { return strings.ReplaceAll(text, "\n", end) }
		data, lines, err := made.Refresh(config.File{Name: "mine", Data: []byte(at(head + tail))})
		if err != nil || !slices.Equal(lines, []string{"+ a"}) {
			t.Fatalf("%q, %v", lines, err)
		}
		added, before := strings.CutPrefix(string(data), at(head))
		added, behind := strings.CutSuffix(added, at(tail))
		if !before || !behind || !strings.HasPrefix(added, "    a: # made: ") || !strings.HasSuffix(added, at("\n        get: /a\n")) {
			t.Errorf("got\n%s", data)
		}
	}
}

// TestRefreshOfAnother checks that a stranger's document whose title is that of yours adds no request to your source, which
// would be sent with your credential, and changes none.
func TestRefreshOfAnother(t *testing.T) {
	t.Parallel()
	yours, err := makeOf(t, around(`{"/a":{"get":{"operationId":"a"}},"/b":{"get":{"operationId":"b"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := yours.File()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ paths, server, want string }{
		"adds":     {`{"/a":{"get":{"operationId":"a"}},"/admin":{"get":{"operationId":"weather"}}}`, "", "and those of the source api in the file to https://api.example.com"},
		"changes":  {`{"/admin":{"get":{"operationId":"a"}}}`, "", "requests of the document go to https://evil.example,"},
		"the same": {`{"/admin":{"get":{"operationId":"a"}}}`, "https://api.example.com:443/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := strings.Replace(around(test.paths), "https://api.example.com", "https://evil.example", 1)
			theirs, err := Make(Request{Data: []byte(document), Server: test.server, Tokens: size})
			if err != nil {
				t.Fatal(err)
			}
			_, lines, err := theirs.Refresh(config.File{Name: "tools.yaml", Data: data})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, %q; want %q", err, lines, test.want)
			}
		})
	}
}
