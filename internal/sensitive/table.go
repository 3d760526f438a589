package sensitive

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed files.yaml
var embedded []byte

// row is what is said of some names.
type row struct {
	class                Class
	says, readBy, source string
	exact                bool // letter case counts
	shape                bool // what names look like, with the exceptions of the table
	hidden               bool // only below the directory that holds the file
	top                  bool // only right in that directory
	except               []*pattern
}

// table is files.yaml, read.
type table struct {
	patterns []*pattern
	byClass  map[Class]*index
	plain    []*pattern
}

// index finds the patterns of a class.
type index struct {
	fixed  map[string][]*pattern // by their first name
	last   []*pattern            // of one name, not fixed, which has to be the file's own
	others []*pattern
	shapes []*pattern
}

// read reads the table when the first file is decided about, and not when the program starts.
var read = sync.OnceValue(func() *table {
	t, err := parse(embedded)
	if err != nil {
		panic(fmt.Sprintf("files.yaml, which is a part of this program: %v", err)) // TestTable
	}
	return t
})

func parse(data []byte) (*table, error) {
	written, err := readFile(string(data))
	if err != nil {
		return nil, err
	}
	t := &table{byClass: map[Class]*index{}}
	for _, group := range written.Groups {
		class, known := classNamed(group.Class)
		if !known || group.Says == "" {
			return nil, fmt.Errorf("%q: %q is no class, or nothing is said", group.Says, group.Class)
		}
		for _, files := range group.Files {
			r := &row{
				class: class, says: group.Says, readBy: files.ReadBy, source: files.Source,
				exact: files.Case == "counts", shape: files.Shape, hidden: files.Hidden,
				top: files.Top,
			}
			if r.readBy == "" || r.source == "" || files.Case != "" && !r.exact {
				return nil, fmt.Errorf("%s: it has no read_by or no source, or case is not counts", files.Names)
			}
			r.except = patterns(files.Except, &row{exact: r.exact})
			for _, p := range patterns(files.Names, r) {
				t.add(p)
			}
		}
	}
	for _, files := range written.Plain {
		if files.Because == "" {
			return nil, fmt.Errorf("%s: it has no because", files.Names)
		}
		t.plain = append(t.plain, patterns(files.Names, &row{exact: files.Case == "counts"})...)
	}
	return t, nil
}

func classNamed(name string) (Class, bool) {
	for class, n := range classNames {
		if n == name {
			return class, true
		}
	}
	return 0, false
}

func patterns(names string, r *row) []*pattern {
	var list []*pattern
	for text := range strings.FieldsSeq(names) {
		if !strings.Contains(text, "{") {
			list = append(list, newPattern(text, r))
			continue
		}
		for _, name := range alternatives(text) {
			list = append(list, newPattern(name, r))
		}
	}
	return list
}

// add files a pattern where first looks for it.
func (t *table) add(p *pattern) {
	p.at = len(t.patterns)
	t.patterns = append(t.patterns, p)
	x := t.byClass[p.row.class]
	if x == nil {
		x = &index{fixed: map[string][]*pattern{}}
		t.byClass[p.row.class] = x
	}
	switch name := p.first(); {
	case p.row.shape:
		x.shapes = append(x.shapes, p)
	case name != "":
		x.fixed[name] = append(x.fixed[name], p)
	case len(p.names) == 1 && !p.below:
		x.last = append(x.last, p)
	default:
		x.others = append(x.others, p)
	}
}

// first returns the pattern of a class that stands for a file, the one of the outermost directory; nil for
// none. What only looks like such a file comes last.
func (t *table) first(f file, class Class) *pattern {
	x := t.byClass[class]
	var first *pattern
	try := func(patterns []*pattern, at int) {
		for _, p := range patterns {
			if (first == nil || p.at < first.at) && p.matches(f, at) {
				first = p
			}
		}
	}
	last := len(f.names) - 1
	for at := range f.names {
		try(x.fixed[f.folded[at]], at)
		try(x.others, at)
		if at == last {
			try(x.last, last)
		}
		if first != nil {
			return first
		}
	}
	for _, p := range x.shapes {
		if p.row.top && f.below != last {
			continue
		}
		if p.row.hidden && t.hides(p, f) || !p.row.hidden && p.matches(f, last) && !t.isPlain(f, 0, last) {
			return p
		}
	}
	return nil
}

// hides reports whether one of the file's names below the directory that holds it is hidden, and not known
// to be plain.
func (t *table) hides(p *pattern, f file) bool {
	for at := f.below; at < len(f.names); at++ {
		if p.names[0].matches(f.folded[at]) && f.folded[at] != "" && !t.isPlain(f, at, at) {
			return true
		}
	}
	return false
}

// isPlain reports whether the table says of names that begin at one of those places that they are data.
func (t *table) isPlain(f file, from, to int) bool {
	for at := from; at <= to; at++ {
		for _, p := range t.plain {
			if p.matches(f, at) {
				return true
			}
		}
	}
	return false
}
