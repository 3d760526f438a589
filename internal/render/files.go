package render

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// What a script writes to a file it may read again, and run. Files are followed like variables, by the word that names
// them: a file that a value was written to holds it everywhere.

// joinPatterns makes one file of names that could be the same: *.sh, "$1" and a variable that for sets could be any that fits.
func (f *flow) joinPatterns(s *script) {
	if !f.a.files {
		return
	}
	var names []string
	for w, key := range f.a.keys {
		if key != "" && !f.options[w] && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	for _, e := range f.edges { // dd of=FILE names its file within a word
		if key, ok := strings.CutPrefix(e.to, fileVariable("")); ok && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	sort.Strings(names)
	const maxNames = 200 // of a script that names more, the rest are followed by their names alone
	names = names[:min(len(names), maxNames)]
	for _, one := range names {
		pattern, open := f.a.filePattern(one)
		for _, other := range names {
			if !open || one == other || !f.a.spend(1) {
				continue
			}
			target := path.Base(other)
			if otherPattern, alsoOpen := f.a.filePattern(other); alsoOpen {
				target = otherPattern
			}
			if fits, err := path.Match(pattern, target); err == nil && (fits || target == "*") {
				f.sameFile(s, s.file, one, other)
			}
		}
	}
}

// filePattern is the pattern that the last part of a file's name could be, when it is more than one name: with a sign that bash expands,
// a positional parameter, or a variable that the author's own texts are put into.
func (a *analysis) filePattern(key string) (pattern string, open bool) {
	base := path.Base(key)
	if key == foundFile {
		return "*", true
	}
	open = strings.ContainsAny(base, "*?")
	pattern = variableInName.ReplaceAllStringFunc(base, func(found string) string {
		name := strings.TrimPrefix(variableInName.FindStringSubmatch(found)[1], "$")
		v := a.settings[name]
		if v != nil && v.many && len(v.globs) == 1 && len(v.texts) == 0 && base == found {
			open = true
			return path.Base(v.globs[0])
		}
		switch {
		case strings.Trim(name, "0123456789@*") == "", strings.Contains(found, ":"), base != found, v != nil && (len(v.texts) > 0 || v.many):
			open = true
			return "*"
		}
		return found // what mktemp printed, or a variable of the environment: a file of its own
	})
	return pattern, open
}

// variableInName finds the variables in a file's name, as fileKey writes them.
var variableInName = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*])(\[[^]]*\])?(:[-=?+][^/]*)?`)

// foundFile is the key of {}, which find and xargs replace.
const foundFile = "{}"

// fileVariable is the variable that stands for what a file holds. No variable of a shell has a blank in its name.
func fileVariable(key string) string {
	if base := path.Base(key); key != "" && !strings.Contains(base, "$") {
		key = base // the same file from another directory
	}
	return "file " + key
}

// writesFiles tells whether a script writes any file that it could read again. Most do not.
func (a *analysis) writesFiles() (found bool) {
	for _, s := range a.scripts {
		syntax.Walk(s.file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Redirect:
				found = found || writes(n.Op) && a.fileKey(n.Word) != ""
			case *syntax.CallExpr:
				c := a.call(n)
				found = found || copies(c) || isDD(c) || splits(c)
				for _, role := range c.reading.Roles {
					found = found || role.Writes
				}
			}
			return !found
		})
	}
	return found
}

// collectFiles finds what is written to files, and which names are one file.
func (f *flow) collectFiles(s *script, stack []syntax.Node) {
	if !f.a.files {
		return
	}
	switch n := stack[len(stack)-1].(type) {
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if key := f.a.fileKey(r.Word); key != "" && writes(r.Op) && n.Cmd != nil {
				from := f.sourcesOf(s, n.Cmd)
				if isBareExec(n) { // exec > f: everything that is printed from here on
					from = f.sourcesOf(s, s.file)
				}
				f.addFeeds(&from, s, append(stack[:len(stack):len(stack)], n.Cmd), map[string]bool{})
				f.write(s, key, from, n)
			}
		}
	case *syntax.Assign:
		// After T=t.sh, "$T" is t.sh.
		if n.Name == nil || n.Value == nil {
			return
		}
		if w := shellwords.Static(n.Value); w.Fixed && w.Text != "" && !f.a.holds(w.Text) {
			f.sameFile(s, n, "$"+n.Name.Value, w.Text)
		}
	case *syntax.CallExpr:
		f.collectFileCall(s, stack, n)
	}
}

func writes(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		return true
	}
	return false
}

func (f *flow) sameFile(s *script, n syntax.Node, one, other string) {
	f.assign(s, fileVariable(one), sources{variables: []string{fileVariable(other)}}, n, false)
	f.assign(s, fileVariable(other), sources{variables: []string{fileVariable(one)}}, n, false)
}

// write notes that a command writes a file.
func (f *flow) write(s *script, key string, from sources, n syntax.Node) {
	f.written[fileVariable(key)] = true
	f.assign(s, fileVariable(key), from, n, false)
}

// collectFileCall finds the files that a command writes: those of its own words, and the copies that it makes.
func (f *flow) collectFileCall(s *script, stack []syntax.Node, n *syntax.CallExpr) {
	c := f.a.call(n)
	var operands []int
	for i, role := range c.reading.Roles {
		if role.Kind == shellwords.Operand || role.Kind == shellwords.Argument {
			operands = append(operands, i)
		}
		if mayBeOptions(c, role) && listOf(n.Args[i]) != "" {
			f.options[n.Args[i]] = true // git "${options[@]}": words of a program that is no interpreter, and no file's name
		}
		if key := f.a.fileKey(n.Args[i]); role.Writes && key != "" {
			from := f.sourcesOf(s, n)
			f.addFeeds(&from, s, stack, map[string]bool{})
			f.write(s, key, from, n)
		}
	}
	f.collectDD(s, stack, n, c)
	f.collectSplit(s, stack, n, c, operands)
	if !copies(c) || len(operands) < 2 {
		return
	}
	last := f.a.fileKey(n.Args[operands[len(operands)-1]])
	for _, i := range operands[:len(operands)-1] {
		if isStdinName(c.words[i].Text) && last != "" {
			var from sources
			f.addFeeds(&from, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
			f.write(s, last, from, n)
		}
		if key := f.a.fileKey(n.Args[i]); key != "" && last != "" {
			from := f.sourcesOf(s, n.Args[i]) // a value that names a file chooses what the copy holds
			from.variables = append(from.variables, fileVariable(key))
			f.write(s, last, from, n)
		}
	}
}

// collectDD follows dd of=FILE, which writes what if=FILE or standard input holds.
func (f *flow) collectDD(s *script, stack []syntax.Node, n *syntax.CallExpr, c *call) {
	if !isDD(c) {
		return
	}
	var to, from string
	for _, w := range c.words[1:] {
		if name, ok := strings.CutPrefix(w.Text, "of="); ok {
			to = name
		}
		if name, ok := strings.CutPrefix(w.Text, "if="); ok {
			from = name
		}
	}
	if to == "" {
		return
	}
	written := f.sourcesOf(s, n)
	if from != "" {
		written.variables = append(written.variables, fileVariable(from))
	}
	f.addFeeds(&written, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
	f.write(s, to, written, n)
}

// collectSplit follows split FILE PREFIX and csplit, whose files begin with the prefix.
func (f *flow) collectSplit(s *script, stack []syntax.Node, n *syntax.CallExpr, c *call, operands []int) {
	if !splits(c) {
		return
	}
	written := f.sourcesOf(s, n)
	written.variables = append(written.variables, f.a.filesRead(n)...)
	f.addFeeds(&written, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
	f.write(s, "x*", written, n) // where there is no prefix
	if len(operands) > 1 {
		f.write(s, f.a.fileKey(n.Args[operands[len(operands)-1]])+"*", written, n)
	}
}

func isDD(c *call) bool {
	return len(c.reading.Programs) > 0 && c.words[c.reading.Programs[len(c.reading.Programs)-1].At].Text == "dd"
}

// splits tells whether a command makes many files of one.
func splits(c *call) bool {
	if len(c.reading.Programs) == 0 {
		return false
	}
	name := c.words[c.reading.Programs[len(c.reading.Programs)-1].At].Text
	return name == "split" || name == "csplit"
}

func isStdinName(text string) bool {
	return text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0"
}

// copies tells whether a command makes its last operand what the others are.
func copies(c *call) bool {
	if len(c.reading.Programs) == 0 {
		return false
	}
	switch c.words[c.reading.Programs[len(c.reading.Programs)-1].At].Text {
	case "cp", "mv", "ln", "install":
		return true
	}
	return false
}

// filesRead lists the files that a command's own words name.
func (a *analysis) filesRead(n *syntax.CallExpr) []string {
	if !a.files {
		return nil
	}
	var files []string
	for i, role := range a.call(n).reading.Roles {
		if role.Kind == shellwords.Operand || role.Kind == shellwords.Argument {
			if key := a.fileKey(n.Args[i]); key != "" {
				files = append(files, fileVariable(key))
			}
		}
	}
	return files
}

// followFiles looks at every place where a file that may hold a value is read, and follows what comes out of there.
func (f *flow) followFiles(s *script, stack []syntax.Node) {
	switch n := stack[len(stack)-1].(type) {
	case *syntax.CallExpr:
		if !f.a.files {
			return
		}
		c := f.a.call(n)
		for i, role := range c.reading.Roles {
			switch role.Kind {
			case shellwords.Operand, shellwords.Argument:
				if t := f.fileTrail(s, stack, n.Args[i]); t != nil {
					t.outputs(n)
					t.climb(len(stack) - 2)
				}
			case shellwords.CodeFile, shellwords.Program, shellwords.Unclear:
				runs := role.Kind == shellwords.CodeFile || !c.words[i].Fixed || strings.Contains(c.words[i].Text, "/") || f.a.settings["PATH"] != nil
				if f.options[n.Args[i]] {
					f.refuseListed(s, n, listOf(n.Args[i]))
					continue
				}
				if _, open := f.a.filePattern(f.a.fileKey(n.Args[i])); open && mayBeOptions(c, role) {
					continue // git $options: the same
				}
				if t := f.fileTrail(s, stack, n.Args[i]); t != nil && runs {
					t.refuse("the file is run here", "give the program a fixed text and pass the value as an argument")
				}
			}
		}
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if r.Op == syntax.DplIn && (r.N == nil || r.N.Value == "0") && !isOwnStdin(r.Word) {
				t := &trail{
					a: f.a, script: s, stack: append(append([]syntax.Node(nil), stack...), r.Word), visited: map[syntax.Node]bool{},
					descriptor: true, origin: "what a descriptor holds",
				}
				t.feed(n)
				t.climb(len(stack) - 1)
			}
			if r.Op != syntax.RdrIn && r.Op != syntax.RdrInOut {
				continue
			}
			if !f.a.files {
				continue
			}
			if t := f.fileTrail(s, stack, r.Word); t != nil {
				t.feed(n)
				t.climb(len(stack) - 1)
			}
		}
	}
}

// mayBeOptions tells whether a word that nobody knows stands behind a program that runs no file: it is its options or data.
func mayBeOptions(c *call, role shellwords.Role) bool {
	return role.Kind == shellwords.Unclear && c.reading.Stdin == shellwords.Data && role.Reader != "." && role.Reader != "source"
}

// listOf gives the name of the list whose elements a word is: "${options[@]}", "${options[@]:1}".
func listOf(w *syntax.Word) string {
	if found := wholeList.FindStringSubmatch(printedKey(w)); found != nil {
		return found[1]
	}
	return ""
}

var wholeList = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)\[[@*]\](?::|$)`)

// refuseListed refuses a list of options in which the author names a file that may hold a value: find "${A[@]}" after
// A=(-exec bash t.sh ';').
func (f *flow) refuseListed(s *script, n syntax.Node, list string) {
	v := f.a.settings[list]
	if v == nil {
		return
	}
	for _, text := range v.items {
		name := strings.TrimPrefix(text, "./")
		if file := f.variables[fileVariable(name)]; f.written[fileVariable(name)] && file != nil && file.tag != nil {
			f.a.report(Error, s, n, f.origin(file), "through the file "+name, "the file may be run here, by one of the options in "+list,
				"give the program a fixed text and pass the value as an argument")
			return
		}
	}
}

// isOwnStdin recognises <&0 and <&-.
func isOwnStdin(w *syntax.Word) bool { return w.Lit() == "0" || w.Lit() == "-" }

// fileTrail begins a trail at a word that names a file which may hold a value; nil for other words.
func (f *flow) fileTrail(s *script, stack []syntax.Node, w *syntax.Word) *trail {
	key := f.a.fileKey(w)
	v := f.variables[fileVariable(key)]
	if key == "" || v == nil || v.tag == nil {
		return nil
	}
	return &trail{
		a: f.a, script: s, stack: append(append([]syntax.Node(nil), stack...), w), visited: map[syntax.Node]bool{}, file: key, origin: f.origin(v),
	}
}

// ownDescriptor recognises the files that are descriptors other than standard input.
var ownDescriptor = regexp.MustCompile(`^/(dev|proc/(self|[0-9]+))/fd/[1-9][0-9]*$`)

// descriptorOf recognises /dev/fd/$fd.
func descriptorOf(w *syntax.Word) bool {
	key := printedKey(w)
	return strings.HasPrefix(key, "/dev/fd/") || strings.HasPrefix(key, "/proc/self/fd/")
}

// forbidUnseen refuses the ways to hand a text to something that runs it which are not followed: by a descriptor that
// stays open.
func (a *analysis) forbidUnseen(s *script, n *syntax.Stmt) {
	call, ok := n.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	if len(call.Args) == 1 && call.Args[0].Lit() == "exec" {
		for _, r := range n.Redirs {
			for _, part := range r.Word.Parts {
				p, ok := part.(*syntax.ProcSubst)
				if !ok || p.Op != syntax.CmdOut {
					continue
				}
				for _, reader := range p.Stmts {
					if language, who := a.stdinOf(reader); language != shellwords.Data {
						a.report(Error, s, n, "", "", "what the script prints from here on goes to "+who+", which runs it as "+string(language), "pass values as arguments")
					}
				}
			}
		}
	}
	c := a.call(call)
	for i, role := range c.reading.Roles {
		if role.Kind == shellwords.CodeFile && ownDescriptor.MatchString(c.words[i].Text) ||
			(role.Kind == shellwords.CodeFile || role.Kind == shellwords.Unclear) && !c.words[i].Fixed && descriptorOf(call.Args[i]) {
			a.report(Error, s, n, "", "", "it cannot be told what "+role.Reader+" reads from "+c.words[i].Text+" and runs", "name a file, or write the code in the script")
		}
	}
}
