package toolsocket

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
)

// lineStream carries JSON-RPC objects, one to a line, and bounds them. It is a jsonrpc2.ObjectStream; the
// library's own has no bound. It reads and writes for one jsonrpc2.Conn, which never reads or writes twice
// at a time.
type lineStream struct {
	conn  net.Conn
	r     *bufio.Reader
	limit int // bytes of a line, its newline included; changed by the reader alone

	ended chan struct{} // closed when reading has ended for good
	why   error         // what ended it; may be read once ended is closed
}

func newLineStream(conn net.Conn, limit int) *lineStream {
	return &lineStream{conn: conn, r: bufio.NewReader(conn), limit: limit, ended: make(chan struct{})}
}

// ReadObject implements jsonrpc2.ObjectStream. The library stops reading at the first error.
func (s *lineStream) ReadObject(v any) error {
	line, err := s.readLine()
	if err == nil {
		if err = json.Unmarshal(line, v); err == nil {
			return nil
		}
		err = fmt.Errorf("a line is no JSON-RPC object: %w", err)
	}
	s.why = err
	close(s.ended)
	return err
}

func (s *lineStream) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		if len(line)+len(part) > s.limit {
			return nil, errFrame
		}
		if err == nil && line == nil {
			return part, nil // valid until the next read, and decoded by then
		}
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// WriteObject implements jsonrpc2.ObjectStream.
func (s *lineStream) WriteObject(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.conn.Write(append(line, '\n'))
	return err
}

// Close implements jsonrpc2.ObjectStream.
func (s *lineStream) Close() error { return s.conn.Close() }

// silent is a jsonrpc2.Logger: what goes wrong on a connection is told by whoever owns it.
type silent struct{}

func (silent) Printf(string, ...any) {}
