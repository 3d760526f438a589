package inbox

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

var start = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func question(id string, minute int) store.Approval {
	return store.Approval{ID: id, State: store.Pending, Asked: start.Add(time.Duration(minute) * time.Minute),
		Expires: start.Add(time.Hour), Agent: "fake", Kind: "write", Title: "title of " + id,
		Text: "text of " + id}
}

// person is an Inbox with somebody at its keys.
type person struct {
	*Inbox
	now time.Time
}

func newPerson(questions ...store.Approval) *person {
	p := &person{New(80, 24), start.Add(10 * time.Minute)}
	p.Update(questions)
	return p
}

// reads has the terminal show what there is, and time pass.
func (p *person) reads(d time.Duration) *person {
	p.Frame(p.now)
	p.Shown(p.now)
	p.now = p.now.Add(d)
	return p
}

// types types letters, and waits for what comes of the last.
func (p *person) types(letters string) (wish Wish) {
	for _, r := range letters {
		k := Key{Code: KeyRune, Rune: r}
		if r == '\r' {
			k = Key{Code: KeyEnter}
		}
		if w := p.Press(k, p.now); w.Kind != Nothing {
			wish = w
		}
	}
	p.now = p.now.Add(pause)
	if w := p.Due(p.now); w.Kind != Nothing {
		return w
	}
	return wish
}

// A key answers the question that was read, or none.
func TestWhatAKeyAnswers(t *testing.T) {
	t.Parallel()
	one, two := question("one", 1), question("two", 2)
	long := question("long", 1)
	long.Text = strings.Repeat("line\n", 100) + "rm -rf /"
	answered := one
	answered.State, answered.Approver = store.Approved, "cli maria"
	lasting := one
	lasting.Lasting = []string{"exactly this command"}
	left, wider := lasting, one
	left.Left, wider.Lasting = true, []string{"this file", "all files"}
	changed := one
	changed.Text = "another text"
	for _, tt := range []struct {
		name string
		does func(p *person) Wish
		from []store.Approval
		want Kind
		id   string
		says string
	}{
		{"read, then yes", func(p *person) Wish { return p.reads(moment).types("y") }, []store.Approval{one, two}, Approve, "one", ""},
		{"read, then no", func(p *person) Wish { return p.reads(moment).types("n") }, []store.Approval{one}, Deny, "one", ""},
		{"for the session", func(p *person) Wish { return p.reads(moment).types("a") }, []store.Approval{lasting}, Approve, "one", ""},
		{"more, for the session", func(p *person) Wish { return p.reads(moment).types("2") }, []store.Approval{wider}, Approve, "one", ""},
		{"more than is offered", func(p *person) Wish { return p.reads(moment).types("3") }, []store.Approval{wider}, Nothing, "", "not offered"},
		{"for a session that nobody offers", func(p *person) Wish { return p.reads(moment).types("a") }, []store.Approval{one}, Nothing, "", "not offered"},
		{"for a session whose asker has ended", func(p *person) Wish { return p.reads(moment).types("a") }, []store.Approval{left}, Nothing, "", "not offered"},
		{"for the session, at once", func(p *person) Wish { return p.reads(0).types("a") }, []store.Approval{lasting}, Nothing, "", "too soon"},
		{"two answers", func(p *person) Wish { return p.reads(moment).types("ya") }, []store.Approval{lasting}, Nothing, "", "other keys"},
		{"a habit of Enter", func(p *person) Wish { return p.reads(moment).types("y\r") }, []store.Approval{one}, Approve, "one", ""},
		{"a key that was held", func(p *person) Wish { return p.reads(moment).types("yyyy") }, []store.Approval{one}, Approve, "one", ""},
		{"not shown by the terminal yet", func(p *person) Wish { p.now = p.now.Add(time.Hour); return p.types("y") }, []store.Approval{one}, Nothing, "", "too soon"},
		{"at once", func(p *person) Wish { return p.reads(moment - 1).types("y") }, []store.Approval{one}, Nothing, "", "too soon"},
		{"impatient: each key begins the moment anew", func(p *person) Wish {
			p.reads(moment / 2).types("y")
			return p.reads(moment / 2).types("y")
		}, []store.Approval{one}, Nothing, "", "too soon"},
		{"a no at once", func(p *person) Wish { return p.reads(0).types("n") }, []store.Approval{one}, Nothing, "", "too soon"},
		{"a word for another window", func(p *person) Wish { return p.reads(moment).types("ye") }, []store.Approval{one}, Nothing, "", "other keys"},
		{"in the middle of a word", func(p *person) Wish { return p.reads(moment).types("xy") }, []store.Approval{one}, Nothing, "", "too soon"},
		{"typed while nothing was there", func(p *person) Wish {
			p.Update(nil)
			p.types("j")
			p.types("y")
			p.Update([]store.Approval{two})
			return p.reads(0).types("y")
		}, nil, Nothing, "", "too soon"},
		{"the next one has its own moment", func(p *person) Wish {
			p.reads(moment).types("y")
			p.Answered()
			return p.reads(0).types("y")
		}, []store.Approval{one, two}, Nothing, "", "too soon"},
		{"and is answered in the end", func(p *person) Wish {
			p.reads(moment).types("y")
			p.Answered()
			return p.reads(moment).types("y")
		}, []store.Approval{one, two}, Approve, "two", ""},
		{"answered elsewhere", func(p *person) Wish {
			p.reads(moment)
			p.Update([]store.Approval{answered, two})
			return p.reads(moment).types("y")
		}, []store.Approval{one, two}, Nothing, "", "this one is over"},
		{"answered elsewhere between the key and the pause", func(p *person) Wish {
			p.reads(moment).Press(Key{Code: KeyRune, Rune: 'y'}, p.now)
			p.Update([]store.Approval{answered, two})
			p.now = p.now.Add(time.Minute)
			return p.Due(p.now)
		}, []store.Approval{one, two}, Nothing, "", ""},
		{"gone from the database", func(p *person) Wish {
			p.reads(moment)
			p.Update([]store.Approval{two})
			return p.reads(moment).types("y")
		}, []store.Approval{one, two}, Nothing, "", "this one is over"},
		{"on to the next by a key", func(p *person) Wish {
			p.reads(moment)
			p.Update([]store.Approval{answered, two})
			p.types("j")
			return p.reads(moment).types("y")
		}, []store.Approval{one, two}, Approve, "two", ""},
		{"a newer one does not take the place", func(p *person) Wish {
			p.types("o")
			p.reads(moment)
			p.Update([]store.Approval{one, two})
			return p.reads(0).types("y")
		}, []store.Approval{one}, Approve, "one", ""},
		{"another text under the same id", func(p *person) Wish {
			p.reads(moment)
			p.Update([]store.Approval{changed})
			return p.reads(0).types("y")
		}, []store.Approval{one}, Nothing, "", "too soon"},
		{"not read to its end", func(p *person) Wish { return p.reads(moment).types("y") }, []store.Approval{long}, Nothing, "", "read it to its end"},
		{"the end is there before it was on the screen", func(p *person) Wish { return p.reads(moment).types("Gy") }, []store.Approval{long}, Nothing, "", "read it to its end"},
		{"read page by page", func(p *person) Wish {
			p.reads(moment)
			for range 10 {
				p.types(" ")
				p.reads(0)
			}
			return p.types("y")
		}, []store.Approval{long}, Approve, "long", ""},
		{"a no needs no reading", func(p *person) Wish { return p.reads(moment).types("n") }, []store.Approval{long}, Deny, "long", ""},
		{"a window too small", func(p *person) Wish { p.Resize(30, 8); return p.reads(moment).types("y") }, []store.Approval{one}, Nothing, "", "too small"},
		{"a key that there is not", func(p *person) Wish { return p.reads(moment).types("Y") }, []store.Approval{one}, Nothing, "", "no key here"},
		{"another size is another moment", func(p *person) Wish {
			p.reads(moment)
			p.Resize(100, 30)
			return p.reads(0).types("y")
		}, []store.Approval{one}, Nothing, "", "too soon"},
		{"a reason", func(p *person) Wish { return p.reads(moment).types("rnot today\r") }, []store.Approval{one}, Deny, "one", ""},
		{"a reason for one that is over meanwhile", func(p *person) Wish {
			p.reads(moment).types("rnot")
			p.Update([]store.Approval{answered, two})
			return p.types(" y\r")
		}, []store.Approval{one, two}, Nothing, "", ""},
		{"the end", func(p *person) Wish { return p.types("q") }, nil, Quit, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(tt.from...)
			got := tt.does(p)
			if want := map[string]int{"for the session": 1, "more, for the session": 2}[tt.name]; got.Always != want {
				t.Errorf("for the session: %d, want %d", got.Always, want)
			}
			if got.Kind != tt.want || got.Question.ID != tt.id || !strings.Contains(p.message, tt.says) {
				t.Errorf("got %v for %q, and %q; want %v for %q, and %q", got.Kind, got.Question.ID, p.message, tt.want, tt.id, tt.says)
			}
		})
	}
}

// One that is over offers no answer, and says which key shows what waits, wherever in the list that stands.
func TestOverOffersNoAnswer(t *testing.T) {
	t.Parallel()
	for _, newestFirst := range []bool{false, true} {
		one, two := question("one", 1), question("two", 2)
		one.Lasting = []string{"all of it"}
		p := newPerson(one)
		p.newestFirst = newestFirst
		p.reads(moment)
		foot := func() string { lines := p.Frame(p.now).Lines; return lines[len(lines)-1] }
		if got := foot(); !strings.HasSuffix(got, "q quit") {
			t.Errorf("cut off at 80 columns: %s", got)
		}
		one.State, one.Approver = store.Approved, "editor"
		p.Update([]store.Approval{one})
		if got := foot(); strings.Contains(got, "y once") || !strings.Contains(got, "nothing else waits") {
			t.Errorf("over, and nothing waits: %s", got)
		}
		p.Update([]store.Approval{one, two})
		if got := foot(); strings.Contains(got, "y once") || !strings.Contains(got, "j the next") {
			t.Errorf("over, and one waits: %s", got)
		}
		if p.types("j"); p.looked == nil || p.looked.ID != "two" {
			t.Errorf("newest first %v: j does not show what waits", newestFirst)
		}
	}
}

// What was said of a window that was too small is gone with it.
func TestResizedWord(t *testing.T) {
	t.Parallel()
	p := newPerson(question("one", 1))
	p.Resize(30, 8)
	if p.reads(moment).types("y"); p.message == "" {
		t.Error("nothing is said of a window that is too small")
	}
	if p.Resize(100, 30); p.message != "" {
		t.Errorf("it is large enough, and says %q", p.message)
	}
}

// Whoever answers after a human time answers what has been on the screen for a moment, whatever comes and
// goes meanwhile.
func TestHumanDelays(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(14, 7))
	p := newPerson()
	shown := map[string]time.Time{} // since when the terminal shows it
	var all []store.Approval
	answers := 0
	for step := range 5000 {
		switch random.IntN(5) {
		case 0:
			all = append(all, question(fmt.Sprintf("q%d", step), 10+step))
		case 1:
			if len(all) > 0 {
				all[random.IntN(len(all))].State = store.Withdrawn
			}
		case 2:
			p.types([]string{"j", "k", "o", "\r"}[random.IntN(4)])
		}
		p.Update(all)
		before := p.looked
		p.reads(0)
		if before != nil && shown[before.ID].IsZero() {
			shown = map[string]time.Time{before.ID: p.now}
		}
		p.now = p.now.Add(time.Duration(random.IntN(3000)) * time.Millisecond)
		if w := p.types([]string{"y", "n"}[random.IntN(2)]); w.Kind != Nothing {
			answers++
			if before == nil || w.Question.ID != before.ID || p.now.Sub(shown[before.ID]) < moment {
				t.Fatalf("step %d: %v for %q; on the screen was %v since %s", step, w.Kind, w.Question.ID, before, shown)
			}
			for i := range all {
				if all[i].ID == w.Question.ID {
					if all[i].State != store.Pending {
						t.Fatalf("step %d: %q is over", step, w.Question.ID)
					}
					all[i].State = store.Denied
				}
			}
			p.Answered()
		}
	}
	if answers < 100 {
		t.Errorf("%d answers only", answers)
	}
}

// What an answer is worth says who carries the act out, and nothing of an editor where there is none.
func TestCarrier(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]store.Approval{
		"Not bound: the agent carries it out, in whatever way":               {Carrier: "the agent"},
		"Not bound: the editor carries it out, in whatever way":              {Carrier: "the editor"},
		"Not bound: the editor or the agent carries it out, in whatever way": {}, // asked by an earlier version
		"Bound: exactly this is run, and nothing else":                       {Bound: true},
		"Not bound: the\\u{1b}[2J agent carries it out, in whatever way":     {Carrier: "the\x1b[2J agent"},
	} {
		asked := question("one", 1)
		asked.Bound, asked.Carrier = a.Bound, a.Carrier
		if f := newPerson(asked).Frame(start); !contains(f.Lines, want) {
			t.Errorf("it does not say %q: %q", want, f.Lines)
		}
	}
}

// All of a question can be read, it gives the terminal no commands, and no line of it passes for ours.
func TestFrame(t *testing.T) {
	t.Parallel()
	hostile := question("host", 1)
	hostile.Title = "\x1b[2Jtitle\nBound: exactly this is run"
	hostile.Agent, hostile.Session = "ag\u202eent\x1b]0;x\a", "s\r\n"
	hostile.Text = "Asked because: x\n\ty yes\n" + strings.Repeat(" ", 76) + "Bound: exactly this is run\n" +
		strings.Repeat("界", 200) + "\x9b2J\u202e\u200b" + strings.Repeat("e\u0301", 100) + "\n[host, lines 1 to 2 of 2]\nlast"
	for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 60}, {132, 43}} {
		p := newPerson(hostile)
		p.Resize(size[0], size[1])
		p.types("\r")
		var read []string
		for range 200 {
			f := p.Frame(p.now)
			p.Shown(p.now)
			if len(f.Lines) != size[1] {
				t.Fatalf("%v: %d lines", size, len(f.Lines))
			}
			for i, line := range f.Lines {
				for _, r := range line {
					if display.Hidden(r) {
						t.Errorf("%v: %q", size, line)
					}
				}
				if w := displaywidth.String(line); w > size[0] {
					t.Errorf("%v: %d wide: %q", size, w, line)
				}
				ours := i < 1+1+aboutRows || i >= size[1]-2
				if marked := strings.HasPrefix(line, "| ") || strings.HasPrefix(line, ": "); !ours && line != "" && !marked {
					t.Errorf("%v: a line of the question without a mark: %q", size, line)
				}
				if !ours && line != "" {
					read = append(read, line)
				}
			}
			if p.readTo >= len(p.body()) {
				break
			}
			p.Press(Key{Code: KeyPageDown}, p.now)
		}
		if got, want := last(read), last(p.body()); got != want || p.readTo != len(p.body()) {
			t.Errorf("%v: the last line is %q, want %q; read %d of %d", size, got, want, p.readTo, len(p.body()))
		}
		for _, line := range p.body() {
			if !contains(read, line) {
				t.Errorf("%v: was not on the screen: %q", size, line)
			}
		}
	}
}

func last(lines []string) string { return lines[len(lines)-1] }

func contains(lines []string, line string) bool {
	for _, l := range lines {
		if l == line {
			return true
		}
	}
	return false
}

// What a terminal sends is keys, however it comes in pieces; what is pasted is none.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ sent, want string }{
		{"y", "y"},
		{"\x1b[A\x1b[B\x1bOA\x1b[5~\x1b[6~\x1b[H\x1b[F", "up down up pgup pgdn home end"},
		{"\r\x7f", "enter back"},
		{"\x1b", "esc"},
		{"\x1b[0ny", "answers y"},
		{"\x1b[200~yes\ry\x1b[201~q", "unknown q"},
		{"\x1b[200~y\x1b[0ny\x1b[201~", "answers unknown"},
		{"\x1b[1;5A\x1by\x1b[?1y", "unknown unknown unknown"},
		{"ü界", "ü 界"},
		{"\xff", "\ufffd"},
		{"\x1b[", "unknown"},
	} {
		names := map[Code]string{KeyUnknown: "unknown", KeyUp: "up", KeyDown: "down", KeyPageUp: "pgup", KeyPageDown: "pgdn",
			KeyHome: "home", KeyEnd: "end", KeyEnter: "enter", KeyEscape: "esc", KeyBackspace: "back", TerminalAnswers: "answers"}
		words := func(keys []Key) string {
			var list []string
			for _, k := range keys {
				if k.Code == KeyRune {
					list = append(list, string(k.Rune))
				} else {
					list = append(list, names[k.Code])
				}
			}
			return strings.Join(list, " ")
		}
		var whole, pieces Keyboard
		if got := words(append(whole.Read([]byte(tt.sent), false), whole.Read(nil, true)...)); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.sent, got, tt.want)
		}
		var keys []Key
		for i := range len(tt.sent) {
			keys = append(keys, pieces.Read([]byte{tt.sent[i]}, false)...)
		}
		if got := words(append(keys, pieces.Read(nil, true)...)); got != tt.want {
			t.Errorf("%q in pieces: got %s, want %s", tt.sent, got, tt.want)
		}
	}
}

// TestBy checks that what a client claims is not told as its person's.
func TestBy(t *testing.T) {
	t.Parallel()
	for approver, want := range map[string]string{
		"cli maria":                    " by cli maria",
		"claimed by somebody over MCP": ", as claimed by somebody over MCP",
	} {
		if got := By(approver); got != want {
			t.Errorf("%q: %q, want %q", approver, got, want)
		}
	}
}

// What has to be read anew is another frame, though its lines may be the same: the terminal is asked once more whether it has
// shown it, and until it has, no answer counts.
func TestReadAnew(t *testing.T) {
	t.Parallel()
	one, two := question("one", 1), question("two", 2)
	lasting := one
	lasting.Lasting = []string{"exactly this command"}
	for name, change := range map[string]func(*person){
		"what always allows has changed": func(p *person) { p.Update([]store.Approval{lasting, two}) },
		"there and back":                 func(p *person) { p.types("jk") },
		"gone and there again":           func(p *person) { p.Update([]store.Approval{two}); p.Update([]store.Approval{one, two}) },
	} {
		p := newPerson(one, two).reads(moment)
		before := p.Frame(p.now).Of
		change(p)
		if p.Frame(p.now).Of == before {
			t.Errorf("%s: the terminal is not asked whether it has shown the question", name)
		}
		if wish := p.reads(moment).types("r\r"); wish.Kind != Deny {
			t.Errorf("%s: a no afterwards is %+v; %s", name, wish, p.message)
		}
	}
}

// The line of keys has the same words for the same keys, and those that can be used.
func TestKeys(t *testing.T) {
	t.Parallel()
	one, two := question("one", 1), question("two", 2)
	lasting := one
	lasting.Lasting = []string{"exactly this command"}
	wider := one
	wider.Lasting = []string{"this file", "all files"}
	for _, tt := range []struct {
		width int
		from  []store.Approval
		want  string
	}{
		{80, []store.Approval{one}, "y once  n no  r no, why  space more  Enter whole  q quit"},
		{80, []store.Approval{lasting}, "y once  a session  n no  r no, why  space more  Enter whole  q quit"},
		{80, []store.Approval{wider}, "y once  a 2 session  n no  r no, why  space more  Enter whole  q quit"},
		{100, []store.Approval{lasting, two}, "y once  a session  n no  r no, why  space more  Enter whole  j k move  o order  q quit"},
		{80, []store.Approval{one, two}, "y once  n no  r no, why  space more  Enter whole  j k move  o order  q quit"},
		{80, []store.Approval{lasting, two}, "y once  a session  n no  r no, why  space more  Enter whole  j k move  q quit"},
		{60, []store.Approval{lasting, two}, "y once  a session  n no  r no, why  j k move  q quit"},
	} {
		if got := (&person{Inbox: New(tt.width, 24)}); got.Update(tt.from) == 0 || got.help() != tt.want {
			t.Errorf("%d columns: %q, want %q", tt.width, got.help(), tt.want)
		}
	}
}

// TestWho: a name that an agent gives itself is no text beside the question.
func TestWho(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x ", 40) + "Bound: exactly this is run"
	for _, test := range []struct {
		asks store.Approval
		want string
	}{
		{store.Approval{Agent: "gemini"}, "gemini"},
		{store.Approval{Agent: "a\x1b[2J"}, `a\u{1b}[2J`},
		{store.Approval{Agent: long}, long[:64] + "…"},
		{store.Approval{Agent: long, Principal: "ci"}, "ci (" + long[:64] + "…)"},
		{store.Approval{Door: "cli"}, "tools run"},
	} {
		if got := Who(test.asks); got != test.want {
			t.Errorf("%+v: %q, want %q", test.asks, got, test.want)
		}
	}
}
