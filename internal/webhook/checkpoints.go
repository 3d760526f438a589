package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/audit"
)

// CheckpointSource is the name of the record's checkpoints as a source, and CheckpointEvent that of its items.
const (
	CheckpointSource = "checkpoints"
	CheckpointEvent  = "audit.checkpoint"
)

// checkpoints are the signed checkpoints of a record as a source. The number of one is that of the lines that
// it speaks of.
type checkpoints struct {
	*Record // whose news are theirs
	format  Format
}

// Checkpoints returns the record's checkpoints.
func (r *Record) Checkpoints(format Format) Stream { return &checkpoints{r, format} }

// Next implements Stream.
func (s *checkpoints) Next(_ context.Context, after Position) (*Item, Position, error) {
	c, err := audit.CheckpointAfter(s.dir, after.Number)
	if err == nil && c.Size == 0 && after.Number > 0 {
		var last audit.Checkpoint
		if last, err = audit.LastCheckpoint(s.dir); err == nil && last.Size < after.Number && last.Size > 0 {
			// Where the record was begun anew, its checkpoints count from the beginning, too.
			if !s.begunAnew() {
				return nil, after, fmt.Errorf("%w: its last checkpoint speaks of %d lines", ErrMoved, last.Size)
			}
			c, err = audit.CheckpointAfter(s.dir, 0)
		}
	}
	if err != nil || c.Size == 0 {
		return nil, after, err
	}
	item, err := s.item(c)
	return item, after, err
}

// At implements Stream.
func (s *checkpoints) At(_ context.Context, number int64) (*Item, error) {
	c, err := audit.CheckpointAfter(s.dir, number-1)
	switch {
	case err != nil:
		return nil, err
	case c.Size != number:
		return nil, ErrNoItem
	}
	return s.item(c)
}

// End implements Stream.
func (s *checkpoints) End(context.Context) (Position, error) {
	last, err := audit.LastCheckpoint(s.dir)
	return Position{Number: last.Size}, err
}

// item tells of a checkpoint: the note as it was signed, and what it says.
func (s *checkpoints) item(c audit.Checkpoint) (*Item, error) {
	data := map[string]any{"checkpoint": c.Note, "size": c.Size, "root": base64.StdEncoding.EncodeToString(c.Root[:])}
	sum := sha256.Sum256([]byte(c.Note))
	id := "checkpoint_" + hex.EncodeToString(sum[:16])
	var told any = data
	switch s.format {
	case FormatSeed:
		told = map[string]any{"event": "audit_checkpoint", "task_id": "", "component": "audit", "data": data}
	case FormatCloudEvents:
		told = map[string]any{"specversion": "1.0", "id": id, "source": "a2a-acp",
			"type": "a2a-acp." + CheckpointEvent + ".v1", "datacontenttype": "application/json", "data": data}
	}
	body, err := encodeJSON(told)
	return &Item{Position: Position{Number: c.Size}, ID: id, Event: CheckpointEvent, Body: body,
		ContentType: contentTypes[s.format]}, err
}
