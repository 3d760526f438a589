package a2a

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// The sizes of a page.
const (
	defaultPage = 50
	mostPage    = 100
)

// listParams are those of wire.ListTasksRequest. A size of 0 is told from none.
type listParams struct {
	wire.ListTasksRequest
	PageSize *int `json:"pageSize"`
}

func (s *Server) listTasks(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[listParams](q)
	if err != nil {
		return nil, err
	}
	if err := checkHistoryLength(params.HistoryLength); err != nil {
		return nil, err
	}
	wanted := tasklog.Query{Door: q.at.door, Owner: q.caller.Name, Anyones: q.caller.Admin, Context: params.ContextID,
		Most: defaultPage}
	if size := params.PageSize; size != nil {
		if wanted.Most = *size; *size < 1 || *size > mostPage {
			return nil, invalid("pageSize", "want 1 to %d, found %d", mostPage, *size)
		}
	}
	if params.Status != wire.TaskStateUnspecified {
		if wanted.State = logState(params.Status); wanted.State == tasklog.None {
			return nil, invalid("status", "there is no state %.40q", params.Status)
		}
	}
	if after := params.StatusTimestampAfter; after != nil {
		wanted.Since = *after
	}
	if wanted.After, err = readCursor(params.PageToken); err != nil {
		return nil, invalid("pageToken", "it is none that was given out")
	}
	list, total, next, err := s.o.Log.List(ctx, wanted)
	if err != nil {
		return nil, err
	}
	response := wire.ListTasksResponse{Tasks: []*wire.Task{}, TotalSize: total, PageSize: wanted.Most,
		NextPageToken: writeCursor(next)}
	for _, t := range list {
		task, err := s.listed(ctx, t, params.IncludeArtifacts)
		if err != nil {
			return nil, err
		}
		response.Tasks = append(response.Tasks, recent(task, params.HistoryLength))
	}
	return json.Marshal(response)
}

// listed returns a task for a list. Its artifacts are not read where nobody wants them.
func (s *Server) listed(ctx context.Context, t tasklog.Task, artifacts bool) (*wire.Task, error) {
	if kept, ok := s.snapshots.Get(t.ID); artifacts || ok && kept.seq >= t.Seq {
		snap, err := s.snapshot(ctx, t)
		if err != nil {
			return nil, err
		}
		task := told(snap.task)
		if !artifacts {
			task.Artifacts = nil
		}
		return task, nil
	}
	events, err := s.o.Log.Outline(ctx, t)
	if err != nil {
		return nil, err
	}
	return foldAll(nil, events)
}

func writeCursor(c tasklog.Cursor) string {
	if c == (tasklog.Cursor{}) {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", c.Changed.UnixMilli(), c.Num))
}

func readCursor(token string) (c tasklog.Cursor, err error) {
	if token == "" {
		return c, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return c, err
	}
	var millis int64
	if _, err := fmt.Sscanf(string(text), "%d.%d", &millis, &c.Num); err != nil {
		return c, err
	}
	c.Changed = time.UnixMilli(millis)
	return c, nil
}
