package confine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTicketsAreOurs has an agent that was granted the place for temporary files look for the tickets of the
// editor's terminals: one that it could change would run whatever it says, outside of the sandbox.
func TestTicketsAreOurs(t *testing.T) {
	t.Parallel()
	host := fullHost(t)
	work := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	b, _, err := NewBoundary(BoundaryOptions{
		Options:     Options{Getenv: os.Getenv, Dir: work, Say: func(line string) { t.Log(line) }},
		Confinement: Confinement{Profile: "terminal", Allow: []tool.AllowedPath{{Path: os.TempDir()}}},
		Self:        "/bin/true", Agent: []string{"/bin/bash"}, Host: host, Note: func(events.Event) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := b.Terminal(acp.TerminalOrder{Dir: work, Command: []string{"true"}}); err != nil {
		t.Fatal(err)
	}
	tickets, err := os.ReadDir(b.tickets)
	if err != nil || len(tickets) != 1 {
		t.Fatalf("got %d tickets, %v; want one", len(tickets), err)
	}
	ticket := filepath.Join(b.tickets, tickets[0].Name())
	if access := b.reach.Of(ticket); !access.Own {
		t.Errorf("what the editor does for the agent reaches %s: %+v", ticket, access)
	}
	plan, err := host.Plan(b.profile)
	if err != nil {
		t.Fatal(err)
	}
	out, err := host.Run(t.Context(), plan, sandbox.Process{Argv: []string{"/bin/bash", "-c",
		`cat "$1"; echo forged >"$1"; ls "$(dirname "$1")"; echo written >"$2"`, "bash", ticket, work + "/beside"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Stdout) > 0 {
		t.Errorf("the agent reads %q", out.Stdout)
	}
	if text, err := os.ReadFile(ticket); err != nil || string(text) == "forged\n" {
		t.Errorf("the ticket holds %q, %v", text, err)
	}
	if _, err := os.Stat(work + "/beside"); err != nil {
		t.Errorf("the agent could not write where it may: %v; %s", err, out.Stderr)
	}
}
