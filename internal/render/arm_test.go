package render

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestArms: a tag in a branch of a case over a tag needs a value only where the branch may run.
func TestArms(t *testing.T) {
	t.Parallel()
	parameters := []tool.Parameter{{Name: "op", Required: true}, {Name: "path"}, {Name: "n", Type: tool.TypeInteger}, {Name: "x"}}
	const missing = "no value is given"
	for _, row := range []struct{ name, script, op, want string }{
		{"another branch", `case "{{op}}" in read) cat "{{path}}";; write) echo wrote;; esac`, "write", "wrote\n"},
		{"its branch", `case "{{op}}" in read) cat "{{path}}";; write) echo wrote;; esac`, "read", missing},
		{"one of two texts", `case {{op}} in read|"show") cat "{{path}}";; *) echo else;; esac`, "show", missing},
		{"none of two texts", `case {{op}} in read|"show") cat "{{path}}";; *) echo else;; esac`, "x", "else\n"},
		{"a number", `case {{op}} in head) head -{{n}} f; echo $(( {{n}} ));; *) echo else;; esac`, "x", "else\n"},
		{"within", `case {{op}} in a) case {{path}} in b) echo {{x}};; esac;; c) echo c;; esac`, "c", "c\n"},
		{"in a substitution", `case {{op}} in a) y=$(f() { cat {{path}}; }; f);; c) echo c;; esac`, "c", "c\n"},
		{"a pattern", `case {{op}} in r*) cat "{{path}}";; write) echo wrote;; esac`, "write", missing},
		{"a set", `case {{op}} in [r]) cat "{{path}}";; write) echo wrote;; esac`, "write", missing},
		{"a variable", `P=write; case {{op}} in $P) cat "{{path}}";; x) echo wrote;; esac`, "write", missing},
		{"every text", `case {{op}} in read) echo;; *) cat "{{path}}";; esac`, "read", missing},
		{"letter case", `shopt -s nocasematch; case {{op}} in read) cat "{{path}}";; esac`, "READ", missing},
		{"falls through", `case {{op}} in write) echo wrote ;& read) cat "{{path}}";; esac`, "write", missing},
		{"over more than the tag", `case x{{op}} in read) cat "{{path}}";; esac`, "write", missing},
		{"over a variable", `O={{op}}; case $O in read) cat "{{path}}";; esac`, "write", missing},
		{"a pattern itself", `case {{op}} in {{path}}) echo;; esac`, "write", missing},
		{"behind it", `case {{op}} in read) echo;; esac; cat {{path}}`, "write", missing},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template := compile(t, row.script, parameters, Options{})
			rendered, err := template.Render(map[string]any{"op": row.op})
			if err != nil || row.want == missing {
				if row.want != missing || err == nil || !strings.Contains(err.Error(), missing) {
					t.Errorf("got %v, want %q", err, row.want)
				}
				return
			}
			if o := run(t, t.TempDir(), rendered); o.stdout != row.want || o.err != nil {
				t.Errorf("got %q, %v %s", o.stdout, o.err, o.stderr)
			}
		})
	}
	_, findings := Compile(`case {{op}} in read) cat -- {{path}};; esac`, parameters, Options{})
	if len(findings) > 0 {
		t.Errorf("what only its branch needs is no mistake: %s", report(findings))
	}
}
