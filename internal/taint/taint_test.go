package taint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/taint"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mark makes a script of a text in which @x@ is a text that the agent chooses, and @n@ a number.
func mark(text string) *taint.Script {
	s := taint.NewScript("zA2Aq")
	for i, part := range strings.Split(text, "@") {
		switch {
		case i%2 == 0:
			s.AddText(part)
		case part == "n":
			number := argument.DomainOf(&tool.Parameter{Name: part, Type: tool.TypeInteger})
			s.AddValue(taint.Value{Domain: number, Source: part})
		default:
			s.AddValue(taint.Value{Source: part})
		}
	}
	return s
}

// findings lists what is refused, and what is warned of.
func findings(t *testing.T, s *taint.Script, options taint.Options) (refused, warned []taint.Finding) {
	t.Helper()
	a, err := taint.Analyse(s, options)
	if err != nil {
		t.Fatal(err)
	}
	all := a.Findings
	for _, p := range s.Slots {
		all = append(all, p.Findings()...)
	}
	for _, f := range all {
		if f.Warning {
			warned = append(warned, f)
		} else {
			refused = append(refused, f)
		}
	}
	return refused, warned
}

// sinks are scripts in which a value comes to something that evaluates it, whatever way it takes, and such
// as look like it. at is where the finding stands.
var sinks = []struct{ name, script, refused, at string }{
	{"a word", `echo @x@ "@x@" '@x@'`, "", ""},
	{"the name of a command", `@x@ a`, "chooses which command runs", "zA2Aq0z"},
	{"code", `bash -c "echo @x@"`, "part of shell code", "zA2Aq0z"},
	{"a number in code", `awk "NR > @n@"`, "", ""},
	{"a parameter of code", `bash -c 'echo "$1"' _ @x@`, "", ""},
	{"a parameter that code evaluates", `bash -c 'eval "$1"' _ @x@`, "part of shell code", "bash"},
	{"standard input", `echo @x@ | bash`, "standard input of bash", "zA2Aq0z"},
	{"a here-document", "bash <<E\necho @x@\nE\n", "standard input of bash", "zA2Aq0z"},
	{"a variable", `X=@x@; eval "$X"`, "part of shell code", `$X`},
	{"a variable of a variable", `X=@x@; Y=$X; eval "$Y"`, "part of shell code", `$Y`},
	{"a variable that is data", `X=@x@; echo "$X"`, "", ""},
	{"a function", `f() { eval "$1"; }; f @x@`, "part of shell code", `$1`},
	{"a file", `echo @x@ > t.sh; bash t.sh`, "the file is run here", "t.sh"},
	{"a file that is data", `echo @x@ > t.txt; cat t.txt`, "", ""},
	{"a substitution", `eval "$(echo @x@)"`, "part of shell code", "zA2Aq0z"},
	{"arithmetic", `echo $((@x@))`, "only a number is safe", "zA2Aq0z"},
	{"a number in arithmetic", `echo $((@n@))`, "", ""},
	{"a variable in arithmetic", `X=@x@; echo $((X))`, "evaluated as arithmetic", "X))"},
	{"a variable that programs obey", `PATH=@x@; ls`, "PATH", "zA2Aq0z"},
	{"a script that bash reads differently", `alias a=b; echo @x@`, "changes how bash reads", "alias"},
}

// TestSinks: a value is refused where it comes to something that evaluates it, and nowhere else.
func TestSinks(t *testing.T) {
	t.Parallel()
	for _, row := range sinks {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := mark(row.script)
			refused, _ := findings(t, s, taint.Options{})
			if row.refused == "" {
				if len(refused) > 0 {
					t.Errorf("refused: %+v", refused)
				}
				return
			}
			if len(refused) == 0 || !strings.Contains(refused[0].Message, row.refused) {
				t.Fatalf("got %+v, want %q", refused, row.refused)
			}
			if at := refused[0].Offset; at < 0 || !strings.HasPrefix(s.Text()[at:], row.at) {
				t.Errorf("the finding is at %d of %q", at, s.Text())
			}
		})
	}
}

// TestPlaces: how a place is quoted and what the value is there are told, and what cannot stand there is.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ script, context, value, text, refused string }{
		{`cat @x@`, "unquoted word, argument of cat", "-n", "-n", "starts with '-'"},
		{`cat -- "@x@"`, "double quotes, argument of cat", "-n", "-n", ""},
		{`echo '@x@'`, "single quotes, argument of echo", "-n", "-n", ""},
		{"cat <<E\n@x@\nE\n", "here-document, text of a here-document", "-n", "-n", ""},
		{"cat <<'E'\n@x@\nE\n", "quoted here-document, text of a here-document", "-n", "-n", ""},
		{`echo $((@n@))`, "arithmetic", "1.5", "1.5", "only a whole number"},
		{`echo # @x@`, "comment", "", "", ""},
		{`echo > @x@`, "unquoted word, redirection target", "/dev/tcp/h/1", "/dev/tcp/h/1", "network connection"},
	} {
		s := mark(row.script)
		if refused, _ := findings(t, s, taint.Options{}); len(refused) > 0 {
			t.Errorf("%s: %+v", row.script, refused)
		}
		p := s.Slots[0]
		if p.Context() != row.context {
			t.Errorf("%s: got %q, want %q", row.script, p.Context(), row.context)
		}
		text := p.Text(row.value)
		reason, ok := p.Check([]string{text})
		if text != row.text || ok != (row.refused == "") || !strings.Contains(reason, row.refused) {
			t.Errorf("%s: %q is %q, %q, want %q", row.script, row.value, text, reason, row.refused)
		}
	}
}

// TestNames: the texts that the author gives a value can be names of variables, to arithmetic.
func TestNames(t *testing.T) {
	t.Parallel()
	listed := func(items ...any) argument.Domain {
		return argument.DomainOf(&tool.Parameter{Name: "e", Type: tool.TypeString, Enum: items})
	}
	for _, row := range []struct {
		name    string
		value   taint.Value
		refused bool
	}{
		{"a listed text that is none", taint.Value{Domain: listed("a", "b"), Source: "e"}, false},
		{"a listed text", taint.Value{Domain: listed("a", "X"), Source: "e"}, true},
		{"a default that is none", taint.Value{Domain: listed("a"), Source: "e", Default: "1"}, false},
		{"a default", taint.Value{Domain: listed("a"), Source: "e", Default: "X+1"}, true},
	} {
		s := mark("X=@x@; Y=")
		s.AddValue(row.value)
		s.AddText("; echo $((Y))")
		if refused, _ := findings(t, s, taint.Options{}); len(refused) > 0 != row.refused {
			t.Errorf("%s: got %+v", row.name, refused)
		}
	}
}

// TestScripts holds what no analysis is made of.
func TestScripts(t *testing.T) {
	t.Parallel()
	if _, err := taint.Analyse(mark("echo zA2Aq @x@"), taint.Options{}); !errors.Is(err, taint.ErrPlaceholder) {
		t.Errorf("a text that reads as a placeholder: %v", err)
	}
	if _, err := taint.Analyse(mark("echo ( @x@"), taint.Options{}); err == nil {
		t.Error("what is no bash is analysed")
	}
	if refused, warned := findings(t, mark("eval \"$1\"; alias a=b"), taint.Options{}); len(refused)+len(warned) > 0 {
		t.Errorf("a script without values: %+v %+v", refused, warned)
	}
}

// TestCommands: a command that values choose is known with the values of a call.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := mark(`timeout 5 @x@ --all @y@`)
	a, err := taint.Analyse(s, taint.Options{DynamicCommand: true})
	if err != nil || len(a.Commands) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := a.Commands[0].Filled([]string{"git", "log"}).Argv; strings.Join(got, " ") != "git --all log" {
		t.Errorf("got %q", got)
	}
	if reason, ok := s.Slots[0].Check([]string{"-k", ""}); ok || !strings.Contains(reason, "timeout would read it as an option") {
		t.Errorf("an option of what runs the command: %q, %t", reason, ok)
	}
}

// FuzzAnalyse: whatever the script is, its analysis ends, and what it finds stands in the text.
func FuzzAnalyse(f *testing.F) {
	for _, row := range sinks {
		f.Add(row.script, "a b")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		for _, options := range []taint.Options{{}, {DynamicCommand: true}, {Lenient: true, TrustProgram: true}} {
			s := mark(text)
			a, err := taint.Analyse(s, options)
			if err != nil {
				return
			}
			texts := make([]string, len(s.Slots))
			found := a.Findings
			for i, p := range s.Slots {
				if p.From >= p.To || p.To > len(s.Text()) || p.Context() == "" {
					t.Errorf("place %d of %q: %+v", i, s.Text(), p)
				}
				texts[i] = p.Text(value)
				found = append(found, p.Findings()...)
			}
			for _, p := range s.Slots {
				if reason, ok := p.Check(texts); ok != (reason == "") {
					t.Errorf("%q in %q: %t, %q", value, s.Text(), ok, reason)
				}
			}
			for _, command := range a.Commands {
				if filled := command.Filled(texts); len(filled.Argv) == 0 && filled.Text == "" && value != "" {
					t.Errorf("a command of %q is empty", s.Text())
				}
			}
			for _, finding := range found {
				if finding.Message == "" || finding.Offset > len(s.Text()) {
					t.Errorf("in %q: %+v", s.Text(), finding)
				}
			}
		}
	})
}
