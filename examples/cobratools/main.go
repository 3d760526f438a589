// Shelf keeps notes in the directory notes, and offers its commands to MCP clients: shelf mcp start.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/pkg/cobratools"
)

// account is what looks like a number of an account, which no model is to read.
var account = regexp.MustCompile(`\b\d{10}\b`)

func main() {
	root := &cobra.Command{Use: "shelf", Short: "Keep notes", Version: "1.0.0", SilenceUsage: true}
	root.AddCommand(list(), add(), remove())
	root.AddCommand(cobratools.Command(cobratools.Config{
		Selectors: []cobratools.Selector{{Middleware: withoutAccounts}},
	}))
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}

// withoutAccounts takes numbers of accounts out of what a call prints.
func withoutAccounts(ctx context.Context, r *cobratools.Request, in cobratools.ToolInput, next cobratools.Handler) (
	*cobratools.Result, cobratools.ToolOutput, error) {
	result, out, err := next(ctx, r, in)
	out.StdOut = account.ReplaceAllString(out.StdOut, "[account]")
	return result, out, err
}

func list() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the notes, with their texts", Args: cobra.NoArgs,
		Annotations: map[string]string{cobratools.AnnotationTitle: "List notes", cobratools.AnnotationReadOnly: "true"}}
	most := cmd.Flags().Int("limit", 10, "how many at the most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		names, err := filepath.Glob("notes/*")
		for _, name := range names[:min(len(names), max(*most, 0))] {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", filepath.Base(name), text)
		}
		return err
	}
	return cmd
}

func add() *cobra.Command {
	cmd := &cobra.Command{Use: "add NAME TEXT", Short: "Write a note", Args: cobra.ExactArgs(2),
		Annotations: map[string]string{cobratools.AnnotationDestructive: "false", cobratools.AnnotationIdempotent: "true"}}
	tags := cmd.Flags().StringSlice("tag", nil, "words to find it by")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := os.MkdirAll("notes", 0o755); err != nil {
			return err
		}
		for _, tag := range *tags {
			args[1] += " #" + tag
		}
		return os.WriteFile(filepath.Join("notes", strings.ReplaceAll(args[0], "/", "_")), []byte(args[1]), 0o644)
	}
	return cmd
}

func remove() *cobra.Command {
	return &cobra.Command{Use: "remove NAME", Short: "Remove a note", Args: cobra.ExactArgs(1),
		Annotations: map[string]string{cobratools.AnnotationDestructive: "true"},
		RunE: func(_ *cobra.Command, args []string) error {
			return os.Remove(filepath.Join("notes", strings.ReplaceAll(args[0], "/", "_")))
		}}
}
