package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/serve"
)

// DaemonOptions is what the daemon takes from outside.
type DaemonOptions struct {
	Listen []string // addresses, in place of those of the configuration
	NoAuth bool     // nobody has to show a token
	Grace  time.Duration
	Stdout io.Writer // required: gets the first line
	// Signals are SIGTERM and its like, which end the daemon: the first when what is under way has ended, the
	// second at once. Required.
	Signals <-chan os.Signal
}

// Daemon serves the doors until a signal ends it. It reports whether a second signal did.
func (a *App) Daemon(o DaemonOptions) (atOnce bool, err error) {
	doors, err := a.daemonDoors()
	if err != nil {
		return false, err
	}
	options := serve.Options{
		Settings: serve.Settings{Listen: o.Listen},
		Doors:    doors, Version: a.o.Version, Grace: o.Grace, Say: a.o.Say,
		Ready: func() error { return a.Unrecorded },
	}
	if o.NoAuth {
		options.Open = anonymous()
	} else if err := a.addIdentities(&options); err != nil {
		return false, err
	}
	server, err := serve.New(options)
	if err != nil {
		return false, err
	}
	if err := server.Listen(); err != nil {
		return false, err
	}
	line, err := server.FirstLine()
	if err == nil {
		_, err = o.Stdout.Write(line)
	}
	if err != nil {
		return false, errors.Join(err, server.Close())
	}
	stop, end := context.WithCancel(context.Background())
	now, endNow := context.WithCancel(context.Background())
	defer end()
	defer endNow()
	over, heard := make(chan struct{}), make(chan struct{})
	go func() { // ends with the daemon
		defer close(heard)
		for {
			select {
			case <-over:
				return
			case signal := <-o.Signals:
				if signal == syscall.SIGHUP {
					continue
				}
				if stop.Err() != nil {
					atOnce = true
					endNow()
				}
				end()
			}
		}
	}()
	err = server.Run(stop, now)
	close(over)
	<-heard
	return atOnce, err
}

// addIdentities adds who may call: whoever shows A2A_AUTH_TOKEN, or else the token of the state directory.
func (a *App) addIdentities(o *serve.Options) error {
	scopes := []serve.Scope{serve.ScopeTools, serve.ScopeTasks, serve.ScopeAudit}
	if token := a.o.Getenv("A2A_AUTH_TOKEN"); token != "" {
		o.Known = append(o.Known, serve.Identity{Principal: serve.Principal{Name: "default", Scopes: scopes}, Token: token})
		return nil
	}
	file, token, err := a.daemonToken()
	if err != nil {
		return fmt.Errorf("a token for the daemon: %w", err)
	}
	o.TokenFile = file
	o.Known = append(o.Known, serve.Identity{Principal: serve.Principal{Name: "local", Scopes: scopes}, Token: token})
	return nil
}

// anonymous is who calls where nobody has to show a token.
func anonymous() *serve.Principal {
	return &serve.Principal{Name: "anonymous", Scopes: []serve.Scope{serve.ScopeTools, serve.ScopeTasks, serve.ScopeAudit}}
}
