package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	httprequest "github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	httpCalls       = 201
	maxHTTPCall     = 1.6  // of a line that is on disk, and a bare request
	maxHTTPCallCurl = 0.10 // of a start of curl that sends the same
	maxKeptToken    = 20   // microseconds
	maxRequest      = 30   // microseconds to render and verify one
	quickRounds     = 200  // of quickEach
	quickEach       = 50
	answerMegabytes = 100
	maxAnswerMemory = 10 // MB above idle
	answerRuns      = 3
)

// httpRows measure HTTP tools, against a server of the same process.
func httpRows(dir string) []row {
	return append(httpCallRows(dir), keptTokenRow(), requestRow(), answerRow(dir))
}

// httpTool is the tool that is called.
const httpTool = `version: 2
sources:
  bench: {base_url: %q, allow_addresses: [127.0.0.1/32]}
tools:
  bench:
    description: Orders a pizza
    parameters:
      - {name: shop, type: string, required: true, description: Which shop}
      - {name: pizza, type: string, required: true, description: Which pizza}
    http: {source: bench, post: "/shops/{{shop}}/orders", json: {pizza: "{{pizza}}"}}
  large:
    description: Answers with much
    annotations: {readOnlyHint: true}
    output: {spill: true}
    http: {source: bench, get: /large}
`

// kitchen is the server.
func kitchen() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /shops/{shop}/orders", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"baking"}`)
	})
	mux.HandleFunc("GET /large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		some := bytes.Repeat([]byte("0123456789abcde\n"), 1<<12)
		for range answerMegabytes * 1_000_000 / len(some) {
			if _, err := w.Write(some); err != nil {
				return
			}
		}
	})
	return httptest.NewServer(mux)
}

// openOwn puts the program's own parts together with a tools file of the person's own, since others reach nothing that is
// not public; work is where calls are made. Whoever calls it stops them.
func openOwn(dir, toolsFile string) (a *app.App, work string, err error) {
	home := filepath.Join(dir, "home")
	work = filepath.Join(dir, "work")
	config := filepath.Join(home, ".config", "a2a-acp")
	if err := errors.Join(os.MkdirAll(config, 0o700), os.MkdirAll(work, 0o700)); err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(filepath.Join(config, "tools.yaml"), []byte(toolsFile), 0o600); err != nil {
		return nil, "", err
	}
	environment := map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}
	a, err = app.New(app.Options{
		Getenv: func(name string) string { return environment[name] }, Dir: work, Home: home,
		Say: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	return a, work, err
}

// httpCallRows take a call through the whole pipeline, by turns with what no call can do without, a line on disk and the
// request; and by turns with a start of curl.
func httpCallRows(dir string) []row {
	r := comparedRow("HTTP call, whole pipeline", "ms", "fsynced line + net/http", maxHTTPCall)
	c := comparedRow("HTTP call, whole pipeline", "ms", "curl", maxHTTPCallCurl)
	r, c, err := httpCallTimes(dir, r, c)
	if err != nil {
		return []row{r.unmeasured(err), c.unmeasured(err)}
	}
	return []row{r, c}
}

// httpCallTimes measures both rows.
func httpCallTimes(dir string, r, c row) (_, _ row, err error) {
	server := kitchen()
	defer server.Close()
	place, err := os.MkdirTemp(dir, "http")
	if err != nil {
		return r, c, err
	}
	a, work, err := openOwn(place, fmt.Sprintf(httpTool, server.URL))
	if err != nil {
		return r, c, err
	}
	defer func() { err = errors.Join(err, a.Stop(context.Background())) }()
	line, err := os.OpenFile(filepath.Join(place, "lines"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return r, c, err
	}
	defer line.Close()
	call := benchCall(work, `{"shop":"rome","pizza":"margherita"}`)
	ours := func() error { return completed(a, call) }
	r = r.byTurns(httpCalls, ours, func() error { return bareCall(line, server.URL) })
	curl, err := exec.LookPath("curl")
	if err != nil {
		return r, c.unmeasured(errors.New("there is no curl")), nil
	}
	return r, c.byTurns(httpCalls, ours, func() error {
		return exec.Command(curl, "-sSf", "-o", os.DevNull, "--noproxy", "*", "--json", bareOrder, server.URL+bareShop).Run()
	}), nil
}

const (
	bareShop  = "/shops/rome/orders"
	bareOrder = `{"pizza":"margherita"}`
)

func completed(a *app.App, call tool.Call) error {
	if result := a.Executor.Execute(context.Background(), call, nil); result.Status != tool.StatusCompleted {
		return fmt.Errorf("the call came to %+v", result)
	}
	return nil
}

// bareCall is what no call can do without: a line on disk, and the request.
func bareCall(line *os.File, url string) error {
	if _, err := line.Write(append(bytes.Repeat([]byte("x"), 400), '\n')); err != nil {
		return err
	}
	if err := line.Sync(); err != nil {
		return err
	}
	response, err := http.Post(url+bareShop, "application/json", strings.NewReader(bareOrder))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// keptTokenRow is the time that a token takes which is kept.
func keptTokenRow() row {
	r := within("HTTP: a token that is kept", "µs", maxKeptToken)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"t","token_type":"Bearer","expires_in":3600}`)
	}))
	defer server.Close()
	client := httptool.New()
	defer client.Close()
	wanted := httptool.TokenRequest{Secret: "secret", API: tool.API{Name: "bench", Origin: server.URL,
		Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Auth: tool.Auth{Kind: tool.AuthClientCredentials,
			Token: tool.TokenSource{URL: server.URL, ClientID: "bench", Scopes: []string{"orders.read", "orders.write"}}}}}
	return r.quick(func() error {
		_, err := client.Token(context.Background(), wanted)
		return err
	})
}

// requestRow is the time that a request takes to be made and read back.
func requestRow() row {
	r := within("HTTP: render and verify a request", "µs", maxRequest)
	text := func(name string) tool.Parameter {
		return tool.Parameter{Name: name, Type: tool.TypeString, Required: true}
	}
	template, findings := httprequest.Compile(httprequest.Spec{
		Method: http.MethodPost, Base: "https://api.example.com/v1", Path: "/shops/{{shop}}/orders",
		Query:   []httprequest.Field{{Name: "dry", Value: httprequest.Text("{{dry}}")}},
		Headers: []httprequest.Field{{Name: "X-Note", Value: httprequest.Text("{{note}}")}},
		Body: &httprequest.Body{Kind: httprequest.KindJSON, JSON: httprequest.Tree{Object: []httprequest.Member{
			{Name: "pizza", Value: httprequest.Text("{{pizza}}")}}}},
		IdempotencyKey: "Idempotency-Key",
	}, []tool.Parameter{text("shop"), text("dry"), text("note"), text("pizza")})
	if template == nil {
		return r.unmeasured(fmt.Errorf("%+v", findings))
	}
	call := map[string]any{"shop": "rome & more", "dry": "yes", "note": "ring twice", "pizza": "margherita"}
	return r.quick(func() error {
		if _, failure := template.Render(call, "call"); failure != nil {
			return failure
		}
		return nil
	})
}

// quick measures what takes microseconds.
func (r row) quick(do func() error) row {
	var taken []float64
	for range quickRounds {
		begun := time.Now()
		for range quickEach {
			if err := do(); err != nil {
				return r.unmeasured(err)
			}
		}
		taken = append(taken, float64(time.Since(begun).Nanoseconds())/1e3/quickEach)
	}
	return r.measured(median(taken), 0, fmt.Sprintf("%d × %d", quickRounds, quickEach))
}

// answerRow takes what a long answer adds to the resident memory of the program that makes the call, at the most.
func answerRow(dir string) row {
	r := within(fmt.Sprintf("HTTP: memory for an answer of %d MB", answerMegabytes), "MB", maxAnswerMemory)
	server := kitchen()
	defer server.Close()
	var taken []float64
	for range answerRuns {
		place, err := os.MkdirTemp(dir, "answer")
		if err != nil {
			return r.unmeasured(err)
		}
		megabytes, err := megabytesOf("answer", place, server.URL)
		if err != nil {
			return r.unmeasured(err)
		}
		taken = append(taken, megabytes)
	}
	return r.measured(median(taken), 0, fmt.Sprintf("%d processes", answerRuns))
}

// takeAnswer is the role: it makes one small call, looks at its memory, and at its peak while it takes the long answer.
func takeAnswer(dir, url string, out io.Writer) (err error) {
	a, work, err := openOwn(dir, fmt.Sprintf(httpTool, url))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Stop(context.Background())) }()
	if err := completed(a, benchCall(work, `{"shop":"rome","pizza":"margherita"}`)); err != nil {
		return err
	}
	runtime.GC()
	idle, err := resident(os.Getpid())
	if err != nil {
		return err
	}
	var ended atomic.Bool
	peaks := make(chan float64)
	go func() { // ends with the call
		peak := 0.0
		for !ended.Load() {
			if now, err := resident(os.Getpid()); err == nil {
				peak = max(peak, now)
			}
			time.Sleep(time.Millisecond)
		}
		peaks <- peak
	}()
	call := benchCall(work, `{}`)
	call.Tool = "large"
	result := a.Executor.Execute(context.Background(), call, nil)
	ended.Store(true)
	peak := <-peaks
	if result.Status != tool.StatusCompleted {
		return fmt.Errorf("the call came to %+v", result)
	}
	_, err = fmt.Fprintln(out, max(0, peak-idle))
	return err
}
