package webhook

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// TestDocumentedReceiver runs the receiver of docs/webhooks.md: it takes what is signed with its key, and nothing
// else.
func TestDocumentedReceiver(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there")
	}
	page, err := os.ReadFile("../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("there is no receiver in it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close() // for the receiver
	_, port, _ := net.SplitHostPort(address)
	text := strings.ReplaceAll(string(block[1]), "9000", port) + ""
	file := filepath.Join(t.TempDir(), "receiver.py")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, file)
	cmd.Env = append(os.Environ(), "HOOK_KEY="+newSecret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait() //nolint:errcheck // it is killed
	defer cmd.Process.Kill()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			break
		}
	}
	h := newHouse(t)
	h.clock.at = realNow()
	h.vault["KEY"], h.vault["OTHER"] = newSecret, oldSecret
	h.put("ä")
	url := "http://" + address + "/hook"
	h.deliverer(
		h.sub("good", url, func(s *Subscription) { s.Target.Signing.Secrets = []Value{stored("OTHER"), stored("KEY")} }),
		h.sub("bad", url, func(s *Subscription) { s.Target.Signing.Secrets = []Value{stored("OTHER")} }),
		h.sub("unsigned", url))
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, `"detail":"ä"`) {
		t.Errorf("it printed %q (%v)", line, err)
	}
	h.row("good", func(w store.Webhook) bool { return w.Position == 1 })
	if w := h.row("bad", func(w store.Webhook) bool { return w.Attempts == 1 }); !strings.Contains(w.Error, "401") {
		t.Error(fmt.Sprint("got ", w.Error))
	}
	if w := h.row("unsigned", func(w store.Webhook) bool { return w.Attempts == 1 }); !strings.Contains(w.Error, "401") {
		t.Error(fmt.Sprint("got ", w.Error))
	}
}
