package tools

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
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
	at, secret := p.URL, ""
	switch auth := api.Auth; {
	case auth.Kind == tool.AuthNone:
	case auth.Kind == tool.AuthBasic:
		words, secret = append(words, "--user"), auth.User+":"
	case auth.Kind != tool.AuthAPIKey:
		words, secret = append(words, "--header"), "Authorization: Bearer "
	case auth.In == tool.InHeader:
		words, secret = append(words, "--header"), auth.Name+": "
	case auth.In == tool.InCookie:
		secret = auth.Name + "="
		if others := headers["Cookie"]; others != "" {
			secret = others + "; " + secret
		}
		delete(headers, "Cookie")
		words, secret = append(words, "--header"), "Cookie: "+secret
	case auth.In == tool.InQuery:
		before := "?"
		if strings.Contains(at, "?") {
			before = "&"
		}
		at += before + url.QueryEscape(auth.Name) + "="
	}
	var line strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Given)) {
		fmt.Fprintf(&line, "# %s: %s\n", display.Line(name), display.Line(p.Given[name]))
	}
	line.WriteString("curl")
	if err := addWords(&line, words...); err != nil {
		return err
	}
	if secret != "" {
		if err := addWords(&line, secret); err != nil {
			return err
		}
		line.WriteString(`"` + credentialVariable + `"`)
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
	if err := addWords(&line, append(words, at)...); err != nil {
		return err
	}
	if api.Auth.Kind == tool.AuthAPIKey && api.Auth.In == tool.InQuery {
		line.WriteString(`"` + credentialVariable + `"`)
	}
	_, err := fmt.Fprintln(w, line.String())
	return err
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
