package a2a

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// rawConn is a connection of HTTP/2 whose client does as it likes.
type rawConn struct {
	t *testing.T
	net.Conn
	*http2.Framer
	head bytes.Buffer
	hpack.Encoder
	next uint32 // stream
}

// dial opens a connection whose streams get so many bytes of answers.
func (h *house) dial(window uint32) *rawConn {
	h.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(h.t.Context(), "tcp", strings.TrimPrefix(h.http.URL, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.Close() })
	c := &rawConn{t: h.t, Conn: conn, Framer: http2.NewFramer(conn, conn), next: 1}
	c.Encoder = *hpack.NewEncoder(&c.head)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		h.t.Fatal(err)
	}
	if err := c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}); err != nil {
		h.t.Fatal(err)
	}
	return c
}

// ask makes a request of gRPC, and returns the number of its stream.
func (c *rawConn) ask(op string, body []byte, more ...string) uint32 {
	c.t.Helper()
	c.head.Reset()
	fields := append([]string{":method", "POST", ":scheme", "http", ":authority", "127.0.0.1", ":path", a2agrpc.Prefix + op,
		"content-type", "application/grpc", "te", "trailers", "authorization", "anna"}, more...)
	for i := 0; i < len(fields); i += 2 {
		if err := c.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			c.t.Fatal(err)
		}
	}
	stream := c.next
	c.next += 2
	if err := c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.head.Bytes(), EndHeaders: true}); err != nil {
		c.t.Skip(err) // the server has hung up, which it may
	}
	_ = c.WriteData(stream, true, body) // likewise
	return stream
}

// frame makes a message of a method.
func (h *house) frame(op, params string) []byte {
	h.t.Helper()
	method, err := h.door.grpc.Method(op)
	if err != nil {
		h.t.Fatal(err)
	}
	frame, err := a2agrpc.Frame([]byte(params), method.Input())
	if err != nil {
		h.t.Fatal(err)
	}
	return frame
}

// TestStuckSubscribers has gRPC clients subscribe that never take a byte, and others that reset their streams at once: the
// task goes on, whoever else watches is told all of it, and the server ends as if they had never been there.
func TestStuckSubscribers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	result, failure := h.rpc("anna", "SendMessage", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"hold g"}]},
		"configuration":{"returnImmediately":true}}`)
	if failure != nil {
		t.Fatal(failure)
	}
	id := at(result, "task.id").(string)
	subscribe := h.frame("SubscribeToTask", fmt.Sprintf(`{"id":%q}`, id))
	stuck := h.dial(0)
	for range 50 {
		stuck.ask("SubscribeToTask", subscribe)
	}
	// What is reset before it began is not done, and such a client may be hung up on.
	resets := h.dial(1 << 20)
	go func() { _, _ = io.Copy(io.Discard, resets.Conn) }() // ends with the connection
	for range 2000 {
		if resets.WriteRSTStream(resets.ask("SubscribeToTask", subscribe), http2.ErrCodeCancel) != nil {
			break
		}
	}
	told := make(chan string, 1)
	go func() { // ends with the task
		response := h.request("anna", "POST", "/tasks/"+id+":subscribe", "{}")
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		told <- string(body)
	}()
	close(h.actor.gate("g"))
	select {
	case all := <-told:
		if !strings.Contains(all, "TASK_STATE_COMPLETED") && !strings.Contains(all, "has ended") {
			t.Errorf("somebody else is told %s", all)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("somebody else is told nothing")
	}
	_ = stuck.Close()
	_ = resets.Close()
}

// TestHostileGRPC sends what no client of gRPC does. Each has its answer, with a status, and the connection goes on.
func TestHostileGRPC(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	over := http.Transport{Protocols: new(http.Protocols)}
	over.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(over.CloseIdleConnections)
	get := h.frame("GetTask", `{"id":"none"}`)
	deep := []byte{}
	for range 300 { // google.protobuf.Value { list_value { values … } }
		deep = append(binary.AppendUvarint([]byte{0x0a}, uint64(len(deep))), deep...)
		deep = append(binary.AppendUvarint([]byte{0x32}, uint64(len(deep))), deep...)
	}
	for _, tag := range []byte{0x22, 0x2a, 0x12} { // Part.data, Message.parts, SendMessageRequest.message
		deep = append(binary.AppendUvarint([]byte{tag}, uint64(len(deep))), deep...)
	}
	framed := func(body []byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...) //nolint:gosec // it is short
	}
	for _, test := range []struct {
		name, op string
		body     []byte
		header   []string
		want     string // the code
	}{
		{"a task that is not there", "GetTask", get, nil, "5"},
		{"no method", "Get", get, nil, "12"},
		{"a method of another case", "getTask", get, nil, "12"},
		{"nothing", "GetTask", nil, nil, "3"},
		{"half a head", "GetTask", []byte{0, 0}, nil, "3"},
		{"shorter than it says", "GetTask", get[:len(get)-1], nil, "3"},
		{"longer than it says", "GetTask", append(bytes.Clone(get), 0), nil, "3"},
		{"two messages", "GetTask", append(bytes.Clone(get), get...), nil, "3"},
		{"endless", "GetTask", []byte{0, 0xff, 0xff, 0xff, 0xff, 1}, nil, "3"},
		{"compressed", "GetTask", append([]byte{1}, get[1:]...), nil, "12"},
		{"no protobuf", "GetTask", framed([]byte{0xff, 0xff}), nil, "3"},
		{"no UTF-8", "GetTask", framed([]byte{0x12, 1, 0xff}), nil, "3"},
		{"deep", "SendMessage", framed(deep), nil, "3"},
		{"no time", "GetTask", get, []string{"Grpc-Timeout", "0n"}, "4"},
		{"a time that is none", "GetTask", get, []string{"Grpc-Timeout", "S"}, "3"},
		{"a time before now", "GetTask", get, []string{"Grpc-Timeout", "-1S"}, "3"},
		{"a very long time", "GetTask", get, []string{"Grpc-Timeout", "99999999H"}, "5"},
		{"another version", "GetTask", get, []string{"A2A-Version", "0.3"}, "9"},
		{"a version that is none", "GetTask", get, []string{"A2A-Version", "99\x01"}, ""},
		{"a tenant that is not there", "GetTask", h.frame("GetTask", `{"id":"x","tenant":"../other"}`), nil, "3"},
		{"another's tenant", "GetTask", h.frame("GetTask", `{"id":"x","tenant":"other"}`), nil, "5"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.http.URL+a2agrpc.Prefix+test.op, bytes.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/grpc")
		r.Header.Set("Authorization", "anna")
		for i := 0; i < len(test.header); i += 2 {
			r.Header.Set(test.header[i], test.header[i+1])
		}
		response, err := over.RoundTrip(r)
		if err != nil {
			if test.want != "" {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if got := response.Trailer.Get("Grpc-Status"); err != nil || got != test.want {
			t.Errorf("%s: status %q %q, %v; want %s", test.name, got, response.Trailer.Get("Grpc-Message"), err, test.want)
		}
	}
}
