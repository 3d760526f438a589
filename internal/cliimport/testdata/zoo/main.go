// Zoo is the zoo as a program of its own.
package main

import (
	"os"

	"github.com/a2a-acp/a2a-acp/internal/zoo"
)

func main() {
	if err := zoo.New(os.Stdout).Execute(); err != nil {
		os.Exit(1)
	}
}
