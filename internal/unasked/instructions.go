package unasked

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

// An agent tells its model what stands in files of instructions as soon as a session begins. Where one of them is a
// link, that is the file that it leads to: a key of the person's, for one. Measured with all four.

// ledAway finds links in place of such files, that lead to a file which is none by its name. Whoever has his
// instructions elsewhere has them in a file of such a name.
func ledAway(dir string, names ...string) (found []Finding) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		real := ""
		_, err := os.Lstat(path)
		if err == nil {
			real, err = filepath.EvalSymlinks(path)
		}
		at, atErr := filepath.EvalSymlinks(dir)
		switch {
		case err == nil && atErr == nil && real == filepath.Join(at, name):
			continue
		case ofAProcess(path):
			real = "what lies in /proc"
		case err != nil, atErr == nil && ofInstructions(filepath.Base(real)): // there is nothing, as nearly always
			continue
		}
		found = append(found, Finding{Dir: dir, What: path + " is a link to " + real, Instead: "put the file itself there"})
	}
	return found
}

// ofInstructions reports whether a file has a name of those that hold instructions, such as AGENTS.md or .cursorrules.
func ofInstructions(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".mdc") || strings.HasSuffix(name, ".txt") ||
		strings.HasPrefix(name, ".") && strings.HasSuffix(name, "rules")
}

// instructions finds links in place of what an agent tells its model: in a directory, of texts below some others, and of
// what skills begin with, which is told in part.
func instructions(dir string, names, dirs []string, skills ...string) (found []Finding) {
	names = slices.Concat(names, dirs, skills) // a directory can be such a link, too
	for _, in := range dirs {
		texts, all := textsIn(dir, in, true)
		names = slices.Concat(names, texts)
		if !all {
			found = append(found, tooMuch(filepath.Join(dir, in), dir))
		}
	}
	for _, in := range skills {
		links, all := textsIn(dir, in, true) // at every depth, as Codex and opencode look for them
		names = slices.Concat(names, slices.DeleteFunc(links, func(name string) bool {
			return filepath.Base(name) != "SKILL.md" && !ofAProcess(filepath.Join(dir, name))
		}))
		if !all {
			found = append(found, tooMuch(filepath.Join(dir, in), dir))
		}
	}
	return append(found, ledAway(dir, names...)...)
}

// tooMuch is what is found where not all is looked at: what is behind the bound could be anything.
func tooMuch(path, dir string) Finding {
	return Finding{Dir: dir, What: path + " holds more than is looked at", Instead: "take something out of it"}
}

// skillsIn lists the files that skills begin with, relative to dir.
func skillsIn(dir, name string) (names []string) {
	for _, skill := range below(dir, name) {
		const file = "SKILL.md"
		path := filepath.Join(dir, skill, file)
		if _, err := os.Lstat(path); err == nil || ofAProcess(path) {
			names = append(names, filepath.Join(skill, file))
		}
	}
	return names
}

// Bounds of what is looked through of a repository's instructions.
const (
	mostLooked  = 2000 // names in a directory, and below
	mostInclude = 1000 // files that files include
)

// textsIn lists the texts in a directory of a repository's and below, behind links to directories, too; or those alone that
// are links. It is false where there is more than is looked at.
func textsIn(dir, name string, linksAlone bool) (names []string, all bool) {
	looked := 0
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, at := range below(dir, queue[0]) {
			if looked++; looked > mostLooked {
				return names, false
			}
			path := filepath.Join(dir, at)
			is, err := os.Lstat(path)
			link := err == nil && is.Mode()&fs.ModeSymlink != 0
			if link {
				is, err = os.Stat(path)
			}
			switch {
			case link && ofAProcess(path):
				names = append(names, at)
			case err != nil:
			case is.IsDir():
				queue = append(queue, at)
			case (link || !linksAlone) && ofInstructions(at):
				names = append(names, at)
			}
		}
	}
	return names, true
}

// include is how files of instructions include others: for Claude, which sees a blank behind a backslash as a part of the
// name, and the end of it at #; and for Gemini, to which both are letters as any (0.61.0).
var include = [...]*lazyregexp.Regexp{
	lazyregexp.New(`(?:^|[\s\v\pZ\x{feff}])@((?:\\ |[^\s\v\pZ\x{feff}#])+)`),
	lazyregexp.New(`(?:^|[ \t\r\n])@([^ \t\r\n]+)`),
}

// includes lists the files that a text of instructions includes, in a directory: each that some agent could mean.
func includes(dir string, text []byte) (paths []string) {
	for i, form := range include {
		for _, match := range form.Get().FindAllSubmatch(text, -1) {
			name := string(match[1])
			if i == 0 {
				name = strings.ReplaceAll(name, `\ `, " ")
			}
			below, ofHome := strings.CutPrefix(name, "~/")
			for at := dir; ofHome; at = filepath.Dir(at) { // the repository's own are in it where the home lies above
				paths = append(paths, filepath.Join(at, below))
				ofHome = at != filepath.Dir(at)
			}
			paths = append(paths, joined(dir, name))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// included finds files that hold a secret by their names, and that files of instructions include: what they hold is told
// to the model with the rest. Measured with Claude 2.1.316 and Gemini 0.61.0, which include what lies in the repository,
// by whatever name.
func included(dir string, names ...string) (found []Finding) {
	seen := map[string]bool{}
	left := mostText // bytes, of all together
	var queue []string
	for _, name := range names {
		queue = append(queue, filepath.Join(dir, name))
	}
	for ; len(queue) > 0; queue = queue[1:] {
		file := queue[0]
		switch {
		case seen[file]:
			continue
		case len(seen) == mostInclude, left < 0:
			return append(found, Finding{Dir: dir, What: "the instructions in " + dir + " include more files than are looked at",
				Instead: "take some out of them"})
		}
		seen[file] = true
		data, _ := text(filepath.Dir(file), filepath.Base(file))
		left -= len(data)
		for _, path := range includes(filepath.Dir(file), data) {
			what := ""
			real, err := filepath.EvalSymlinks(path)
			if ofAProcess(path) {
				what = ", which is another file to each program"
			} else if err != nil {
				continue
			}
			for _, at := range []string{path, real} {
				if is, secret := sensitive.Find(at, "", sensitive.Secret); secret && what == "" {
					what = ", which " + is.Says
				}
			}
			name, err := filepath.Rel(dir, path)
			local := err == nil && filepath.IsLocal(name)
			if what != "" {
				f := Finding{Dir: dir, Instead: "take that out of it", What: file + " has the model told " + path + what}
				if own, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(own) {
					f.Files = []string{own}
				}
				found = append(found, f)
			} else if local {
				found = append(found, ledAway(dir, name)...)
			}
			queue = append(queue, path)
		}
	}
	return found
}

// Told finds what an agent tells its model because it reads or changes a file below the directory that it works in, and
// which is not the repository's own: of the directories between these two.
func Told(agent, file, top string) (found []Finding) {
	told := map[string]func(dir string) []Finding{
		"claude":   claudeTold,
		"opencode": func(dir string) []Finding { return ledAway(dir, opencodeInstructions...) },
	}[agent]
	if told == nil {
		return nil
	}
	between := func(dir, top string) {
		for top = strings.TrimSuffix(top, "/") + "/"; strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
			found = append(found, told(dir)...)
		}
	}
	between(filepath.Dir(file), filepath.Clean(top))
	real, err := filepath.EvalSymlinks(filepath.Dir(file))
	realTop, topErr := filepath.EvalSymlinks(top)
	if len(found) == 0 && err == nil && topErr == nil {
		between(real, realTop)
	}
	return found
}

// below lists the files in a directory of a repository's, by their names relative to dir; none where there is no such
// directory, and of more than mostLooked no more than one more.
func below(dir, name string) (names []string) {
	open, err := os.OpenFile(filepath.Join(dir, name), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = open.Close() }() // it was only read from
	entries, _ := open.Readdirnames(mostLooked + 1)
	slices.Sort(entries)
	for _, entry := range entries {
		names = append(names, filepath.Join(name, entry))
	}
	return names
}

// named returns what a setting names, a text or a list of texts, and whether these are the repository's own instructions by
// these names: none elsewhere, no address, and no .env or key that the person may have put there.
func named(setting json.RawMessage) (names []string, own bool) {
	var one string
	if json.Unmarshal(setting, &one) == nil {
		names = []string{one}
	} else if json.Unmarshal(setting, &names) != nil {
		return nil, false
	}
	for _, name := range names {
		if !filepath.IsLocal(name) || strings.HasPrefix(name, "~") || strings.Contains(name, ":") {
			return nil, false
		}
		if strings.ContainsAny(name, patterned) {
			if in, _ := filepath.Split(name); leadsUp(in) || !endsAsInstructions.Get().MatchString(name) {
				return nil, false
			}
		} else if !ofInstructions(filepath.Base(name)) {
			return nil, false
		}
	}
	return names, true
}

// patterned are what patterns are written with.
const patterned = `*?[]{}()!+@\`

// begins returns the directory that a pattern begins in.
func begins(name string) string {
	if at := strings.IndexAny(name, patterned); at >= 0 {
		return filepath.Dir(name[:at] + "x")
	}
	return ""
}

// meant lists the files in a directory that names mean, of those that patterns do the links alone. What a pattern means to
// the agent is its own business: any link behind where it begins may be one of these. It is false where there is more than is
// looked at.
func meant(dir string, names []string) (files []string, all bool) {
	all = true
	for _, name := range names {
		in := begins(name)
		if in == "" {
			files = append(files, name)
			continue
		}
		links, whole := filesBehind(dir, in, isLink)
		all = all && whole
		for _, link := range links {
			path := filepath.Join(dir, link)
			if is, err := os.Stat(path); err == nil && (is.IsDir() || ofInstructions(link)) || ofAProcess(path) {
				files = append(files, link)
			}
		}
	}
	return files, all
}

// leadsUp reports whether the directories of a pattern may lead elsewhere than below: ** can mean none, before a .., and what
// is written with braces, brackets or \ could be dots and slashes (opencode 1.18.33).
func leadsUp(pattern string) bool {
	return slices.ContainsFunc(strings.Split(pattern, "/"), func(part string) bool {
		return part == ".." || strings.ContainsAny(part, `\{}[]()`) && !someNames.Get().MatchString(part)
	})
}

// someNames matches a part of a pattern that means one of some directories.
var someNames = lazyregexp.New(`^\{[\w-]+(?:,[\w-]+)*\}$`)

// endsAsInstructions matches patterns of which each file that they mean has a name of those that hold instructions.
var endsAsInstructions = lazyregexp.New(`(?i)[^/{},]\.(?:mdc?|txt|\{(?:mdc?|txt)(?:,(?:mdc?|txt))*\})$`)

// mostBehind is how many names are looked at behind where a pattern begins.
const mostBehind = 50_000

// filesBehind lists what is wanted of the names below a directory of a repository's, those first that are deep in it the
// least; false where it holds too much to look at.
func filesBehind(dir, name string, wanted func(at string, entry fs.DirEntry) bool) (names []string, whole bool) {
	looked := 0
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		entries, _ := os.ReadDir(filepath.Join(dir, queue[0])) // what cannot be read here, the agent cannot read either
		for _, entry := range entries {
			if looked++; looked > mostBehind {
				return names, false
			}
			at := filepath.Join(queue[0], entry.Name())
			if wanted(at, entry) {
				names = append(names, at)
			}
			if entry.IsDir() && entry.Name() != ".git" { // where nothing lies that a repository brings
				queue = append(queue, at)
			}
		}
	}
	return names, true
}

// isLink reports whether a name is that of a link.
func isLink(_ string, entry fs.DirEntry) bool { return entry.Type()&fs.ModeSymlink != 0 }
