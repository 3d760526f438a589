package approvals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/inbox"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// What a terminal is told (xterm's control sequences; tmux and screen know them, too).
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?2004h" // the other screen, no cursor, and pasted text is marked
	leaveScreen = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
	standOut    = "\x1b[7m"
	plain       = "\x1b[0m"
	clearLine   = "\x1b[K"
	clearScreen = "\x1b[H\x1b[2J"
)

// The patience with a terminal that does not answer whether it has come to what it was sent.
const (
	neverAnswers = 2 * time.Second // then it is one that never does
	answerLost   = 5 * time.Second // then it is asked once more
)

// screen is the terminal while it shows the questions. One goroutine has it, and waits for keys, so nothing
// else reads what is typed while a program of root's asks for a password.
type screen struct {
	*watch
	box      *inbox.Inbox
	keyboard inbox.Keyboard
	cooked   *term.State // as the terminal was
	rows     []string    // what it shows
	of       string      // the text that it shows; see inbox.Frame
	asked    int         // how often it was asked whether it has come so far, and how often it has answered
	answered int
	askedAt  time.Time
	tells    bool // that a question has come, by what terminals have for that
}

// screen shows the questions and takes answers until the person has enough.
func (w *watch) screen(ctx context.Context) (err error) {
	width, height, err := term.GetSize(int(w.env.Stdin.Fd()))
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	s := &screen{watch: w, box: inbox.New(width, height), tells: app.TellsOnTerminal(w.env.AppOptions(nil, nil))}
	if err := s.enter(); err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer func() { err = errors.Join(err, s.leave()) }()
	if err := cli.CheckPerson(); err != nil {
		s.box.Shows(display.Line("an answer from here would not count: " + err.Error()))
	}
	changed := make(chan os.Signal, 1) // the size; or another program has had the terminal
	signal.Notify(changed, syscall.SIGWINCH, syscall.SIGCONT)
	defer signal.Stop(changed)
	var looked time.Time
	begun := false // what waits from the start is on the screen
	for ctx.Err() == nil {
		select {
		case sig := <-changed:
			if err := s.changed(sig); err != nil {
				return cli.Fail(exit.Host, err)
			}
		default:
		}
		if now := time.Now(); now.Sub(looked) >= lookEvery {
			all, err := s.look(ctx)
			if err != nil && ctx.Err() == nil {
				return cli.Fail(exit.Host, err)
			}
			fresh := s.box.Update(all)
			if fresh > 0 && s.tells && begun {
				fmt.Fprint(s.env.Stdout, s.notification())
			}
			looked, begun = now, true
		}
		if err := s.draw(); err != nil {
			return cli.Fail(exit.Host, err)
		}
		wishes, err := s.listen()
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		for _, wish := range wishes {
			if wish.Kind == inbox.Quit {
				return nil
			}
			if err := s.answer(ctx, wish); err != nil {
				return cli.Fail(exit.Host, err)
			}
			looked = time.Time{}
		}
	}
	return nil
}

// enter takes the terminal. What was typed before is dropped: it was not for this.
func (s *screen) enter() (err error) {
	if s.cooked, err = term.MakeRaw(int(s.env.Stdin.Fd())); err != nil {
		return err
	}
	s.rows, s.of = nil, ""
	s.keyboard = inbox.Keyboard{}
	_, err = fmt.Fprint(s.env.Stdout, enterScreen+clearScreen)
	return errors.Join(err, cli.DropTyped(s.env.Stdin))
}

// leave gives the terminal back as it was.
func (s *screen) leave() error {
	_, err := fmt.Fprint(s.env.Stdout, leaveScreen)
	return errors.Join(err, cli.DropTyped(s.env.Stdin), term.Restore(int(s.env.Stdin.Fd()), s.cooked))
}

// changed is told that the window has another size, or that the program goes on after it was stopped.
func (s *screen) changed(sig os.Signal) error {
	if sig == syscall.SIGCONT {
		if _, err := term.MakeRaw(int(s.env.Stdin.Fd())); err != nil {
			return err
		}
		if _, err := fmt.Fprint(s.env.Stdout, enterScreen); err != nil {
			return err
		}
		if err := cli.DropTyped(s.env.Stdin); err != nil {
			return err
		}
	}
	width, height, err := term.GetSize(int(s.env.Stdin.Fd()))
	if err != nil {
		return err
	}
	s.box.Resize(width, height)
	s.rows, s.of = nil, ""
	_, err = fmt.Fprint(s.env.Stdout, clearScreen)
	return err
}

// draw writes the lines that are others than before. Where another text is shown, the terminal is asked to
// say when it has come so far.
func (s *screen) draw() error {
	frame := s.box.Frame(time.Now())
	var out strings.Builder
	for i, line := range frame.Lines {
		if i == frame.Marked {
			line = standOut + line + plain
			frame.Lines[i] = line
		}
		if i >= len(s.rows) || s.rows[i] != line {
			fmt.Fprintf(&out, "\x1b[%d;1H%s%s", i+1, line, clearLine)
		}
	}
	s.rows = frame.Lines
	switch waits := s.asked > s.answered; {
	case frame.Of != s.of, s.asked == 0: // the first time to know whether it is one that answers
		s.ask(&out)
	case waits && s.answered == 0 && time.Since(s.askedAt) > neverAnswers:
		s.box.Shown(time.Now())
	case waits && s.answered > 0 && time.Since(s.askedAt) > answerLost:
		s.answered = s.asked
		s.ask(&out)
	}
	s.of = frame.Of
	_, err := fmt.Fprint(s.env.Stdout, out.String())
	return err
}

func (s *screen) ask(out *strings.Builder) {
	out.WriteString(inbox.AskTerminal)
	s.asked++
	s.askedAt = time.Now()
}

// notification has the terminal tell that a question has come: the bell, and OSC 9, which iTerm2, kitty, WezTerm
// and others show on the desktop. It says nothing of the question. tmux hands it on where it may
// (allow-passthrough).
func (s *screen) notification() string {
	const text = "\x1b]9;a2a-acp: a question waits\a"
	if s.env.Getenv("TMUX") != "" {
		return "\a\x1bPtmux;" + strings.ReplaceAll(text, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return "\a" + text
}

// listen waits a moment for keys, and returns what they ask for.
func (s *screen) listen() (wishes []inbox.Wish, err error) {
	const patience = 100 // milliseconds
	typed := []unix.PollFd{{Fd: int32(s.env.Stdin.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(typed, patience)
	var keys []inbox.Key
	switch {
	case errors.Is(err, unix.EINTR):
		return nil, nil
	case err != nil:
		return nil, err
	case n == 0:
		keys = s.keyboard.Read(nil, true)
	default:
		sent := make([]byte, 4096)
		n, err := s.env.Stdin.Read(sent)
		if err != nil {
			return nil, fmt.Errorf("read the terminal: %w", err)
		}
		keys = s.keyboard.Read(sent[:n], false)
	}
	now := time.Now()
	add := func(wish inbox.Wish) {
		if wish.Kind != inbox.Nothing {
			wishes = append(wishes, wish)
		}
	}
	for _, key := range keys {
		if key.Code != inbox.TerminalAnswers {
			add(s.box.Press(key, now))
			continue
		}
		if s.answered++; s.answered >= s.asked {
			s.answered = s.asked
			s.box.Shown(now)
		}
	}
	add(s.box.Due(now))
	return wishes, nil
}

// answer gives a person's answer, after the same checks as approvals approve and deny make. What goes wrong
// with it is shown, and no reason to end.
func (s *screen) answer(ctx context.Context, wish inbox.Wish) error {
	refused, err := s.check(ctx, wish)
	if err != nil {
		return err
	}
	if refused == nil {
		refused = s.give(ctx, wish)
	}
	if refused != nil {
		s.box.Shows(display.Line("not answered: " + refused.Error()))
	}
	return nil
}

// give gives an answer to whoever waits for it.
func (s *screen) give(ctx context.Context, wish inbox.Wish) error {
	answered, err := s.approvals.Answer(ctx, wish.Question, store.Answer{Approved: wish.Kind == inbox.Approve, Always: wish.Always,
		Reason: wish.Reason, Approver: s.env.Approver("watch")})
	if err != nil {
		return tooLate(s.env, wish.Question.ID, answered, err)
	}
	s.box.Answered()
	said := fmt.Sprintf("%s: %s", answered.State, answered.Title)
	if wish.Always > 0 && answered.Always == 0 {
		said = fmt.Sprintf("%s, this once: %s", answered.State, joinedSince)
	}
	s.box.Shows(display.Line(said))
	return nil
}

// check looks who answers. A program that root wants asked has the terminal meanwhile. refused says why the
// answer is none.
func (s *screen) check(ctx context.Context, wish inbox.Wish) (refused, err error) {
	if wish.Kind == inbox.Deny {
		return cli.CheckToTighten(), nil
	}
	if refused := cli.CheckAtTerminal(s.env, "approving"); refused != nil {
		return refused, nil
	}
	if !cli.WantsProof() {
		return cli.Confirm(ctx, s.env), nil
	}
	if err := s.leave(); err != nil {
		return nil, err
	}
	s.env.Say("to allow, once: " + display.Line(wish.Question.Title))
	refused = cli.Confirm(ctx, s.env)
	return refused, s.enter()
}
