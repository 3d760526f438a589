package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// short has the daemon lose its patience soon.
func short(o *Options) { o.Settings.Limits.Patience = 200 * time.Millisecond }

// readsAll tells what came of reading a request's body.
func readsAll(got chan<- error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		got <- err
		fmt.Fprint(w, n)
	})
}

// TestLongRequests has what is too long refused before it is taken in: headers, bodies that say so, and bodies
// that do not.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	got := make(chan error, 1)
	h := run(t, func(o *Options) { o.Settings.Limits.Body, o.Settings.Limits.Header = 1<<20, 8<<10 }, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: readsAll(got)},
		{Pattern: "/small", Scope: ScopeTools, Handler: readsAll(got), MaxBody: 10},
		{Pattern: "/large", Scope: ScopeTools, Handler: readsAll(got), MaxBody: 1 << 30},
	}})
	const head = "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer tok-one\r\n"
	for _, test := range []struct {
		name, path, rest string
		status           int
		cut              bool // the handler's read ends with the bound
	}{
		{"fits", "/x", "Content-Length: 1048576\r\n\r\n" + strings.Repeat("x", 1<<20), 200, false},
		{"says that it is too long", "/x", "Content-Length: 1048577\r\n\r\n", 413, false},
		{"says that it is endless", "/x", "Content-Length: 9223372036854775807\r\n\r\n", 413, false},
		{"says nothing", "/small", "Transfer-Encoding: chunked\r\n\r\n" + "b\r\n12345678901\r\n0\r\n\r\n", 200, true},
		{"no more than the daemon's own bound", "/large", "Content-Length: 1048577\r\n\r\n", 413, false},
		{"two lengths", "/x", "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400, false},
		{"a length and chunks", "/x", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST", 200, false}, // chunks count
		{"a coding of chunks that is none", "/x", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501, false},
		{"a long header", "/x", "X: " + strings.Repeat("x", 32<<10) + "\r\n\r\n", 431, false},
		{"many headers", "/x", strings.Repeat("X: x\r\n", 8<<10) + "\r\n", 431, false},
		{"a header without a name", "/x", ": x\r\n\r\n", 400, false},
		{"a space before a colon", "/x", "Content-Length : 1\r\n\r\nx", 400, false},
		{"a NUL in a header", "/x", "X: a\x00b\r\n\r\n", 400, false},
	} {
		answer, body := h.raw(fmt.Sprintf(head, test.path) + test.rest)
		if answer.StatusCode != test.status {
			t.Errorf("%s: %s, %s; want %d", test.name, answer.Status, body, test.status)
		}
		if test.status != 200 {
			continue
		}
		var tooLong *http.MaxBytesError
		if err := <-got; errors.As(err, &tooLong) != test.cut {
			t.Errorf("%s: read until %v", test.name, err)
		}
	}
	if answer, _ := h.get("/"+strings.Repeat("x", 32<<10), "tok-one"); answer.StatusCode != 431 {
		t.Errorf("a long path: %s", answer.Status)
	}
}

// TestUnreadBodies has the body of a request that is not let in not taken in.
func TestUnreadBodies(t *testing.T) {
	t.Parallel()
	h := run(t, nil, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	for _, headers := range []string{"", "Authorization: Bearer tok-none\r\n", "Authorization: Bearer tok-one\r\nOrigin: https://evil.example\r\n"} {
		conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n%s\r\n", headers)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != 401 && answer.StatusCode != 403 {
			t.Errorf("%q: %v, %v; want a no before the body is asked for", headers, answer, err)
		}
		conn.Close()
	}
}

// TestSlowSenders has a client cut that sends its headers, its body, or nothing, too slowly.
func TestSlowSenders(t *testing.T) {
	t.Parallel()
	got := make(chan error, 1)
	h := run(t, short, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: readsAll(got)}}})
	const head = "POST /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer tok-one\r\n"
	for name, begin := range map[string]string{
		"headers that never end": head + "X: ",
		"nothing at all":         "",
		"a body that stops":      head + "Content-Length: 10\r\n\r\nabc",
		"chunks that stop":       head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	} {
		conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil { // ends when the daemon closes it
			t.Errorf("%s: %v", name, err)
		}
		conn.Close()
		if strings.Contains(begin, "abc") {
			if err := <-got; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the handler read until %v", name, err)
			}
		}
	}
}

// TestDrops has a body cut that comes in drops, each of them in time.
func TestDrops(t *testing.T) {
	t.Parallel()
	got := make(chan error, 1)
	h := run(t, short, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: readsAll(got)}}})
	conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer tok-one\r\nContent-Length: 1000000\r\n\r\n")
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-got:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("read until %v", err)
			}
			return
		case <-tick.C:
			_, _ = conn.Write([]byte("x")) // it may be cut by now
		}
	}
}

// TestUnreadDrops has bodies that nobody reads come in drops: their clients are answered or cut, with a token and without.
func TestUnreadDrops(t *testing.T) {
	t.Parallel()
	h := run(t, short, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	for _, headers := range []string{"Host: localhost\r\n", "Host: localhost\r\nAuthorization: Bearer tok-one\r\n", "Host: evil.example\r\n"} {
		conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /x HTTP/1.1\r\n%sContent-Length: 100000\r\n\r\n", headers)
		over := make(chan struct{})
		go func() { // ends with the answer, or with the connection
			defer close(over)
			_, _ = http.ReadResponse(bufio.NewReader(conn), nil) // a slow machine may cut it before the answer is out
		}()
		tick := time.NewTicker(20 * time.Millisecond)
		for holds := true; holds; {
			select {
			case <-over:
				holds = false
			case <-tick.C:
				_, _ = conn.Write([]byte("x")) // it may be cut by now
			}
		}
		tick.Stop()
		conn.Close()
	}
}

// TestPauses has a handler that pauses, and a client that waits for it, not cut: only the time counts in which
// one waits for the other.
func TestPauses(t *testing.T) {
	t.Parallel()
	h := run(t, short, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 4 {
				pause := time.NewTimer(150 * time.Millisecond) // together longer than the patience
				<-pause.C
				if _, err := fmt.Fprintln(w, "news"); err != nil {
					t.Error(err)
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
			}
			if r.Context().Err() != nil {
				t.Error(context.Cause(r.Context()))
			}
		})},
	}})
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		answer, err := client(version).Do(h.request("/x", http.NoBody))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(body) != strings.Repeat("news\n", 4) || answer.Proto != version {
			t.Errorf("%s: %q, %v, by %s", version, body, err, answer.Proto)
		}
	}
}

// client speaks one version of HTTP, without TLS.
func client(version string) *http.Client {
	var protocols http.Protocols
	protocols.SetHTTP1(version == "HTTP/1.1")
	protocols.SetUnencryptedHTTP2(version == "HTTP/2.0")
	return &http.Client{Transport: &http.Transport{Protocols: &protocols, DisableKeepAlives: true}}
}

// request is one with the token of one.
func (h *house) request(path string, body io.Reader) *http.Request {
	h.t.Helper()
	method := http.MethodPost
	if body == http.NoBody {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.base+path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer tok-one")
	return r
}

// TestSlowReaders has a client cut that does not take what it is sent, in both versions of HTTP.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			got := make(chan error, 1)
			h := run(t, short, Door{Name: "d", Routes: []Route{
				{Pattern: "/x", Scope: ScopeTools, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					for { // more than any buffer on the way takes
						if _, err := w.Write(make([]byte, 1<<20)); err != nil {
							got <- err
							return
						}
					}
				})},
			}})
			answer, err := client(version).Do(h.request("/x", http.NoBody))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if err := <-got; err == nil {
				t.Error("it was never cut")
			}
		})
	}
}

// TestSlowSendersOverHTTP2 has a stream cut whose body stops, and the others of its connection not.
func TestSlowSendersOverHTTP2(t *testing.T) {
	t.Parallel()
	got := make(chan error, 1)
	h := run(t, short, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: readsAll(got)}, {Pattern: "/y", Scope: ScopeTools, Handler: who},
	}})
	body, stop := io.Pipe()
	defer stop.Close()
	c := client("HTTP/2.0")
	var asking sync.WaitGroup
	asking.Go(func() {
		if answer, err := c.Do(h.request("/x", body)); err == nil {
			answer.Body.Close()
		}
	})
	if _, err := stop.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := <-got; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read until %v", err)
	}
	if answer, err := c.Do(h.request("/y", http.NoBody)); err != nil || answer.StatusCode != 200 {
		t.Errorf("another request: %v, %v", answer, err)
	} else {
		answer.Body.Close()
	}
	stop.Close()
	asking.Wait()
}

// leavesAlone has a connection that waits left alone for so long, whoever else comes.
func (h *house) leavesAlone(young time.Duration) {
	h.connections.mu.Lock()
	defer h.connections.mu.Unlock()
	h.connections.young = young
}

// TestIdleConnections opens ten thousand connections that send nothing. No more are kept than may wait, memory
// does not grow with those that come, and a client is answered meanwhile.
func TestIdleConnections(t *testing.T) {
	// Not in parallel: it measures memory.
	most := 10_000
	if may := (descriptors() - 500) / 2; may < most { // both ends are ours
		if os.Getenv("REQUIRE_SANDBOX") != "" && may < 1000 {
			t.Fatalf("only %d descriptors may be open", descriptors())
		}
		t.Logf("%d connections in place of %d: only %d descriptors may be open", may, most, descriptors())
		most = may
	}
	if most < 500 {
		t.Skipf("found %d descriptors, wanted 2000", descriptors())
	}
	const waiting = 256
	h := run(t, func(o *Options) { o.Settings.Limits.Waiting = waiting }, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	h.leavesAlone(0)
	use := func() (bytes uint64, goroutines int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse, runtime.NumGoroutine()
	}
	var opened []net.Conn
	defer func() {
		for _, conn := range opened {
			conn.Close()
		}
	}()
	open := func(n int) {
		for range n {
			conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
			if err != nil {
				t.Fatalf("after %d: %v", len(opened), err)
			}
			opened = append(opened, conn)
			if len(opened)%1000 == 0 {
				if answer, body := h.get("/x", "tok-one"); answer.StatusCode != 200 || body != "one" {
					t.Errorf("after %d: %s, %s", len(opened), answer.Status, body)
				}
			}
		}
	}
	open(most / 10)
	before, threads := use()
	open(most - most/10)
	h.get("/x", "tok-one")
	after, now := use()
	if all, waits := h.connections.count(); all > waiting+8 || waits > waiting {
		t.Errorf("%d connections are kept, %d of them wait; want %d", all, waits, waiting)
	}
	if now > threads+100 || after > before+16<<20 {
		t.Errorf("after %d connections %d MB and %d goroutines, after %d %d MB and %d", most/10, before>>20, threads, most, after>>20, now)
	}
}

// TestBusyConnectionsAreKept has connections with a request under way outlive a flood of others.
func TestBusyConnectionsAreKept(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan bool), make(chan bool)
	h := run(t, func(o *Options) { o.Settings.Limits.Waiting = 8 }, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			begun <- true
			<-goOn
			fmt.Fprint(w, "done")
		})},
	}})
	h.leavesAlone(0)
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			if _, body := h.get("/x", "tok-one"); body != "done" {
				t.Errorf("got %q", body)
			}
		})
		<-begun
	}
	for range 100 {
		conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	close(goOn)
	asking.Wait()
}

// TestYoungConnectionsAreWaitedFor has a crowd that comes at once let in one after the other, and nobody of it
// closed.
func TestYoungConnectionsAreWaitedFor(t *testing.T) {
	t.Parallel()
	h := run(t, func(o *Options) { o.Settings.Limits.Waiting = 2 }, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	h.leavesAlone(time.Hour)
	var asking sync.WaitGroup
	for range 50 {
		asking.Go(func() {
			answer, err := client("HTTP/1.1").Do(h.request("/x", http.NoBody))
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
		})
	}
	asking.Wait()
}

// TestConnectionsOfOnePrincipal has a principal told when it has as many as it may, and another let in.
func TestConnectionsOfOnePrincipal(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan bool), make(chan bool)
	wait := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- true
		<-goOn
	})
	h := run(t, func(o *Options) { o.Settings.Limits.PrincipalConnections = 2 }, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: wait}, {Pattern: "/y", Scope: AnyPrincipal, Handler: who},
	}})
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() { h.get("/x", "tok-one") })
		<-begun
	}
	if answer, _ := h.get("/y", "tok-one"); answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("a third: %s, %v", answer.Status, answer.Header)
	}
	if answer, _ := h.get("/y", "tok-none"); answer.StatusCode != 200 {
		t.Errorf("another's: %s", answer.Status)
	}
	close(goOn)
	asking.Wait()
}

// TestFewDescriptors has the bounds fit into what the process may open.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 100, 1024, 20000, 1 << 30} {
		l := DefaultLimits().within(most)
		if l.Waiting < 1 || l.Connections < 1 || l.PrincipalConnections < 1 || most > 1024 && l.Waiting+l.Connections > most {
			t.Errorf("of %d descriptors: %+v", most, l)
		}
	}
}

// TestErrorsAreFew has what clients cause complaints about told so many times, and then counted.
func TestErrorsAreFew(t *testing.T) {
	t.Parallel()
	var told []string
	l := newErrorLog(func(line string) { told = append(told, line) })
	for range 1000 {
		l.Printf("TLS handshake error from 127.0.0.1:1: %s", bytes.Repeat([]byte("x"), 10_000))
	}
	if len(told) != mostTold || len(told[0]) > longest {
		t.Errorf("told %d times, %d bytes", len(told), len(told[0]))
	}
}

// TestPanics has a handler that panics end its own request alone.
func TestPanics(t *testing.T) {
	t.Parallel()
	said := make(chan string, 10)
	h := run(t, func(o *Options) { o.Say = func(line string) { said <- line } }, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			panic(fmt.Sprintf("of a test: %d bytes, %v", len(body), err))
		})},
		{Pattern: "/y", Scope: ScopeTools, Handler: who},
	}})
	request := h.request("/x?key=canary-url", strings.NewReader("canary-body"))
	request.Header.Set("X-Other", "canary-header")
	if answer, err := client("HTTP/1.1").Do(request); err == nil {
		answer.Body.Close()
		t.Errorf("answered %s", answer.Status)
	}
	if line := <-said; !strings.Contains(line, "of a test: 11 bytes") || !strings.Contains(line, "goroutine ") ||
		strings.Contains(line, "tok-one") || strings.Contains(line, "canary") {
		t.Errorf("said %s", line)
	}
	if answer, body := h.get("/y", "tok-one"); answer.StatusCode != 200 || body != "one" {
		t.Errorf("%s, %s", answer.Status, body)
	}
	if h.accounts.all["one"].open != 0 {
		t.Error("the request that panicked still counts")
	}
}

// TestHijack has a handler take the connection over, as for a WebSocket, and keep it longer than the patience.
func TestHijack(t *testing.T) {
	t.Parallel()
	over := make(chan error, 1)
	h := run(t, short, Door{Name: "d", Routes: []Route{
		{Pattern: "GET /ws", Scope: ScopeTools, Streams: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, buffered, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			go func() { // ends with the connection
				defer conn.Close()
				fmt.Fprint(buffered, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
				for line, err := "begin\n", buffered.Flush(); ; line, err = buffered.ReadString('\n') {
					if err != nil {
						over <- err
						return
					}
					fmt.Fprint(buffered, line)
					if err := buffered.Flush(); err != nil {
						over <- err
						return
					}
				}
			}()
		})},
	}})
	conn, err := net.Dial("tcp", h.listeners[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-API-Key: tok-one\r\n\r\n")
	r := bufio.NewReader(conn)
	if answer, err := http.ReadResponse(r, nil); err != nil || answer.StatusCode != 101 {
		t.Fatalf("%v, %v", answer, err)
	}
	for _, said := range []string{"", "one\n", "two\n"} {
		fmt.Fprint(conn, said)
		want := said
		if want == "" {
			want = "begin\n"
		}
		if line, err := r.ReadString('\n'); line != want || err != nil {
			t.Fatalf("%q, %v; want %q", line, err, want)
		}
		pause := time.NewTimer(250 * time.Millisecond) // longer than the patience
		<-pause.C
	}
	conn.Close()
	if err := <-over; !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
}

// TestTrailers has what comes behind an answer get through, as gRPC needs it, without TLS.
func TestTrailers(t *testing.T) {
	t.Parallel()
	h := run(t, nil, Door{Name: "d", Routes: []Route{
		{Pattern: "POST /a.Service/", Scope: ScopeTools, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			w.(http.Flusher).Flush()
			_, _ = io.Copy(w, r.Body)
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		})},
	}})
	answer, err := client("HTTP/2.0").Do(h.request("/a.Service/Method", strings.NewReader("frame")))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || string(body) != "frame" || answer.Trailer.Get("Grpc-Status") != "0" {
		t.Errorf("%q, %v, %v", body, answer.Trailer, err)
	}
}
