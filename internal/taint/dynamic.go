package taint

import (
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"mvdan.cc/sh/v3/syntax"
)

// Command is a command that values choose, in a script whose author means that.
type Command struct {
	words    [][]part // of the command, from the word that names it on
	text     bool     // words holds one word, which is shell text: bash -c {{command}}
	from, to int      // the words of the call that are part of it
}

// chosen reports whether word k of a call is part of a command that values choose, and asks of the value
// what keeps the command what it seems.
func (t *valueFlow) chosen(n *syntax.CallExpr, c *call, k int) bool {
	if !t.a.options.DynamicCommand || !t.inner {
		return false
	}
	if role := c.reading.Roles[k]; role.Kind == shellwords.Code {
		return t.chosenText(n, c, k, role)
	}
	d := t.a.dynamicCommand(n, c)
	if d == nil || k < d.from || k >= d.to {
		return false
	}
	if k > d.from {
		t.role("argument of the command that a value chooses")
		return true
	}
	t.role("command that the value chooses")
	return true
}

// chosenText handles bash -c {{command}}: the value is all of the shell text.
func (t *valueFlow) chosenText(n *syntax.CallExpr, c *call, k int, role shellwords.Role) bool {
	if t.slot == nil || !t.whole(n.Args[k]) || role.Reader != "bash -c" && role.Reader != "sh -c" {
		return false
	}
	t.role("shell text of %s", role.Reader)
	t.slot.need(guard{check: noOptionSign, who: role.Reader})
	t.a.commands = append(t.a.commands, Command{text: true, words: [][]part{{{slot: t.slot}}}})
	return true
}

// dynamicCommand finds the command of a call that values choose: its name is a value of its own, or an array
// that holds nothing but fixed words and values, and every word after it is fixed or made of values.
func (a *analysis) dynamicCommand(n *syntax.CallExpr, c *call) *Command {
	if c.looked {
		return c.command
	}
	c.looked = true
	programs := c.reading.Programs
	if len(programs) == 0 || !a.options.DynamicCommand {
		return nil
	}
	last := programs[len(programs)-1]
	if c.words[last.At].Fixed {
		return nil
	}
	d := &Command{from: last.At, to: last.End}
	for i := d.from; i < d.to; i++ {
		if elements, built, ok := a.array(n.Args[i]); ok && n.Pos().After(built) {
			d.words = append(d.words, elements...)
			continue
		}
		parts, fixed := a.parts(n.Args[i])
		if !fixed || i == d.from && (len(parts) != 1 || parts[0].slot == nil) {
			return nil
		}
		d.words = append(d.words, parts)
	}
	if len(last.Via) > 0 && len(d.words) > 0 {
		who := last.Via[len(last.Via)-1]
		for _, p := range d.words[0] {
			if p.slot != nil {
				p.slot.need(guard{check: noLeadingDash, who: who})
				p.slot.need(guard{check: noAssignment, who: who})
			}
		}
	}
	c.command = d
	a.commands = append(a.commands, *d)
	return d
}

// array returns the elements of "${name[@]}" when the script builds the array from fixed words and values
// alone, in statements of its own outside every condition, loop and function, so that their order is that
// of the text. built is where the last of these statements ends.
func (a *analysis) array(w *syntax.Word) (elements [][]part, built syntax.Pos, ok bool) {
	if len(w.Parts) != 1 {
		return nil, built, false
	}
	quoted, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || len(quoted.Parts) != 1 {
		return nil, built, false
	}
	p, ok := quoted.Parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Excl || p.Length || p.Exp != nil || p.Slice != nil || p.Repl != nil {
		return nil, built, false
	}
	if index, ok := p.Index.(*syntax.Word); !ok || index.Lit() != "@" {
		return nil, built, false
	}
	return a.elements(p.Param.Value)
}

func (a *analysis) elements(name string) (elements [][]part, built syntax.Pos, ok bool) {
	plain := 0
	for _, s := range a.scripts[0].file.Stmts {
		c, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(c.Args) > 0 || s.Negated || s.Background {
			continue
		}
		for _, assign := range c.Assigns {
			if assign.Name == nil || assign.Name.Value != name {
				continue
			}
			if assign.Array == nil || assign.Index != nil {
				return nil, built, false
			}
			plain++
			built = s.End()
			if !assign.Append {
				elements = nil
			}
			for _, element := range assign.Array.Elems {
				if element.Index != nil || element.Value == nil {
					return nil, built, false
				}
				parts, fixed := a.parts(element.Value)
				if !fixed {
					return nil, built, false
				}
				elements = append(elements, parts)
			}
		}
	}
	return elements, built, plain > 0 && plain == a.graph.writes[name]
}

// Filled returns the command with the values of a call, by the numbers of their places.
func (d Command) Filled(texts []string) tool.DynamicCommand {
	if d.text {
		return tool.DynamicCommand{Text: joinParts(d.words[0], texts)}
	}
	argv := make([]string, len(d.words))
	for i, word := range d.words {
		argv[i] = joinParts(word, texts)
	}
	return tool.DynamicCommand{Argv: argv}
}
