// Package sensitive says which files are more than data, by their names: those that run as code later or
// decide what is allowed, and those that hold secrets. They lie in one file, files.yaml, for people to
// read. It never looks at the disk.
package sensitive

import (
	"fmt"
	"slices"
	"strings"
)

// Class says what makes a file sensitive. Several can be asked for at once.
type Class int

// The classes, in the order in which they are told.
const (
	Control Class = 1 << iota // it decides what this program allows or runs, or tells agents what to do
	Runs                      // written, it runs code although nobody asks for that
	// Written, it runs code, or decides which, when somebody builds, checks, tests, installs or starts.
	Built
	Secret // read, it gives away what nobody should know

	// Written are the classes that count for a file that is written.
	Written = Control | Runs | Built | Secret
)

var classes = []Class{Control, Runs, Built, Secret}

var classNames = map[Class]string{Control: "control", Runs: "runs", Built: "runs_built", Secret: "secret"}

func (c Class) String() string {
	if name, ok := classNames[c]; ok {
		return name
	}
	return fmt.Sprintf("class(%d)", int(c))
}

// Finding is what is said of a file.
type Finding struct {
	Class  Class
	Says   string // the completion of the sentence "`file` ..."
	Name   string // the name or pattern that the file has, as the table spells it
	ReadBy string // what reads such a file
	Source string // where it says so
}

// Find reports what makes a file sensitive, the first of the classes that are asked for, and says of one that holds a secret
// that it does, too. root is the
// workspace, or another directory that holds the file: only below it is a name that begins with a dot taken
// for settings that nobody knows; "" for none. Names are compared as on file systems that fold them. Both
// names are clean.
func Find(path, root string, wanted Class) (Finding, bool) {
	f := newFile(path, root)
	for _, class := range classes {
		if wanted&class == 0 {
			continue
		}
		if p := read().first(f, class); p != nil {
			found := p.finding()
			if secret := read().first(f, Secret); secret != nil && class != Secret && wanted&Secret != 0 {
				found.Says += ", and " + secret.row.says
			}
			return found, true
		}
	}
	return Finding{}, false
}

// All reports everything that makes a file sensitive, at most one finding for each class.
func All(path, root string) []Finding {
	var all []Finding
	for _, class := range classes {
		if f, ok := Find(path, root, class); ok {
			all = append(all, f)
		}
	}
	return all
}

// Table lists every name of the table, in its order.
func Table() []Finding {
	var all []Finding
	for _, p := range read().patterns {
		all = append(all, p.finding())
	}
	return all
}

// Patterns lists the names of some classes in small letters, as far as they are names and not what names
// look like.
func Patterns(wanted Class) []string {
	var list []string
	for _, p := range read().patterns {
		if name := strings.ToLower(p.text); p.row.class&wanted != 0 && !p.row.shape &&
			!slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Fixed lists the names of some classes that hold no pattern, as the table spells them, and in small
// letters too. A directory stands for what is below it.
func Fixed(wanted Class) []string {
	var list []string
	for _, p := range read().patterns {
		name := strings.TrimSuffix(p.text, "/**")
		if p.row.class&wanted == 0 || strings.ContainsAny(name, "*[") {
			continue
		}
		for _, spelled := range []string{name, strings.ToLower(name)} {
			if !slices.Contains(list, spelled) {
				list = append(list, spelled)
			}
		}
	}
	return list
}

// Protected lists what a sandbox is to keep as it is in every directory that a call may write to: the names
// of what is control or runs unasked, as far as they hold no pattern.
func Protected() []string { return Fixed(Control | Runs) }

// Delicate tells what keeps a file from being offered to anybody: that it gives away what nobody should
// know, or that others run or believe it without a look. It completes "it ..." and is "" for plain data.
func Delicate(path string) string {
	if found, ok := Find(path, "", Secret); ok {
		return found.Says
	}
	found, _ := Find(path, "", Control|Runs)
	return found.Says
}

// file is a file's name, taken apart.
type file struct {
	names  []string // as they are, but for blanks and dots at their ends, which FAT and NTFS drop
	folded []string
	below  int // how many of them are those of the directory that holds it; all of them where none does
}

func newFile(path, root string) file {
	var f file
	f.names = strings.Split(strings.Trim(path, "/"), "/")
	f.below = len(f.names)
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(root, "/")+"/"); ok && root != "" {
		f.below = max(0, f.below-strings.Count(rest, "/")-1) // a name that is not clean has fewer
	}
	for i, name := range f.names {
		f.names[i] = strings.TrimRight(name, " .")
		f.folded = append(f.folded, Fold(f.names[i]))
	}
	return f
}
