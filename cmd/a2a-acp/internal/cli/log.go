package cli

import (
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/telemetry"
)

// OpenLog opens the log that the environment asks for (LOG_LEVEL, LOG_FORMAT, LOG_FILE), and has the program's options
// use it. What is wrong with it is said, and the program goes on without. The caller calls done at the end.
func OpenLog(env *Environment, o *app.Options) (done func()) {
	log, err := telemetry.OpenLog(telemetry.LogOptions{
		Getenv: env.Getenv, Stderr: env.Stderr, Say: o.Say, Foreign: o.InWorkspace,
	})
	if err != nil {
		o.Say(err.Error())
	}
	if log == nil {
		return func() {}
	}
	o.Say, o.Heard = log.Say, log.Event
	return func() { _ = log.Close() } // every line is written as it is logged
}
