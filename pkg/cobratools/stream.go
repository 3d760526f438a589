package cobratools

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// tokenVariable has the token that clients show.
const tokenVariable = "A2A_AUTH_TOKEN"

func streamCommand(served func(*cobra.Command) (*server, error)) *cobra.Command {
	var host string
	var port int
	cmd := &cobra.Command{
		Use: "stream", Short: "Serve the tools at an URL", Args: cobra.NoArgs,
		Long: `stream is an MCP server at http://HOST:PORT/mcp. Its first line on standard output
says where it is, and which token clients show (Authorization: Bearer TOKEN), or
the file that has it; ` + tokenVariable + ` is another one.

Where a2a-acp is installed, this is a2a-acp serve, with your other tools beside
these; of a program that has a middleware, a2a-acp guards the calls behind it,
and these tools are all there is. Where a2a-acp is not installed, calls run with
all your rights. In both of these cases only this machine reaches it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := served(cmd)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return s.stream(ctx, net.JoinHostPort(host, strconv.Itoa(port)), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&host, "host", "127.0.0.1", "the address that it listens at")
	const usual = 8080
	cmd.Flags().IntVar(&port, "port", usual, "the port; 0 for one that is free")
	return cmd
}

// stream serves clients at an address until ctx ends.
func (s *server) stream(ctx context.Context, address string, out io.Writer) error {
	path := guard()
	if path != "" && !s.wrapped() {
		file, err := s.settle(ctx, path)
		if err != nil {
			return err
		}
		words := []string{path, "serve", "--listen", address, "--tools", file}
		return fmt.Errorf("start %s: %w", path, syscall.Exec(path, words, os.Environ()))
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		cure := "install a2a-acp, whose serve has"
		if path != "" {
			cure = "a2a-acp serve has, and passes by what this program has around calls (Middleware, PreRun, PostRun); " +
				"leave that out, or put a proxy that has one in front of a loopback address"
		}
		return fmt.Errorf("%s is reached by other machines, and nothing here has a certificate: %s", host, cure)
	}
	if path == "" {
		s.log.Warn(unguarded)
		return s.serve(ctx, address, newAlone(s.commands), out)
	}
	words, err := s.guarded(ctx, path)
	if err != nil {
		return err
	}
	s.log.Debug("guarded", "by", words)
	return s.streamBehind(ctx, words, address, out)
}

// streamBehind serves clients, and has the guard serve this process: it is behind what stands around calls.
func (s *server) streamBehind(ctx context.Context, words []string, address string, out io.Writer) error {
	g, err := startGuard(context.WithoutCancel(ctx), words) // it ends when its input does: calls end before
	if err != nil {
		return err
	}
	over, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tools := newBehind(s.commands, ndjson.NewWriter(g.in))
	read := make(chan error, 1)
	go func() { // ends with the guard's output
		err := tools.answers(g.out)
		cancel(errors.New(guardName + " has ended"))
		read <- err
	}()
	err = s.serve(over, address, tools, out)
	if err == nil && ctx.Err() == nil {
		err = context.Cause(over)
	}
	return errors.Join(err, g.in.Close(), <-read, g.Wait())
}

// serve serves tools to clients that show the token, until ctx ends.
func (s *server) serve(ctx context.Context, address string, tools mcpserver.Tools, out io.Writer) error {
	m, err := mcpserver.New(mcpserver.Options{Tools: tools, Version: s.version})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	token := os.Getenv(tokenVariable)
	said := map[string]string{"url": "http://" + listener.Addr().String(), "mcp": "http://" + listener.Addr().String() + "/mcp"}
	if token == "" {
		token = rand.Text()
		said["token"] = token
	}
	front := m.HTTP(mcpserver.HTTPOptions{MostBody: mcpserver.MostFrame / 2}) // of which the guard's line is longer
	defer front.Close()
	mux := http.NewServeMux()
	mux.Handle("/mcp", authorized(token, front))
	const patience = 10 * time.Second
	web := &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	defer context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if web.Shutdown(last) != nil {
			_ = web.Close() // Serve says what is wrong
		}
	})()
	if err := json.NewEncoder(out).Encode(said); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// authorized lets requests through that show the token.
func authorized(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(shown), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "show the token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
