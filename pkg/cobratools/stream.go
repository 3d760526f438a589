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
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
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
these. Where it is not, calls run with all your rights, and only this machine
reaches it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := served(cmd)
			if err != nil {
				return err
			}
			return s.stream(cmd.Context(), net.JoinHostPort(host, strconv.Itoa(port)), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&host, "host", "127.0.0.1", "the address that it listens at")
	const usual = 8080
	cmd.Flags().IntVar(&port, "port", usual, "the port; 0 for one that is free")
	return cmd
}

// stream serves clients at an address until ctx ends.
func (s *server) stream(ctx context.Context, address string, out io.Writer) error {
	if path := guard(); path != "" {
		if s.wrapped() {
			return errors.New("a2a-acp serve would pass by what this program has around calls (Middleware, PreRun, PostRun): use start")
		}
		file, err := s.config.toolsFile(s.program, s.commands)
		if err != nil {
			return err
		}
		words := []string{path, "serve", "--listen", address, "--tools", file}
		return fmt.Errorf("start %s: %w", path, syscall.Exec(path, words, os.Environ()))
	}
	s.log.Warn(unguarded)
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s is reached by other machines, and nothing here has a certificate: install a2a-acp, whose serve has", host)
	}
	m, err := mcpserver.New(mcpserver.Options{Tools: newAlone(s.commands), Version: s.version})
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
	front := m.HTTP(mcpserver.HTTPOptions{})
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
