// Clis holds `import cli` against programs that people use. Each is built at a version of its own, with one function
// more in Cobra that writes down which commands and flags it has (tree.go.txt); then its commands are imported from
// outside, in the sandbox, and the two are compared.
//
//	go run ./test/clis [-dir DIR] [-details] [NAME | NAME=FILE]...
//
// It fetches modules, and takes minutes: no other test runs it. A FILE is a program that somebody has built with that
// function by hand, since its module can be had from no proxy.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/cliimport"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

//go:embed programs.yaml
var programList []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "clis:", err)
		os.Exit(1)
	}
}

// What an import has to find: shares of the flags, and of the types that are wrong.
const (
	leastFound = 0.98
	mostWrong  = 0.01
)

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	set := flag.NewFlagSet("clis", flag.ContinueOnError)
	dir := set.String("dir", "build/clis", "where programs are built, and kept")
	details := set.Bool("details", false, "print what was not found, and which types are wrong")
	if err := set.Parse(args); err != nil {
		return err
	}
	programs := map[string]program{}
	if err := yaml.Unmarshal(programList, &programs); err != nil {
		return fmt.Errorf("programs.yaml: %w", err)
	}
	names := set.Args()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(programs))
	}
	at, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	host, err := sandbox.Open(sandbox.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "program\tversion\tcommands\tfound\tflags\tfound\t%\ttypes\twrong\t%\tto check\tquestions\tseconds\t")
	var failed error
	for _, name := range names {
		name, file, byHand := strings.Cut(name, "=")
		path, err := file, error(nil)
		if !byHand {
			path, err = programs[name].build(ctx, at, name)
		}
		var row *row
		if err == nil {
			row, err = compare(ctx, host, path, name, programs[name].Version)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
			continue
		}
		row.write(table)
		if *details {
			for _, line := range row.lines {
				fmt.Fprintln(out, line)
			}
		}
		if !row.good() {
			failed = errors.Join(failed, fmt.Errorf("%s: less is found, or more is wrong, than should be", name))
		}
	}
	return errors.Join(table.Flush(), failed)
}

// compare imports all commands of a program with all their flags.
func compare(ctx context.Context, host cliimport.Host, path, name, version string) (*row, error) {
	tree, err := readTree(ctx, path)
	if err != nil {
		return nil, err
	}
	found, err := cliimport.Find(path, "", "/")
	if err != nil {
		return nil, err
	}
	found.Name = name
	made, err := cliimport.Make(ctx, host, cliimport.Request{Program: found, Import: config.Import{Name: name, Command: path}})
	if err != nil {
		return nil, err
	}
	r := &row{name: name, version: version, asked: made.Asked, took: made.Took}
	r.compare(tree, made)
	return r, nil
}

// row is what came out for a program.
type row struct {
	name, version           string
	commands, foundCommands int
	flags, foundFlags       int
	types, wrong, toCheck   int
	asked                   int
	took                    time.Duration
	lines                   []string // what was not found, and what is wrong
}

func (r *row) good() bool {
	return share(r.foundFlags, r.flags) >= leastFound && share(r.wrong, r.types) <= mostWrong
}

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

func (r *row) write(w io.Writer) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%.1f\t%d\t%d\t%.1f\t%d\t%d\t%.1f\t\n", r.name, r.version, r.commands, r.foundCommands,
		r.flags, r.foundFlags, 100*share(r.foundFlags, r.flags), r.types, r.wrong, 100*share(r.wrong, r.types), r.toCheck,
		r.asked, r.took.Seconds())
}
