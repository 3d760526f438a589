package a2a

import (
	"encoding/json"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v0/pbjson"
)

// legacyPush is a push notification config in JSON-RPC of 0.3.
type legacyPush struct {
	ID             string          `json:"id,omitempty"`
	URL            string          `json:"url"`
	Token          string          `json:"token,omitempty"`
	Authentication *legacyPushAuth `json:"authentication,omitempty"`
}

type legacyPushAuth struct {
	Schemes     []string `json:"schemes"`
	Credentials string   `json:"credentials,omitempty"`
}

// legacyTaskPush is one of a task.
type legacyTaskPush struct {
	TaskID string     `json:"taskId"`
	Config legacyPush `json:"pushNotificationConfig"`
}

func (p legacyPush) config() *wire.PushConfig {
	config := &wire.PushConfig{ID: p.ID, URL: p.URL, Token: p.Token}
	if p.Authentication != nil && len(p.Authentication.Schemes) > 0 {
		config.Auth = &wire.PushAuthInfo{Scheme: p.Authentication.Schemes[0], Credentials: p.Authentication.Credentials}
	}
	return config
}

func pushOfLegacy(raw json.RawMessage) (*wire.PushConfig, *Error) {
	var old legacyPush
	if err := json.Unmarshal(raw, &old); err != nil {
		return nil, failf(errParams, "the push notification config cannot be read: %v", err)
	}
	return old.config(), nil
}

func legacyTaskPushOf(config *wire.PushConfig) legacyTaskPush {
	old := legacyTaskPush{TaskID: string(config.TaskID),
		Config: legacyPush{ID: config.ID, URL: config.URL, Token: config.Token}}
	if config.Auth != nil {
		old.Config.Authentication = &legacyPushAuth{[]string{config.Auth.Scheme}, config.Auth.Credentials}
	}
	return old
}

// legacyPushParams returns the parameters of an operation on push notification configs in the words of 1.0.
func legacyPushParams(op *operation, params []byte) ([]byte, *Error) {
	var request any
	if op.name == "CreateTaskPushNotificationConfig" {
		var old legacyTaskPush
		if err := json.Unmarshal(params, &old); err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		config := old.Config.config()
		config.TaskID = wire.TaskID(old.TaskID)
		request = config
	} else {
		var old struct {
			Task   wire.TaskID `json:"id"`
			Config string      `json:"pushNotificationConfigId"`
		}
		if err := json.Unmarshal(params, &old); err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		request = wire.GetTaskPushConfigRequest{TaskID: old.Task, ID: old.Config}
	}
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, failf(errParams, "the parameters cannot be read: %v", err)
	}
	return encoded, nil
}

// legacyPushResult returns the result of such an operation as 0.3 has it in JSON-RPC.
func legacyPushResult(op *operation, result json.RawMessage) (json.RawMessage, error) {
	switch op.name {
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig":
		var config wire.PushConfig
		if err := json.Unmarshal(result, &config); err != nil {
			return nil, err
		}
		return json.Marshal(legacyTaskPushOf(&config))
	case "ListTaskPushNotificationConfigs":
		var list wire.ListTaskPushConfigResponse
		if err := json.Unmarshal(result, &list); err != nil {
			return nil, err
		}
		old := []legacyTaskPush{}
		for _, config := range list.Configs {
			old = append(old, legacyTaskPushOf(config))
		}
		return json.Marshal(old)
	}
	return json.RawMessage("null"), nil
}

// legacyRESTPushResult is the same in HTTP+JSON.
func legacyRESTPushResult(op *operation, result json.RawMessage) (json.RawMessage, error) {
	switch op.name {
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig":
		var config wire.PushConfig
		if err := json.Unmarshal(result, &config); err != nil {
			return nil, err
		}
		return pbjson.ToProtoPushConfigResponse(&config)
	case "ListTaskPushNotificationConfigs":
		var list wire.ListTaskPushConfigResponse
		if err := json.Unmarshal(result, &list); err != nil {
			return nil, err
		}
		return pbjson.ToProtoListPushConfigsResponse(list.Configs)
	}
	return json.RawMessage("{}"), nil
}
