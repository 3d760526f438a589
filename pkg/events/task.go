package events

import "cmp"

// statusData is a task in another state.
func statusData(_ kind, e *Event) map[string]any {
	data, p := who(e), e.progress()
	data["old_state"], data["new_state"] = p.Before, p.State
	if p.Text != "" {
		data["message"] = p.Text
	}
	return data
}

// inputData is a task that waits for its client.
func inputData(k kind, e *Event) map[string]any {
	data := statusData(k, e)
	data["prompt"], data["input_types"], data["detection_method"] = e.progress().Text, []string{"text/plain"}, detectionMethod
	return data
}

// messageData is what somebody has said in a task. The original calls the agent the assistant.
func messageData(_ kind, e *Event) map[string]any {
	data, p := who(e), e.progress()
	data["message_role"], data["message_type"] = p.Role, "user_input"
	if p.Role == "agent" {
		data["message_role"], data["message_type"] = "assistant", "agent_response"
	}
	data["message_content"] = p.Text
	return data
}

func artifactData(_ kind, e *Event) map[string]any {
	data, p := who(e), e.progress()
	data["artifact_id"], data["artifact_name"], data["artifact_size"] = p.Artifact, cmp.Or(p.Name, p.Artifact), p.Bytes
	data["artifact_type"], data["detection_text"] = cmp.Or(p.Media, "file"), p.Text
	return data
}

func (e *Event) progress() Progress {
	if e.Progress == nil {
		return Progress{}
	}
	return *e.Progress
}
