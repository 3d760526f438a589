package a2aclient

import (
	"encoding/json"
	"errors"
	"fmt"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v0/pbjson"

	"github.com/a2a-acp/a2a-acp/internal/a2alegacy"
)

// legacyRPC reports whether results are those of JSON-RPC of 0.3; legacyREST whether they are those of its HTTP+JSON.
func (c *Client) legacyRPC() bool  { return c.version == Version03 && c.Interface.Binding == JSONRPC }
func (c *Client) legacyREST() bool { return c.version == Version03 && c.Interface.Binding == HTTPJSON }

// readSent reads what a message was answered with.
func (c *Client) readSent(body []byte) (wire.Event, error) {
	if c.legacyREST() {
		sent, err := pbjson.FromProtoSendMessageResponse(body)
		if err != nil {
			return nil, err
		}
		return whole(sent)
	}
	return c.readEvent(body)
}

// readEvent reads an event of a stream.
func (c *Client) readEvent(body []byte) (event wire.Event, err error) {
	switch {
	case c.legacyRPC():
		event, err = a2alegacy.ReadEvent(body)
	case c.legacyREST():
		event, err = pbjson.FromProtoStreamEvent(body)
	default:
		var said wire.StreamResponse
		err = json.Unmarshal(body, &said)
		event = said.Event
	}
	if err != nil {
		return nil, err
	}
	return whole(event)
}

// whole returns an event in which nothing is missing that its readers look at.
func whole(event wire.Event) (wire.Event, error) {
	switch e := event.(type) {
	case *wire.Task:
		if e != nil && e.ID != "" {
			return e, wholeTask(e)
		}
	case *wire.Message:
		if e != nil {
			e.Parts = wholeParts(e.Parts)
			return e, nil
		}
	case *wire.TaskStatusUpdateEvent:
		if e != nil && e.TaskID != "" {
			wholeMessage(e.Status.Message)
			return e, nil
		}
	case *wire.TaskArtifactUpdateEvent:
		if e != nil && e.TaskID != "" && e.Artifact != nil {
			e.Artifact.Parts = wholeParts(e.Artifact.Parts)
			return e, nil
		}
	}
	return nil, errors.New("an event that is nothing, or has no task")
}

func wholeTask(t *wire.Task) error {
	for _, artifact := range t.Artifacts {
		if artifact == nil {
			return errors.New("an artifact that is null")
		}
		artifact.Parts = wholeParts(artifact.Parts)
	}
	wholeMessage(t.Status.Message)
	return nil
}

func wholeMessage(m *wire.Message) {
	if m != nil {
		m.Parts = wholeParts(m.Parts)
	}
}

// wholeParts leaves out parts that are null.
func wholeParts(parts wire.ContentParts) wire.ContentParts {
	var list wire.ContentParts
	for _, part := range parts {
		if part != nil {
			list = append(list, part)
		}
	}
	return list
}

func (c *Client) readTask(body []byte) (task *wire.Task, err error) {
	switch {
	case c.legacyRPC():
		task, err = a2alegacy.ReadTask(body)
	case c.legacyREST():
		task, err = pbjson.FromProtoTask(body)
	default:
		task = &wire.Task{}
		err = json.Unmarshal(body, task)
	}
	if err == nil {
		_, err = whole(task)
	}
	if err != nil {
		return nil, fmt.Errorf("the task cannot be read: %w", err)
	}
	return task, nil
}

func (c *Client) readTasks(body []byte) (*wire.ListTasksResponse, error) {
	page := &wire.ListTasksResponse{}
	var err error
	switch {
	case c.legacyRPC():
		var old struct {
			Tasks         []*a2alegacy.Task `json:"tasks"`
			TotalSize     int               `json:"totalSize"`
			NextPageToken string            `json:"nextPageToken"`
		}
		if err = json.Unmarshal(body, &old); err != nil {
			break
		}
		page.TotalSize, page.NextPageToken = old.TotalSize, old.NextPageToken
		for _, task := range old.Tasks {
			if task == nil {
				continue
			}
			read, wrong := task.Wire()
			if err = wrong; err != nil {
				break
			}
			page.Tasks = append(page.Tasks, read)
		}
	case c.legacyREST():
		page, err = pbjson.FromProtoListTasksResponse(body)
	default:
		err = json.Unmarshal(body, page)
	}
	for i := 0; err == nil && i < len(page.Tasks); i++ {
		_, err = whole(page.Tasks[i])
	}
	if err != nil {
		return nil, fmt.Errorf("the list of tasks cannot be read: %w", err)
	}
	return page, nil
}

func (c *Client) readPush(body []byte) (config *wire.PushConfig, err error) {
	switch {
	case c.legacyRPC():
		var old a2alegacy.TaskPush
		err = json.Unmarshal(body, &old)
		config = old.Wire()
	case c.legacyREST():
		config, err = pbjson.FromProtoPushConfigResponse(body)
	default:
		config = &wire.PushConfig{}
		err = json.Unmarshal(body, config)
	}
	if err != nil {
		return nil, fmt.Errorf("the push notification config cannot be read: %w", err)
	}
	return config, nil
}

func (c *Client) readPushes(body []byte, task wire.TaskID) (list []*wire.PushConfig, err error) {
	switch {
	case c.legacyRPC():
		var old []a2alegacy.TaskPush
		err = json.Unmarshal(body, &old)
		for _, config := range old {
			list = append(list, config.Wire())
		}
	case c.legacyREST():
		list, err = pbjson.FromProtoListPushConfigsResponse(body, task)
	default:
		var page wire.ListTaskPushConfigResponse
		err = json.Unmarshal(body, &page)
		for _, config := range page.Configs {
			if config != nil {
				list = append(list, config)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the push notification configs cannot be read: %w", err)
	}
	return list, nil
}
