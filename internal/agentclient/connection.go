package agentclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// connection speaks JSON-RPC to a bridge, a line a message. The ids of the agent's requests are given back with
// the bytes that they came with, since an agent may choose ids that no other type than text holds.
type connection struct {
	in  *ndjson.Reader
	to  *ndjson.Writer
	out sync.Mutex // held while a line is written

	// request answers a request of the agent's; each has a goroutine of its own.
	// ctx ends when the agent takes the request back, or the connection ends.
	request func(ctx context.Context, method string, params json.RawMessage) (result any, err error)
	// notification is called for one after the other, in the order in which they came.
	notification func(method string, params json.RawMessage)

	requests chan struct{} // holds a value for each of the agent's that is being answered
	files    chan struct{} // likewise, for each that reads or writes a file
	flooded  bool          // the agent has asked for too much at once. Read when run has returned

	mu       sync.Mutex
	next     int
	open     map[ndjson.Key]chan answer        // the calls that wait
	asked    map[ndjson.Key]context.CancelFunc // the agent's requests that are being answered
	over     bool
	answered sync.WaitGroup // requests of the agent's that are being answered
}

// answer is what a call is answered with.
type answer struct {
	result json.RawMessage
	err    error
}

// errHungUp ends calls whose answer will not come any more.
var errHungUp = errors.New("the connection has ended")

// longestFrame is how long a line of the bridge's may be: it lets nothing longer through without being told to.
const longestFrame = math.MaxInt32

func newConnection(in io.Reader, out io.Writer) *connection {
	return &connection{in: ndjson.NewReader(in, longestFrame), to: ndjson.NewWriter(out), open: map[ndjson.Key]chan answer{},
		asked:    map[ndjson.Key]context.CancelFunc{},
		requests: make(chan struct{}, mostRequests), files: make(chan struct{}, mostFiles)}
}

// The bounds of what an agent may ask for at once: an agent that has very much answered at once would have our
// memory. Whoever waits for the end of a command takes little of it, and a file much.
const (
	mostRequests = 1024 // beyond that the connection ends
	mostFiles    = 16   // beyond that the agent waits
)

// run reads until the other end closes. It returns when all requests have been answered.
func (c *connection) run() {
	for !c.flooded {
		line, err := c.in.Next()
		if err != nil {
			break
		}
		c.take(ndjson.Scan(line))
	}
	c.mu.Lock()
	c.over = true
	for _, waiting := range c.open {
		waiting <- answer{err: errHungUp} // never blocks: it waits for one
	}
	c.open = nil
	for _, takeBack := range c.asked {
		takeBack()
	}
	c.mu.Unlock()
	c.answered.Wait()
}

// take handles one frame. Its parts are valid during the call only.
func (c *connection) take(frame ndjson.Frame) {
	switch {
	case frame.Kind != ndjson.Object:
	case !frame.HasMethod():
		c.mu.Lock()
		waiting := c.open[ndjson.ID(frame.ID)]
		delete(c.open, ndjson.ID(frame.ID))
		c.mu.Unlock()
		if waiting != nil {
			waiting <- answerOf(frame)
		}
	case len(frame.ID) == 0 && frame.MethodName() == "$/cancel_request":
		c.takenBack(frame.Params)
	case len(frame.ID) == 0:
		c.notification(frame.MethodName(), frame.Params)
	default:
		c.answer(bytes.Clone(frame.ID), frame.MethodName(), frame.Params)
	}
}

// answer has a request of the agent's answered.
func (c *connection) answer(id json.RawMessage, method string, params []byte) {
	select {
	case c.requests <- struct{}{}:
	default:
		c.flooded = true // a refusal would have to be written, and nobody says that the agent reads
		return
	}
	file := strings.HasPrefix(method, "fs/")
	if file {
		c.files <- struct{}{}
	}
	params = bytes.Clone(params)
	ctx, cancel := context.WithCancel(context.Background())
	c.mu.Lock()
	c.asked[ndjson.ID(id)] = cancel
	c.mu.Unlock()
	c.answered.Go(func() { // ends when it is answered
		result, err := c.request(ctx, method, params)
		c.mu.Lock()
		delete(c.asked, ndjson.ID(id))
		c.mu.Unlock()
		cancel()
		c.respond(id, result, err)
		<-c.requests
		if file {
			<-c.files
		}
	})
}

// takenBack tells a request of the agent's that nobody waits for its answer any more.
func (c *connection) takenBack(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if takeBack := c.asked[ndjson.ID(p.ID)]; takeBack != nil {
		takeBack()
	}
}

// answerOf reads a response.
func answerOf(frame ndjson.Frame) answer {
	if len(frame.Error) == 0 || string(frame.Error) == "null" {
		return answer{result: bytes.Clone(frame.Result)}
	}
	var refused struct {
		Code    json.Number
		Message string
		Data    json.RawMessage
	}
	if err := json.Unmarshal(frame.Error, &refused); err != nil {
		return answer{err: &RefusedError{Code: codeInternal, Message: string(frame.Error)}}
	}
	code, _ := strconv.Atoi(string(refused.Code))
	return answer{err: &RefusedError{Code: code, Message: refused.Message, Data: refused.Data}}
}

// Error codes of JSON-RPC and ACP.
const (
	codeNoMethod    = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeLogin       = -32000
	codeNotFound    = -32002
	codeUnsupported = -32022 // a version of the protocol
)

// message is a line that is written.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// wireError is the error of a response.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error implements error.
func (e *wireError) Error() string { return e.Message }

func (c *connection) write(m message) error {
	m.JSONRPC = "2.0"
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("write a frame: %w", err)
	}
	c.out.Lock()
	defer c.out.Unlock()
	return c.to.Send(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
}

// respond answers a request of the agent's.
func (c *connection) respond(id json.RawMessage, result any, err error) {
	m := message{ID: id, Result: result}
	var refusal *wireError
	switch {
	case errors.As(err, &refusal):
		m.Result, m.Error = nil, refusal
	case err != nil:
		m.Result, m.Error = nil, &wireError{Code: codeInternal, Message: err.Error()}
	case result == nil:
		m.Result = struct{}{}
	}
	_ = c.write(m) // who has hung up is told by the end of what is read
}

// notify sends a notification.
func (c *connection) notify(method string, params any) error {
	return c.write(message{Method: method, Params: params})
}

// call sends a request and returns its result. Errors are *RefusedError, errHungUp and ctx's cause.
func (c *connection) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	waiting, err := c.send(method, params)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-waiting:
		return a.result, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx) // its answer finds room and nobody
	}
}

// send sends a request, and returns what gets its answer.
func (c *connection) send(method string, params any) (<-chan answer, error) {
	waiting := make(chan answer, 1)
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return nil, errHungUp
	}
	c.next++
	id := json.RawMessage(strconv.Itoa(c.next))
	c.open[ndjson.ID(id)] = waiting
	c.mu.Unlock()
	if err := c.write(message{ID: id, Method: method, Params: params}); err != nil {
		return nil, errHungUp
	}
	return waiting, nil
}
