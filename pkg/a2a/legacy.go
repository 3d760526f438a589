package a2a

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v0/pbjson"
)

// What 0.3 says in JSON-RPC. Its HTTP+JSON is another language, which the protocol's own module reads and writes
// (pbjson). The module's reader for JSON-RPC brings along all of gRPC, which every start of the program would pay
// for.

type legacyPart struct {
	Kind     string         `json:"kind"`
	Text     *string        `json:"text,omitempty"`
	File     *legacyFile    `json:"file,omitempty"`
	Data     any            `json:"data,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type legacyFile struct {
	Bytes    *string `json:"bytes,omitempty"`
	URI      string  `json:"uri,omitempty"`
	Name     string  `json:"name,omitempty"`
	MimeType string  `json:"mimeType,omitempty"`
}

type legacyMessage struct {
	Kind             string         `json:"kind"`
	MessageID        string         `json:"messageId"`
	Role             string         `json:"role"`
	Parts            []legacyPart   `json:"parts"`
	ContextID        string         `json:"contextId,omitempty"`
	TaskID           string         `json:"taskId,omitempty"`
	ReferenceTaskIDs []wire.TaskID  `json:"referenceTaskIds,omitempty"`
	Extensions       []string       `json:"extensions,omitempty"`
	Metadata         map[string]any `json:"metadata,omitempty"`
}

type legacyStatus struct {
	State     string         `json:"state"`
	Message   *legacyMessage `json:"message,omitempty"`
	Timestamp *time.Time     `json:"timestamp,omitempty"`
}

type legacyArtifact struct {
	ArtifactID  string         `json:"artifactId"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []legacyPart   `json:"parts"`
	Extensions  []string       `json:"extensions,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

type legacyTask struct {
	Kind      string           `json:"kind"`
	ID        string           `json:"id"`
	ContextID string           `json:"contextId"`
	Status    legacyStatus     `json:"status"`
	Artifacts []legacyArtifact `json:"artifacts,omitempty"`
	History   []*legacyMessage `json:"history,omitempty"`
	Metadata  map[string]any   `json:"metadata,omitempty"`
}

type legacyUpdate struct {
	Kind      string          `json:"kind"`
	TaskID    string          `json:"taskId"`
	ContextID string          `json:"contextId"`
	Status    *legacyStatus   `json:"status,omitempty"`
	Final     *bool           `json:"final,omitempty"`
	Artifact  *legacyArtifact `json:"artifact,omitempty"`
	Append    bool            `json:"append,omitempty"`
	LastChunk bool            `json:"lastChunk,omitempty"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
}

// legacyState returns a state as 0.3 names it: input-required for TASK_STATE_INPUT_REQUIRED.
func legacyState(state wire.TaskState) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(string(state), "TASK_STATE_"), "_", "-"))
}

func legacyParts(parts wire.ContentParts) []legacyPart {
	list := make([]legacyPart, 0, len(parts))
	for _, part := range parts {
		old := legacyPart{Metadata: part.Metadata}
		switch content := part.Content.(type) {
		case wire.Text:
			text := string(content)
			old.Kind, old.Text = "text", &text
		case wire.Raw:
			bytes := base64.StdEncoding.EncodeToString(content)
			old.Kind, old.File = "file", &legacyFile{Bytes: &bytes, Name: part.Filename, MimeType: part.MediaType}
		case wire.URL:
			old.Kind, old.File = "file", &legacyFile{URI: string(content), Name: part.Filename, MimeType: part.MediaType}
		case wire.Data:
			old.Kind, old.Data = "data", content.Value
			if _, object := content.Value.(map[string]any); !object { // 0.3 has objects only
				old.Data = map[string]any{"value": content.Value}
			}
		}
		list = append(list, old)
	}
	return list
}

func legacyMessageOf(m *wire.Message) *legacyMessage {
	if m == nil {
		return nil
	}
	role := "user"
	if m.Role == wire.MessageRoleAgent {
		role = "agent"
	}
	return &legacyMessage{Kind: "message", MessageID: m.ID, Role: role, Parts: legacyParts(m.Parts), ContextID: m.ContextID,
		TaskID: string(m.TaskID), ReferenceTaskIDs: m.ReferenceTasks, Extensions: m.Extensions, Metadata: m.Metadata}
}

func legacyStatusOf(status wire.TaskStatus) legacyStatus {
	return legacyStatus{State: legacyState(status.State), Message: legacyMessageOf(status.Message), Timestamp: status.Timestamp}
}

func legacyArtifactOf(a *wire.Artifact) legacyArtifact {
	return legacyArtifact{ArtifactID: string(a.ID), Name: a.Name, Description: a.Description, Parts: legacyParts(a.Parts),
		Extensions: a.Extensions, Metadata: a.Metadata}
}

func legacyTaskOf(task *wire.Task) legacyTask {
	old := legacyTask{Kind: "task", ID: string(task.ID), ContextID: task.ContextID, Status: legacyStatusOf(task.Status),
		Metadata: task.Metadata}
	for _, artifact := range task.Artifacts {
		old.Artifacts = append(old.Artifacts, legacyArtifactOf(artifact))
	}
	for _, message := range task.History {
		old.History = append(old.History, legacyMessageOf(message))
	}
	return old
}

// legacyEvent returns an event as 0.3 has it. A status is final that ends the task, or waits for input: clients
// of 0.3 end the stream with it.
func legacyEvent(event wire.Event) any {
	switch event := event.(type) {
	case *wire.Message:
		return legacyMessageOf(event)
	case *wire.Task:
		return legacyTaskOf(event)
	case *wire.TaskStatusUpdateEvent:
		status, final := legacyStatusOf(event.Status), event.Status.State.Terminal() ||
			event.Status.State == wire.TaskStateInputRequired
		return legacyUpdate{Kind: "status-update", TaskID: string(event.TaskID), ContextID: event.ContextID, Status: &status,
			Final: &final, Metadata: event.Metadata}
	case *wire.TaskArtifactUpdateEvent:
		artifact := legacyArtifactOf(event.Artifact)
		return legacyUpdate{Kind: "artifact-update", TaskID: string(event.TaskID), ContextID: event.ContextID,
			Artifact: &artifact, Append: event.Append, LastChunk: event.LastChunk, Metadata: event.Metadata}
	}
	return nil
}

// legacyNews returns the body of an event in JSON-RPC of 0.3.
func legacyNews(n news) ([]byte, error) {
	event, err := eventOf(n.body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(legacyEvent(event))
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
	Message       *legacyMessage `json:"message"`
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
	if failed := checked(params); failed != nil {
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
	if m := old.Message; m != nil {
		message := &wire.Message{ID: m.MessageID, ContextID: m.ContextID, TaskID: wire.TaskID(m.TaskID),
			ReferenceTasks: m.ReferenceTaskIDs, Extensions: m.Extensions, Metadata: m.Metadata}
		message.Role = map[string]wire.MessageRole{"user": wire.MessageRoleUser, "agent": wire.MessageRoleAgent}[m.Role]
		for i, part := range m.Parts {
			content, failed := part.content()
			if failed != nil {
				failed.field = fmt.Sprintf("message.parts[%d]", i)
				return nil, failed
			}
			message.Parts = append(message.Parts, content)
		}
		request.Message = message
	}
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, failf(errParams, "the parameters cannot be read: %v", err)
	}
	return encoded, nil
}

// content returns a part in the words of 1.0.
func (p legacyPart) content() (*wire.Part, *Error) {
	part := &wire.Part{Metadata: p.Metadata}
	switch {
	case p.Kind == "text" && p.Text != nil:
		part.Content = wire.Text(*p.Text)
	case p.Kind == "data" && p.Data != nil:
		part.Content = wire.Data{Value: p.Data}
	case p.Kind == "file" && p.File != nil:
		part.Filename, part.MediaType = p.File.Name, p.File.MimeType
		if p.File.Bytes == nil {
			part.Content = wire.URL(p.File.URI)
			break
		}
		raw, err := base64.StdEncoding.DecodeString(*p.File.Bytes)
		if err != nil {
			return nil, invalid("", "the bytes are no base64")
		}
		part.Content = wire.Raw(raw)
	default:
		return nil, invalid("", "want the kind text, file or data with its content, found the kind %.20q", p.Kind)
	}
	return part, nil
}

// legacyResult returns the result of an operation as 0.3 has it in JSON-RPC.
func legacyResult(op *operation, result json.RawMessage, q *query) (json.RawMessage, error) {
	switch op.name {
	case "SendMessage":
		event, err := eventOf(result)
		if err != nil {
			return nil, err
		}
		return json.Marshal(legacyEvent(event))
	case "GetTask", "CancelTask":
		var task wire.Task
		if err := json.Unmarshal(result, &task); err != nil {
			return nil, err
		}
		return json.Marshal(legacyTaskOf(&task))
	case "ListTasks":
		var list wire.ListTasksResponse
		if err := json.Unmarshal(result, &list); err != nil {
			return nil, err
		}
		tasks := []legacyTask{}
		for _, task := range list.Tasks {
			tasks = append(tasks, legacyTaskOf(task))
		}
		return json.Marshal(map[string]any{"tasks": tasks, "totalSize": list.TotalSize, "pageSize": list.PageSize,
			"nextPageToken": list.NextPageToken})
	case "GetExtendedAgentCard":
		return legacyCardResult(result, q)
	}
	return legacyPushResult(op, result)
}

// legacyRESTParams returns the parameters of an operation of 0.3 in HTTP+JSON in the words of 1.0.
func legacyRESTParams(op *operation, params []byte) ([]byte, *Error) {
	if failed := checked(params); failed != nil {
		return nil, failed
	}
	switch op.name {
	case "SendMessage", "SendStreamingMessage":
		request, err := pbjson.FromProtoSendMessageRequest(params)
		if err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		if !strings.Contains(string(params), `"blocking"`) && request.Config != nil {
			request.Config.ReturnImmediately = false // who says nothing waits
		}
		encoded, err := json.Marshal(request)
		if err != nil {
			return nil, failf(errParams, "the parameters cannot be read: %v", err)
		}
		return encoded, nil
	case "CreateTaskPushNotificationConfig":
		config, err := pbjson.FromProtoCreatePushConfigRequest(params, "")
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
		return legacyCardResult(result, q)
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

// legacyCard returns a card as 0.3 has it, or both, one that either version reads. A card that both read is
// signed once more, as it is.
func (s *Server) legacyCard(card *wire.AgentCard, base string, both bool) ([]byte, error) {
	document, err := legacyDocument(card, both)
	if err != nil {
		return nil, err
	}
	if s.o.Signer == nil {
		return json.Marshal(document)
	}
	delete(document, "signatures")
	plain, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	signature, err := s.o.Signer.sign(plain, base+KeySetPath)
	if err != nil {
		return nil, err
	}
	document["signatures"] = []wire.AgentCardSignature{signature}
	if both { // who knows 1.0 only may have dropped the rest before he looks at the signature
		document["signatures"] = append(slices.Clone(card.Signatures), signature)
	}
	return json.Marshal(document)
}

// legacyDocument returns the members of a card of 0.3, or of one that both versions read.
func legacyDocument(card *wire.AgentCard, both bool) (map[string]any, error) {
	document, err := object(card)
	if err != nil {
		return nil, err
	}
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
		return nil, err
	}
	for name, value := range fields {
		document[name] = value
	}
	if schemes := legacySchemes(card.SecuritySchemes); len(schemes) > 0 {
		known, _ := document["securitySchemes"].(map[string]any)
		for name, scheme := range schemes {
			if old, ok := known[name].(map[string]any); ok && both {
				for member, value := range old {
					scheme[member] = value
				}
			}
		}
		document["securitySchemes"] = schemes
	}
	if !both {
		delete(document, "supportedInterfaces")
		delete(document, "securityRequirements")
	}
	return document, nil
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

// legacyCardResult returns the extended card as 0.3 has it. Its signatures were made for 1.0.
func legacyCardResult(result json.RawMessage, _ *query) (json.RawMessage, error) {
	var card wire.AgentCard
	if err := json.Unmarshal(result, &card); err != nil {
		return nil, err
	}
	card.Signatures = nil
	document, err := legacyDocument(&card, false)
	if err != nil {
		return nil, err
	}
	return json.Marshal(document)
}
