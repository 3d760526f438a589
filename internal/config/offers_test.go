package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A value of a variable is one part of a path, and what is no such URI is none.
func TestResourceMatch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		template, uri string
		want          map[string]string // nil: it is not one
	}{
		{"docs://guide", "docs://guide", map[string]string{}},
		{"docs://guide", "docs://guide/x", nil},
		{"logs://{build}", "logs://7", map[string]string{"build": "7"}},
		{"logs://{build}", "logs://a%20b", map[string]string{"build": "a b"}},
		{"logs://{build}", "logs://", nil},
		{"logs://{build}", "logs://7/8", nil},
		{"logs://{build}", "logs://7?x", nil},
		{"logs://{build}", "logs://%zz", nil},
		{"logs://{build}/{line}.txt", "logs://7/8.txt", map[string]string{"build": "7", "line": "8"}},
		{"logs://{build}/{line}.txt", "logs://7/8", nil},
		{"test://{id}/data", "test://12/data", map[string]string{"id": "12"}},
		{"test://{id}/data", "test:///data", nil},
	} {
		got, ok := (&Resource{URI: row.template}).Match(row.uri)
		if ok != (row.want != nil) {
			t.Errorf("%s, %s: %v", row.template, row.uri, got)
		} else if diff := cmp.Diff(row.want, got); ok && diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", row.template, row.uri, diff)
		}
	}
}

// A repository brings no prompts and no resources: a person would take its words for his own.
func TestNoOffersOfAWorkspace(t *testing.T) {
	t.Parallel()
	file := File{Name: "tools.yaml", Layer: tool.LayerProject, Workspace: true, Trusted: "/work",
		Data: []byte("version: 2\ntools: {}\nprompts: {p: {text: x}}\nresources: {r: {text: x}}\n")}
	read, err := readToolsFile(file)
	if err != nil || len(read.prompts)+len(read.resources) > 0 {
		t.Errorf("got %+v, %v", read, err)
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	read, err := readToolsFile(File{Name: "tools.yaml", Layer: tool.LayerUser,
		Data: []byte("version: 2\nprompts: {p: {text: 'on {{a}}', arguments: [{name: a}]}}\nresources: {r: {uri: 'x://{v}', text: 'of {{v}}'}}\n")})
	if err != nil || len(read.prompts) != 1 || len(read.resources) != 1 || read.resources[0].Type != "text/plain" {
		t.Fatalf("got %+v, %v", read, err)
	}
	for wrong, says := range map[string]string{
		"resources: {r: {text: x, tool: t}}":                      "one of text, blob and tool",
		"resources: {r: {uri: x, text: y}}":                       "it is no URI",
		"resources: {r: {uri: 'a2a-acp://outputs/x', text: y}}":   "where outputs of calls are",
		"resources: {r: {text: '{{v}}'}}":                         "there is no variable of the uri \"v\"",
		"resources: {r: {blob: '?'}}":                             "it is no base64",
		"resources: {'a b': {text: x}}":                           "a name has",
		"prompts: {p: {}}":                                        "it has no text",
		"prompts: {p: {text: '{{a}}'}}":                           "there is no argument \"a\"",
		"prompts: {p: {messages: [{role: system, text: x}]}}":     "want user or assistant",
		"prompts: {p: {messages: [{role: user}]}}":                "it has no text",
		"prompts: {p: {text: x, arguments: [{description: d}]}}":  "name is missing",
		"prompts: {p: {text: x, arguments: [{name: 'a b'}]}}":     "a name has",
		"prompts: {p: {text: x, messages: [{text: y}]}}":          "a text and messages",
		"prompts: {p: {arguments: [{name: a}, {name: a}]}}":       "\"a\" is declared twice",
		"prompts: {p: {messages: [{uri: 'x://{{b}}', text: x}]}}": "there is no argument \"b\"",
	} {
		_, err := readToolsFile(File{Name: "tools.yaml", Layer: tool.LayerUser, Data: []byte("version: 2\n" + wrong + "\n")})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// What of the resources can be read is known when all files are.
func TestOffersThatCannotWork(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/a2a-acp/tools.yaml", `version: 2
tools:
  date: {description: d, script: date}
resources:
  a: {uri: "docs://guide", text: x}
  b: {uri: "docs://guide", text: y}
  c: {uri: "logs://{build}", tool: date}
  d: {uri: "other://{build}", tool: dates}
`)
	set, err := Load(Sources{ConfigHome: dir})
	if err != nil {
		t.Fatal(err)
	}
	got := set.Warnings.Error()
	for _, want := range []string{
		`:6:3: warning: resource "b": has the uri of the resource "a", which is read in its place`,
		`:7:3: warning: resource "c": the tool "date" has no parameter "build", which the uri names`,
		`:8:3: warning: resource "d": there is no tool "dates"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}
