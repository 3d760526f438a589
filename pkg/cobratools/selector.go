package cobratools

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AllowCmds chooses commands by all their words, such as "kubectl get".
func AllowCmds(cmds ...string) CmdSelector {
	return func(c *cobra.Command) bool { return slices.Contains(cmds, c.CommandPath()) }
}

// ExcludeCmds chooses all commands but these.
func ExcludeCmds(cmds ...string) CmdSelector {
	return func(c *cobra.Command) bool { return !slices.Contains(cmds, c.CommandPath()) }
}

// AllowCmdsContaining chooses commands whose words hold one of the texts.
func AllowCmdsContaining(substrings ...string) CmdSelector {
	return func(c *cobra.Command) bool {
		return slices.ContainsFunc(substrings, func(s string) bool { return strings.Contains(c.CommandPath(), s) })
	}
}

// ExcludeCmdsContaining chooses commands whose words hold none of the texts.
func ExcludeCmdsContaining(substrings ...string) CmdSelector {
	allow := AllowCmdsContaining(substrings...)
	return func(c *cobra.Command) bool { return !allow(c) }
}

// AllowFlags chooses flags by their names.
func AllowFlags(names ...string) FlagSelector {
	return func(f *pflag.Flag) bool { return slices.Contains(names, f.Name) }
}

// ExcludeFlags chooses all flags but these.
func ExcludeFlags(names ...string) FlagSelector {
	return func(f *pflag.Flag) bool { return !slices.Contains(names, f.Name) }
}

// NoFlags chooses no flag.
func NoFlags(*pflag.Flag) bool { return false }

// around returns what stands around the calls of a command that is chosen by s; nil for nothing.
func (s Selector) around() Middleware {
	switch {
	case s.PreRun == nil && s.PostRun == nil:
		return s.Middleware
	case s.Middleware == nil:
		return s.beforeAndAfter
	}
	return func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
		return s.Middleware(ctx, r, in, func(ctx context.Context, r *Request, in ToolInput) (*Result, ToolOutput, error) {
			return s.beforeAndAfter(ctx, r, in, next)
		})
	}
}

// beforeAndAfter is PreRun and PostRun as a Middleware.
func (s Selector) beforeAndAfter(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
	if s.PreRun != nil {
		ctx, r, in = s.PreRun(ctx, r, in)
	}
	var result *Result
	var out ToolOutput
	err := context.Cause(ctx)
	if err == nil {
		result, out, err = next(ctx, r, in)
	}
	if s.PostRun != nil {
		result, out, err = s.PostRun(ctx, r, in, result, out, err)
	}
	return result, out, err
}
