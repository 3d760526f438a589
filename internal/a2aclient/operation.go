package a2aclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v0/pbjson"

	"github.com/a2a-acp/a2a-acp/internal/a2alegacy"
)

// operation is one of the protocol's, in the words of each binding (A2A 1.0.1, 5.3; 0.3.0, 3.5.6).
type operation struct {
	name   string // of 1.0, in JSON-RPC
	legacy string // of 0.3, in JSON-RPC
	method string // in HTTP+JSON
	path   string // likewise; {…} is a member of the parameters
	old    string // the path of 0.3; "" for the same below /v1
}

var (
	sendMessage     = &operation{name: "SendMessage", legacy: "message/send", method: "POST", path: "/message:send"}
	streamMessage   = &operation{name: "SendStreamingMessage", legacy: "message/stream", method: "POST", path: "/message:stream"}
	getTask         = &operation{name: "GetTask", legacy: "tasks/get", method: "GET", path: "/tasks/{id}"}
	listTasks       = &operation{name: "ListTasks", legacy: "tasks/list", method: "GET", path: "/tasks"}
	cancelTask      = &operation{name: "CancelTask", legacy: "tasks/cancel", method: "POST", path: "/tasks/{id}:cancel"}
	subscribeToTask = &operation{name: "SubscribeToTask", legacy: "tasks/resubscribe", method: "POST", path: "/tasks/{id}:subscribe"}
	getExtendedCard = &operation{name: "GetExtendedAgentCard", legacy: "agent/getAuthenticatedExtendedCard", method: "GET",
		path: "/extendedAgentCard", old: "/v1/card"}
	createPush = &operation{name: "CreateTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/set", method: "POST",
		path: "/tasks/{taskId}/pushNotificationConfigs"}
	getPush = &operation{name: "GetTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/get", method: "GET",
		path: "/tasks/{taskId}/pushNotificationConfigs/{id}"}
	listPush = &operation{name: "ListTaskPushNotificationConfigs", legacy: "tasks/pushNotificationConfig/list", method: "GET",
		path: "/tasks/{taskId}/pushNotificationConfigs"}
	deletePush = &operation{name: "DeleteTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/delete",
		method: "DELETE", path: "/tasks/{taskId}/pushNotificationConfigs/{id}"}
)

// request is what is sent for an operation.
type request struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte // nil for none
}

// request makes the request for an operation with its parameters in the words of 1.0.
func (c *Client) request(op *operation, params any) (request, error) {
	header, err := c.header()
	if err != nil {
		return request{}, err
	}
	if c.Interface.Binding == HTTPJSON {
		return c.restRequest(op, params, header)
	}
	if c.version == Version03 {
		params = legacyParams(params)
	}
	members, err := membersOf(params)
	if err != nil {
		return request{}, err
	}
	if c.Interface.Tenant != "" {
		members["tenant"] = c.Interface.Tenant
	}
	name := op.name
	if c.version == Version03 {
		name = op.legacy
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": name, "params": members})
	return request{method: http.MethodPost, url: c.url, header: header, body: body}, err
}

func membersOf(params any) (map[string]any, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(encoded, &members); err != nil {
		return nil, err
	}
	all := map[string]any{}
	for name, value := range members {
		all[name] = value
	}
	return all, nil
}

// restRequest puts the parameters into the path, and what is left of them into the body, or the query.
func (c *Client) restRequest(op *operation, params any, header http.Header) (request, error) {
	members, err := membersOf(params)
	if err != nil {
		return request{}, err
	}
	path := op.path
	if c.version == Version03 {
		path = first(op.old, "/v1"+op.path)
	} else if c.Interface.Tenant != "" {
		path = "/" + url.PathEscape(c.Interface.Tenant) + path
	}
	for _, name := range []string{"id", "taskId"} {
		if !strings.Contains(path, "{"+name+"}") {
			continue
		}
		var value string
		encoded, _ := members[name].(json.RawMessage)
		if take(encoded, &value); value == "" || value == "." || value == ".." {
			return request{}, fmt.Errorf("%s: %q is no %s", op.name, value, name)
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
		delete(members, name)
	}
	u, err := url.Parse(strings.TrimSuffix(c.url.String(), "/") + path)
	if err != nil {
		return request{}, err
	}
	if u.RawQuery = c.url.RawQuery; op.method != http.MethodPost {
		query := u.Query()
		for name, value := range members {
			query.Set(name, strings.Trim(fmt.Sprintf("%s", value), `"`))
		}
		u.RawQuery = query.Encode()
		return request{method: op.method, url: u, header: header}, nil
	}
	body, err := c.restBody(params, members)
	return request{method: op.method, url: u, header: header, body: body}, err
}

// restBody is the body of a request of HTTP+JSON.
func (c *Client) restBody(params any, members map[string]any) ([]byte, error) {
	if c.version == Version03 {
		switch params := params.(type) {
		case *wire.SendMessageRequest:
			return pbjson.ToProtoSendMessageRequest(params)
		case *wire.PushConfig:
			return pbjson.ToProtoCreatePushConfigRequest(params)
		}
	}
	return json.Marshal(members)
}

// legacyParams returns parameters in the words of 0.3, in JSON-RPC.
func legacyParams(params any) any {
	switch params := params.(type) {
	case *wire.SendMessageRequest:
		configuration := map[string]any{}
		if config := params.Config; config != nil {
			configuration["blocking"] = !config.ReturnImmediately
			if len(config.AcceptedOutputModes) > 0 {
				configuration["acceptedOutputModes"] = config.AcceptedOutputModes
			}
			if config.PushConfig != nil {
				configuration["pushNotificationConfig"] = a2alegacy.OfPush(config.PushConfig)
			}
		} else {
			configuration["blocking"] = true // which it is not where nobody says so
		}
		return map[string]any{"message": a2alegacy.OfMessage(params.Message), "configuration": configuration}
	case *wire.PushConfig:
		return a2alegacy.OfTaskPush(params)
	case *wire.GetTaskPushConfigRequest:
		return a2alegacy.PushName{Task: params.TaskID, Config: params.ID}
	case *wire.DeleteTaskPushConfigRequest:
		return a2alegacy.PushName{Task: params.TaskID, Config: params.ID}
	case *wire.ListTaskPushConfigRequest:
		return a2alegacy.PushName{Task: params.TaskID}
	}
	return params
}
