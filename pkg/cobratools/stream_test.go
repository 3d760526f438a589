package cobratools_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withToken shows a token with each request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

// TestStream: at an URL calls are as those of start are, of clients of both eras: what stands around them sees each, and
// where there is a guard, what destroys is asked about once, behind it.
func TestStream(t *testing.T) {
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, revision string
		guarded        bool
	}{{"alone", "2025-11-25", false}, {"guarded", "2025-11-25", true}, {"guarded, stateless", "2026-07-28", true}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			work, home, path := filepath.Join(root, "work"), filepath.Join(root, "home"), "/usr/bin:/bin"
			for _, dir := range []string{work, home} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if row.guarded {
				path = filepath.Join(dir, "guard") + ":" + path
			}
			var stderr strings.Builder
			cmd := exec.Command(filepath.Join(dir, "plain", "shelf"), "mcp", "stream", "--port", "0") //nolint:noctx // it is told to end
			cmd.Dir, cmd.Env, cmd.Stderr = work, []string{"PATH=" + path, "HOME=" + home, "A2A_STATE_DIR=" + filepath.Join(home, "state")}, &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { // its stderr ends with the guard, which has it too
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Error(err)
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("it ended with %v: %s", err, stderr.String())
				}
			})
			var said struct{ MCP, Token string }
			if err := json.NewDecoder(out).Decode(&said); err != nil {
				t.Fatalf("it says no URL: %v", err)
			}
			if response, err := http.Post(said.MCP, "application/json", strings.NewReader("{}")); err != nil || response.StatusCode != http.StatusUnauthorized {
				t.Errorf("without a token: %v %v", response, err)
			} else {
				response.Body.Close()
			}
			var asked atomic.Int32
			answer := "deny"
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked.Add(1)
					if !strings.Contains(r.Params.Message, "remove one") {
						t.Errorf("it asks %q", r.Params.Message)
					}
					time.Sleep(300 * time.Millisecond) // a person thinks
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
				},
			})
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: said.MCP,
				HTTPClient: &http.Client{Transport: withToken(said.Token)}}, &mcp.ClientSessionOptions{ProtocolVersion: row.revision})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if list, err := session.ListTools(ctx, nil); err != nil || len(list.Tools) != 3 || list.Tools[0].Name != "shelf_add" {
				t.Fatalf("lists %+v (%v)", list, err)
			}
			call := func(name string, arguments map[string]any) (text string, isError bool) {
				t.Helper()
				r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
				if err != nil {
					t.Fatalf("%s: %v: %s", name, err, stderr.String())
				}
				for _, content := range r.Content {
					if one, ok := content.(*mcp.TextContent); ok {
						text += one.Text + "\n"
					}
				}
				return text, r.IsError
			}
			if err := os.Mkdir(filepath.Join(work, "notes"), 0o700); err != nil {
				t.Fatal(err)
			}
			note := filepath.Join(work, "notes", "one")
			if err := os.WriteFile(note, []byte("no. 0123456789"), 0o600); err != nil {
				t.Fatal(err)
			}
			text, isError := call("shelf_list", nil)
			if isError || !strings.Contains(text, "one: no. [account]") || strings.Contains(text, "no sandbox") == row.guarded {
				t.Errorf("list: %t %s", isError, text)
			}
			if text, isError := call("shelf_list", map[string]any{"flags": map[string]any{"config": "x"}}); !isError {
				t.Errorf("a flag that there is not: %s", text)
			}
			if !row.guarded {
				return
			}
			if text, isError := call("shelf_remove", words("one")); !isError || asked.Load() != 1 {
				t.Errorf("denied: %t %s; asked %d times", isError, text, asked.Load())
			}
			if _, err := os.Stat(note); err != nil {
				t.Fatalf("the note is gone although the person said no: %v", err)
			}
			answer = "allow once"
			if text, isError := call("shelf_remove", words("one")); isError || asked.Load() != 2 {
				t.Errorf("allowed: %t %s; asked %d times", isError, text, asked.Load())
			}
			if _, err := os.Stat(note); err == nil {
				t.Error("the note is still there")
			}
		})
	}
}
