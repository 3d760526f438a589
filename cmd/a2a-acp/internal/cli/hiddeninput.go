package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// ReadHidden reads a value of at most so many bytes from the terminal, without showing it, or from standard input. A
// line end behind it is not part of it; what is longer is cut, by a byte or two too many.
func ReadHidden(ctx context.Context, env *Environment, what string, most int64) (string, error) {
	var data []byte
	var err error
	if IsTerminal(env.Stdin) {
		fmt.Fprintf(env.Stderr, "%s (it is not shown): ", what)
		data, err = typed(ctx, int(env.Stdin.Fd()))
		fmt.Fprintln(env.Stderr)
	} else {
		data, err = io.ReadAll(io.LimitReader(env.Stdin, most+2))
	}
	if err != nil {
		return "", fmt.Errorf("read the value: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// typed reads a line that the terminal does not show. When ctx ends, the terminal is as it was before.
func typed(ctx context.Context, terminal int) ([]byte, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	type line struct {
		data []byte
		err  error
	}
	read := make(chan line, 1)
	go func() { // ends with the line, or with the process: a read of a terminal cannot be interrupted
		data, err := term.ReadPassword(terminal)
		read <- line{data, err}
	}()
	select {
	case l := <-read:
		return l.data, l.err
	case <-ctx.Done():
		return nil, errors.Join(errors.New("nothing was read"), term.Restore(terminal, before))
	}
}
