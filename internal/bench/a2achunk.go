package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	chunkPrompts = 100
	maxChunk     = 5 // ms from an agent's first words to the client that follows them, on disk in between
)

// chunkRow takes how long the first words of an agent behind the A2A door are on their way to the client that has sent the
// prompt: through the bridge, onto the disk, and as a server-sent event. The agent says the time at which it wrote them.
// The floor is the same agent with nothing between it and whoever reads.
func chunkRow(bin, self, dir string) row {
	r := within("A2A: an agent's first chunk, to the client", "ms", maxChunk)
	var through, bare []float64
	door, err := openChunkDoor(bin, self, dir)
	if err != nil {
		return r.unmeasured(err)
	}
	defer door.stop()
	direct, err := openChunkPipe(self)
	if err != nil {
		return r.unmeasured(err)
	}
	defer direct.stop()
	for n := range chunkPrompts + 1 {
		took, err := door.prompt(n)
		if err != nil {
			return r.unmeasured(err)
		}
		floor, err := direct.prompt(n)
		if err != nil {
			return r.unmeasured(err)
		}
		if n > 0 { // the first starts the agent
			through, bare = append(through, took), append(bare, floor)
		}
	}
	value := median(through)
	slow := through[len(through)*95/100]
	return r.measured(value, 0, fmt.Sprintf("%d prompts; 95 of 100 within %s ms; without a door %s ms",
		chunkPrompts, number(slow), number(median(bare))))
}

// chunkingAgent is an agent that answers each prompt with the time.
func chunkingAgent(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var frame struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(line, &frame); err != nil {
			return err
		}
		result := `{}`
		switch frame.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"bench","version":"1"}}`
		case "session/new":
			result = `{"sessionId":"s"}`
		case "session/prompt":
			result = `{"stopReason":"end_turn"}`
			if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"at %d."}}}}`+"\n",
				time.Now().UnixNano()); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond) // it thinks, as agents do: what follows is not what is measured
		}
		if frame.ID == nil {
			continue
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", frame.ID, result); err != nil {
			return err
		}
	}
}

// sinceChunk returns how long ago an agent wrote a line, in ms; false if it says no time.
func sinceChunk(line string) (float64, bool) {
	_, said, found := strings.Cut(line, `"at `)
	said, _, _ = strings.Cut(said, ".")
	at, err := strconv.ParseInt(said, 10, 64)
	return milliseconds(time.Since(time.Unix(0, at))), found && err == nil
}

// chunkPipe is the agent alone.
type chunkPipe struct {
	in   io.WriteCloser
	out  *bufio.Reader
	stop func()
}

func openChunkPipe(self string) (*chunkPipe, error) {
	cmd := exec.Command(self, "-role", "chunking")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &chunkPipe{in, bufio.NewReader(out), func() { in.Close(); cmd.Wait() }}, nil
}

func (p *chunkPipe) prompt(n int) (took float64, err error) {
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{}}`+"\n", n); err != nil {
		return 0, err
	}
	for range 2 { // what it says, and that it has ended
		line, err := p.out.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if since, ok := sinceChunk(line); ok {
			took = since
		}
	}
	return took, nil
}

// chunkDoor is the agent behind the daemon.
type chunkDoor struct {
	url  string
	stop func()
}

func openChunkDoor(bin, self, dir string) (*chunkDoor, error) {
	// A home beside the workspace, in one directory, would be the workspace's own.
	home, err := os.MkdirTemp("", "a2a-acp-bench-home-")
	if err != nil {
		return nil, err
	}
	remove := func() { os.RemoveAll(home) }
	settings, work := filepath.Join(home, ".config", "a2a-acp"), filepath.Join(dir, "chunkwork")
	err = errors.Join(os.MkdirAll(settings, 0o700), os.MkdirAll(work, 0o700),
		os.WriteFile(filepath.Join(settings, "a2a-acp.yaml"),
			[]byte("agents: {bench: {command: ["+quoted(self)+", -role, chunking]}}\n"), 0o600))
	if err != nil {
		remove()
		return nil, err
	}
	cmd := exec.Command(bin, "serve", "--no-auth", "--listen", "127.0.0.1:0", "--workspace", work)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "A2A_STATE_DIR=" + filepath.Join(home, "state")}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		remove()
		return nil, err
	}
	stop := func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait(); remove() }
	var first struct{ Agents map[string]string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &first)
	}
	for _, url := range first.Agents {
		return &chunkDoor{url, stop}, err
	}
	stop()
	return nil, errors.Join(fmt.Errorf("the daemon serves no agent: %q %s", line, said.String()), err)
}

// prompt sends a prompt, and follows it to its end.
func (d *chunkDoor) prompt(n int) (took float64, err error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"role":"ROLE_USER",`+
		`"messageId":"m-%d","contextId":"c","parts":[{"text":"go on"}]}}}`, n)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("A2A-Version", "1.0")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines, found := bufio.NewReader(response.Body), false
	var all strings.Builder
	for {
		line, err := lines.ReadString('\n')
		if since, ok := sinceChunk(line); ok && !found {
			took, found = since, true
		}
		all.WriteString(line)
		switch {
		case errors.Is(err, io.EOF) && found:
			return took, nil
		case errors.Is(err, io.EOF):
			return 0, fmt.Errorf("the stream has nothing of the agent's: %.600q", all.String())
		case err != nil:
			return 0, err
		}
	}
}
