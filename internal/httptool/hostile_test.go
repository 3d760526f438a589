package httptool

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// rawServer answers each request with what a test writes to its connection, and returns its URL. The connection is closed
// afterwards, with a reset.
func rawServer(t *testing.T, answer func(ctx context.Context, conn io.Writer)) (url string, requests *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	requests = &atomic.Int32{}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { // ends with the listener
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { // ends with the answer, or the test
				defer conn.Close()
				stop := context.AfterFunc(ctx, func() { conn.Close() })
				defer stop()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					return
				}
				requests.Add(1)
				answer(ctx, conn)
				_ = conn.(*net.TCPConn).SetLinger(0)
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		listener.Close()
		serving.Wait()
	})
	return "http://" + listener.Addr().String(), requests
}

// forEver writes a text until nobody takes it any more.
func forEver(before, text string) func(context.Context, io.Writer) {
	return func(_ context.Context, conn io.Writer) {
		_, err := io.WriteString(conn, before)
		for some := strings.Repeat(text, 1+1<<14/len(text)); err == nil; {
			_, err = io.WriteString(conn, some)
		}
	}
}

// drips writes a text byte by byte, and then nothing more.
func drips(text string) func(context.Context, io.Writer) {
	return func(ctx context.Context, conn io.Writer) {
		for i := range text {
			if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
				return
			}
		}
		<-ctx.Done()
	}
}

func once(text string) func(context.Context, io.Writer) {
	return func(_ context.Context, conn io.Writer) { io.WriteString(conn, text) } //nolint:errcheck // whoever asked may be gone
}

// TestHostileServers has servers that drip, flood and lie: each exchange ends within its bounds, is sent once, whatever its
// method, and what is told of it repeats nothing that the server said.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	const said = "hunter12345"
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, test := range map[string]struct {
		answer  func(context.Context, io.Writer)
		code    tool.FailureCode
		patient bool // nothing but time ends it
	}{
		"nothing":                     {answer: drips(""), code: tool.FailUpstreamTimeout, patient: true},
		"a dripping line":             {answer: drips("HTTP/1.1 2"), code: tool.FailUpstreamTimeout, patient: true},
		"dripping headers":            {answer: drips(ok + "X-A: " + said), code: tool.FailUpstreamTimeout, patient: true},
		"a dripping body":             {answer: drips(ok + "Content-Length: 100\r\n\r\n" + said), code: tool.FailUpstreamTimeout, patient: true},
		"dripping chunks":             {answer: drips(ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1"), code: tool.FailUpstreamTimeout, patient: true},
		"a line without an end":       {answer: forEver("HTTP/1.1 200 ", said), code: tool.FailUpstream},
		"a header without an end":     {answer: forEver(ok+"X-A: ", said), code: tool.FailUpstream},
		"headers without an end":      {answer: forEver(ok, "X-A: "+said+"\r\n"), code: tool.FailUpstream},
		"interim answers for ever":    {answer: forEver("", "HTTP/1.1 103 Early Hints\r\nLink: <"+said+">\r\n\r\n"), code: tool.FailUpstream},
		"continue for ever":           {answer: forEver("", "HTTP/1.1 100 Continue\r\n\r\n"), code: tool.FailUpstream},
		"an extension without an end": {answer: forEver(ok+"Transfer-Encoding: chunked\r\n\r\n1;", said), code: tool.FailUpstream},
		"extensions for ever":         {answer: forEver(ok+"Transfer-Encoding: chunked\r\n\r\n", "1;"+strings.Repeat("a", 2000)+"\r\na\r\n"), code: tool.FailUpstream},
		"trailers for ever":           {answer: forEver(ok+"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", "X-A: "+said+"\r\n"), code: tool.FailUpstream},
		"a length below none":         {answer: once(ok + "Content-Length: -1\r\n\r\n" + said), code: tool.FailUpstream},
		"a length beyond numbers":     {answer: once(ok + "Content-Length: 99999999999999999999\r\n\r\n" + said), code: tool.FailUpstream},
		"two lengths":                 {answer: once(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n" + said), code: tool.FailUpstream},
		"a chunk beyond numbers":      {answer: once(ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + said), code: tool.FailUpstream},
		"a coding that is none":       {answer: once(ok + "Transfer-Encoding: " + said + "\r\n\r\n"), code: tool.FailUpstream},
		"another protocol":            {answer: once("SSH-2.0-" + said + "\r\n"), code: tool.FailUpstream},
		"a switch of protocols":       {answer: drips("HTTP/1.1 101 Switching Protocols\r\nUpgrade: " + said + "\r\nConnection: Upgrade\r\n\r\n"), code: tool.FailUpstream},
		"a gzip that is none":         {answer: once(ok + "Content-Encoding: gzip\r\nContent-Length: 11\r\n\r\n" + said), code: tool.FailUpstream},
	} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				url, requests := rawServer(t, test.answer)
				_, _, failure := do(t, exchange(t, url, method, "/", func(x *Exchange, spec *request.Spec) {
					spec.IdempotencyKey = "Idempotency-Key"
					if test.patient {
						x.Limits.Time = 200 * time.Millisecond
					}
				}))
				if failure == nil || failure.Code != test.code {
					t.Fatalf("got %v, want %s", failure, test.code)
				}
				if strings.Contains(failure.Message, said) {
					t.Errorf("the failure repeats the server: %s", failure.Message)
				}
				if n := requests.Load(); n != 1 {
					t.Errorf("it was sent %d times", n)
				}
			})
		}
	}
}

// TestResetAnywhere resets the connection behind each byte of an answer: nothing but the whole answer is one.
func TestResetAnywhere(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(`{"pizza":"margherita"}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string]string{
		"a length": "HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{\"pizza\":\"margherita\"}",
		"chunks":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"pizza\":\r\nd\r\n\"margherita\"}\r\n0\r\n\r\n",
		"gzip": fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
			packed.Len(), packed.String()),
		"interim": "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cut atomic.Int32
			url, requests := rawServer(t, func(_ context.Context, conn io.Writer) { io.WriteString(conn, whole[:cut.Load()]) }) //nolint:errcheck // likewise
			for at := range len(whole) {
				cut.Store(int32(at))
				_, _, failure := do(t, exchange(t, url, "POST", "/", func(_ *Exchange, spec *request.Spec) { spec.IdempotencyKey = "Idempotency-Key" }))
				if failure == nil || failure.Code != tool.FailUpstream {
					t.Errorf("cut at %d: %v", at, failure)
				}
			}
			if int(requests.Load()) != len(whole) {
				t.Errorf("%d exchanges were %d requests", len(whole), requests.Load())
			}
		})
	}
}

// turning answers in turn with an address that is allowed and with one that is not.
type turning struct{ n atomic.Int32 }

func (r *turning) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + r.n.Add(1)%2)})}, nil
}

// TestRebinding has a name turn between two looks, at every dial that there is: for a source, the endpoint of its token, a
// redirect, and a URL that an answer names (a further page, a job). What is connected to is what was looked at.
func TestRebinding(t *testing.T) {
	t.Parallel()
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(own.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	bad, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		own.Close()
		if errors.Is(err, syscall.EADDRNOTAVAIL) { // macOS has but one
			t.Skipf("there is no second address of this machine: %v", err)
		}
		t.Fatal(err)
	}
	var reached atomic.Int32
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		w.Header().Set("Connection", "close") // so that each request is dialed for
		switch r.URL.Path {
		case "/token":
			says(good)(w, r)
		case "/again":
			http.Redirect(w, r, "/end", http.StatusFound)
		}
	})
	for listener, handler := range map[net.Listener]http.Handler{own: answers,
		bad: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s has reached the other address", r.URL) })} {
		server := &http.Server{Handler: handler}
		go server.Serve(listener) //nolint:errcheck // ends with the test
		t.Cleanup(func() { server.Close() })
	}
	base := "http://shop.example:" + port
	arrived := 0
	for round := range 40 {
		for name, do := range map[string]func(c *Client) error{
			"source": func(c *Client) error {
				_, err := c.Do(t.Context(), exchange(t, base, "GET", "/", nil), &Body{})
				return err
			},
			"redirect": func(c *Client) error {
				_, err := c.Do(t.Context(), exchange(t, base, "GET", "/again", func(x *Exchange, _ *request.Spec) { x.API.Redirects = 1 }), &Body{})
				return err
			},
			"named": func(c *Client) error {
				_, err := c.Do(t.Context(), exchange(t, base, "GET", "/", func(x *Exchange, _ *request.Spec) { x.To = base + "/page/2" }), &Body{})
				return err
			},
			"token": func(c *Client) error {
				_, err := c.Token(t.Context(), wanted(base+"/token", nil))
				return err
			},
		} {
			client := New()
			names := &turning{}
			names.n.Store(int32(round))
			client.resolver = names
			before := reached.Load()
			err := do(client)
			if err == nil {
				arrived++
			} else if !strings.Contains(err.Error(), "allow_addresses") {
				t.Errorf("%s: %v", name, err)
			}
			if err == nil && reached.Load() == before {
				t.Errorf("%s was answered by nobody", name)
			}
			client.Close()
		}
	}
	if arrived == 0 || arrived == 160 {
		t.Errorf("%d of 160 arrived, so the name did not turn", arrived)
	}
}
