package app

import (
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
)

// blobs gives the place where output is kept that is too long for a result; nil when there is no state directory.
func (a *App) blobs() executor.Blobs {
	if a.state == "" {
		return nil
	}
	return &blob.Store{Dir: filepath.Join(a.state, "blobs")}
}
