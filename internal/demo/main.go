// Command demo shows the main job as a story, offline and in a minute: an editor and a small agent, both
// scripted, with a2a-acp between them. `make demo` runs it.
//
// The editor (editor.go) starts `a2a-acp bridge -- demo agent`, exactly as Zed would, and plays the person
// who answers. The agent (agent.go) reads files, writes files, asks for permission and calls the tools of
// tools.yaml over MCP. Nothing in the middle is staged: the files in files/ are the whole configuration.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		if err := agent(ctx, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "demo agent:", err)
			os.Exit(1)
		}
		return
	}
	binary := flag.String("bin", "build/a2a-acp", "the a2a-acp to show")
	document := flag.String("picture", "", "a document whose picture has to be what the story shows")
	write := flag.Bool("write", false, "write the picture into that document")
	flag.Parse()
	picture, err := show(ctx, *binary, os.Stdout)
	if err == nil && *document != "" {
		err = hang(*document, picture, *write)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
