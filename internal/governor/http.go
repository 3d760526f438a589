package governor

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// dialOptions are what tests put in place of the network.
type dialOptions struct {
	resolver  netguard.Resolver
	transport func(*http.Transport)
}

// httpJudge is a governor that is a URL: it is sent what a script would read, signed, and answers what a
// script would write. Only public addresses are reached, and those that its entry allows.
type httpJudge struct {
	id     string
	spec   HTTP
	vault  Vault
	now    func() time.Time
	client *http.Client
}

// mostReply is the number of bytes that an answer may have.
const mostReply = 1 << 20

// mostRedirects is how often a host may point elsewhere on itself.
const mostRedirects = 3

func newHTTP(spec *Spec, o Options) *httpJudge {
	guard := &netguard.Guard{Allow: spec.HTTP.Allow, Resolver: o.dial.resolver}
	transport := guard.Transport()
	if o.dial.transport != nil {
		o.dial.transport(transport)
	}
	return &httpJudge{
		id: spec.ID, spec: spec.HTTP, vault: o.Vault, now: o.Now,
		client: &http.Client{Transport: netguard.WithoutUpgrade{Transport: transport}, CheckRedirect: sameHost},
	}
}

// errElsewhere says that an answer points to another host, which would be told of the act, and of the token.
var errElsewhere = errors.New("it points to another host, which is not followed")

// sameHost follows a redirect only to the same host by the same scheme.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	switch {
	case len(before) > mostRedirects:
		return errors.New("it redirects too often")
	case next.URL.Scheme != first.Scheme || !strings.EqualFold(next.URL.Host, first.Host):
		return errElsewhere
	case next.Method != http.MethodPost:
		return errors.New("it redirects to a request without what it is asked about (301, 302 or 303); 307 and 308 keep it")
	}
	return nil
}

func (h *httpJudge) judge(ctx context.Context, in *input) (answer, error) {
	request, values, err := h.request(ctx, in)
	if err != nil {
		return answer{}, err
	}
	a, err := h.send(request)
	err = a.hide(values, err)
	return a, err
}

// send sends the request and reads the answer.
func (h *httpJudge) send(request *http.Request) (answer, error) {
	response, err := h.client.Do(request)
	if err != nil {
		return answer{}, withoutURL(err)
	}
	defer response.Body.Close()
	a := answer{http: response.StatusCode}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostReply+1))
	switch {
	case err != nil:
		return a, fmt.Errorf("its answer broke off: %w", withoutURL(err))
	case response.StatusCode < 200 || response.StatusCode > 299:
		return a, fmt.Errorf("it answers with HTTP status %d", response.StatusCode)
	case len(body) > mostReply:
		return a, fmt.Errorf("its answer has more than %d bytes", mostReply)
	}
	said, err := parseReply(body)
	said.http = response.StatusCode
	return said, err
}

// request makes the request. The id is that of the act and the governor, so that whoever gets it twice can
// tell; nothing is sent twice by us. The values beside it are those that it holds and nobody else may see.
func (h *httpJudge) request(ctx context.Context, in *input) (request *http.Request, values []string, err error) {
	request, err = http.NewRequestWithContext(ctx, http.MethodPost, h.spec.URL, bytes.NewReader(in.encoded))
	if err != nil {
		return nil, nil, errors.New("its URL cannot be used")
	}
	request.Header.Set("User-Agent", "a2a-acp")
	request.Header.Set("Accept", "application/json")
	for name, text := range h.spec.Headers {
		value, held, err := expand(ctx, text, h.vault)
		if err != nil {
			return nil, nil, fmt.Errorf("header %s: %w", name, err)
		}
		values = append(values, held...)
		request.Header.Set(name, value)
	}
	sum := sha256.Sum256([]byte(h.id + "\x00" + in.ToolCall.CallID + "\x00" + in.hash + "\x00" +
		strconv.FormatInt(in.startedAt.UnixNano(), 10)))
	id := fmt.Sprintf("gov_%x", sum[:16])
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", id)
	request.Header.Set("Webhook-Id", id)
	if err := h.sign(ctx, request, id, in.encoded); err != nil {
		return nil, nil, err
	}
	return request, values, nil
}

// sign signs a request as Standard Webhooks does (its specification, "Signature scheme"): HMAC-SHA256 over
// id, time and body.
func (h *httpJudge) sign(ctx context.Context, request *http.Request, id string, body []byte) error {
	at := strconv.FormatInt(h.now().Unix(), 10)
	request.Header.Set("Webhook-Timestamp", at)
	if h.spec.Secret == nil {
		return nil
	}
	secret, err := h.vault.Value(ctx, *h.spec.Secret)
	if err != nil {
		return fmt.Errorf("signing_secret: %w", err)
	}
	key := []byte(secret)
	if encoded, prefixed := strings.CutPrefix(secret, "whsec_"); prefixed {
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return errors.New("signing_secret: what stands behind whsec_ is no base64")
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	request.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

var placeholder = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand puts variables of the program's environment in place of ${NAME}, and gives their values beside it.
// One that is not set is an error, and so is a value that no header can have: half a token would only be
// told to somebody.
func expand(ctx context.Context, text string, vault Vault) (expanded string, values []string, err error) {
	expanded = placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := match[2 : len(match)-1]
		value, problem := vault.Value(ctx, tool.Reference{Env: name})
		if problem == nil && strings.ContainsAny(value, "\r\n\x00") {
			problem = fmt.Errorf("the variable %s holds what no header can", name)
		}
		if problem != nil && err == nil {
			err = problem
		}
		values = append(values, value)
		return value
	})
	return expanded, values, err
}

// withoutURL takes the URL off an error, whose query may hold a token.
func withoutURL(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
