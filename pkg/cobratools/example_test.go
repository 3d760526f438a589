package cobratools_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/pkg/cobratools"
)

// What the manual of Ophis configures, in the same words.
func Example() {
	root := &cobra.Command{Use: "kubectl"}
	for _, name := range []string{"get", "describe", "list", "delete", "apply"} {
		cmd := &cobra.Command{Use: name, Short: strings.ToUpper(name[:1]) + name[1:], Run: func(*cobra.Command, []string) {}}
		cmd.Flags().Bool("force", false, "without asking")
		cmd.Flags().String("token", "", "who calls")
		root.AddCommand(cmd)
	}
	root.AddCommand(cobratools.Command(cobratools.Config{
		DefaultEnv:     map[string]string{"PATH": os.Getenv("PATH"), "KUBECONFIG": os.Getenv("KUBECONFIG")},
		SloggerOptions: &slog.HandlerOptions{Level: slog.LevelDebug},
		Selectors: []cobratools.Selector{
			{ // expose specific commands, without sensitive flags
				CmdSelector:           cobratools.AllowCmds("kubectl get", "kubectl describe"),
				LocalFlagSelector:     cobratools.ExcludeFlags("token", "password"),
				InheritedFlagSelector: cobratools.NoFlags,
			},
			{ // read operations: a timeout
				CmdSelector: cobratools.AllowCmdsContaining("list"),
				Middleware: func(ctx context.Context, r *cobratools.Request, in cobratools.ToolInput, next cobratools.Handler) (
					*cobratools.Result, cobratools.ToolOutput, error) {
					ctx, cancel := context.WithTimeout(ctx, time.Minute)
					defer cancel()
					return next(ctx, r, in)
				},
			},
			{ // write operations: fewer flags
				CmdSelector:       cobratools.AllowCmdsContaining("delete"),
				LocalFlagSelector: cobratools.ExcludeFlags("force", "all"),
			},
			{ // what its author has marked
				CmdSelector:       func(cmd *cobra.Command) bool { return cmd.Annotations["mcp"] == "true" },
				LocalFlagSelector: func(flag *pflag.Flag) bool { return len(flag.Annotations["mcp"]) > 0 },
			},
		},
	}))
	root.SetArgs([]string{"mcp", "tools", "--output", "-"})
	var out strings.Builder
	root.SetOut(&out)
	if err := root.Execute(); err != nil {
		fmt.Println(err)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), `"name": `); ok {
			fmt.Println(strings.Trim(name, `",`))
		}
	}
	// Output:
	// kubectl_delete
	// kubectl_describe
	// kubectl_get
	// kubectl_list
}

// A validation, a filter of the output and a log, as they were before there was Middleware.
func ExampleSelector_preRun() {
	const secretToken = "hunter2"
	selector := cobratools.Selector{
		PreRun: func(ctx context.Context, r *cobratools.Request, in cobratools.ToolInput) (context.Context, *cobratools.Request, cobratools.ToolInput) {
			fmt.Printf("[MCP] Executing: %s %v\n", r.Name, in.Args)
			if len(in.Args) > 10 {
				ctx, cancel := context.WithCancel(ctx)
				cancel() // it is not run
				return ctx, r, in
			}
			return ctx, r, in
		},
		PostRun: func(_ context.Context, r *cobratools.Request, _ cobratools.ToolInput, res *cobratools.Result, out cobratools.ToolOutput, err error) (
			*cobratools.Result, cobratools.ToolOutput, error) {
			out.StdOut = strings.ReplaceAll(out.StdOut, secretToken, "[REDACTED]")
			fmt.Printf("[MCP] Completed: %s (exit=%d)\n", r.Name, out.ExitCode)
			return res, out, err
		},
	}
	ctx, request, in := selector.PreRun(context.Background(), &cobratools.Request{Name: "kubectl_get"}, cobratools.ToolInput{Args: []string{"pods"}})
	_, out, _ := selector.PostRun(ctx, request, in, nil, cobratools.ToolOutput{StdOut: "token: hunter2"}, nil)
	fmt.Println(out.StdOut)
	// Output:
	// [MCP] Executing: kubectl_get [pods]
	// [MCP] Completed: kubectl_get (exit=0)
	// token: [REDACTED]
}
