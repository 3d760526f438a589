package taint

import (
	"regexp"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// evaluators are what a program in another language runs texts with. What its author does with a value
// there is not followed.
var evaluators = map[shellwords.Language]func() *regexp.Regexp{
	shellwords.Awk:  evaluator(`\bsystem\s*\(|(^|[^|])\|\s*&?\s*(getline|"|[A-Za-z_])|\|&`),
	shellwords.Sed:  evaluator(`(^|[;{\n])\s*[0-9$]*,?[0-9$]*\s*e(\s|$)|s(.).*\x60?[/|#,][gpim0-9]*e[gpim0-9]*\s*($|[;}\n])`),
	shellwords.Perl: evaluator("\\b(system|exec|eval|qx|require|do|open)\\b|`|/[a-z]*ee[a-z]*\\s*(;|$)"),
	shellwords.Python: evaluator(`\b(exec|eval|system|popen|subprocess|__import__|import_module|runpy|pickle|marshal` +
		`|shelve|dill|cloudpickle|joblib|unsafe_load|full_load|read_pickle|allow_pickle|fileConfig|dictConfig)\b` +
		`|\bsys\.path\b|\byaml\.load\b`),
	shellwords.Ruby: evaluator("\\b(system|exec|eval|instance_eval|spawn|popen|open|require|load|send|public_send" +
		"|const_get|constantize)\\b|\\bIO\\.|\\bMarshal\\b|`|%x"),
	shellwords.JavaScript: evaluator(`\b(eval|Function|child_process|execSync|spawn|vm)\b|\bimport\s*\(|\brequire\s*\(\s*[^'"\s]`),
	shellwords.PHP: evaluator("\\b(system|exec|eval|passthru|shell_exec|popen|proc_open|pcntl_exec|include|include_once" +
		"|require|require_once|unserialize|call_user_func|call_user_func_array)\\b|\\$\\w+\\s*\\(|\\bnew\\s+\\$|`"),
	shellwords.Lua: evaluator(`\b(execute|popen|load|loadstring|dofile)\b`),
}

// evaluator is compiled for the first script that has such code.
func evaluator(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// warnOfEvaluators tells the author of fixed code that runs texts itself: that no value becomes one is his
// to see to.
func (a *analysis) warnOfEvaluators(s *script, n *syntax.CallExpr, c *call) {
	for _, text := range c.reading.Code {
		found := evaluators[text.Language]
		if found == nil || !text.Fixed || !found().MatchString(text.Text) {
			continue
		}
		reader := c.reading.Roles[text.At].Reader
		a.warn(s, n, "", "",
			"this "+string(text.Language)+" code of "+reader+
				" can run texts by itself, and values are not followed there",
			"make sure that no value becomes part of a text that it runs")
	}
}
