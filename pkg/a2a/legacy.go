package a2a

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v0/pbjson"

	"github.com/a2a-acp/a2a-acp/internal/a2alegacy"
)

// What 0.3 says in JSON-RPC stands in internal/a2alegacy, and what it says in HTTP+JSON in pbjson.

// legacyNews returns the body of an event in JSON-RPC of 0.3.
func legacyNews(n news) ([]byte, error) {
	event, err := eventOf(n.body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(a2alegacy.OfEvent(event))
}

// legacyRESTNews is the same in HTTP+JSON.
func legacyRESTNews(n news) ([]byte, error) {
	event, err := eventOf(n.body)
	if err != nil {
		return nil, err
	}
	return pbjson.ToProtoStreamEvent(event)
}

// legacySend is what message/send says.
type legacySend struct {
	Message       *a2alegacy.Message `json:"message"`
	Configuration struct {
		AcceptedOutputModes []string        `json:"acceptedOutputModes"`
		Blocking            *bool           `json:"blocking"`
		HistoryLength       *int            `json:"historyLength"`
		Push                json.RawMessage `json:"pushNotificationConfig"`
	} `json:"configuration"`
	Metadata map[string]any `json:"metadata"`
}

// legacyParams returns the parameters of an operation of 0.3 in JSON-RPC in the words of 1.0.
func legacyParams(op *operation, params []byte) ([]byte, *Error) {
	if failed := checkedNames(params); failed != nil {
		return nil, failed
	}
	switch op.name {
	case "SendMessage", "SendStreamingMessage":
		return legacySendParams(params)
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
		"DeleteTaskPushNotificationConfig":
		return legacyPushParams(op, params)
	}
	return canonical(params)
}

func legacySendParams(params []byte) ([]byte, *Error) {
	var old legacySend
	if err := json.Unmarshal(params, &old); err != nil {
		return nil, failf(errParams, "the parameters cannot be read: %v", err)
	}
	request := wire.SendMessageRequest{Metadata: old.Metadata, Config: &wire.SendMessageConfig{
		AcceptedOutputModes: old.Configuration.AcceptedOutputModes, HistoryLength: old.Configuration.HistoryLength,
		ReturnImmediately: old.Configuration.Blocking != nil && !*old.Configuration.Blocking,
	}}
	if old.Configuration.Push != nil {
		config, failed := pushOfLegacy(old.Configuration.Push)
		if failed != nil {
			return nil, failed
		}
		request.Config.PushConfig = config
	}
	var err error
	request.Message, err = old.Message.Wire()
	if wrong := (*a2alegacy.PartError)(nil); errors.As(err, &wrong) {
		return nil, invalid(fmt.Sprintf("message.parts[%d]", wrong.Index), "%v", wrong.Err)
	}
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, failf(errParams, "the parameters cannot be read: %v", err)
	}
	return encoded, nil
}

// legacyResult returns the result of an operation as 0.3 has it in JSON-RPC.
func legacyResult(op *operation, result json.RawMessage, q *query) (json.RawMessage, error) {
	switch op.name {
	case "SendMessage":
		event, err := eventOf(result)
		if err != nil {
			return nil, err
		}
		return json.Marshal(a2alegacy.OfEvent(event))
	case "GetTask", "CancelTask":
		var task wire.Task
		if err := json.Unmarshal(result, &task); err != nil {
			return nil, err
		}
		return json.Marshal(a2alegacy.OfTask(&task))
	case "ListTasks":
		var list wire.ListTasksResponse
		if err := json.Unmarshal(result, &list); err != nil {
			return nil, err
		}
		tasks := []a2alegacy.Task{}
		for _, task := range list.Tasks {
			tasks = append(tasks, a2alegacy.OfTask(task))
		}
		return json.Marshal(map[string]any{"tasks": tasks, "totalSize": list.TotalSize, "pageSize": list.PageSize,
			"nextPageToken": list.NextPageToken})
	case "GetExtendedAgentCard": // is of the version already
		return result, nil
	}
	return legacyPushResult(op, result)
}

// legacyRESTParams returns the parameters of an operation of 0.3 in HTTP+JSON in the words of 1.0.
func legacyRESTParams(op *operation, params []byte) ([]byte, *Error) {
	if failed := checkedNames(params); failed != nil {
		return nil, failed
	}
	switch op.name {
	case "SendMessage", "SendStreamingMessage":
		request, err := pbjson.FromProtoSendMessageRequest(params)
		if err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		encoded, err := json.Marshal(request)
		if err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		return encoded, nil
	case "CreateTaskPushNotificationConfig":
		config, err := pbjson.FromProtoCreatePushConfigRequest(inConfig(params), "")
		if err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		encoded, err := json.Marshal(config)
		if err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		return encoded, nil
	}
	return canonical(params)
}

// inConfig returns the body of a request for a push notification config as the request that it is a part of:
// what is sent is its member config alone, as the .proto file of 0.3 says, or the whole.
func inConfig(body []byte) []byte {
	var sent struct {
		Push json.RawMessage `json:"pushNotificationConfig"`
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.Push == nil {
		return body
	}
	return slices.Concat([]byte(`{"config":`), body, []byte(`}`))
}

// legacyRESTResult returns the result of an operation as 0.3 has it in HTTP+JSON.
func legacyRESTResult(op *operation, result json.RawMessage, q *query) (json.RawMessage, error) {
	switch op.name {
	case "SendMessage":
		event, err := eventOf(result)
		if err != nil {
			return nil, err
		}
		sent, ok := event.(wire.SendMessageResult)
		if !ok {
			return nil, fmt.Errorf("a %T is no answer to a message", event)
		}
		return pbjson.ToProtoSendMessageResult(sent)
	case "GetTask", "CancelTask":
		var task wire.Task
		if err := json.Unmarshal(result, &task); err != nil {
			return nil, err
		}
		return pbjson.ToProtoTask(&task)
	case "ListTasks":
		var list wire.ListTasksResponse
		if err := json.Unmarshal(result, &list); err != nil {
			return nil, err
		}
		return pbjson.ToProtoListTasksResponse(&list)
	case "GetExtendedAgentCard":
		return result, nil
	}
	return legacyRESTPushResult(op, result)
}

// legacyCardFields are what 0.3 has in a card beside the fields that it has in common with 1.0.
type legacyCardFields struct {
	URL                  string            `json:"url"`
	PreferredTransport   string            `json:"preferredTransport"`
	AdditionalInterfaces []legacyInterface `json:"additionalInterfaces"`
	ProtocolVersion      string            `json:"protocolVersion"`
	ExtendedCard         bool              `json:"supportsAuthenticatedExtendedCard,omitempty"`
	Security             []map[string]any  `json:"security,omitempty"`
}

type legacyInterface struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
}

// addLegacy writes a card as 0.3 has it, or both, as one that either version reads.
func addLegacy(document map[string]any, card *wire.AgentCard, both bool) error {
	added := legacyCardFields{ProtocolVersion: "0.3.0", ExtendedCard: card.Capabilities.ExtendedAgentCard}
	for _, i := range card.SupportedInterfaces {
		if i.ProtocolVersion != version03 {
			continue
		}
		if added.URL == "" {
			added.URL, added.PreferredTransport = i.URL, string(i.ProtocolBinding)
		}
		added.AdditionalInterfaces = append(added.AdditionalInterfaces, legacyInterface{i.URL, string(i.ProtocolBinding)})
	}
	for _, requirement := range card.SecurityRequirements {
		one := map[string]any{}
		for name, scopes := range requirement {
			one[string(name)] = append([]string{}, scopes...)
		}
		added.Security = append(added.Security, one)
	}
	fields, err := object(added)
	if err != nil {
		return err
	}
	for name, value := range fields {
		document[name] = value
	}
	known, _ := document["securitySchemes"].(map[string]any)
	for name, scheme := range legacySchemes(card.SecuritySchemes) { // HTTP+JSON of 0.3 reads those of 1.0, too
		if old, ok := known[name].(map[string]any); ok {
			maps.Copy(old, scheme)
		}
	}
	if !both {
		delete(document, "supportedInterfaces")
		delete(document, "securityRequirements")
	}
	return nil
}

func object(value any) (map[string]any, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	return members, json.Unmarshal(encoded, &members)
}

// legacySchemes returns the security schemes that we have, as 0.3 writes them.
func legacySchemes(schemes wire.NamedSecuritySchemes) map[string]map[string]any {
	old := map[string]map[string]any{}
	for name, scheme := range schemes {
		switch scheme := scheme.(type) {
		case wire.HTTPAuthSecurityScheme:
			old[string(name)] = map[string]any{"type": "http", "scheme": scheme.Scheme, "description": scheme.Description}
		case wire.APIKeySecurityScheme:
			old[string(name)] = map[string]any{"type": "apiKey", "in": string(scheme.Location), "name": scheme.Name,
				"description": scheme.Description}
		case wire.OpenIDConnectSecurityScheme:
			old[string(name)] = map[string]any{"type": "openIdConnect", "openIdConnectUrl": scheme.OpenIDConnectURL,
				"description": scheme.Description}
		}
	}
	return old
}
