package httptool

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Answer is what came back.
type Answer struct {
	Status  int
	Header  http.Header
	Elapsed time.Duration
	// Charset is what the body's text was written in where that is not UTF-8, which it is told in; or of which nobody
	// here knows it, and then it is told as it came.
	Charset string
	Unknown bool
}

// Body takes an answer's body in.
type Body struct {
	To   io.Writer // optional: all of it, as it comes
	Keep bool      // hold it in memory, too
	// Begin is optional, and told of the answer before anything of its body.
	Begin func(status int, header http.Header)

	Data      []byte
	Bytes     int64
	Truncated bool // there was more than the call may have
}

func (b *Body) Write(p []byte) (int, error) {
	b.Bytes += int64(len(p))
	if b.Keep {
		b.Data = append(b.Data, p...)
	}
	if b.To != nil {
		return b.To.Write(p)
	}
	return len(p), nil
}

// pieceBytes is how much of an answer is read at once.
const pieceBytes = 32 << 10

// ErrEnough is what a writer returns that an answer's body goes to, and that wants no more of it.
var ErrEnough = errors.New("no more is wanted")

// read reads an answer's body, up to what the call may have.
func (c *Client) read(response *http.Response, x Exchange, b *Body) (_ *Answer, err error) {
	answer := &Answer{Status: response.StatusCode, Header: response.Header}
	defer func() {
		if e := response.Body.Close(); e != nil && err == nil {
			err = connectionFailure(e, x.API)
		}
	}()
	body := answer.text(response.Body)
	if b.Begin != nil {
		b.Begin(answer.Status, answer.Header)
	}
	piece, _ := c.pieces.Get().(*[pieceBytes]byte)
	if piece == nil {
		piece = new([pieceBytes]byte)
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{b}, io.LimitReader(body, x.Limits.Bytes), piece[:])
	c.pieces.Put(piece)
	if errors.Is(err, ErrEnough) {
		return answer, nil
	}
	if err != nil {
		return answer, connectionFailure(err, x.API)
	}
	var more [1]byte
	n, err := io.ReadFull(body, more[:])
	switch {
	case n > 0:
		b.Truncated = true
		return answer, nil
	case errors.Is(err, io.EOF):
		return answer, nil
	}
	return answer, connectionFailure(err, x.API)
}

// Succeeded reports whether a status says that the request was done.
func Succeeded(status int) bool { return status >= 200 && status <= 299 }

// MayPass reports whether the same request may be answered otherwise later (RFC 9110, 15; RFC 6585; RFC 8470).
func MayPass(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// RetryAfter is how long a server wants nobody to come back (RFC 9110, 10.2.3); 0 where it does not say.
func (a *Answer) RetryAfter(now time.Time) time.Duration {
	text := a.Header.Get("Retry-After")
	if text == "" {
		return 0
	}
	if seconds, err := time.ParseDuration(text + "s"); err == nil && seconds > 0 {
		return seconds
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
