package executor

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// audience is a Caller that hears what calls print.
type audience struct {
	person
	told func(Stream, string) // what else happens then; nil for nothing

	mu    sync.Mutex
	heard map[Stream]string
}

func (a *audience) Output(stream Stream, p []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.heard == nil {
		a.heard = map[Stream]string{}
	}
	a.heard[stream] += string(p)
	if a.told != nil {
		a.told(stream, a.heard[stream])
	}
}

// TestListener is about who hears what, by tools that wait for a file until their first line was heard.
func TestListener(t *testing.T) {
	t.Parallel()
	// What could begin a value is held back, so there is more behind the first line.
	const text = `echo early; echo '#### #### ####'; echo beside >&2; until [[ -e heard ]]; do sleep 0.01; done; echo "late $API_KEY"`
	for _, test := range []struct {
		name   string
		change func(*house, *tool.Tool)
		live   bool
	}{
		{"held in memory", func(*house, *tool.Tool) {}, true},
		{"into files", func(h *house, w *tool.Tool) { w.Output.Spill = true }, true},
		{"seen by a governor first", func(h *house, _ *tool.Tool) { newCouncil(h, permissions.Ruling{Silent: true}) }, false},
		{"by governors that look at other tools", func(h *house, _ *tool.Tool) { newCouncil(h, permissions.Ruling{Silent: true}).blind = true }, true},
		{"run again when it fails", func(_ *house, w *tool.Tool) { w.Retry.Attempts = 2 }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h, work := spilling(t, text)
			work.Output.Spill = false
			work.Sandbox.AllowedPaths = []tool.AllowedPath{{Path: "."}}
			work.Sandbox.WorkingDirectory = "."
			work.Sandbox.TempIsolation = false
			test.change(h, work)
			h.has(work)
			mark := func() {
				if err := os.WriteFile(filepath.Join(h.dir, "heard"), nil, 0o600); err != nil {
					t.Error(err)
				}
			}
			listener := &audience{person: person{h}}
			if test.live {
				listener.told = func(_ Stream, so string) {
					if strings.HasPrefix(so, "early\n") {
						mark()
					}
				}
			} else {
				mark()
			}
			result := h.executor.Execute(t.Context(), h.call(`{}`), listener)
			want := "early\n#### #### ####\nlate [secret]\n"
			if result.Stdout != want || result.Stderr != "beside\n" {
				t.Fatalf("the result has %q, %q, %+v", result.Stdout, result.Stderr, result.Error)
			}
			if !test.live {
				if len(listener.heard) > 0 {
					t.Errorf("heard %q", listener.heard)
				}
				return
			}
			if listener.heard[Stdout] != want || listener.heard[Stderr] != "beside\n" {
				t.Errorf("heard %q", listener.heard)
			}
		})
	}
}

// TestListenerHearsNoPart is about output that a limit cuts off within a value: no part of it is heard.
func TestListenerHearsNoPart(t *testing.T) {
	t.Parallel()
	for _, spill := range []bool{false, true} {
		h, work := spilling(t, `printf '%s' "fine ${API_KEY}"; sleep 60`)
		work.Output.Spill = spill
		work.Sandbox.Limits.Output = 5 + 12
		work.Output.SpillMost = 5 + 12
		h.has(work)
		listener := &audience{person: person{h}}
		result := h.executor.Execute(t.Context(), h.call(`{}`), listener)
		if !result.Truncated || strings.Contains(listener.heard[Stdout], apiKey[:4]) || !strings.HasPrefix(listener.heard[Stdout], "fine ") {
			t.Errorf("spill %t: heard %q, truncated %t", spill, listener.heard[Stdout], result.Truncated)
		}
	}
}

// TestNoListener guards that a refused call tells a listener nothing.
func TestNoListener(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Reject))
	h.has(script("echo hello"))
	listener := &audience{person: person{h}}
	if result := h.executor.Execute(t.Context(), h.call(`{}`), listener); result.Status != tool.StatusDenied || len(listener.heard) > 0 {
		t.Errorf("got %s, heard %q", result.Status, listener.heard)
	}
}
