package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// largestSpec is how much is read of a document.
const largestSpec = 64 << 20

// read reads the document.
func (i *openAPIImporter) read(ctx context.Context, spec string) ([]byte, error) {
	if strings.HasPrefix(spec, "http://") || strings.HasPrefix(spec, "https://") {
		return i.fetch(ctx, spec)
	}
	in := i.env.Stdin
	if spec != "-" {
		f, err := os.Open(spec)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return nil, errors.Join(fmt.Errorf("%s is no plain file", spec), err)
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, largestSpec+1))
	if err == nil && len(data) > largestSpec {
		err = fmt.Errorf("%s has more than %d MiB", spec, largestSpec>>20)
	}
	return data, err
}

// The bounds of fetching a document.
const (
	fetchTime      = 2 * time.Minute
	fetchRedirects = 5 // to the same origin
)

// shownURL is a document's URL, or its file, for a message: without what can be a password or a token, before an @ and
// behind a question mark.
func shownURL(text string) string {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		return display.Line(text)
	}
	rest, _, _ = strings.Cut(rest, "?")
	return display.Line(scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:])
}

// fetch reads the document at a URL, which is reached as any source of HTTP tools is.
func (i *openAPIImporter) fetch(ctx context.Context, spec string) ([]byte, error) {
	at, err := (&netguard.Guard{Allow: i.f.addresses}).CheckURL(spec)
	if err != nil {
		return nil, fmt.Errorf("%s is not fetched: %w; --allow-address is for an address that is not public",
			shownURL(spec), err)
	}
	client := httptool.New()
	defer client.Close()
	body := &httptool.Body{Keep: true}
	origin := at.Scheme + "://" + at.Host
	answer, err := client.Do(ctx, httptool.Exchange{
		Request: &request.Request{Method: http.MethodGet, URL: spec, Origin: origin,
			Header: []request.Header{{Name: "Accept", Value: "application/json, application/yaml;q=0.9, */*;q=0.1"}}},
		API:    tool.API{Origin: origin, Addresses: i.f.addresses, Redirects: fetchRedirects},
		Limits: httptool.Limits{Time: fetchTime, Bytes: largestSpec},
	}, body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s was not fetched: %w", shownURL(spec), err)
	case !httptool.Succeeded(answer.Status):
		where := ""
		if to, _, _ := strings.Cut(answer.Header.Get("Location"), "?"); to != "" {
			where = ", and leads to " + shownURL(to) + ", which is another server"
		}
		return nil, fmt.Errorf("%s was not fetched: the answer has status %d%s", shownURL(spec), answer.Status, where)
	case body.Truncated:
		return nil, fmt.Errorf("%s has more than %d MiB", shownURL(spec), largestSpec>>20)
	}
	return body.Data, nil
}
