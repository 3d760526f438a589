package app

import (
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// wantsNotifications reports whether the settings that are in force want the desktop to be told.
func (a *App) wantsNotifications() bool {
	set := a.Set()
	return set != nil && slices.Contains(set.Settings.Notifications, config.NotifyDesktop)
}

// tellViolation tells the desktop what an agent did against a rule or an answer. Nothing waits for that.
func (a *App) tellViolation(event events.Event) {
	kind := ""
	if event.Act != nil {
		kind = event.Act.Kind
	}
	a.desktop.Violated(a.ending, event.Agent, kind)
}

// TellsOnTerminal reports whether the settings want the terminal told on which questions are watched.
func TellsOnTerminal(o Options) bool {
	settings, err := config.ReadSettingsOf(Sources(o))
	return err == nil && slices.Contains(settings.Notifications, config.NotifyTerminal)
}
