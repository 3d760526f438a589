package tools

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// formatCurl is the form of `tools show` that is a command line of curl.
const formatCurl = "curl"

// credentialVariable stands for a credential in that line.
const credentialVariable = "$CREDENTIAL"

// writeCurl writes a request as the command line that would send it, for bash: a person tries it beside the tool. The
// credential is a variable, since no value stands in what is shown.
func writeCurl(w io.Writer, p *executor.RequestPreview, api tool.API) error {
	if p == nil {
		return errors.New("-o curl is for a tool that sends a request")
	}
	words := []string{"--globoff", "--path-as-is", "--request", p.Method}
	headers := maps.Clone(p.Headers)
	at := credited{{text: p.URL}}
	var shown []credited // values of --header and --user
	var cookie credited
	for i, c := range api.Credentials() {
		variable := credentialVariable
		if i > 0 {
			variable += "_" + strconv.Itoa(i+1)
		}
		switch {
		case c.Kind == tool.AuthBasic:
			words, shown = append(words, "--user"), append(shown, credited{{c.User + ":", variable}})
		case c.Kind != tool.AuthAPIKey:
			words, shown = append(words, "--header"), append(shown, credited{{"Authorization: Bearer ", variable}})
		case c.In == tool.InHeader:
			words, shown = append(words, "--header"), append(shown, credited{{c.Name + ": ", variable}})
		case c.In == tool.InCookie:
			before := "; "
			if cookie == nil {
				before = "Cookie: "
				if others := headers["Cookie"]; others != "" {
					before += others + "; "
				}
				delete(headers, "Cookie")
			}
			cookie = append(cookie, creditedPart{before + c.Name + "=", variable})
		case c.In == tool.InQuery:
			before := "?"
			if strings.Contains(at[0].text, "?") || len(at) > 1 {
				before = "&"
			}
			at = append(at, creditedPart{before + url.QueryEscape(c.Name) + "=", variable})
		}
	}
	if cookie != nil {
		words, shown = append(words, "--header"), append(shown, cookie)
	}
	var line strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Given)) {
		fmt.Fprintf(&line, "# %s: %s\n", display.Line(name), display.Line(p.Given[name]))
	}
	line.WriteString("curl")
	fixed := len(words) - len(shown)
	if err := addWords(&line, words[:fixed]...); err != nil {
		return err
	}
	for i, word := range shown {
		if err := addWords(&line, words[fixed+i]); err != nil {
			return err
		}
		if err := word.add(&line); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		header := name + ": " + headers[name]
		if headers[name] == "" {
			header = name + ";" // without a value, curl would take the header out
		}
		if err := addWords(&line, "--header", header); err != nil {
			return err
		}
	}
	if _, ok := headers["Content-Type"]; !ok && p.Body != "" {
		if err := addWords(&line, "--header", "Content-Type:"); err != nil { // curl would add that of a form
			return err
		}
	}
	words = nil
	if p.Body != "" {
		words = append(words, "--data-raw", p.Body)
	}
	if p.Method == "HEAD" {
		words = append(words, "--head")
	}
	if api.CA != "" {
		words = append(words, "--cacert", api.CA)
	}
	if _, shown := p.Given[tool.ClientCertificate]; shown {
		words = append(words, "--cert", "certificate.pem", "--key", "key.pem")
	}
	if err := addWords(&line, words...); err != nil {
		return err
	}
	if err := at.add(&line); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, line.String())
	return err
}

// credited is a word of a command line in which credentials stand, as variables.
type credited []creditedPart

type creditedPart struct{ text, variable string } // a variable stands behind its text; "" for none

func (c credited) add(line *strings.Builder) error {
	var word strings.Builder
	line.WriteByte(' ')
	for _, part := range c {
		if err := addWords(&word, part.text); err != nil {
			return err
		}
		text := strings.TrimPrefix(word.String(), " ")
		word.Reset()
		if line.WriteString(text); part.variable != "" {
			line.WriteString(`"` + part.variable + `"`)
		}
	}
	return nil
}

// addWords adds words to a command line as bash reads them back, in a script and where they are pasted: no "!" of theirs
// is one of its history's.
func addWords(line *strings.Builder, words ...string) error {
	for _, word := range words {
		switch {
		case strings.Contains(word, "\x00"):
			return errors.New("there is no command line that holds this request: it has a NUL byte")
		case display.Line(word) == word:
			line.WriteString(" " + permissions.QuoteArgv([]string{word}))
		default: // a line break, or what a terminal would act on
			line.WriteString(" $'")
			for i := range len(word) {
				if c := word[i]; c < ' ' || c > '~' || strings.IndexByte(`'\!`, c) >= 0 {
					fmt.Fprintf(line, `\x%02x`, c)
				} else {
					line.WriteByte(c)
				}
			}
			line.WriteString("'")
		}
	}
	return nil
}
