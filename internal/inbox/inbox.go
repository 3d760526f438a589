// Package inbox is the questions that wait for a person as a terminal shows them: which one is looked at, what of
// it has been on the screen, and what a key means. It knows no terminal: it is told of keys, and gives lines.
//
// The danger is a yes that was not meant: a key that was typed before its question came, or for another one.
// So an answer counts only for a question that has been on the screen for a moment, unchanged and, for a
// yes, to its end; and nothing is answered while somebody types something else.
package inbox

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// moment is how long a question has to have been on the screen, with no other key meanwhile, before an
// answer to it counts.
const moment = time.Second

// pause is how long no other key may follow an answer: it would be a word that somebody types elsewhere.
const pause = 300 * time.Millisecond

// longestReason is how many bytes of a reason are kept; see approvals deny.
const longestReason = 500

// Inbox is the list and the question that is looked at.
type Inbox struct {
	waiting     []store.Approval // those that wait, the oldest first
	newestFirst bool
	width       int
	height      int

	// looked is the question that is looked at, as it is shown; nil where there is none. It stays when it
	// is over, until a key moves on, so that nothing else comes into its place under a finger.
	looked *store.Approval
	over   string // what became of it; "" while it waits
	whole  bool   // it has the screen for itself
	top    int    // the first line of it that is shown
	looks  int    // how often a question was turned to

	// since is when the terminal has shown the question, or the last key that answered nothing came; zero
	// until it has shown it.
	since  time.Time
	readTo int // how many of its lines have been on the screen, from the first on

	meant   *Wish // the answer that was typed, until pause is over; nil where there is none
	meantBy rune  // by which key
	meantAt time.Time
	reason  *string // what is typed as the reason of a no; nil where nothing is
	message string
}

// New returns an inbox with nothing in it, for a screen of that size.
func New(width, height int) *Inbox { return &Inbox{width: width, height: height} }

// Kind says what a key asks for that an Inbox cannot do by itself.
type Kind int

// The kinds.
const (
	Nothing Kind = iota
	Quit
	Approve
	Deny
)

// Wish is what the person wants done. Question is what was on the screen.
type Wish struct {
	Kind     Kind
	Question store.Approval
	Reason   string
	Always   int // which of store.Approval.Lasting holds for the rest of the session, counted from 1; 0 for none
}

// Resize is told of another size. What is on the screen is shown anew, and has to be read anew.
func (b *Inbox) Resize(width, height int) {
	if width != b.width || height != b.height {
		b.width, b.height, b.message = width, height, ""
		b.look(b.looked)
	}
}

// Shows says what the person reads at the bottom, until the next key.
func (b *Inbox) Shows(message string) { b.message = message }

// Update is told of all questions that there are. It reports how many wait that did not before.
func (b *Inbox) Update(all []store.Approval) (fresh int) {
	known := b.waiting
	b.waiting = nil
	for _, a := range all {
		if a.State == store.Pending {
			b.waiting = append(b.waiting, a)
			if !slices.ContainsFunc(known, func(k store.Approval) bool { return k.ID == a.ID }) {
				fresh++
			}
		}
	}
	slices.SortStableFunc(b.waiting, func(x, y store.Approval) int { return x.Asked.Compare(y.Asked) })
	switch now := b.find(all); {
	case b.looked == nil:
		b.lookAtFirst()
	case now == nil:
		b.end("it is over")
	case now.State != store.Pending:
		b.end(became(*now))
	case b.over != "" || !same(*now, *b.looked):
		b.look(now)
		b.message = "the question is another one than it was: read it again"
	default: // who waits for it may have changed
		b.looked = now
	}
	return fresh
}

// find returns the question that is looked at, as it stands now.
func (b *Inbox) find(all []store.Approval) *store.Approval {
	if b.looked == nil {
		return nil
	}
	if i := slices.IndexFunc(all, func(a store.Approval) bool { return a.ID == b.looked.ID }); i >= 0 {
		return &all[i]
	}
	return nil
}

// same reports whether two questions say the same to whoever reads them.
func same(a, b store.Approval) bool {
	return a.Title == b.Title && a.Text == b.Text && a.Digest == b.Digest && a.Bound == b.Bound && a.Carrier == b.Carrier &&
		slices.Equal(a.Lasting, b.Lasting) && a.Agent == b.Agent && a.Principal == b.Principal &&
		a.Door == b.Door && a.Kind == b.Kind
}

// end says what became of the question that is looked at.
func (b *Inbox) end(words string) {
	b.over, b.reason, b.meant = cmp.Or(b.over, words), nil, nil
}

func became(a store.Approval) string {
	switch a.State {
	case store.Approved, store.Denied:
		return string(a.State) + By(a.Approver)
	case store.Withdrawn:
		return "taken back: " + a.Reason
	case store.Expired:
		return "nobody answered in time, which counts as no"
	}
	return "whoever asked has ended, and could not be told"
}

// By says behind what an answer was who gave it: by whom, or what claims that its person did.
func By(approver string) string {
	if strings.HasPrefix(approver, "claimed by ") {
		return ", as " + approver
	}
	return " by " + approver
}

// look turns to a question, or to none.
func (b *Inbox) look(a *store.Approval) {
	b.looks++
	b.looked, b.over, b.reason, b.meant, b.top, b.since, b.readTo = a, "", nil, nil, 0, time.Time{}, 0
}

func (b *Inbox) lookAtFirst() {
	b.look(nil)
	if list := b.listed(); len(list) > 0 {
		b.look(&list[0])
	} else {
		b.whole = false
	}
}

// listed returns the questions in the order in which they are shown. One that is over stays at its place
// while it is looked at.
func (b *Inbox) listed() []store.Approval {
	list := slices.Clone(b.waiting)
	if b.looked != nil && !slices.ContainsFunc(list, b.isLookedAt) {
		list = append(list, *b.looked)
		slices.SortStableFunc(list, func(x, y store.Approval) int { return x.Asked.Compare(y.Asked) })
	}
	if b.newestFirst {
		slices.Reverse(list)
	}
	return list
}

func (b *Inbox) isLookedAt(a store.Approval) bool { return b.looked != nil && a.ID == b.looked.ID }

// Answered is told that the answer to the question that is looked at was kept. The next one comes up, and
// has its own moment.
func (b *Inbox) Answered() {
	answered := b.looked
	b.waiting = slices.DeleteFunc(b.waiting, func(a store.Approval) bool { return answered != nil && a.ID == answered.ID })
	b.whole = false
	b.lookAtFirst()
}

// Shown is told that the terminal has shown the last frame, at that time.
func (b *Inbox) Shown(now time.Time) {
	if b.looked == nil {
		return
	}
	if b.since.IsZero() {
		b.since = now
	}
	if b.top <= b.readTo { // nothing before it was left out
		b.readTo = max(b.readTo, min(b.top+b.textRows(), len(b.body())))
	}
}

// Due returns the answer that was typed, once nothing has followed it for a while.
func (b *Inbox) Due(now time.Time) Wish {
	if b.meant == nil || now.Sub(b.meantAt) < pause {
		return Wish{}
	}
	w := *b.meant
	b.meant = nil
	return w
}

// Press is told of a key, and when it came. An answer waits a while for what follows it; see Due.
func (b *Inbox) Press(k Key, now time.Time) Wish {
	b.message = ""
	if b.meant != nil {
		return b.follow(k, now)
	}
	if b.reason != nil {
		return b.typeReason(k)
	}
	switch k.Code {
	case KeyDown:
		b.move(1)
	case KeyUp:
		b.move(-1)
	case KeyPageDown:
		b.scroll(b.textRows())
	case KeyPageUp:
		b.scroll(-b.textRows())
	case KeyHome:
		b.scroll(-len(b.body()))
	case KeyEnd:
		b.scroll(len(b.body()))
	case KeyEnter:
		b.whole = !b.whole && b.looked != nil
	case KeyEscape:
		b.whole = false
	case KeyRune:
		return b.letter(k.Rune, now)
	default:
		b.disturbed(now)
	}
	return Wish{}
}

func (b *Inbox) letter(r rune, now time.Time) Wish {
	switch r {
	case 'q', ctrlC:
		return Wish{Kind: Quit}
	case 'j':
		b.move(1)
	case 'k':
		b.move(-1)
	case ' ', 'f':
		b.scroll(b.textRows())
	case 'b':
		b.scroll(-b.textRows())
	case 'd':
		b.scroll(1)
		b.message = "d scrolls a line down; n says no"
	case 'u':
		b.scroll(-1)
	case 'g':
		b.scroll(-len(b.body()))
	case 'G':
		b.scroll(len(b.body()))
	case 'o':
		b.newestFirst = !b.newestFirst
	case 'y':
		return b.answer(r, Wish{Kind: Approve}, now)
	case 'a':
		return b.answer(r, Wish{Kind: Approve, Always: 1}, now)
	case '2', '3':
		return b.answer(r, Wish{Kind: Approve, Always: int(r - '0')}, now)
	case 'n':
		return b.answer(r, Wish{Kind: Deny}, now)
	case 'r':
		if b.mayAnswer(now) {
			b.reason = new(string)
		}
	default:
		b.message = "that is no key here; the line below has them"
		b.disturbed(now)
	}
	return Wish{}
}

// disturbed is told of a key that means nothing here: somebody types something else.
func (b *Inbox) disturbed(now time.Time) {
	if !b.since.IsZero() {
		b.since = now
	}
}

// mayAnswer reports whether the question that is looked at takes an answer, and says why where it does not.
func (b *Inbox) mayAnswer(now time.Time) bool {
	switch {
	case b.looked == nil:
		b.message = "nothing waits for an answer"
	case b.over != "":
		b.message = "this one is over; j goes on"
	case !b.fits():
		b.message = "the window is too small to answer in"
	case b.since.IsZero() || now.Sub(b.since) < moment:
		b.message = "too soon for an answer: read it first"
		b.disturbed(now)
	default:
		return true
	}
	return false
}

func (b *Inbox) answer(key rune, w Wish, now time.Time) Wish {
	if !b.mayAnswer(now) {
		return Wish{}
	}
	if w.Always > len(b.lasting()) {
		b.message = "that is not offered here; the line below has what is"
		return Wish{}
	}
	if w.Kind == Approve && b.readTo < len(b.body()) {
		b.message = "there is more of it: read it to its end (space, G), then y"
		return Wish{}
	}
	w.Question = *b.looked
	b.meant, b.meantBy, b.meantAt = &w, key, now
	return Wish{}
}

// follow is told of a key right behind an answer. Enter is a habit, and the same key one that was held.
func (b *Inbox) follow(k Key, now time.Time) Wish {
	switch {
	case k.Code == KeyEnter:
		return b.Due(b.meantAt.Add(pause))
	case k != Key{Code: KeyRune, Rune: b.meantBy}:
		b.meant, b.message = nil, "not answered, since other keys came right behind it"
		b.disturbed(now)
	}
	return Wish{}
}

// typeReason is told of a key while a reason is typed.
func (b *Inbox) typeReason(k Key) Wish {
	text := *b.reason
	switch {
	case k.Code == KeyEscape || k.Code == KeyRune && k.Rune == ctrlC:
		b.reason = nil
	case k.Code == KeyEnter && b.over == "":
		b.reason = nil
		return Wish{Kind: Deny, Question: *b.looked, Reason: text}
	case k.Code == KeyBackspace && text != "":
		runes := []rune(text)
		*b.reason = string(runes[:len(runes)-1])
	case k.Code == KeyRune && k.Rune >= ' ' && len(text)+4 <= longestReason:
		*b.reason = text + string(k.Rune)
	}
	return Wish{}
}

// move looks at another question of the list.
func (b *Inbox) move(by int) {
	list := b.listed()
	at := slices.IndexFunc(list, b.isLookedAt)
	to := min(max(at+by, 0), len(list)-1)
	if at < 0 || to == at && b.over == "" {
		return
	}
	if to == at { // there is nothing behind the one that is over
		b.lookAtFirst()
		return
	}
	b.look(&list[to])
}

func (b *Inbox) scroll(by int) {
	b.top = max(0, min(b.top+by, len(b.body())-b.textRows()))
}
