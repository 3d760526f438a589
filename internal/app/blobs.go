package app

import (
	"fmt"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
)

// blobsName is the directory in the state directory where it is.
const blobsName = "blobs"

// blobs returns the place where output is kept that is too long for a result; nil when there is no state
// directory. What is too old goes whenever a program ends that could have kept some.
func (a *App) blobs() executor.Blobs {
	if a.state == "" {
		return nil
	}
	store := &blob.Store{Dir: filepath.Join(a.state, blobsName)}
	a.onStop(func() error {
		if err := store.Prune(); err != nil {
			a.o.Say(fmt.Sprintf("old outputs could not be removed: %v", err))
		}
		return nil
	})
	return store
}
