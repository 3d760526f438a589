package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// Approvals are the questions that wait for a person, with the record on which answers stand. Close them.
type Approvals struct {
	*approval.Inbox
	log *audit.Log
}

// OpenApprovals opens what is there. Where nothing was ever asked, that is fs.ErrNotExist, and nothing is
// made.
func OpenApprovals(ctx context.Context, o Options) (*Approvals, error) {
	path, err := StateDir(o)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(path, store.Name)); err != nil {
		return nil, err
	}
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	inbox, err := approval.OpenInbox(ctx, dir.Path(), log, now)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return &Approvals{inbox, log}, nil
}

// Close ends the use of it.
func (a *Approvals) Close() error { return errors.Join(a.Inbox.Close(), a.log.Close()) }
