package a2a

import (
	"context"
	"fmt"
)

// What one principal's tasks take on disk. Each message makes some of it, and all of it stays for as long as tasks are
// kept: nobody is to fill the disk for everybody else meanwhile.

// roomOnDisk makes room for so many bytes of a principal's, and refuses them where there is none.
func (s *Server) roomOnDisk(ctx context.Context, owner string, bytes int64) error {
	most := s.o.Retention().Most
	if most <= 0 {
		return nil
	}
	kept, err := s.o.Log.Kept(ctx, owner)
	if err != nil || kept+bytes <= most {
		return err
	}
	if err := s.o.Log.Shrink(ctx, owner, most-bytes-most/16); err != nil { // some more, so that it is not so each time
		return err
	}
	if kept, err = s.o.Log.Kept(ctx, owner); err != nil || kept+bytes <= most {
		return err
	}
	return failf(errBusy, "your tasks take %s on disk, of %s that are kept of a principal (serve.tasks.keep_mb), and none can "+
		"make room: they are under way, wait for an answer, or are still to be pushed", inMiB(kept+bytes), inMiB(most))
}

// checkOnDisk refuses what a task puts out where its principal's take twice as much as they may: all that could be removed is.
func (s *Server) checkOnDisk(ctx context.Context, owner string) error {
	most := s.o.Retention().Most
	if most <= 0 {
		return nil
	}
	kept, err := s.o.Log.Kept(ctx, owner)
	if err != nil || kept <= 2*most {
		return err
	}
	if err := s.o.Log.Shrink(ctx, owner, most); err != nil {
		return err
	}
	if kept, err = s.o.Log.Kept(ctx, owner); err != nil || kept <= 2*most {
		return err
	}
	return failf(errBusy, "the task was stopped: tasks of its principal that are under way take %s on disk, and %s is kept of "+
		"one (serve.tasks.keep_mb)", inMiB(kept), inMiB(most))
}

// inMiB is a size in words.
func inMiB(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20) }
