package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Option kinds (ACP 1; version 2 allows others, which are never taken for an approval).
const (
	allowOnce    = "allow_once"
	allowAlways  = "allow_always"
	rejectOnce   = "reject_once"
	rejectAlways = "reject_always"
)

// offer is an option of an agent's question, as it is passed on.
type offer struct {
	permissions.Option
	more    []member
	lasting int // of one that is kept here: which of the question's Lasting it allows, counted from 1; else 0
}

// readOffers reads the options of a permission request. Two options with one id could not be told apart, and
// not everybody tells apart what is one but for case and width.
func readOffers(p *params) (offers []offer, unknown []member) {
	seen := map[string]bool{}
	for _, o := range p.objects("options") {
		option := offer{Option: permissions.Option{ID: o.text("optionId"), Name: o.text("name"),
			Kind: o.text("kind")}, more: o.meta()}
		others := o.others()
		option.more, unknown = append(option.more, others...), append(unknown, others...)
		o.own("optionId", option.ID)
		if id := strings.TrimSpace(folded(option.ID)); seen[id] {
			p.fail("two of its options have one id")
		} else {
			seen[id] = true
		}
		offers = append(offers, option)
	}
	return offers, unknown
}

// write returns the option as the person is offered it: its name says what its kind does.
func (o offer) write() json.RawMessage {
	members := []member{{"optionId", encode(o.ID)}, {"name", encode(o.shownName())},
		{"kind", encode(o.Kind)}}
	return write(append(members, o.more...))
}

// shownName returns the option's name as a person is shown it: ours where it says what is kept here.
func (o offer) shownName() string {
	if o.lasting > 0 {
		return o.Name
	}
	return honestName(o.Option)
}

// offered returns the options that the person has. Where an "always" that is kept here can be one of several, each is an
// option, and says what it allows: the agent's own would say what it means to the agent.
func (p *permissionPrompt) offered() (offers []offer) {
	always := p.offersLasting()
	for _, o := range p.offers {
		if always == "" || o.ID != always {
			offers = append(offers, o)
			continue
		}
		for i, ours := range lastingOptions(permissions.Option{ID: allowSession, Kind: allowAlways}, p.question.Lasting) {
			if i == 0 {
				ours.ID = o.ID
			}
			offers = append(offers, offer{Option: ours, lasting: i + 1})
		}
	}
	return offers
}

// offersLasting returns the id of the agent's option in whose place there are several of ours; "" where there are none. An
// agent that has ids like ours gets none, since an answer could mean either.
func (p *permissionPrompt) offersLasting() string {
	always, offered := firstOf(p.options, allowAlways)
	_, once := firstOf(p.options, allowOnce)
	likeOurs := slices.ContainsFunc(p.options, func(o permissions.Option) bool {
		return strings.HasPrefix(strings.TrimSpace(folded(o.ID)), allowSession)
	})
	if !offered || !once || likeOurs || !p.b.keepsAlways(p) || len(p.question.Lasting) < 2 {
		return ""
	}
	return always.ID
}

// The words by which names of options say yes, and those by which they say no.
var (
	yesWords = strings.Fields("allow always yes approve accept proceed continue run ok okay confirm trust permit grant")
	noWords  = strings.Fields("reject deny no not nothing none cancel decline don't dont never refuse stop abort skip " +
		"block disallow forbid keep stay")
)

// The words by which names of options say that it is for more than this time, and those that say it is not.
var (
	lastingWords = strings.Fields("always session sessions all every everything any auto automatically future forever " +
		"permanent permanently remember")
	onceWords = strings.Fields("once one just only single now")
)

// alwaysPhrases are phrases with a no in them that say a lasting yes, as Claude and Codex write them.
var alwaysPhrases = []string{"don't ask again", "do not ask again", "don't ask me again", "never ask again"}

var kindNames = map[string]string{allowOnce: "Allow once", allowAlways: "Always allow", rejectOnce: "Reject",
	rejectAlways: "Always reject"}

// honestName returns an option's name, which the agent chooses. An option is called by its kind, and by the
// agent's name beside that, unless its name begins with a word that says what the kind does, and has none
// that says the opposite. One that allows says for how long: who reads "Allow once" means this time.
func honestName(o permissions.Option) string {
	shown := display.Line(o.Name)
	kind, known := kindNames[o.Kind]
	if !known {
		return shown
	}
	lower := strings.ToLower(strings.ReplaceAll(shown, "\u2019", "'"))
	if o.Kind == allowAlways {
		for _, phrase := range alwaysPhrases {
			lower = strings.ReplaceAll(lower, phrase, "always")
		}
	}
	words := strings.FieldsFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	right, wrong := yesWords, noWords
	if o.Kind == rejectOnce || o.Kind == rejectAlways {
		right, wrong = noWords, yesWords
	}
	if o.Kind == rejectAlways && len(words) > 1 && words[0] == "always" {
		words = words[1:] // "Always reject"
	}
	says := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	switch {
	case len(words) == 0 || !slices.Contains(right, words[0]) || says(wrong) || shown != o.Name:
	case o.Kind == allowAlways && (!says(lastingWords) || says(onceWords)):
	case o.Kind == allowOnce && says(lastingWords):
	default:
		return shown
	}
	return fmt.Sprintf("%s (the agent calls it %q)", kind, shown)
}

// selected is the answer that picks an option.
func selected(id string) any {
	return map[string]any{"outcome": struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	}{"selected", id}}
}

// firstOf finds the first option of a kind.
func firstOf(options []permissions.Option, kind string) (permissions.Option, bool) {
	for _, option := range options {
		if option.Kind == kind {
			return option, true
		}
	}
	return permissions.Option{}, false
}
