package app

import (
	"io"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/state"
)

// StateDir returns the directory that the record lies in.
func StateDir(o Options) (string, error) { return state.Locate(o.Getenv) }

// openState opens the state directory, and makes it where there is none.
func openState(o Options) (*state.Dir, error) {
	path, err := StateDir(o)
	if err != nil {
		return nil, err
	}
	return state.Open(path)
}

// openLog opens the state directory and the record in it, which the caller closes.
func openLog(o Options) (*state.Dir, *audit.Log, error) {
	return openLogWith(o, audit.Options{Say: o.Say})
}

func openLogWith(o Options, how audit.Options) (*state.Dir, *audit.Log, error) {
	dir, err := openState(o)
	if err != nil {
		return nil, nil, err
	}
	log, err := how.Open(dir.Child("audit"))
	return dir, log, err
}

// recordOptions are what the settings say of the record.
func (a *App) recordOptions(s config.Audit) audit.Options {
	outside := &audit.Outside{File: s.File, Syslog: s.Syslog}
	if s.Stdout {
		outside.Lines = func() io.Writer {
			if out := a.daemonStdout.Load(); out != nil {
				return *out
			}
			return nil // standard output of all others is for something else
		}
	}
	return audit.Options{Keep: s.Keep, Say: a.o.Say, Checkpointed: func(c audit.Checkpoint) {
		if err := outside.Hand(c); err != nil {
			a.o.Say(err.Error())
		}
	}}
}
