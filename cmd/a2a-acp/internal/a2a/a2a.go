// Package a2a is the verbs card, send, tasks and watch: a client of A2A servers, for people and scripts.
package a2a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Commands returns the verbs card, send, tasks and watch.
func Commands(env *cli.Environment) []*cobra.Command {
	return []*cobra.Command{cardCommand(env), sendCommand(env), tasksCommand(env), watchCommand(env)}
}

// server is how a server is reached, as the flags say.
type server struct {
	env       *cli.Environment
	transport *http.Transport

	token, auth, key  string
	allow             []string
	binding, protocol string
	plain             bool
	timeout           time.Duration
}

// addServer adds the flags that all verbs have which reach a server.
func addServer(env *cli.Environment, cmd *cobra.Command) *server {
	s := &server{env: env, transport: a2aclient.NewTransport()}
	f := cmd.Flags()
	f.StringVar(&s.token, "token", "", "where your token is: env:NAME or file:PATH")
	f.StringVar(&s.auth, "auth", "", "how it is shown: bearer, basic or the name of a header")
	f.StringArrayVar(&s.allow, "allow-origin", nil, "another origin that the card may lead to")
	f.StringVar(&s.binding, "binding", "", "how it is spoken: JSONRPC, HTTP+JSON or GRPC")
	f.StringVar(&s.protocol, "protocol", "", "version of the protocol: 1.0 or 0.3")
	f.StringVar(&s.key, "key", "", "a file with the public keys that the card has to be signed by one of: JSON Web Keys, or PEM")
	f.BoolVar(&s.plain, "allow-plain", false, "show the token without TLS, too")
	f.DurationVar(&s.timeout, "timeout", 0, "give up after so long, such as 90s")
	f.Lookup("timeout").DefValue = "" // there is none
	words := func(list ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = cmd.RegisterFlagCompletionFunc("binding", words(a2aclient.JSONRPC, a2aclient.HTTPJSON, a2aclient.GRPC))
	_ = cmd.RegisterFlagCompletionFunc("protocol", words(a2aclient.Version10, a2aclient.Version03))
	_ = cmd.RegisterFlagCompletionFunc("auth", words("bearer", "basic", "X-API-Key"))
	_ = cmd.RegisterFlagCompletionFunc("token", cobra.FixedCompletions([]string{"env:", "file:"},
		cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	return s
}

// again is a URL with the flags that it was reached by, for a command that is to be pasted.
func (s *server) again(at string) string {
	words := []string{at}
	for _, flag := range []struct{ name, value string }{{"token", s.token}, {"auth", s.auth}, {"binding", s.binding},
		{"protocol", s.protocol}, {"key", s.key}} {
		if flag.value != "" {
			words = append(words, "--"+flag.name, flag.value)
		}
	}
	for _, origin := range s.allow {
		words = append(words, "--allow-origin", origin)
	}
	if s.plain {
		words = append(words, "--allow-plain")
	}
	return display.Line(permissions.QuoteArgv(words))
}

// longestToken bounds a token.
const longestToken = 64 << 10

// readReference returns what env:NAME or file:PATH refers to. No error holds it.
func readReference(env *cli.Environment, flag, reference string) (string, error) {
	kind, name, _ := strings.Cut(reference, ":")
	value := ""
	switch {
	case kind == "env" && name != "":
		value = env.Getenv(name)
		if value == "" {
			return "", fmt.Errorf("%s: the variable %s is not set", flag, display.Line(name))
		}
	case kind == "file" && name != "":
		info, err := os.Stat(name)
		if err == nil && info.Size() > longestToken {
			err = fmt.Errorf("%s is longer than %d kB", name, longestToken>>10)
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(name)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", flag, err)
		}
		value = strings.TrimSpace(string(data))
		if value == "" {
			return "", fmt.Errorf("%s: %s is empty", flag, name)
		}
	default:
		return "", fmt.Errorf("%s: want env:NAME or file:PATH; a token on the command line is seen by every process", flag)
	}
	return value, nil
}

// within returns a context that ends when --timeout is over.
func (s *server) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.timeout, &waitedError{s.timeout})
}

// waitedError says that --timeout is over.
type waitedError struct{ after time.Duration }

func (e *waitedError) Error() string { return fmt.Sprintf("gave up after %s (--timeout)", e.after) }

func (e *waitedError) Unwrap() error { return context.DeadlineExceeded }

// discover reads the card of a server.
func (s *server) discover(ctx context.Context, at string) (*a2aclient.Card, a2aclient.Options, error) {
	o := a2aclient.Options{Transport: s.transport, GRPC: a2aclient.ForGRPC(s.transport), UserAgent: "a2a-acp/" + s.env.Version}
	u, err := a2aclient.ParseURL(at)
	if err != nil {
		return nil, o, cli.Fail(exit.Usage, err)
	}
	if s.token != "" {
		o.Credential.As = s.auth
		if o.Credential.Secret, err = readReference(s.env, "--token", s.token); err != nil {
			return nil, o, cli.Fail(exit.Usage, err)
		}
	}
	if !o.Credential.IsZero() && !s.plain && a2aclient.Plain(u) {
		return nil, o, cli.Fail(exit.Usage, errPlain(u))
	}
	if s.key != "" {
		if o.Keys, err = readKeys(s.key); err != nil {
			return nil, o, cli.Fail(exit.Usage, fmt.Errorf("--key: %w", err))
		}
	}
	card, err := a2aclient.Discover(ctx, u, o)
	if err != nil {
		return nil, o, failure(err)
	}
	return card, o, nil
}

// readKeys reads public keys from a file.
func readKeys(name string) ([]jose.JSONWebKey, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	keys, err := a2aclient.ParseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return keys, nil
}

func errPlain(u *url.URL) error {
	return fmt.Errorf("the token would be sent to %s without TLS, where others can read it; --allow-plain sends it", u.Host)
}

// connect discovers a server, and takes one of its interfaces.
func (s *server) connect(ctx context.Context, at string) (*a2aclient.Client, error) {
	card, o, err := s.discover(ctx, at)
	if err != nil {
		return nil, err
	}
	choice := a2aclient.ConnectOptions{Binding: strings.ToUpper(s.binding), Version: s.protocol}
	for _, text := range s.allow {
		origin, err := a2aclient.ReadOrigin(text)
		if err != nil {
			return nil, cli.Fail(exit.Usage, fmt.Errorf("--allow-origin: %w", err))
		}
		choice.Allow = append(choice.Allow, origin)
	}
	client, err := a2aclient.Connect(card, o, choice)
	if err != nil {
		return nil, failure(err)
	}
	if !o.Credential.IsZero() && !s.plain && a2aclient.Plain(client.URL()) {
		return nil, cli.Fail(exit.Usage, errPlain(client.URL()))
	}
	return client, nil
}

// failure gives an error the exit code that it leads to. What servers say in it has no effect on a terminal.
func failure(err error) error {
	if err == nil {
		return nil
	}
	code, hint := exit.Host, ""
	var said *a2aclient.Error
	var elsewhere *a2aclient.ElsewhereError
	var redirect *a2aclient.RedirectError
	var broken *a2aclient.BrokenSignatureError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		code = exit.Timeout
	case errors.Is(err, context.Canceled):
		code = exit.Interrupt
	case errors.As(err, &elsewhere):
		code, hint = exit.Usage, "\nhint: --allow-origin "+elsewhere.Origins[0]+" lets it"
	case errors.As(err, &redirect), errors.Is(err, errRefused):
		code = exit.Usage
	case errors.As(err, &broken):
		code = exit.Denied
	case errors.As(err, &said) && said.Denied():
		code = exit.Denied
		hint = "\nhint: --token env:NAME or --token file:PATH says who you are; a daemon of yours prints its token_file at its start"
	case errors.As(err, &said) && said.Wrong():
		code = exit.Usage
	}
	return cli.Fail(code, errors.New(display.Whole(err.Error()+hint)))
}
