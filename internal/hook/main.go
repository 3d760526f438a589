package hook

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// Verb is the word of the command line that Main stands behind.
const Verb = "hook"

// mostEvent bounds what an agent tells of one call, in bytes: a tool may write a large file.
const mostEvent = 64 << 20

// longestWait is how long agents are told to wait for a hook: as long as a person may take.
const longestWait = 24 * time.Hour

// connectTime is how long the bridge may take to let us in.
const connectTime = 10 * time.Second

// Main is what an agent starts as its hook: hook AGENT SOCKET. What the agent says on stdin goes to the
// bridge behind the socket, and what that answers, hours later where a person is asked, goes to stdout. It
// returns the exit code: 0 with an answer on stdout, else 2, by which an agent blocks the tool and tells its
// model what stands on stderr.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := context.WithTimeout(ctx, longestWait-time.Hour) // what an agent waits for longer it may do
	defer stop()
	if len(args) == 2 && args[0] == againVerb {
		if err := serveAgain(ctx, args[1], stdin, stdout); err != nil {
			fmt.Fprintln(stderr, err)
			return 2
		}
		return 0
	}
	answer, err := ask(ctx, args, stdin)
	if err == nil {
		if agent, _ := ByName(args[0]); agent.Blocked != nil {
			if why, blocked := agent.Blocked(answer); blocked {
				fmt.Fprintln(stderr, why)
				return 2
			}
		}
		_, err = stdout.Write(answer)
	}
	if err != nil {
		fmt.Fprintf(stderr, "a2a-acp could not decide about this, so it is not allowed: %v\n", err)
		return 2
	}
	return 0
}

func ask(ctx context.Context, args []string, stdin io.Reader) ([]byte, error) {
	if len(args) != 2 {
		return nil, errors.New("usage: a2a-acp hook AGENT SOCKET; " +
			"the agent of a running bridge starts it, with what the bridge has told it")
	}
	event, err := io.ReadAll(io.LimitReader(stdin, mostEvent+1))
	switch {
	case err != nil:
		return nil, err
	case len(event) > mostEvent:
		return nil, fmt.Errorf("the call is told in more than %d MB", mostEvent>>20)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, event); err != nil {
		return nil, fmt.Errorf("what the agent told its hook: %w", err)
	}
	line.WriteByte('\n')
	connecting, stop := context.WithTimeout(ctx, connectTime)
	defer stop()
	conn, err := unixsocket.Dial(connecting, args[1])
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("the bridge, or the session, has ended")
	}
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := conn.Write(line.Bytes()); err != nil {
		return nil, err
	}
	answer, err := bufio.NewReader(conn).ReadBytes('\n')
	if err != nil { // a part of an answer is none
		return nil, errors.New("the bridge has ended before it answered")
	}
	return answer, nil
}
