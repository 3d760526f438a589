package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is where a program comes from.
type program struct {
	Module  string `yaml:"module"`
	Version string `yaml:"version"`
	Package string `yaml:"package"` // its main package; optional, the module
	Main    string `yaml:"main"`    // a file that is its main package; optional
	Tags    string `yaml:"tags"`
}

//go:embed mains/*.go.txt
var mains embed.FS

//go:embed tree.go.txt
var treeSource []byte

// build builds a program as it is, but for what tree.go.txt adds to Cobra. One that was built before stays.
func (p program) build(ctx context.Context, dir, name string) (string, error) {
	path := filepath.Join(dir, "bin", name+"-"+p.Version)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if p.Module == "" {
		return "", errors.New("programs.yaml does not have it")
	}
	source := filepath.Join(dir, "src", name)
	if err := os.RemoveAll(source); err != nil {
		return "", err
	}
	if err := os.MkdirAll(source, 0o700); err != nil {
		return "", err
	}
	what := p.Package
	switch {
	case p.Main != "":
		text, err := mains.ReadFile(p.Main)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(source, "main.go"), text, 0o600); err != nil {
			return "", err
		}
		what = "."
	case what == "":
		what = p.Module
	}
	g := goCommand{ctx, source}
	if _, err := g.run("mod", "init", "clis/"+name); err != nil {
		return "", err
	}
	if _, err := g.run("get", p.Module+"@"+p.Version); err != nil {
		return "", err
	}
	if p.Main != "" {
		if _, err := g.run("mod", "tidy"); err != nil {
			return "", err
		}
	}
	cobra, err := g.cobra(dir)
	if err != nil {
		return "", err
	}
	if _, err := g.run("mod", "edit", "-replace", "github.com/spf13/cobra="+cobra); err != nil {
		return "", err
	}
	_, err = g.run("build", "-mod=mod", "-trimpath", "-tags", p.Tags, "-ldflags", "-s -w", "-o", path, what)
	return path, err
}

// goCommand runs go in a module.
type goCommand struct {
	ctx context.Context //nolint:containedctx // of one build
	dir string
}

func (g goCommand) run(words ...string) ([]byte, error) {
	fmt.Fprintln(os.Stderr, "go", strings.Join(words, " "))
	cmd := exec.CommandContext(g.ctx, "go", words...)
	cmd.Dir, cmd.Env = g.dir, append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(words, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// cobra copies the module's Cobra, and has it write down its commands in place of running one where it is told to.
func (g goCommand) cobra(dir string) (string, error) {
	out, err := g.run("list", "-m", "-mod=mod", "-json", "github.com/spf13/cobra")
	if err != nil {
		return "", err
	}
	var module struct{ Dir, Version string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	if module.Dir == "" {
		if _, err := g.run("mod", "download", "github.com/spf13/cobra"); err != nil {
			return "", err
		}
		return g.cobra(dir)
	}
	to := filepath.Join(dir, "cobra-"+module.Version)
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	half := to + ".new"
	if err := errors.Join(os.RemoveAll(half), os.CopyFS(half, os.DirFS(module.Dir))); err != nil {
		return "", err
	}
	err = filepath.WalkDir(half, func(path string, d fs.DirEntry, err error) error { // modules are read-only
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(half, "command.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	const before = "\n\tc.InitDefaultHelpCmd()\n\n\targs := c.args\n"
	if bytes.Count(text, []byte(before)) != 1 {
		return "", fmt.Errorf("%s: ExecuteC is not as it was", file)
	}
	text = bytes.Replace(text, []byte(before), []byte("\n\twriteTree(c)"+before), 1)
	err = errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(filepath.Join(half, "tree.go"), treeSource, 0o600))
	if err != nil {
		return "", err
	}
	return to, os.Rename(half, to)
}
