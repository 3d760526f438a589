package netguard

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// TestWithoutUpgrade: a server that goes over to another protocol, and says nothing in it, holds up nobody.
func TestWithoutUpgrade(t *testing.T) {
	t.Parallel()
	closed := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		_, err = conn.Read(make([]byte, 1))
		closed <- err
	}))
	t.Cleanup(server.Close)
	guard := &Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	client := http.Client{Transport: WithoutUpgrade{Transport: guard.Transport()}}
	answer, err := client.Get(server.URL)
	if err == nil {
		answer.Body.Close()
	}
	if !errors.Is(err, ErrUpgrade) {
		t.Errorf("got %v", err)
	}
	if err := <-closed; !errors.Is(err, io.EOF) {
		t.Errorf("the connection ended with %v", err)
	}
}
