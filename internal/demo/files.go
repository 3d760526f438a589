package main

import "embed"

// files is the person's configuration and the project's README, the attack included.
//
//go:embed files
var files embed.FS
