package taint

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"mvdan.cc/sh/v3/syntax"
)

// valueFlow follows a value outwards from where it stands: from the word to the command that gets it, from
// there through pipes, redirections, substitutions and functions, to everything that could run it. A place
// has one, and each use of a variable that a value may be in.
type valueFlow struct {
	a      *analysis
	script *script
	stack  []syntax.Node // the ancestors of the leaf, outermost first, then the leaf
	class  argument.Class
	inner  bool // it is the value itself that is followed, not what a command printed after it saw the value
	quoted bool // there were double quotes on the way

	slot *Slot // where it stands, nil for a variable

	descriptor bool    // or out of a descriptor, of which nobody knows what it holds
	file       string  // the file that the value comes out of, "" for a place or a variable
	variable   string  // the variable's name, "" for a place
	key        string  // as graph.variables has it
	origin     string  // the value that the variable may hold, or the command that read it
	input      bool    // the variable may only hold something that a command read
	read       bool    // or something that a command read may be in it
	leads      []*Slot // the values that the variable's text may begin with
	printed    bool    // or with something that a command printed
	// The functions that were left, and the statements whose standard input was looked at.
	visited map[syntax.Node]bool
}

// refuse says that the value must not go where it goes.
func (t *valueFlow) refuse(message, fix string) {
	if t.slot != nil {
		t.slot.refuse(message, fix)
		return
	}
	t.a.refuse(t.script, t.leaf(), t.origin, t.through(), message, fix)
}

// lenient says what the parameter's declaration would have to say for the value to stand here. It tells
// whether that is only a warning, so that the caller has each value checked instead; checked says how.
func (t *valueFlow) lenient(message, checked, fix string) bool {
	if !t.a.options.Lenient || t.slot == nil || !t.inner || t.class != argument.Free {
		t.refuse(message, fix)
		return false
	}
	t.warn(message+"; "+checked, fix)
	return true
}

// onlyNumbers is what a lenient place checks that needs a number.
const onlyNumbers = "every other value is refused when the tool is called"

func (t *valueFlow) warn(message, fix string) {
	if t.slot != nil {
		t.slot.remark(message, fix)
		return
	}
	t.a.warn(t.script, t.leaf(), t.origin, t.through(), message, fix)
}

// through says by which way the value came here.
func (t *valueFlow) through() string {
	if t.descriptor {
		return "through a descriptor"
	}
	if t.file != "" {
		return "through the file " + t.file
	}
	return "through $" + t.variable
}

func (t *valueFlow) role(format string, args ...any) {
	if t.slot != nil && t.slot.role == "" {
		t.slot.role = fmt.Sprintf(format, args...)
	}
}

func (t *valueFlow) leaf() syntax.Node { return t.stack[len(t.stack)-1] }

// follow climbs from the leaf to the file.
func (t *valueFlow) follow() {
	t.visited = map[syntax.Node]bool{}
	t.climb(len(t.stack) - 2)
}

// first reports whether the value comes to a node for the first time, so that it ends where a script goes
// in circles.
func (t *valueFlow) first(n syntax.Node) bool {
	if t.visited[n] {
		return false
	}
	t.visited[n] = true
	return true
}

// climb goes on with the ancestors from i outwards.
func (t *valueFlow) climb(i int) {
	for ; i >= 0 && t.a.spend(1) && t.step(i); i-- {
	}
}

// step takes the value from stack[i+1] into stack[i]. It says no when the value goes no further.
func (t *valueFlow) step(i int) bool {
	child := t.stack[i+1]
	switch n := t.stack[i].(type) {
	case *syntax.DblQuoted:
		t.quoted = true
	case *syntax.ParamExp:
		return t.parameter(n, child)
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		t.arithmetic("arithmetic")
		return false
	case *syntax.BinaryTest:
		t.compare(n, child)
	case *syntax.UnaryTest:
		t.unaryTest(n)
	case *syntax.TestClause, *syntax.CaseItem, *syntax.CaseClause, *syntax.WordIter:
		return t.control(n, child)
	case *syntax.ArrayElem:
		if n.Index != nil && syntax.Node(n.Index) == child {
			t.arithmetic("array subscript")
			return false
		}
	case *syntax.Assign:
		t.assign(n, child, t.stack[i-1])
		c, ok := t.stack[i-1].(*syntax.CallExpr)
		return ok && len(c.Args) > 0
	case *syntax.CallExpr:
		for k, w := range n.Args {
			if syntax.Node(w) == child {
				t.argument(n, k)
			}
		}
		t.outputs(n)
	case *syntax.Redirect:
		return t.redirect(n, child, i)
	case *syntax.Stmt:
		t.statement(n)
	case *syntax.CmdSubst:
		if n.Backquotes && t.slot != nil {
			t.refuse("the tag stands inside `…`", "write $(…)")
		}
		return t.leaveCommand()
	case *syntax.ProcSubst:
		return t.leaveCommand()
	case *syntax.BinaryCmd:
		if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && syntax.Node(n.X) == child {
			t.feed(n.Y)
		}
	case *syntax.FuncDecl:
		t.leaveFunction(n)
		return false
	case *syntax.CoprocClause:
		return false // what it prints is only seen through read, which nobody trusts
	}
	return true
}

// leaveCommand goes on with what a substitution printed. Of a number, or of a text that the author listed,
// no command makes something that the agent chose.
func (t *valueFlow) leaveCommand() bool {
	t.inner = false
	return t.slot == nil || t.class == argument.Free
}

// leaveFunction goes on wherever the function is called: what it prints goes there.
func (t *valueFlow) leaveFunction(f *syntax.FuncDecl) {
	if f.Name == nil || t.slot != nil && t.class != argument.Free || !t.first(f) {
		return
	}
	for _, stack := range t.a.callers[f.Name.Value] {
		next := *t
		next.stack = append(append([]syntax.Node(nil), stack...), t.leaf())
		next.inner = false
		next.climb(len(stack) - 2)
	}
}

// control handles the words that only decide what runs next. The statements inside print, so those go on.
func (t *valueFlow) control(n, child syntax.Node) bool {
	if _, ok := child.(*syntax.Stmt); ok {
		return true
	}
	switch n.(type) {
	case *syntax.WordIter:
		t.role("for list")
	case *syntax.CaseItem, *syntax.CaseClause:
		if _, ok := child.(*syntax.CaseItem); ok {
			return true
		}
		t.role("case")
	default:
		t.role("operand of [[ ]]")
	}
	return false
}

// parameter handles what stands inside ${…}.
func (t *valueFlow) parameter(n *syntax.ParamExp, child syntax.Node) bool {
	arithmetic := n.Index != nil && syntax.Node(n.Index) == child
	if n.Slice != nil {
		arithmetic = arithmetic || n.Slice.Offset != nil && syntax.Node(n.Slice.Offset) == child
		arithmetic = arithmetic || n.Slice.Length != nil && syntax.Node(n.Slice.Length) == child
	}
	switch {
	case arithmetic:
		t.arithmetic("an index or offset in ${…}")
		return false
	case t.slot != nil && t.inner:
		t.refuse("the tag stands inside ${…}", "assign the value to a variable first: x={{…}}")
		return false
	}
	return true // the word of ${x:-word} or the pattern of ${x#pattern}: data
}
