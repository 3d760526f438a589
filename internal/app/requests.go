package app

import "github.com/a2a-acp/a2a-acp/internal/httptool"

// requests returns what sends the requests of tools, and closes its connections at the end.
func (a *App) requests() *httptool.Client {
	client := httptool.New()
	a.onStop(func() error {
		client.Close()
		return nil
	})
	return client
}
