package shellscan

import (
	"math/rand/v2"
	"strings"
)

// writer makes up scripts of harmless commands.
type writer struct {
	*rand.Rand
	paths bool // also commands by their path, more wrappers, and words that say how names are spelled: see spelled
}

func (w writer) of(list ...string) string { return list[w.IntN(len(list))] }

func (w writer) script(depth int) string {
	var b strings.Builder
	for range 1 + w.IntN(3) {
		b.WriteString(w.list(depth))
		b.WriteString(w.of("; ", "\n", " ;\n"))
	}
	return b.String()
}

func (w writer) list(depth int) string {
	if depth <= 0 {
		return w.simple(0)
	}
	inner := func() string { return w.list(depth - 1) }
	switch w.IntN(24) {
	case 0:
		return inner() + w.of(" && ", " || ", " | ", " |& ") + inner()
	case 1:
		return "( " + inner() + " )"
	case 2:
		return "{ " + inner() + "; }"
	case 3:
		return "if " + inner() + "; then " + inner() + w.of("; else "+inner(), "") + "; fi"
	case 4:
		return "for x in " + w.words(depth-1) + "; do " + inner() + "; done"
	case 5:
		return "case " + w.word(depth-1) + " in " + w.of("a", "*", "x|a", "(a)") + ") " + inner() + ";; *) " + inner() + "; esac"
	case 6:
		return "! " + inner()
	case 7:
		return w.of("time ", "time -p ") + inner()
	case 8:
		return "[[ " + w.of("-n a", "a == b", "-f in", "a < b", "a =~ b|c", "1 -eq 1", w.word(depth-1)+" = a") + " ]] " + w.of("&&", "||") + " " + inner()
	case 9:
		return "(( 1 + " + w.of("1", "(2)", "$#") + " )) && " + inner()
	case 10:
		return "f() { " + inner() + "; }\nf " + w.words(depth-1)
	case 11:
		return inner() + " &\nwait"
	case 12:
		return w.simple(depth) + " <<" + w.of("E", "'E'", "\"E\"", "-E", "\\E") + w.of("", " > g", "; "+w.simple(depth-1), " | "+w.simple(depth-1)) + "\n" +
			w.of("text", "$(p1)", "`p2`", "${x:-$(p3)}", "it's", "\"", "\\$(p1)", "") + "\nE"
	case 13:
		return "coproc " + inner() + "; wait"
	case 14:
		return inner() + " # " + w.of("p1", "it's", "\"", "$(p1", "\\") + "\n" + inner()
	case 15:
		return "eval " + w.quoted(inner())
	case 16:
		return w.of("bash -c ", "sh -c ", "bash -ec ", "bash -o pipefail -c ") + w.quoted(inner())
	case 17:
		return "trap " + w.quoted(inner()) + " EXIT"
	}
	return w.simple(depth)
}

func (w writer) simple(depth int) string {
	if w.paths && w.IntN(3) > 0 {
		return w.spelled(depth)
	}
	var b strings.Builder
	if w.IntN(5) == 0 {
		b.WriteString("x=" + w.word(depth-1) + " ")
	}
	if w.IntN(4) == 0 {
		b.WriteString(w.of("env ", "env A=b ", "timeout 9 ", "nice -n 1 ", "command ", "exec ", "stdbuf -oL ", "setsid -w ", "nohup ",
			"env -u X timeout -k 1 9 ", "builtin ", "xargs ", "xargs -n1 ", "xargs -I{} ", "find in -exec "))
	}
	b.WriteString(w.of("p1", "p2", "p3", "p1", "p2", "echo", "printf", "true", "'p1'", `p\2`, `"p3"`, `$'p1'`, "cat", "test", ":", "cd .", "[ -n a ] ;"))
	for range w.IntN(3) {
		b.WriteString(" " + w.word(depth-1))
	}
	if strings.Contains(b.String(), "-exec ") {
		b.WriteString(" {} \\;")
	}
	if w.IntN(5) == 0 {
		b.WriteString(w.of(" > f", " >> f", " 2>&1", " &> g", " >| f", " < in", " <> h", " >&2", " 2>/dev/null", " >& g", " <<< a", " > >(p2)", " < <(p1)", " 3> i"))
	}
	return b.String()
}

// spelled writes a command whose name and words are spelled in odd ways. b is a link to the directory of
// the stubs.
func (w writer) spelled(depth int) string {
	var b strings.Builder
	b.WriteString(w.of("", "", "", "", "A=b ", "A=$(p1) ", "! ", "time ", "2>/dev/null ", "<in ", "x+=1 "))
	wrapped := w.IntN(3) == 0
	if wrapped {
		b.WriteString(w.of("env -- ", "env -u A B=c ", "env env ", "timeout 9 nice ", "timeout --signal=KILL 9s ", "nice -1 ", "nice -n 1 nice ", "nohup nice ", "stdbuf -o0 -eL ",
			"setsid -w env ", "xargs -0 ", "xargs -n 1 -P1 ", "xargs -I % ", "xargs -d , -- ", "xargs -r ", "find in -maxdepth 0 -exec ", "find . -name in -exec ", "command -p ", "command -- ",
			"exec -a x ", "exec -- ", "'env' ", `en\v `, "b/env ", "find b/ -name p1 -execdir ", "timeout -k 1 -s TERM 9 ", "command nice ", "builtin command "))
	}
	b.WriteString(w.of("p1", "p2", "p3", "b/p1", "./b/p2", "b/../b/p3", "'b'/p1", `b\/p2`, `"b/p3"`, `$'b/\x701'`, `$'\160\062'`, `p""3`, `''p1`, `"p"'2'`, `p\3`, ".//b//p1", "$'p1'", `"$'p1'"`, "-p1", "p1-"))
	for range w.IntN(4) {
		b.WriteString(" " + w.of("a", "*", "./*", "i*", "b/p?", `"$(p1)"`, "$(p2)", "$?", `"x$?"`, "x$#", "<(p1)", "'a b'", `"a\"b"`, "$'a\\nb'", `\*`, "'*'", `"i*"`, `i\*`, `"i"*`, "a{b,c}", "{a", "~", "--x=*", "-n",
			"--", "-i", "+", "''", `""`, "a''", "[i]n", "i[a-z]", "?n", "no*such", "$x", `"$@"`, "${x:-b}", "a=b", "~/a", "a~", "#a", `"#"`, "a#", "\\a", "in", "x,y", "%", "{}", "$((1+1))", "b/*", "b/p[12]", "i?", "*n", "!", "&>g", "**",
			w.word(depth-1)))
	}
	if strings.Contains(b.String(), "-exec") {
		b.WriteString(w.of(" {} \\;", " \\;", " {} +", " a{}b ';'", " {}"))
	}
	if w.IntN(6) == 0 {
		b.WriteString(w.of(" | p2", " | xargs p1", " | xargs -n1 b/p2 a", " | b/env p3", " && b/p1", " || p2 *", " | while read -r l; do p3 \"$l\"; done", " &", " > g", " 2>&1", " <<< \"$(p1)\""))
	}
	return b.String()
}

func (w writer) words(depth int) string { return w.word(depth) + " " + w.word(depth) }

func (w writer) word(depth int) string {
	if depth <= 0 {
		return w.of("a", "'b c'", `"d"`, "e\\ f", "$x", `"$x"`, "in", "-n", "*", "{a,b}", "~", "$'a\\tb'", "${x:-a}", "a=b", "#", "a#b", `"a'b"`, `'a"b'`)
	}
	inner := func() string { return w.list(depth - 1) }
	switch w.IntN(12) {
	case 0:
		return "$(" + inner() + ")"
	case 1:
		return `"$(` + inner() + `)"`
	case 2:
		return "`" + w.simple(0) + "`"
	case 3:
		return "<(" + inner() + ")"
	case 4:
		return "${x:-" + w.word(depth-1) + "}"
	case 5:
		return `"${x:-` + w.word(depth-1) + `}"`
	case 6:
		return "$(( 1 + 2 ))"
	case 7:
		return `"a` + w.word(depth-1) + `b"`
	}
	return w.word(0)
}

// quoted quotes a text for a shell, in one of several ways.
func (w writer) quoted(text string) string {
	switch w.IntN(3) {
	case 0:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
	case 1:
		return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// nasty are pieces that change how the text around them is read.
var nasty = []string{
	"$(", ")", "`", `"`, "'", `\`, "\n", "\\\n", " ", ";", "&&", "||", "|", "&", "((", "))", "(", "{ ", "; }", "}", "{", "<<E\n", "\nE\n", "#", " #", "$'", `\'`,
	`$"`, "[[ ", " ]]", "case x in x) ", ";;", " esac", "if ", "; then ", "; fi", "for x in a; do ", "; done", "! ", "<(", ">(", "${x:-", "${x#", "${x/", "/",
	"g() ", "g", "eval ", "bash -c ", "sh -c ", "$x", "a=", "[", "]", "{p1,", ",", "..", "~", "*", "?", "@(", "!(", "+(", "coproc ", "time ", "-- ", "function g ", "$((",
	"$[", "<<<", ">&2", "2>&1", "&>", "<<-E\n", "<<'E'\n", "\t", "p1", "p2", "\\`", `\"`, `\$`, "a[1]=", "a=(", "x+=", "exec ", "command ", "trap ", "p3 ", "{a}>", ">", "<", "%",
	" p1 ", "$", "=", "-", "1", "in", "do", "E", "\\\\", "${", "$#", "${#x}", "''", `""`, "\\E", "<<\\E\n", "\"E\"", "until ", "select x in a; do break; ", ">|", "<>f", "&>>f",
	"<((", "$( (", "#)", "# \\\n", "'E'#", ":-", "${x:-<(", "\\'", "\\ ", "<<'E' <<\"E\"\n", "\nE\nE\n", "$x'", "+=(", "]=",
}

// spoiled puts nasty pieces into a script, and takes pieces out.
func (w writer) spoiled(script string) string {
	for range 1 + w.IntN(4) {
		at := w.IntN(len(script) + 1)
		switch w.IntN(4) {
		case 0:
			end := min(at+1+w.IntN(3), len(script))
			script = script[:at] + script[end:]
		case 1:
			from := w.IntN(len(script) + 1)
			end := min(from+w.IntN(12), len(script))
			script = script[:at] + script[from:end] + script[at:]
		default:
			script = script[:at] + nasty[w.IntN(len(nasty))] + script[at:]
		}
	}
	return script
}

// soup makes a script of nasty pieces only.
func (w writer) soup() string {
	var b strings.Builder
	for range 2 + w.IntN(14) {
		b.WriteString(nasty[w.IntN(len(nasty))])
		b.WriteString(w.of("", "", "", " "))
	}
	return b.String()
}
