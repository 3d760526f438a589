package a2alegacy

import wire "github.com/a2aproject/a2a-go/v2/a2a"

// Push is a push notification config.
type Push struct {
	ID             string    `json:"id,omitempty"`
	URL            string    `json:"url"`
	Token          string    `json:"token,omitempty"`
	Authentication *PushAuth `json:"authentication,omitempty"`
}

// PushAuth is how who is notified knows who notifies.
type PushAuth struct {
	Schemes     []string `json:"schemes"`
	Credentials string   `json:"credentials,omitempty"`
}

// TaskPush is a push notification config of a task.
type TaskPush struct {
	TaskID string `json:"taskId"`
	Config Push   `json:"pushNotificationConfig"`
}

// PushName names a push notification config of a task; no Config names those of the task.
type PushName struct {
	Task   wire.TaskID `json:"id"`
	Config string      `json:"pushNotificationConfigId,omitempty"`
}

// OfPush returns a config as 0.3 has it.
func OfPush(config *wire.PushConfig) Push {
	old := Push{ID: config.ID, URL: config.URL, Token: config.Token}
	if config.Auth != nil {
		old.Authentication = &PushAuth{[]string{config.Auth.Scheme}, config.Auth.Credentials}
	}
	return old
}

// OfTaskPush returns a config as 0.3 has it, with its task.
func OfTaskPush(config *wire.PushConfig) TaskPush {
	return TaskPush{TaskID: string(config.TaskID), Config: OfPush(config)}
}

// Wire returns a config in the words of 1.0.
func (p Push) Wire() *wire.PushConfig {
	config := &wire.PushConfig{ID: p.ID, URL: p.URL, Token: p.Token}
	if p.Authentication != nil && len(p.Authentication.Schemes) > 0 {
		config.Auth = &wire.PushAuthInfo{Scheme: p.Authentication.Schemes[0], Credentials: p.Authentication.Credentials}
	}
	return config
}

// Wire returns a config in the words of 1.0, with its task.
func (p TaskPush) Wire() *wire.PushConfig {
	config := p.Config.Wire()
	config.TaskID = wire.TaskID(p.TaskID)
	return config
}
