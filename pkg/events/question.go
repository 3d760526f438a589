package events

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// confirmationData is a person who is asked about a call of one of our tools.
func confirmationData(_ kind, e *Event) map[string]any {
	data := questionMembers(e)
	data["tool_id"], data["tool_name"] = toolOf(e), cmp.Or(e.Act.Title, e.Act.Tool)
	data["parameters"] = parameters(e)
	if e.Decision != nil {
		data["confirmation_message"] = e.Decision.Reason
	}
	return data
}

// questionData is a person who is asked about another act, with what the original says of a permission.
func questionData(_ kind, e *Event) map[string]any {
	data := questionMembers(e)
	prompt := ""
	if e.Decision != nil {
		prompt = e.Decision.Reason
	}
	if e.Act != nil {
		prompt = cmp.Or(e.Act.Title, prompt)
	}
	data["prompt"], data["input_types"], data["detection_method"] = prompt, []string{"text/plain"}, detectionMethod
	return data
}

// detectionMethod is how the original says that a question was not guessed from what an agent wrote.
const detectionMethod = "protocol_compliant"

func questionMembers(e *Event) map[string]any {
	data := who(e)
	options := []map[string]string{}
	for _, o := range e.Options {
		options = append(options, map[string]string{"optionId": o.ID, "name": o.Name, "kind": o.Kind})
	}
	data["permission_options"], data["tool_call"] = options, toolCall(e)
	data["governor_summary"] = []string{}
	if e.Governance != nil {
		data["governor_summary"] = e.Governance.Summary()
	}
	if e.Decision != nil {
		data["policy_decision"] = policyDecision(e.Decision)
	}
	return data
}

// toolCall describes an act as the original does an agent's request.
func toolCall(e *Event) map[string]any {
	call := map[string]any{"toolId": toolOf(e)}
	if e.Act == nil {
		return call
	}
	call["kind"], call["parameters"] = e.Act.Kind, parameters(e)
	if e.ToolCall != "" {
		call["toolCallId"] = e.ToolCall
	}
	if e.Act.Title != "" {
		call["title"] = e.Act.Title
	}
	if len(e.Act.Paths) > 0 {
		call["path"], call["paths"] = e.Act.Paths[0], e.Act.Paths
	}
	if e.Act.Shell != "" {
		call["command"] = e.Act.Shell
	}
	return call
}

// policyDecision is a decision as the original tells it.
func policyDecision(d *Decision) map[string]any {
	out := map[string]any{"type": d.Result, "source": d.Source, "reason": d.Reason}
	for name, value := range map[string]string{"policy_id": d.Rule, "at": d.At, "approver": d.Approver, "optionId": d.Option} {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// hasFollowUp reports whether a governor that has looked at an output asks the agent for more.
func hasFollowUp(e *Event) bool { return followUp(e) != nil }

func followUp(e *Event) *tool.GovernorAnswer {
	if e.Governance == nil || e.Governance.Phase != tool.PhaseOutput {
		return nil
	}
	for i, a := range e.Governance.Answers {
		if a.FollowUp != "" {
			return &e.Governance.Answers[i]
		}
	}
	return nil
}

func followUpData(_ kind, e *Event) map[string]any {
	data, answer := who(e), followUp(e)
	data["governor_id"], data["prompt"], data["iteration"] = answer.Governor, answer.FollowUp, 0
	data["summary"] = e.Governance.Summary()
	return data
}

// isWithheld reports whether a governor that has looked at an output says no.
func isWithheld(e *Event) bool {
	return e.Governance != nil && e.Governance.Phase == tool.PhaseOutput && refusing(e) != nil
}

func refusing(e *Event) *tool.GovernorAnswer {
	for i, a := range e.Governance.Answers {
		if cmp.Or(a.CountsAs, a.Status) == "reject" {
			return &e.Governance.Answers[i]
		}
	}
	return nil
}

func feedbackData(_ kind, e *Event) map[string]any {
	data, answer := who(e), refusing(e)
	data["governor_id"], data["summary"] = answer.Governor, e.Governance.Summary()
	data["message"] = fmt.Sprintf("governor %s withheld the output", answer.Governor)
	if said := strings.Join(answer.Messages, "; "); said != "" {
		data["message"] = fmt.Sprintf("%s: %s", data["message"], said)
	}
	return data
}

// isRateExceeded reports whether a governor that counts has said no.
func isRateExceeded(e *Event) bool {
	if e.Governance == nil {
		return false
	}
	for _, a := range e.Governance.Answers {
		if a.Type == "rate" && cmp.Or(a.CountsAs, a.Status) == "reject" {
			return true
		}
	}
	return false
}
