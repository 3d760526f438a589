//go:build agents

package agents

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
)

// answersToAgent returns the answers that the agent behind the bridge got to its questions, by the kind of
// the option that was chosen, or by the outcome where none was.
func (r *rig) answersToAgent() []string {
	r.t.Helper()
	options := make(map[string]map[string]string) // kinds by option id, by request id
	var answers []string
	for _, frame := range r.tapped() {
		switch {
		case frame.Method != "session/request_permission":
		case !frame.ToAgent:
			var question struct {
				Options []editor.Option `json:"options"`
			}
			r.decode(frame.Params, &question)
			offered := make(map[string]string)
			for _, option := range question.Options {
				offered[option.ID] = option.Kind
			}
			options[string(frame.ID)] = offered
		case frame.Error != nil:
			answers = append(answers, "an error")
		default:
			var answer struct {
				Outcome struct {
					Outcome string `json:"outcome"`
					Option  string `json:"optionId"`
				} `json:"outcome"`
			}
			r.decode(frame.Result, &answer)
			kind := answer.Outcome.Outcome
			if kind == "selected" {
				kind = options[string(frame.ID)][answer.Outcome.Option]
			}
			answers = append(answers, kind)
		}
	}
	return answers
}

func (r *rig) decode(raw json.RawMessage, into any) {
	r.t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		r.t.Fatalf("%v: %s", err, raw)
	}
}
