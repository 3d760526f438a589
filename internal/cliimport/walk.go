package cliimport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The bounds of a tree of commands.
const (
	mostCommands = 3000
	deepest      = 8
	mostBelow    = 400 // commands below one
)

// command is a command of the program, with what has been found out about it.
type command struct {
	path   []string // below the root, whose path is empty
	short  string
	help   helpText
	flags  []*flag
	unread bool     // it hands its flags on unread, so its name says less of what it does
	own    *ownTool // what it says of it by itself; nil where it offers no such tool
	below  []*command
	others bool   // there are commands below it that were not looked at
	left   string // why no tool is made of it; "" where one is
	err    error  // its flags could not be found out
}

// commandName is what a command can be called.
var commandName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.:@+-]{0,62}$`)

// walker finds the commands of a program.
type walker struct {
	a        Asker
	only     func(path []string) bool // whether anything at or below a path is wanted
	progress func(found int)
	list     func(ctx context.Context, path []string, help string) (offers, error) // what may be a command below one
	read     func(c *command, answer Answer) string                                // reads a help, and returns its text
	help     string                                                                // what asks a command below for its help

	waiting sync.WaitGroup
	mu      sync.Mutex
	found   int
	err     error // the first that ends it all
	skipped []string
}

// walk finds the commands that are wanted, and those above them.
func (w *walker) walk(ctx context.Context) (*command, error) {
	root := &command{}
	w.help = cmp.Or(w.help, "--help")
	answer, err := w.a.Ask(ctx, "--help")
	if err != nil {
		return nil, err
	}
	if answer.Ended != "" {
		return nil, fmt.Errorf("its --help: %s", answer.Ended)
	}
	w.below(ctx, root, w.read(root, answer))
	w.waiting.Wait()
	return root, w.err
}

// below finds the commands below one, each in a goroutine of its own, which walk waits for.
func (w *walker) below(ctx context.Context, parent *command, help string) {
	told, _ := toldBelow(ctx, parent.path, help) // it only reads
	if len(parent.path) >= deepest {
		parent.others = len(told.list) > 0
		return
	}
	o, err := w.list(ctx, parent.path, help)
	if err != nil {
		w.fail(err)
		return
	}
	for _, one := range o.list {
		path := append(slices.Clone(parent.path), one.word)
		twice := slices.ContainsFunc(parent.below, func(c *command) bool { return c.path[len(c.path)-1] == one.word })
		if twice || !commandName.MatchString(one.word) || isOwn(path) || !w.only(path) {
			parent.others = parent.others || told.has(one.word)
			continue
		}
		if len(parent.below) >= mostBelow {
			w.skip(fmt.Sprintf("%s: it has more than %d commands below it", strings.Join(parent.path, " "), mostBelow))
			break
		}
		child := &command{path: path, short: one.about}
		parent.below = append(parent.below, child)
		w.waiting.Go(func() { w.look(ctx, child, help) }) // ends with the look
	}
}

// look finds out whether what a command is completed with is a command below it, and what it is. What is none has
// the help of the one above. One that is what the command above does without a word (hugo new content) has it, too:
// that help says how the one below is called.
func (w *walker) look(ctx context.Context, c *command, above string) {
	answer, err := w.a.Ask(ctx, append(slices.Clone(c.path), w.help)...)
	if err != nil {
		w.fail(err)
		return
	}
	help := w.read(c, answer)
	switch {
	case answer.Ended != "":
		c.left = "its --help: " + answer.Ended
		return
	case !c.help.names(c.path[len(c.path)-1:]), help == above && !c.help.names(c.path):
		c.left = notCommand
		return
	}
	w.mu.Lock()
	w.found++
	tooMany := w.found > mostCommands
	w.mu.Unlock()
	if tooMany {
		w.fail(fmt.Errorf("it has more than %d commands", mostCommands))
		return
	}
	if w.progress != nil {
		w.progress(1)
	}
	w.below(ctx, c, help)
}

// notCommand marks a word that is an argument, and no command.
const notCommand = "it is no command"

// isOwn reports whether a command is one that Cobra adds, or serves tools.
func isOwn(path []string) bool {
	return len(path) == 1 && slices.Contains([]string{"help", "completion", "mcp"}, path[0])
}

func (w *walker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *walker) skip(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skipped = append(w.skipped, why)
}

// goesOn reports whether a word behind the command could be a command below it.
func (c *command) goesOn() bool { return c.group() || c.others }

// each calls f for a command and all below it, those above first.
func (c *command) each(f func(*command)) {
	if c.left != notCommand {
		f(c)
	}
	for _, below := range c.below {
		below.each(f)
	}
}

// group reports whether there are commands below it.
func (c *command) group() bool {
	return slices.ContainsFunc(c.below, func(below *command) bool { return below.left != notCommand })
}
