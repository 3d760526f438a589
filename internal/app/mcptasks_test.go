package app

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

const canTasks = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// task asks how a task stands, or does something to it.
func (p *mcpPeer) task(method, id, more string) mcpLine {
	p.t.Helper()
	p.last++
	p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"taskId":%q%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}}}`, p.last, method, id, more, p.can))
	return p.read()
}

// settled asks until a task has come to its end.
func (p *mcpPeer) settled(id string) mcpLine {
	p.t.Helper()
	for p.t.Context().Err() == nil {
		if line := p.task("tasks/get", id, ""); !strings.Contains(line.raw, `"status":"working"`) {
			return line
		}
	}
	return mcpLine{}
}

func taskID(t *testing.T, line mcpLine) string {
	t.Helper()
	_, rest, found := strings.Cut(line.raw, `"taskId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !found || line.Result.Type != "task" {
		t.Fatalf("no task: %s", line.raw)
	}
	return id
}

// A call that waits for a person is a task, which outlives the program; its yes is used once, and nobody else
// has such a task.
func TestMCPTaskWaits(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(t *testing.T, h *home, p *mcpPeer, id string){
		"answered by the client": func(_ *testing.T, _ *home, p *mcpPeer, id string) {
			p.task("tasks/update", id, `,"inputResponses":{"1.approval":`+sayYes+`}`)
			p.task("tasks/update", id, `,"inputResponses":{"1.approval":`+sayYes+`}`) // once more
		},
		"answered at a terminal": func(t *testing.T, h *home, _ *mcpPeer, _ string) {
			box, err := OpenApprovals(t.Context(), h.options())
			if err != nil {
				t.Fatal(err)
			}
			defer box.Close()
			list, err := box.List(t.Context())
			if err == nil {
				_, err = box.Answer(t.Context(), list[0], store.Answer{Approved: true, Approver: "test"})
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restart %t", name, restart), func(t *testing.T) {
				t.Parallel()
				h, file := mcpHome(t)
				a := h.new()
				h.runs(a)
				p := newMCPPeer(t, a, MCPOptions{}, true, canTasks)
				p.call("mark", `{"word":"a"}`, "")
				id := taskID(t, p.read())
				if restart {
					if err := p.end(); err != nil {
						t.Fatal(err)
					}
					p = newMCPPeer(t, h.new(), MCPOptions{}, true, canTasks)
				}
				if line := p.task("tasks/get", id, ""); !strings.Contains(line.raw, `"status":"input_required"`) || !strings.Contains(line.raw, `"1.approval":{"method":"elicitation/create"`) {
					t.Fatalf("it stands so: %s", line.raw)
				}
				answer(t, h, p, id)
				if line := p.settled(id); !strings.Contains(line.raw, `"status":"completed"`) || !strings.Contains(line.raw, "marked a") {
					t.Errorf("it ended so: %s", line.raw)
				}
				if n := marks(t, file); n != 1 {
					t.Errorf("%d marks", n)
				}
				if line := p.task("tasks/get", "0123", ""); line.Error == nil {
					t.Errorf("a task that there is not: %s", line.raw)
				}
			})
		}
	}
}

// A task that was at work when its process was killed has failed, and is not made again.
func TestMCPTaskOfAKilledProcess(t *testing.T) {
	t.Parallel()
	h, _ := mcpHome(t)
	a := h.new()
	p := newMCPPeer(t, a, MCPOptions{}, true, canTasks)
	if err := (mcpTasks{a.board}).Keep(t.Context(), mcpserver.Task{ID: "killed", Created: time.Now(), Status: mcpserver.TaskWorking}); err != nil {
		t.Fatal(err)
	}
	if line := p.task("tasks/get", "killed", ""); !strings.Contains(line.raw, `"status":"working"`) {
		t.Errorf("its process lives: %s", line.raw)
	}
	db, err := sql.Open("sqlite", filepath.Join(h.state, store.Name))
	if err == nil {
		_, err = db.ExecContext(t.Context(), `UPDATE mcp_tasks SET owner = '' WHERE id = 'killed'`)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if line := p.task("tasks/get", "killed", ""); !strings.Contains(line.raw, `"status":"failed"`) || !strings.Contains(line.raw, "not known") {
		t.Errorf("it stands so: %s", line.raw)
	}
}

// A task that is cancelled while it waits for a person leaves nothing for the next call: its question is over, and so is
// a yes that it has not read, also where the program was started again meanwhile. The next call asks for itself.
func TestMCPTaskCancelled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ answered, restart bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprintf("answered %t, restart %t", test.answered, test.restart), func(t *testing.T) {
			t.Parallel()
			h, file := mcpHome(t)
			a := h.new()
			h.runs(a)
			p := newMCPPeer(t, a, MCPOptions{}, true, canTasks)
			p.call("mark", `{"word":"a"}`, "")
			id := taskID(t, p.read())
			box, err := OpenApprovals(t.Context(), h.options())
			if err != nil {
				t.Fatal(err)
			}
			defer box.Close()
			list, err := box.List(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("the questions are %+v, %v", list, err)
			}
			yes := store.Answer{Approved: true, Approver: "test"}
			if test.answered {
				if _, err := box.Answer(t.Context(), list[0], yes); err != nil {
					t.Fatal(err)
				}
			}
			if test.restart {
				if err := p.end(); err != nil {
					t.Fatal(err)
				}
				p = newMCPPeer(t, h.new(), MCPOptions{}, true, canTasks)
			}
			if line := p.task("tasks/cancel", id, ""); line.Error != nil {
				t.Fatal(line.raw)
			}
			if line := p.task("tasks/get", id, ""); !strings.Contains(line.raw, `"status":"cancelled"`) {
				t.Errorf("it stands so: %s", line.raw)
			}
			if q, err := box.Answer(t.Context(), list[0], yes); !errors.Is(err, store.ErrWithdrawn) {
				t.Errorf("answered afterwards: %s, %v", q.State, err)
			}
			p.call("mark", `{"word":"a"}`, "")
			if again := taskID(t, p.read()); again == id {
				t.Errorf("it is the same task")
			}
			if after, err := box.List(t.Context()); err != nil || len(after) != 2 || after[1].State != store.Pending {
				t.Errorf("the next call has asked %+v, %v", after, err)
			}
			if n := marks(t, file); n != 0 {
				t.Errorf("%d marks", n)
			}
		})
	}
}
