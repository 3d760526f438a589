package governor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// status is what one governor says.
type status string

// The statuses. Only the first four are answers.
const (
	statusApprove   status = "approve"
	statusReject    status = "reject"
	statusAttention status = "needs_attention"
	statusAbstain   status = "abstain"

	statusError     status = "error"
	statusTimeout   status = "timeout"
	statusCancelled status = "cancelled"
)

// answer is what a governor said.
type answer struct {
	status   status
	option   string
	score    *float64
	messages []string
	followUp string
	metadata string

	// replaced is the output that is to stand in place of the one that it was told of; nil for none.
	replaced *replacement
	redacted int

	exitCode *int
	http     int
}

// hide takes the values that the governor was given out of what it says, and out of the error beside it:
// both are shown and put on record.
func (a *answer) hide(values []string, err error) error {
	if len(values) == 0 {
		return err
	}
	clean := secret.New(values...).String
	for i := range a.messages {
		a.messages[i] = clean(a.messages[i])
	}
	a.option, a.followUp, a.metadata = clean(a.option), clean(a.followUp), clean(a.metadata)
	if a.replaced != nil {
		for _, text := range []*string{a.replaced.Stdout, a.replaced.Stderr} {
			if text != nil {
				*text = clean(*text)
			}
		}
	}
	if err == nil || clean(err.Error()) == err.Error() {
		return err
	}
	return errors.New(clean(err.Error()))
}

// replacement is output in the place of output.
type replacement struct {
	Stdout *string `json:"stdout"`
	Stderr *string `json:"stderr"`
}

// The bounds of what is kept of an answer.
const (
	mostMessages = 20
	longestText  = 2000 // bytes of a message
	longestAsk   = 8000 // bytes of a follow-up prompt
)

// reply is an answer as programs and URLs write it: that of the original system, or that of Claude Code's
// hooks.
type reply struct {
	Status         *string         `json:"status"`
	OptionID       string          `json:"optionId"`
	Score          *float64        `json:"score"`
	Messages       json.RawMessage `json:"messages"`
	FollowUpPrompt *string         `json:"followUpPrompt"`
	Metadata       json.RawMessage `json:"metadata"`
	Output         *replacement    `json:"output"`

	Hook *struct {
		Decision *string `json:"permissionDecision"`
		Reason   string  `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
	Decision *string `json:"decision"`
	Reason   string  `json:"reason"`
}

// Words for what is wrong with a reply.
var (
	errEmptyReply = errors.New("it answered nothing; want one JSON object with a status")
	errTwoReplies = errors.New("it answered more than one JSON object; only one can be what it means")
	errNoStatus   = errors.New(`its answer has no status; want approve, reject or needs_attention`)
)

// parseReply reads an answer. Whatever is not surely an answer is an error, and an error approves nothing:
// text around the object, a second object, a key that stands twice or in another case, a status that nobody
// knows.
func parseReply(data []byte) (answer, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return answer{}, errEmptyReply
	}
	if err := oneObject(data); err != nil {
		return answer{}, err
	}
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		return answer{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	said, reason, err := r.status()
	if err != nil {
		return answer{}, err
	}
	a := answer{status: said, option: cut(r.OptionID, 200), score: r.Score,
		metadata: cut(string(r.Metadata), longestText), replaced: r.Output}
	if a.messages, err = messagesOf(r.Messages); err != nil {
		return answer{}, err
	}
	if reason != "" {
		a.messages = append(a.messages, cut(reason, longestText))
	}
	if r.FollowUpPrompt != nil {
		a.followUp = cut(*r.FollowUpPrompt, longestAsk)
	}
	return a, nil
}

// status finds what was said, in whichever of the two ways. Where both are there they must say the same.
func (r *reply) status() (said status, reason string, err error) {
	var all []status
	add := func(word *string, words map[string]status) {
		if word == nil || err != nil {
			return
		}
		s, known := words[*word]
		if !known {
			err = fmt.Errorf("its status is %s, which is none", quoted(*word))
			return
		}
		all = append(all, s)
	}
	add(r.Status, map[string]status{
		"approve": statusApprove, "reject": statusReject, "needs_attention": statusAttention,
		"abstain": statusAbstain, "error": statusError,
	})
	if r.Hook != nil {
		reason = r.Hook.Reason
		add(r.Hook.Decision, map[string]status{"allow": statusApprove, "deny": statusReject,
			"ask": statusAttention, "defer": statusAbstain})
	}
	if r.Status == nil {
		add(r.Decision, map[string]status{"approve": statusApprove, "block": statusReject})
		if reason == "" {
			reason = r.Reason
		}
	}
	switch {
	case err != nil:
		return "", "", err
	case len(all) == 0:
		return "", "", errNoStatus
	}
	for _, other := range all[1:] {
		if other != all[0] {
			return "", "", fmt.Errorf("its answer says both %s and %s", all[0], other)
		}
	}
	return all[0], reason, nil
}

func messagesOf(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var many []string
	if err := json.Unmarshal(raw, &many); err != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil, errors.New("its messages are no texts")
		}
		many = []string{one}
	}
	for i := range many {
		many[i] = cut(many[i], longestText)
	}
	return many[:min(len(many), mostMessages)], nil
}

// oneObject checks that data is one JSON object, with nothing around it, that every reader takes the same
// way: Go's folds the case of keys and keeps the last of two.
func oneObject(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	token, err := dec.Token()
	if err != nil {
		return fmt.Errorf("its answer is no JSON: %s", cut(err.Error(), 200))
	}
	if token != json.Delim('{') {
		return errors.New("its answer is no JSON object")
	}
	if err := walkObject(dec, 1, true); err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	if _, err := dec.Token(); errors.Is(err, io.EOF) {
		return nil
	}
	return errTwoReplies
}

// deepest is how deep an answer may nest.
const deepest = 50

// replyKeys are the keys that a reply can have where it is read.
var replyKeys = []string{
	"status", "optionId", "score", "messages", "followUpPrompt", "metadata", "output", "stdout", "stderr",
	"hookSpecificOutput", "permissionDecision", "permissionDecisionReason", "decision", "reason",
}

// walkObject goes through an object. Where it is read, a key that Go would take for one of ours and others
// would not is refused: Go folds case as Unicode does, ſ and K included.
func walkObject(dec *json.Decoder, depth int, isRead bool) error {
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		folded := strings.ToLower(name)
		if seen[folded] {
			return fmt.Errorf("the key %s stands twice", quoted(name))
		}
		seen[folded] = true
		if isRead && !slices.Contains(replyKeys, name) &&
			slices.ContainsFunc(replyKeys, func(key string) bool { return strings.EqualFold(key, name) }) {
			return fmt.Errorf("the key %s is not written as it must be", quoted(name))
		}
		if err := walkValue(dec, depth, isRead && (name == "hookSpecificOutput" || name == "output")); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func walkValue(dec *json.Decoder, depth int, isRead bool) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth >= deepest {
		return fmt.Errorf("it nests deeper than %d", deepest)
	}
	if delim == '{' {
		return walkObject(dec, depth+1, isRead)
	}
	for dec.More() {
		if err := walkValue(dec, depth+1, false); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// cut keeps a text to a number of bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// quoted returns a text of a governor's as a message shows it.
func quoted(s string) string { return "“" + display.Line(cut(s, 60)) + "”" }
