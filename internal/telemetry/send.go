package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"
)

// sender sends to one address. It is for one goroutine.
type sender struct {
	signal *Signal
	client *http.Client
}

// errRefused is in the error of what the collector does not take, and would not take later.
var errRefused = errors.New("it does not take this")

// later is the error of what is to be tried again.
type later struct {
	err   error
	after time.Duration // that the collector asked for; 0 for none
}

func (l *later) Error() string { return l.err.Error() }
func (l *later) Unwrap() error { return l.err }

func newSender(s *Signal) (*sender, error) {
	dialer := &net.Dialer{Timeout: s.Timeout}
	if s.Loopback { // by its name; whatever that means when it is dialled
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !to.Addr().Unmap().IsLoopback() {
				return fmt.Errorf("%s is not this machine", address)
			}
			return nil
		}
	}
	// No proxy: the variables for that can be a repository's.
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConns: 1, IdleConnTimeout: 90 * time.Second,
		ForceAttemptHTTP2: true, MaxResponseHeaderBytes: mostAnswer, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", s.CA)
		}
	}
	return &sender{signal: s, client: &http.Client{Transport: transport, Timeout: s.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

func (s *sender) close() { s.client.CloseIdleConnections() }

// The bounds of what is read of an answer, behind its status, which is what counts.
const (
	mostAnswer = 64 << 10 // bytes, and as many of its headers
	answerTime = time.Second
)

// send sends one request. The error is a *later, or has errRefused in it.
func (s *sender) send(ctx context.Context, body []byte) error {
	encoding := ""
	if s.signal.Gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(body)
		if err := errors.Join(err, w.Close()); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		body, encoding = b.Bytes(), "gzip"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.signal.URL.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	r.Header = s.signal.Headers.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "a2a-acp")
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the address, which is said elsewhere
		}
		return &later{err: err}
	}
	defer answer.Body.Close()
	defer time.AfterFunc(answerTime, cancel).Stop()
	if answer.StatusCode != http.StatusSwitchingProtocols { // a Transport gives its connection away, and ends no reading of it
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer)) // so that the connection can be used again
	}
	switch answer.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if err != nil || wait < 0 {
			wait = 0
		}
		return &later{errors.New("it answers " + answer.Status), min(time.Duration(wait)*time.Second, mostWait)}
	}
	return fmt.Errorf("%w: it answers %s", errRefused, answer.Status)
}
