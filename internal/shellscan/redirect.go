package shellscan

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// redirect looks at one redirection.
func (t *text) redirect(r *syntax.Redirect) {
	line := t.lineAt(r.OpPos)
	t.equals(r.Word, line)
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		t.variable(strings.Trim(r.N.Value, "{}"), line) // {name}> puts the descriptor's number there
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		t.document(r, line)
	case syntax.WordHdoc:
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		t.writes(r.Word, line)
	case syntax.DplOut:
		switch word := wordOf(r.Word); {
		case !word.Fixed:
			// Bash expands the target of >& twice: echo x >& "$f" with f='$(cmd)' runs cmd.
			t.problem(line, "the target of >& is not fixed, and bash would evaluate it")
		case descriptor(word.Text):
		case strings.Trim(word.Text, unchanged) != "":
			t.problem(line, "bash reads the target of >& twice, so that quotes and backslashes in it mean something else: use &>")
		default:
			t.writes(r.Word, line)
		}
	case syntax.RdrIn:
		t.reads(r.Word, line)
	case syntax.DplIn:
		if word := wordOf(r.Word); !word.Fixed || !descriptor(word.Text) {
			t.problem(line, "the target of <& is no descriptor")
		}
	default:
		t.problem(line, fmt.Sprintf("bash has no redirection %s", r.Op))
	}
}

// redirections returns those of a statement, as written.
func (t *text) redirections(stmt *syntax.Stmt) (written []string) {
	for _, r := range stmt.Redirs {
		written = append(written, t.source[r.Pos().Offset():r.Word.End().Offset()])
	}
	return written
}

// redirected notes the redirections of a statement that is no simple command.
func (t *text) redirected(stmt *syntax.Stmt) {
	if call, simple := stmt.Cmd.(*syntax.CallExpr); t.stopped || len(stmt.Redirs) == 0 || simple && len(call.Args) > 0 {
		return
	}
	words := t.redirections(stmt)
	if stmt.Cmd != nil {
		words = append([]string{"{ …; }"}, words...)
	}
	t.Redirections = append(t.Redirections, strings.Join(words, " "))
}

// unchanged are the characters that stand for themselves however often a word is expanded.
const unchanged = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+@%-"

// descriptor reports whether the target of >& and <& is a descriptor: 2, 2- (moved) or - (closed).
func descriptor(text string) bool {
	number := strings.TrimSuffix(text, "-")
	return text != "" && strings.Trim(number, "0123456789") == ""
}

func (t *text) writes(w *syntax.Word, line int) {
	if processSubstitution(w) {
		return
	}
	word := wordOf(w)
	if !homely(w) {
		t.network(word, line)
	}
	t.overwrites(w, line)
	t.write(word, line)
}

// homely reports whether a word begins with a tilde, and so names a file below somebody's home.
func homely(w *syntax.Word) bool {
	l, ok := w.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(l.Value, "~") && strings.Contains(l.Value, "/")
}

// write adds a Write.
func (t *text) write(word shellwords.Word, line int) {
	if word.Fixed && word.Text == "/dev/null" || t.stopped {
		return
	}
	w := Write{Fixed: word.Fixed, Line: line}
	if word.Fixed {
		w.Path = word.Text
	}
	t.Writes = append(t.Writes, w)
}

func (t *text) reads(w *syntax.Word, line int) {
	if processSubstitution(w) || t.stopped {
		return
	}
	word := wordOf(w)
	switch {
	case !word.Fixed:
		t.problem(line, "the file that is read by < is not fixed")
	case t.network(word, line):
	case word.Text != "/dev/null":
		t.Reads = append(t.Reads, Read{Path: word.Text, Line: line})
	}
}

// network reports whether bash itself would open a connection (bash(1), REDIRECTION). A name that is not
// fixed may be one.
func (t *text) network(word shellwords.Word, line int) bool {
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if strings.HasPrefix(word.Text, prefix) || !word.Fixed && strings.HasPrefix(prefix, word.Text) {
			t.problem(line, "it opens, or may open, a network connection (/dev/tcp)")
			return true
		}
	}
	return false
}

func processSubstitution(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	_, ok := w.Parts[0].(*syntax.ProcSubst)
	return ok
}

// document looks at a here-document. The body's substitutions are found by the walk.
func (t *text) document(r *syntax.Redirect, line int) {
	// Behind <<'E'# the parser sees a comment, and bash a marker that ends in #.
	if end := int(r.Word.End().Offset()); !plainMarker(r.Word) ||
		end < len(t.source) && strings.IndexByte(" \t\n;&|()<>", t.source[end]) < 0 {
		t.problem(line, "the end marker of a here-document is not a plain word")
	}
	t.regions.documents = append(t.regions.documents, document{int(r.OpPos.Offset()), line})
	if r.Hdoc != nil && len(r.Hdoc.Parts) > 0 {
		kind := regionStrict
		if marker := r.Word.Lit(); marker == "" || strings.HasPrefix(marker, `\`) {
			kind = regionLiteral
		}
		t.regions.add(r.Hdoc, kind)
	}
}

// plainMarker reports whether every shell sees the same end marker: a word, quoted as a whole or not at all.
func plainMarker(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return plainName(strings.TrimPrefix(p.Value, `\`))
	case *syntax.SglQuoted:
		return !p.Dollar && plainName(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar || len(p.Parts) != 1 {
			return false
		}
		l, ok := p.Parts[0].(*syntax.Lit)
		return ok && plainName(l.Value)
	}
	return false
}
