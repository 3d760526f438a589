package a2a

import (
	"encoding/json"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v0/pbjson"

	"github.com/a2a-acp/a2a-acp/internal/a2alegacy"
)

func pushOfLegacy(raw json.RawMessage) (*wire.PushConfig, *Error) {
	var old a2alegacy.Push
	if err := json.Unmarshal(raw, &old); err != nil {
		return nil, failf(errParams, "the push notification config cannot be read: %v", err)
	}
	return old.Wire(), nil
}

// legacyPushParams returns the parameters of an operation on push notification configs in the words of 1.0.
func legacyPushParams(op *operation, params []byte) ([]byte, *Error) {
	var request any
	if op.name == "CreateTaskPushNotificationConfig" {
		var old a2alegacy.TaskPush
		if err := json.Unmarshal(params, &old); err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		request = old.Wire()
	} else {
		var old a2alegacy.PushName
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
		return json.Marshal(a2alegacy.OfTaskPush(&config))
	case "ListTaskPushNotificationConfigs":
		var list wire.ListTaskPushConfigResponse
		if err := json.Unmarshal(result, &list); err != nil {
			return nil, err
		}
		old := []a2alegacy.TaskPush{}
		for _, config := range list.Configs {
			old = append(old, a2alegacy.OfTaskPush(config))
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
