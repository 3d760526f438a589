package render

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// everyday reads testdata/everyday.txt.
func everyday(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/everyday.txt")
	if err != nil {
		t.Fatal(err)
	}
	var scripts []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "# ") {
			scripts = append(scripts, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return scripts
}

var everydayName = regexp.MustCompile(`\{\{[#^]?([a-z]+)`)

// everydayParameters declares what a script of the file names, as its first lines say.
func everydayParameters(script string) []tool.Parameter {
	var list []tool.Parameter
	for _, found := range everydayName.FindAllStringSubmatch(script, -1) {
		p := tool.Parameter{Name: found[1], Type: tool.TypeString, Required: true}
		switch p.Name {
		case "count", "limit", "line", "port", "days":
			p.Type = tool.TypeInteger
		case "file", "dir", "path", "from", "to", "out":
			p.Format = tool.FormatPath
		case "version", "tag":
			p.Pattern = "[A-Za-z0-9][A-Za-z0-9._-]*"
		case "level":
			p.Enum = []any{"fast", "slow"}
		case "query":
			p.Code = tool.CodeSQL
		case "files":
			p.Type = tool.TypeArray
		}
		if !slices.ContainsFunc(list, func(other tool.Parameter) bool { return other.Name == p.Name }) {
			list = append(list, p)
		}
	}
	return list
}

// TestEveryday counts what is said of scripts that are fine. None is refused. A warning costs its author a
// minute, so there is a bound for how many get one.
func TestEveryday(t *testing.T) {
	t.Parallel()
	const mostWarned = 40
	warned := 0
	scripts := everyday(t)
	for _, script := range scripts {
		template, findings := Compile(script, everydayParameters(script), Options{})
		if template == nil {
			t.Errorf("refused:\n%s\n%s", script, report(findings))
		} else if len(findings) > 0 {
			warned++
			t.Logf("warned:\n%s\n%s", script, report(findings))
		}
	}
	t.Logf("%d scripts, %d with a warning", len(scripts), warned)
	if warned > mostWarned {
		t.Errorf("%d of %d scripts get a warning, want at most %d", warned, len(scripts), mostWarned)
	}
}
