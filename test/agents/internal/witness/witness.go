// Package witness is an MCP server for tests that writes down all it is told.
//
// It stands in for a server that a person has set up in their editor: an agent starts it over stdio, lists
// its tools and calls them. It is a few lines over newline-delimited JSON-RPC rather than an SDK's server,
// since the tests want to know what an agent really sent.
//
// A test binary becomes the server by calling Serve from its TestMain; see Environment.
package witness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// Environment is the variable that makes a test binary a witness. Its value is the file to write to.
const Environment = "WITNESS_FILE"

// Magic is the one tool that a witness has: {"x": n} gives n*7+1.
const Magic = "magic_number"

// Entry is one thing that a witness saw.
type Entry struct {
	// Started is set in the first entry of each process.
	Started *Process `json:"started,omitempty"`
	// Message is what it was told, as it came.
	Message json.RawMessage `json:"message,omitempty"`
	// Ended is set in the last entry of a process whose standard input was closed.
	Ended bool `json:"ended,omitempty"`
}

// Process is a witness as it was started.
type Process struct {
	PID         int      `json:"pid"`
	Dir         string   `json:"dir"`
	Environment []string `json:"environment"`
}

// Message is the part of a JSON-RPC message that a witness looks at.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Version   string          `json:"protocolVersion"`
	} `json:"params"`
}

// Serve answers in until it ends, and appends what it sees to the file.
func Serve(in io.Reader, out io.Writer, file string) error {
	log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open what the witness writes to: %w", err)
	}
	defer log.Close()
	note := json.NewEncoder(log)
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the witness's directory: %w", err)
	}
	started := &Process{PID: os.Getpid(), Dir: dir, Environment: os.Environ()}
	if err := note.Encode(Entry{Started: started}); err != nil {
		return err
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return note.Encode(Entry{Ended: true})
		}
		if err != nil {
			return fmt.Errorf("read a message: %w", err)
		}
		if err := note.Encode(Entry{Message: line}); err != nil {
			return fmt.Errorf("write down %q: %w", line, err)
		}
		var message Message
		if err := json.Unmarshal(line, &message); err != nil {
			return fmt.Errorf("read the message %q: %w", line, err)
		}
		if message.ID == nil {
			continue
		}
		if err := json.NewEncoder(out).Encode(answer(message)); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// answer returns the response to a request.
func answer(message Message) map[string]any {
	result := func(value any) map[string]any {
		return map[string]any{"jsonrpc": "2.0", "id": message.ID, "result": value}
	}
	switch message.Method {
	case "initialize":
		return result(map[string]any{
			"protocolVersion": message.Params.Version,
			"capabilities":    map[string]any{"tools": map[string]any{}},
			"serverInfo":      map[string]any{"name": "witness", "version": "1.0.0"},
		})
	case "ping":
		return result(map[string]any{})
	case "tools/list":
		number := map[string]any{"type": "number"}
		return result(map[string]any{"tools": []any{
			map[string]any{"name": Magic, "description": "Gives the magic number of x.",
				"inputSchema": map[string]any{
					"type": "object", "properties": map[string]any{"x": number}, "required": []string{"x"},
				}},
		}})
	case "tools/call":
		var arguments struct {
			X int `json:"x"`
		}
		if err := json.Unmarshal(message.Params.Arguments, &arguments); err != nil {
			return result(map[string]any{"isError": true, "content": content(err.Error())})
		}
		return result(map[string]any{"content": content(fmt.Sprintf("magic %d", arguments.X*7+1))})
	}
	return map[string]any{"jsonrpc": "2.0", "id": message.ID, "error": map[string]any{
		"code": -32601, "message": "the witness has no method " + message.Method,
	}}
}

func content(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

// Read returns what witnesses have written to the file so far; a file that is not there yet holds nothing.
func Read(file string) ([]Entry, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break // is being written
		}
		var entry Entry
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// Calls returns the tools/call requests among entries as "TOOL ARGUMENTS".
func Calls(entries []Entry) []string {
	var calls []string
	for _, entry := range entries {
		var message Message
		if json.Unmarshal(entry.Message, &message) == nil && message.Method == "tools/call" {
			calls = append(calls, message.Params.Name+" "+string(message.Params.Arguments))
		}
	}
	return calls
}
