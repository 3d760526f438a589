package celmistake

import (
	"regexp"
	"testing"

	"cel.dev/cel-go/cel"
)

// TestMistakes compares what is said of expressions that people write with what they would need to know.
func TestMistakes(t *testing.T) {
	t.Parallel()
	env, err := cel.NewEnv(cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true), cel.ASTValidators(cel.ValidateRegexLiterals()),
		cel.Variable("params", cel.MapType(cel.StringType, cel.DynType)), cel.Variable("call.tool", cel.StringType),
		cel.Variable("call.paths", cel.ListType(cel.StringType)), cel.Variable("call.headless", cel.BoolType))
	if err != nil {
		t.Fatal(err)
	}
	theirs := regexp.MustCompile(`EOF|IDENTIFIER|Syntax|token|input '|overload|'_|reference`)
	for text, want := range map[string]string{
		`call.tool == 'a'`:               ``,
		`call.tool == `:                  `at character 14: it ends too early`,
		``:                               `at character 1: it ends too early`,
		`call.tool == "a" || `:           `at character 21: it ends too early`,
		`call.headless ? true`:           `at character 21: it ends too early`,
		`params.x > 3 and call.headless`: `at character 14: "and" cannot stand here; write && for and`,
		`not call.headless`:              `at character 5: "call" cannot stand here; write ! for not`,
		`call.tool == 'and' and true`:    `at character 20: "and" cannot stand here; write && for and`,
		"call.tool == \n 'x' or true":    `in its line 2, at character 6: "or" cannot stand here; write || for or`,
		`params.x = 3`:                   `at character 10: "=" cannot stand here; == compares`,
		`call.tool === 'x'`:              `at character 13: "=" cannot stand here; == compares`,
		`call.tool =~ 'x'`:               `at character 11: "=~" cannot stand here; a.matches('a regular expression')`,
		`call.tool <> 'x'`:               `at character 12: ">" cannot stand here; write != for <>`,
		`call.headless & true`:           `at character 15: "&" cannot stand here; write && for and`,
		`call.tool like 'x'`: `at character 11: "like" cannot stand here; ` +
			`a.contains(b), a.startsWith(b) and a.matches('a regular expression') compare texts`,
		`call.tool == 'a' 'b'`:      `at character 18: "'b'" cannot stand here`,
		"call.tool == `x`":          "at character 14: \"`x`\" cannot stand here",
		`$x`:                        `at character 1: "$" cannot stand here`,
		`call.headless)`:            `at character 14: ")" cannot stand here`,
		`call.tool.startsWith('x'`:  `at character 25: a ) is missing at the end`,
		`call.paths[0`:              `at character 13: a ] is missing at the end`,
		`{'a' 1}`:                   `at character 6: a : is missing before 1`,
		`"abc`:                      `at character 1: a text begins here that nothing ends: its last quote is missing`,
		`params[x]`:                 `at character 8: there is nothing called x`,
		`call.tool.startswith('x')`: `at character 21: there is nothing called startswith (did you mean startsWith?)`,
		`call.tool > 3`:             `at character 11: > does not take string and int`,
		`call.paths == 'x'`:         `at character 12: == does not take list(string) and string`,
		`!call.tool`:                `at character 1: ! does not take string`,
		`call.tool in 'abc'`:        `at character 11: in does not take string and string`,
		`call.tool.contains(3)`:     `at character 19: contains of string does not take int`,
		`call.tool && true`:         `at character 5: want bool here; found string`,
		`if call.headless`:          `at character 1: if is a word that CEL keeps for itself`,
		`has(params)`:               `at character 5: has takes a field of something; has(params.url)`,
		`call.tool.matches('(')`:    `at character 19: matches takes a regular expression, in the syntax of RE2, and this is none`,
	} {
		_, issues := env.Compile(text)
		got := ""
		if m := First(text, issues); m != nil {
			if got = m.Error()[len("the expression is wrong "):]; m.Hint != "" {
				got += "; " + m.Hint
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if theirs.MatchString(got) {
			t.Errorf("%q: %s, which only who knows the parser understands", text, got)
		}
	}
}
