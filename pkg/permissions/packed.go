package permissions

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// What a command takes along of the directories that it names, or starts in, comes into a repository, an archive or an
// image, or to another machine. What of a git work tree does, git is asked (gittaken.go).

// takenTrees returns what a command takes along that keeps or sends it somewhere: a repository, an archive, an image,
// another machine.
func (v *evaluation) takenTrees(c shellscan.Command) []wholeTree {
	if g, takes := readTaking(c); takes {
		return v.addTaken(nil, g, v.removing(c))
	}
	if packs, here := packing(c); packs {
		t := wholeTree{by: "`" + display.Line(c.Name) + "`", surely: v.removing(c)}
		trees := v.addRoots(nil, v.packedDirs(c, here), t, "", true)
		for i := range trees {
			v.followLinks(&trees[i])
		}
		return trees
	}
	return nil
}

// followLinks has what the links of a tree lead to be among its files, since zip and scp take that.
func (v *evaluation) followLinks(t *wholeTree) {
	for i, p := range t.files {
		info, err := v.facts.lstat(p.real)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		real, err := v.facts.resolve("/", p.real)
		if err == nil {
			info, err = v.facts.lstat(real)
		}
		switch {
		case !v.work(1):
			t.more = tooMuch
			return
		case err != nil: // nothing is there
		case info.IsDir():
			t.more = shown(v.Workspace, p.real) + " leads to a directory, and it cannot be told what of that is taken"
		default:
			t.files[i].real, t.files[i].maybe = real, []string{p.real, real}
		}
	}
}

// takesSecret tells why a command must not take along what its words name: a secret is among it.
func (v *evaluation) takesSecret(c shellscan.Command) string {
	if v.byPerson() || packsImage(c) {
		return ""
	}
	for _, t := range v.takenTrees(c) {
		for _, p := range t.files {
			for _, name := range p.maybe {
				if what := v.sensitive.find(v.Workspace, name, sensitive.Secret); what != "" {
					return fmt.Sprintf("%s would take %s with it, which %s", t.by, shown(v.Workspace, name), what)
				}
			}
		}
		if t.more != "" {
			return t.more
		}
	}
	return ""
}

// hasWord reports whether one of a command's words is a subcommand of its program in a group.
func hasWord(c shellscan.Command, g command.Group) bool {
	words := command.Subcommands(g, filepath.Base(c.Name))
	return words != nil && slices.ContainsFunc(c.Args, func(w shellscan.Word) bool { return words[w.Text] })
}

// packsImage reports whether a command makes an image of what it packs.
func packsImage(c shellscan.Command) bool { return hasWord(c, command.ImagePackers) }

// packing reports whether a command packs the directories that its words name, or sends them somewhere, and whether that
// is the one that it starts in (here) where they name none.
func packing(c shellscan.Command) (packs, here bool) {
	here = hasWord(c, command.DirectoryPackers) || packsImage(c)
	return here || in(command.Packers, c.Name) || hasWord(c, command.Packers), here
}

// packedDirs lists what the words of such a command could name.
func (v *evaluation) packedDirs(c shellscan.Command, here bool) (names []string) {
	names = v.operandDirs(c)
	isThere := func(name string) bool {
		return slices.ContainsFunc(v.shell.dirs, func(dir string) bool {
			at, err := v.facts.resolve(dir, name)
			if err == nil {
				_, err = v.facts.lstat(at)
			}
			return err == nil
		})
	}
	if here && !slices.ContainsFunc(names, isThere) {
		names = append(names, ".")
	}
	return names
}
