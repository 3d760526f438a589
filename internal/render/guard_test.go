package render

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// At each call some values cannot stand in some places. The reason names the tag and never the value.
func TestGuards(t *testing.T) {
	t.Parallel()
	fields := []tool.Parameter{{Name: "n", Type: tool.TypeInteger}, {Name: "e", Enum: []any{"fast"}}, {Name: "items", Type: tool.TypeArray}}
	for _, row := range []struct {
		name       string
		script     string
		parameters []tool.Parameter
		arguments  map[string]any
		reason     string // "" when the call is fine
	}{
		{name: "leading dash", script: `find {{x}}`, arguments: map[string]any{"x": "-delete"}, reason: "line 1: {{x}} (unquoted word, argument of find): the value starts with '-', so find would read it as an option"},
		{name: "leading dash in quotes", script: "\n rm \"{{x}}\"", arguments: map[string]any{"x": "-rf"}, reason: "line 2: {{x}} (double quotes, argument of rm): the value starts with '-'"},
		{name: "leading dash of the second of two", script: `rm {{x}}{{y}}`, arguments: map[string]any{"x": "", "y": "-rf"}, reason: "starts with '-'"},
		{name: "leading dash behind a variable that may be empty", script: `rm "$A{{#b}}{{/b}}"{{x}}`, arguments: map[string]any{"x": "-rf"}, reason: "starts with '-'"},
		{name: "leading dash in braces", script: `rm {a,{{x}}}`, arguments: map[string]any{"x": "-rf"}, reason: "starts with '-'"},
		{name: "leading dash of a number", script: `kill {{n}}`, arguments: map[string]any{"n": number("-1")}, reason: "starts with '-'"},
		{name: "leading dash through a variable", script: `F={{x}}; G="$F"; cat "$G"`, arguments: map[string]any{"x": "-n"}, reason: "so cat (through $G) would read it as an option"},
		{name: "leading dash through an array", script: `A=({{x}}); cat "${A[@]}"`, arguments: map[string]any{"x": "-n"}, reason: "so cat (through $A) would read it as an option"},
		{name: "leading dash through a function", script: `f() { cat "$1"; }; f {{x}}`, arguments: map[string]any{"x": "-n"}, reason: "so cat (through $1) would read it as an option"},
		{name: "leading dash behind fixed text", script: `F=./{{x}}; cat "$F" a{{x}}`, arguments: map[string]any{"x": "-n"}},
		{name: "leading dash after --", script: `cat -- {{x}}`, arguments: map[string]any{"x": "-n"}},
		{name: "leading dash after -- that find ignores", script: `find -- {{x}}`, arguments: map[string]any{"x": "-delete"}, reason: "starts with '-'"},
		{name: "leading dash in echo", script: `echo {{x}}`, arguments: map[string]any{"x": "-n"}},
		{name: "leading dash allowed", script: `cat {{d}}`, arguments: map[string]any{"d": "-n"}},
		{name: "leading dash in SQL of sqlite3", script: `sqlite3 -safe db {{q}}`, arguments: map[string]any{"q": "-cmd"}, reason: "starts with '-'"},
		{name: "operator of find", script: `find {{x}} -delete`, arguments: map[string]any{"x": "!"}, reason: "find takes the value for an operator"},
		{name: "operator of find through a variable", script: `D={{x}}; find "$D" -delete`, arguments: map[string]any{"x": "("}, reason: "find takes the value for an operator"},
		{name: "no operator of find", script: `find {{x}} -name {{y}}`, arguments: map[string]any{"x": "!a", "y": "!"}},
		{name: "integer in arithmetic", script: `echo $(( {{n}} ))`, arguments: map[string]any{"n": number("1.5")}, reason: "only a whole number can stand in arithmetic"},
		{name: "integer with 20 digits", script: `echo $(( {{n}} ))`, arguments: map[string]any{"n": number("12345678901234567890")}, reason: "only a whole number"},
		{name: "integer with exponent", script: `echo $(( {{n}} ))`, arguments: map[string]any{"n": number("1e3")}},
		{name: "negative descriptor", script: `echo >&{{n}}`, arguments: map[string]any{"n": number("-1")}, reason: "only a whole number without sign"},
		{name: "negative after a dash", script: `head -{{n}}`, arguments: map[string]any{"n": number("-1")}, reason: "only a whole number without sign can stand after '-'"},
		{name: "negative after a dash in code", script: `psql -c "select 5-{{n}}"`, arguments: map[string]any{"n": number("-1")}, reason: "a negative number after a '-'"},
		{name: "negative in code", script: `psql -c "select 5 - {{n}}"`, arguments: map[string]any{"n": number("-1")}},
		{name: "a way out of a directory", script: `rm -rf "cache/{{x}}"`, arguments: map[string]any{"x": "../src"}, reason: "leads with .. out of the directory"},
		{name: "a way out of a directory, further in", script: `rm -rf -- cache/a-{{x}}/tmp`, arguments: map[string]any{"x": "b/../../../src"}, reason: "leads with .. out"},
		{name: "a way out of a directory, in parts", script: `cat "docs/{{x}}{{y}}"`, arguments: map[string]any{"x": ".", "y": "./.env"}, reason: "leads with .. out"},
		{name: "a way out of a directory, behind a dot", script: `cat docs/.{{x}}`, arguments: map[string]any{"x": "./.env"}, reason: "leads with .. out"},
		{name: "a way out of a directory of a variable", script: `mkdir -p "$HOME/a/{{x}}"`, arguments: map[string]any{"x": "../.ssh"}, reason: "leads with .. out"},
		{name: "a way out of a directory that is written to", script: `echo hi > "out/{{x}}.txt"`, arguments: map[string]any{"x": "../a"}, reason: "leads with .. out"},
		{name: "a way out of a directory that curl writes to", script: `curl -o out/{{x}} https://example.com`, arguments: map[string]any{"x": "../a"}, reason: "leads with .. out"},
		{name: "a way out of a directory that tar writes to", script: `tar xf a.tar -C "out/{{x}}"`, arguments: map[string]any{"x": ".."}, reason: "leads with .. out"},
		{name: "a way out of a directory, through a variable", script: `D="cache/{{x}}"; E="$D/tmp"; rm -rf "$E"`, arguments: map[string]any{"x": "../src"}, reason: "leads with .. out"},
		{name: "a way out of a directory in front of a variable", script: `D={{x}}; rm -rf "cache/$D"`, arguments: map[string]any{"x": "../src"}, reason: "leads with .. out"},
		{name: "a way out of a directory, through a function", script: `f() { rm -rf "cache/$1"; }; f {{x}}`, arguments: map[string]any{"x": "../src"}, reason: "leads with .. out"},
		{name: "dots in a directory", script: `rm -rf "cache/{{x}}"; cat ./{{y}}`, arguments: map[string]any{"x": "a..b/...", "y": "../a"}},
		{name: "dots with no directory in front", script: `rm -f {{x}}; echo "a/{{y}}"; curl https://example.com/{{y}}`, arguments: map[string]any{"x": "../a", "y": "../b"}},
		{name: "a ref that is forced", script: `git push origin {{x}}`, arguments: map[string]any{"x": "+main"}, reason: "more than one ref, or for --force"},
		{name: "a ref that is deleted", script: `git push origin {{x}}`, arguments: map[string]any{"x": ":main"}, reason: "more than one ref"},
		{name: "a ref of another name", script: `git fetch origin {{x}}`, arguments: map[string]any{"x": "a:refs/heads/main"}, reason: "more than one ref"},
		{name: "a ref through a variable", script: `B={{x}}; git push origin "$B"`, arguments: map[string]any{"x": "HEAD:main"}, reason: "more than one ref"},
		{name: "a path for a name", script: `service {{x}} restart`, arguments: map[string]any{"x": "../../tmp/a"}, reason: "for a file or a command"},
		{name: "a path for a name of systemctl", script: `systemctl enable --now {{x}}`, arguments: map[string]any{"x": "/tmp/a.service"}, reason: "for a file or a command"},
		{name: "a pipe for a name", script: `mail -s a {{x}} <<< b`, arguments: map[string]any{"x": "|touch PWNED"}, reason: "for a file or a command"},
		{name: "a name", script: `service {{x}} restart; mail -s {{y}} {{x}} <<< b`, arguments: map[string]any{"x": "a@b.c", "y": "a/b"}},
		{name: "a pipe that is opened", script: `convert {{x}} out.png`, arguments: map[string]any{"x": "|touch PWNED"}, reason: "does more than open"},
		{name: "a pipe at the end of a name", script: `exiftool {{x}}`, arguments: map[string]any{"x": "touch PWNED|"}, reason: "does more than open"},
		{name: "a script in place of a login", script: `sqlplus -S {{x}}`, arguments: map[string]any{"x": "@evil"}, reason: "does more than open"},
		{name: "a format that is opened", script: `convert a.png "{{x}}"`, arguments: map[string]any{"x": "msl:a"}, reason: "does more than open"},
		{name: "a list that is opened", script: `magick a.png label:{{x}} b.png`, arguments: map[string]any{"x": "@/etc/passwd"}, reason: "does more than open"},
		{name: "a picture", script: `convert {{x}} ./a:b.png`, arguments: map[string]any{"x": "./a:b.png"}},
		{name: "a ref", script: `git push origin {{x}} HEAD:{{y}}; git fetch {{x}}`, arguments: map[string]any{"x": "feature/a", "y": "b+c"}},
		{name: "network device", script: `echo > {{x}}`, arguments: map[string]any{"x": "/dev/tcp/h/80"}, reason: "opens a network connection"},
		{name: "network device in parts", script: `echo > "{{x}}{{y}}"`, arguments: map[string]any{"x": "/dev/u", "y": "dp/h/80"}, reason: "opens a network connection"},
		{name: "network device behind fixed text", script: `echo > /dev/{{x}}`, arguments: map[string]any{"x": "tcp/h/80"}, reason: "opens a network connection"},
		{name: "network device through a variable", script: `F={{x}}; echo > "$F"`, arguments: map[string]any{"x": "/dev/tcp/h/80"}, reason: "opens a network connection"},
		{name: "network device through a variable behind fixed text", script: `F={{x}}; echo > "/dev/$F"`, arguments: map[string]any{"x": "tcp/h/80"}, reason: "opens a network connection"},
		{name: "network device that is read", script: `cat < {{x}}`, arguments: map[string]any{"x": "/dev/tcp/h/80"}, reason: "opens a network connection"},
		{name: "network device that the author wants", script: `exec 5<>/dev/tcp/{{x}}/80`, arguments: map[string]any{"x": "h"}},
		{name: "psql meta-command", script: `psql -c {{q}}`, arguments: map[string]any{"q": ` \! touch PWNED`}, reason: `can run programs from a text that starts with \ or .`},
		{name: "sqlite3 dot-command", script: `sqlite3 -safe db "{{q}}"`, arguments: map[string]any{"q": ".shell touch PWNED"}, reason: `can run programs`},
		{name: "mysql client command", script: `mysql -e {{q}}`, arguments: map[string]any{"q": "select 1;\nsystem touch PWNED"}, reason: "can run programs from client commands"},
		{name: "mysql client escape", script: `mysql -e {{q}}`, arguments: map[string]any{"q": `select 1 \! touch PWNED`}, reason: "can run programs from client commands"},
		{name: "mysql SQL", script: `mysql -e {{q}}`, arguments: map[string]any{"q": "select 'system' from t"}},
		{name: "archive on another machine", script: `tar xf {{x}}`, arguments: map[string]any{"x": "host:a.tar"}, reason: "takes what stands in front of the colon for another machine"},
		{name: "archive on another machine, new options", script: `tar -xzf {{x}} -C a`, arguments: map[string]any{"x": "u@host:a.tar"}, reason: "for another machine"},
		{name: "archive on another machine, glued", script: `tar --extract --file={{x}}`, arguments: map[string]any{"x": "host:/a"}, reason: "for another machine"},
		{name: "archive on another machine, through a variable", script: `F={{x}}; tar xf "$F"`, arguments: map[string]any{"x": "host:/a"}, reason: "for another machine"},
		{name: "archive on this machine", script: `tar xf {{x}}; tar -xf {{y}}; tar xf a/{{z}}`, arguments: map[string]any{"x": "./a:b", "y": "/a:b", "z": "a:b"}},
		{name: "plain text for make", script: `VERSION={{p}} make`, parameters: []tool.Parameter{{Name: "p", Pattern: "[a-z0-9.-]+"}}, arguments: map[string]any{"p": "1.2-rc1"}},
		{name: "a field that hides plain text", script: `{{#items}}VERSION={{p}} make{{/items}}`, parameters: []tool.Parameter{{Name: "p", Pattern: "[a-z0-9.-]+"}, {Name: "items", Type: tool.TypeArray}}, arguments: map[string]any{"items": []any{map[string]any{"p": "$(touch PWNED)"}}}, reason: "has a character that make gives a meaning"},
		{name: "an exported field that hides plain text", script: `{{#items}}export VERSION={{p}}; make{{/items}}`, parameters: []tool.Parameter{{Name: "p", Pattern: "[a-z0-9.-]+"}, {Name: "items", Type: tool.TypeArray}}, arguments: map[string]any{"items": []any{map[string]any{"p": "a;b"}}}, reason: "has a character that make gives a meaning"},
		{name: "plain settings", script: `go build -ldflags "-X main.v={{p}}"`, parameters: []tool.Parameter{{Name: "p", Pattern: "[a-z0-9.-]+"}}, arguments: map[string]any{"p": "v1"}},
		{name: "NUL", script: `echo {{x}}`, arguments: map[string]any{"x": "a\x00b"}, reason: "NUL byte"},
		{name: "NUL in a list", script: `echo {{#list}}{{.}}{{/list}}`, arguments: map[string]any{"list": []any{"a\x00"}}, reason: "NUL byte"},
		{name: "missing", script: `echo {{x}}`, reason: "line 1: {{x}} (unquoted word, argument of echo): no value is given, and there is no default"},
		{name: "missing field", script: `echo {{map.name}}`, arguments: map[string]any{"map": map[string]any{}}, reason: "{{map.name}}"},
		{name: "missing in a comment", script: "# {{x}}\necho"},
		{name: "missing, but the parameter has a default", script: `echo {{z}}`, parameters: []tool.Parameter{{Name: "z", Default: "a"}}},
		{name: "not of its enum", script: `echo {{e}}`, arguments: map[string]any{"e": "other"}, reason: "none that the parameter's declaration allows"},
		{name: "no number", script: `echo {{n}}`, arguments: map[string]any{"n": "a[$(touch PWNED)]"}, reason: "none that the parameter's declaration allows"},
		{name: "a field that hides a number", script: `{{#items}}X={{n}}; echo $((X)){{/items}}`, parameters: fields, arguments: map[string]any{"n": number("1"), "items": []any{map[string]any{"n": "a[$(touch PWNED)]"}}}, reason: "none that the parameter's declaration allows"},
		{name: "a field that hides an enum", script: `{{#items}}awk "BEGIN { print \"{{e}}\" }"{{/items}}`, parameters: fields, arguments: map[string]any{"items": []any{map[string]any{"e": `"; system("touch PWNED")`}}}, reason: "none that the parameter's declaration allows"},
		{name: "number that is too long", script: `echo {{n}}`, arguments: map[string]any{"n": number("1e999999999")}, reason: "cannot be written as text"},
		{name: "option of a chosen shell text", script: `bash -c {{x}}`, arguments: map[string]any{"x": "-x"}, reason: "would read it as options"},
		{name: "option of a wrapper of a chosen command", script: `timeout 5 {{x}}`, arguments: map[string]any{"x": "-s"}, reason: "starts with '-'"},
		{name: "assignment for a wrapper of a chosen command", script: `env {{x}} {{y}}`, arguments: map[string]any{"x": "A=b", "y": "ls"}, reason: "takes a word with = for an assignment"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			parameters := row.parameters
			if parameters == nil {
				parameters = standard()
			}
			template := compile(t, row.script, parameters, Options{Undeclared: ImplyUndeclared, DynamicCommand: strings.Contains(row.name, "chosen")})
			_, err := template.Render(row.arguments)
			if row.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var failure *tool.Failure
			if !errors.As(err, &failure) || failure.Code != tool.FailTemplate {
				t.Fatalf("got %v, want a template failure", err)
			}
			if !strings.Contains(failure.Message, row.reason) {
				t.Errorf("got %q, want %q", failure.Message, row.reason)
			}
			for _, value := range row.arguments {
				if s, ok := value.(string); ok && len(s) > 2 && strings.Contains(failure.Message, s) {
					t.Errorf("the message %q holds the value %q", failure.Message, s)
				}
			}
		})
	}
}

// With many sections not every combination is tried when a script is compiled. One that was not is proved
// at the call.
func TestUntriedShapeIsProvedAtTheCall(t *testing.T) {
	t.Parallel()
	names := []string{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"}
	var parameters []tool.Parameter
	all := ""
	for _, name := range names {
		parameters = append(parameters, tool.Parameter{Name: name, Type: tool.TypeBoolean})
		all += "{{#" + name + "}}{{/" + name + "}}"
	}
	parameters = append(parameters, stringsNamed("x")...)
	nodes, _ := parse(all)
	bindNames(all, nodes, declare(parameters), RefuseUndeclared)
	tried := map[[5]int]bool{}
	for _, c := range combinations(nodes, len(all)) {
		tried[[5]int{c["s1"], c["s2"], c["s3"], c["s4"], c["s5"]}] = true
	}
	for bits := range 32 {
		var want [5]int
		before, after := "", ""
		arguments := map[string]any{"x": "$(touch PWNED)"}
		for i := range want {
			want[i] = bits >> i & 1
			sigil := map[int]string{0: "^", 1: "#"}[want[i]]
			before += "{{" + sigil + names[i] + "}}"
			after = "{{/" + names[i] + "}}" + after
			arguments[names[i]] = want[i] == 1
		}
		if tried[want] {
			continue
		}
		// Only in this combination the tag is shell code.
		template := compile(t, "echo "+before+"| bash -c "+after+"{{x}}"+all, parameters, Options{})
		_, err := template.Render(arguments)
		if err == nil || !strings.Contains(err.Error(), "shell code that bash -c runs") {
			t.Errorf("got %v, want the refusal of the place", err)
		}
		arguments["s1"] = want[0] == 0
		r, err := template.Render(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if o := run(t, t.TempDir(), r); o.stdout != "$(touch PWNED)\n" {
			t.Errorf("got %q", o.stdout)
		}
		return
	}
	t.Error("every combination was tried, so there is nothing to prove")
}
