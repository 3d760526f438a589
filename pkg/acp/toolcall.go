package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// toolCall is what the agent has told of one of its tool calls so far. A permission request often says
// little more than the id; what was said before belongs to it.
type toolCall struct {
	id        string
	title     string
	kind      string
	status    string
	name      string
	content   []byte // JSON array
	locations []byte // JSON array
	rawInput  []byte
	meta      []byte
	below     string // the session in which the agent tells of it, where that is one below; else ""

	question  *openQuestion     // set while a question about it stands
	announced bool              // the editor has heard of it
	rejected  bool              // its question was, and the answer was no
	withdrawn bool              // the agent has taken a question about it back
	notes     []string          // our lines in its card
	recorded  bool              // it has ended, and so stands on record
	own       *ownAct           // as the agent's hook told of it; nil where none did
	approved  *permissionPrompt // the question about it that was answered last, if with yes; nil for none
	elsewhere bool              // somebody else carries it out: the editor, or we, as a tool of ours
	carried   []string          // the files that the editor has read or written for it, without links
	began     time.Time         // when the agent first spoke of it
	again     bool              // another call of that id has ended before
	exit      *int              // of its command, as the agent says; nil where it has not
}

// readToolCall reads what is told of a call. It returns the members that nobody here knows.
func readToolCall(p *params) (unknown []member) {
	p.own("toolCallId", p.text("toolCallId"))
	for _, key := range []string{"title", "kind", "status", "name"} {
		p.optional(key)
	}
	for _, item := range p.objects("content") {
		item.text("type")
	}
	for _, location := range p.objects("locations") {
		location.text("path")
	}
	p.raw("rawInput")
	p.raw("rawOutput")
	p.meta()
	p.raw("sessionUpdate")
	return p.others()
}

// finished reports whether nothing more is to come.
func (c *toolCall) finished() bool {
	return c.status == statusCompleted || c.status == statusFailed || c.status == "cancelled"
}

// beginAgain forgets how a call has ended whose id the agent uses for another: that one ends for itself. A no
// that was said in the card still counts.
func (c *toolCall) beginAgain(update object) {
	status := update.text("status")
	next := toolCall{status: status}
	if !c.recorded || update.text("sessionUpdate") != kindToolCall && (status == "" || next.finished()) {
		return
	}
	c.recorded, c.own, c.approved, c.elsewhere, c.carried = false, nil, nil, false, nil
	c.began, c.exit, c.again = time.Time{}, nil, true
}

// merge takes over what an update or a request says: a member that is not there leaves what was said
// before, null clears it (ACP, tool calls).
func (c *toolCall) merge(update object) {
	patchText(&c.title, update, "title")
	patchText(&c.kind, update, "kind")
	patchText(&c.status, update, "status")
	patchText(&c.name, update, "name")
	patchRaw(&c.content, update, "content")
	patchRaw(&c.locations, update, "locations")
	patchRaw(&c.rawInput, update, "rawInput")
	patchRaw(&c.meta, update, "_meta")
}

// forget drops what may be large of a call that has finished: a card may hold whole files, and nobody asks
// about them any more.
func (c *toolCall) forget() {
	if c.finished() {
		c.content, c.locations, c.rawInput, c.meta, c.approved = nil, nil, nil, nil, nil
	}
}

func patchText(field *string, update object, key string) {
	raw, ok := update[key]
	if !ok {
		return
	}
	s, err := ndjson.String(raw)
	if err != nil {
		s = ""
	}
	*field = s
}

func patchRaw(field *[]byte, update object, key string) {
	raw, ok := update[key]
	switch {
	case !ok:
	case bytes.Equal(raw, []byte("null")):
		*field = nil
	default:
		*field = slices.Clone(raw) // the line it lies in is about to be overwritten
	}
}

// maxToolCalls bounds what is kept of one session. Of the calls above it the oldest is forgotten that waits
// for nobody; were the agent to speak of it again, it would be announced again.
const maxToolCalls = 4096

// toolCalls are the tool calls of one session, in the order in which the agent first spoke of them.
type toolCalls struct {
	byID  map[string]*toolCall
	order []string
}

// get finds a call, or begins to keep one.
func (t *toolCalls) get(id string) *toolCall {
	if c, ok := t.byID[id]; ok {
		return c
	}
	if t.byID == nil {
		t.byID = map[string]*toolCall{}
	}
	if len(t.order) >= maxToolCalls {
		t.forgetOldest()
	}
	c := &toolCall{id: id}
	t.byID[id] = c
	t.order = append(t.order, id)
	return c
}

// forgetOldest forgets the oldest call in whose card no question stands: what would change such a card must
// be known as one of it.
func (t *toolCalls) forgetOldest() {
	oldest := slices.IndexFunc(t.order, func(id string) bool { return t.byID[id].question == nil })
	if oldest < 0 {
		return
	}
	delete(t.byID, t.order[oldest])
	t.order = slices.Delete(t.order, oldest, oldest+1)
}

// only finds the one unfinished call that matches; nil when none or several do.
func (t *toolCalls) only(match func(*toolCall) bool) *toolCall {
	var found *toolCall
	for _, id := range t.order {
		c := t.byID[id]
		if !c.announced || c.finished() || !match(c) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// encoded returns the agent's tool call as it told of it.
func (c *toolCall) encoded() []byte {
	fields := map[string]any{"toolCallId": c.id, "title": c.title, "kind": c.kind}
	for name, raw := range map[string][]byte{"content": c.content, "locations": c.locations,
		"rawInput": c.rawInput} {
		if ndjson.Strict(raw) == nil && len(raw) > 0 {
			fields[name] = json.RawMessage(raw)
		} else if len(raw) > 0 {
			fields[name] = string(raw)
		}
	}
	return encode(fields)
}

// shownCards are the cards that the editor may have, of whatever session, open or not. The zero value is
// empty and ready.
type shownCards struct {
	ids map[string]bool
	all bool // there are more than are kept
}

// The bounds of what is kept of the names of cards; beyond them any card may be one that the editor has.
const (
	mostShown        = 1 << 16
	longestShownName = 256 // bytes
)

func (s *shownCards) add(id string) {
	switch {
	case len(s.ids) >= mostShown && !s.ids[id], len(id) > longestShownName:
		s.all = true
		return
	case s.ids == nil:
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
}

// has reports whether the editor may have a card of that name.
func (s *shownCards) has(id string) bool { return s.all || s.ids[id] }
