package supervisor

import (
	"errors"
	"flag"
	"io"
	"time"
)

// order is what Start tells the supervisor to do, by its arguments, so that ps shows what the process is for.
type order struct {
	path string   // the agent's program
	argv []string // its arguments, the first of which is its name
	mark mark
	o    Options // the graces of it
}

// args returns the arguments of the supervisor, its name included.
func (d order) args() []string {
	return append([]string{
		d.o.Self, Verb,
		"-stdin-grace=" + d.o.StdinGrace.String(), "-term-grace=" + d.o.TermGrace.String(),
		"-patience=" + d.o.Patience.String(),
		"-mark=" + d.mark.String(), "-path=" + d.path, "--",
	}, d.argv...)
}

// parseOrder reads what follows Verb.
func parseOrder(args []string) (order, error) {
	var d order
	flags := flag.NewFlagSet(Verb, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for name, grace := range map[string]*time.Duration{
		"stdin-grace": &d.o.StdinGrace, "term-grace": &d.o.TermGrace, "patience": &d.o.Patience,
	} {
		flags.DurationVar(grace, name, 0, "")
	}
	flags.Func("mark", "", func(text string) (err error) {
		d.mark, err = parseMark(text)
		return err
	})
	flags.StringVar(&d.path, "path", "", "")
	if err := flags.Parse(args); err != nil {
		return order{}, err
	}
	d.argv = flags.Args()
	if d.path == "" || len(d.argv) == 0 {
		return order{}, errors.New("there is nothing to run")
	}
	return d, nil
}
