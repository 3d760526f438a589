package render

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/google/go-cmp/cmp"
)

// The scripts of the original system's documentation.
const (
	webRequest = `#!/bin/bash
curl -X {{method}} "{{url}}" \
     -H "Content-Type: application/json" \
     {{#headers}} -H "{{key}}: {{value}}" {{/headers}} \
     {{#data}} -d '{{data}}' {{/data}} \
     -w "STATUS:%{http_code}\n" \
     --max-time {{timeout|default(30)}}
`
	webRequestJSON = `#!/bin/bash
curl -X {{method|default('GET')}} \
     "{{url}}" \
     {{#headers}} -H "{{key}}: {{value}}" {{/headers}} \
     {{#data}} -d '{{data|tojson}}' {{/data}} \
     -H "Authorization: Bearer {{auth_token}}" \
     -w "HTTPSTATUS:%{http_code}"
`
	databaseQuery = `psql -h {{host}} -d {{database}} -U {{user}} \
     -c "{{query}}" --csv
`
	fileProcessor = `find {{directory}} -name "{{pattern}}" \
     -exec grep -l "{{search}}" {} \; \
     | head -{{limit}}
`
	readTextFile = `#!/bin/bash
set -euo pipefail
FILE="{{path}}"
if [[ -z "$FILE" ]]; then
  echo "Error: path parameter is required." >&2
  exit 2
fi
if [[ ! -f "$FILE" ]]; then
  echo "Error: file not found: $FILE" >&2
  exit 1
fi
cat "$FILE"
`
)

// The scripts that its tools files ship, shortened to what makes them hard.
const (
	codexShell = `#!/bin/bash
set -euo pipefail
if [[ -z "{{workdir}}" ]]; then
  exit 2
fi
WORKDIR="{{workdir}}"
TIMEOUT_MS="{{timeout_ms|default('')}}"
ESCALATED="{{with_escalated_permissions|default('false')}}"
if [[ "$ESCALATED" == "true" ]]; then
  echo "not supported" >&2
fi
CMD=()
{{#command}}
CMD+=("{{.}}")
{{/command}}
if [[ ${#CMD[@]} -eq 0 ]]; then
  exit 4
fi
cd "$WORKDIR"
cleanup() { :; }
trap cleanup EXIT
if [[ "${CMD[0]}" == "zsh" ]]; then
  export ZSH_DISABLE_COMPFIX=1
fi
if [[ -n "$TIMEOUT_MS" ]]; then
  if ! [[ "$TIMEOUT_MS" =~ ^[0-9]+$ ]]; then
    exit 5
  fi
  TIMEOUT_SEC=$(( (TIMEOUT_MS + 999) / 1000 ))
  if [[ "$TIMEOUT_SEC" -le 0 ]]; then
    TIMEOUT_SEC=1
  fi
  timeout "$TIMEOUT_SEC" "${CMD[@]}"
else
  "${CMD[@]}"
fi
`
	codexRead = `#!/bin/bash
FILE="{{path}}"
START_LINE="{{line|default('')}}"
LINE_LIMIT="{{limit|default('')}}"
if [[ -n "$START_LINE" ]]; then
  if ! [[ "$START_LINE" =~ ^[0-9]+$ ]] || [[ "$START_LINE" -le 0 ]]; then
    exit 3
  fi
  START="$START_LINE"
else
  START=1
fi
if [[ -n "$LINE_LIMIT" ]]; then
  END=$((START + LINE_LIMIT - 1))
  sed -n "${START},${END}p" "$FILE"
else
  cat "$FILE"
fi
`
	codexWrite = `#!/bin/bash
set -euo pipefail
TARGET="{{path}}"
CONTENT_DELIM="__CODEX_WRITE_CONTENT__"
TARGET_DIR=$(dirname "$TARGET")
if [[ ! -d "$TARGET_DIR" ]]; then
  mkdir -p "$TARGET_DIR"
fi
cat <<'$CONTENT_DELIM' > "$TARGET"
{{content}}
$CONTENT_DELIM
echo "Wrote $(wc -l < "$TARGET") lines to $TARGET"
`
	codexPatch = `#!/bin/bash
set -euo pipefail
WORKDIR="{{workdir}}"
TEMP_PATCH="$(mktemp)"
cleanup() {
  rm -f "$TEMP_PATCH"
}
trap cleanup EXIT
cat <<'__CODEX_PATCH__' > "$TEMP_PATCH"
{{patch}}
__CODEX_PATCH__
ORIGINAL_PWD="$(pwd)"
cd "$WORKDIR"
python3 "$ORIGINAL_PWD/codex-tools/apply_patch" "$TEMP_PATCH"
`
	fileOperations = `case "{{operation}}" in
  "read")
    if [[ "{{path}}" == *.json ]]; then
      cat "{{path}}" | jq . 2>/dev/null || cat "{{path}}"
    fi
    ;;
  "write")
    echo '{{content}}' > "{{path}}"
    ;;
  "search")
    grep -r "{{pattern}}" "{{directory}}" --include="*.{{file_type|default('*')}}" -n
    ;;
  "list")
    find "{{directory}}" -type f {{#extension}}-name "*.{{extension}}" {{/extension}} | head -{{limit|default(50)}}
    ;;
esac
`
	textProcessing = `input_text="{{text}}"
case "{{operation}}" in
  "format_json")
    echo "$input_text" | jq . 2>/dev/null || echo "Invalid JSON"
    ;;
  "extract_urls")
    echo "$input_text" | grep -oE 'https?://[^\s]+' || echo "No URLs found"
    ;;
esac
`
)

func parameter(name string, t tool.Type) tool.Parameter { return tool.Parameter{Name: name, Type: t} }

var webParameters = []tool.Parameter{
	{Name: "method", Type: tool.TypeString, Required: true}, {Name: "url", Type: tool.TypeString, Required: true},
	parameter("headers", tool.TypeObject), parameter("data", tool.TypeString),
	{Name: "timeout", Type: tool.TypeNumber, Default: number("30")},
}

// The scripts load as their documentation has them, or the reason and the cure are said.
func TestSeeds(t *testing.T) {
	t.Parallel()
	shell := []tool.Parameter{
		{Name: "command", Type: tool.TypeArray, Required: true}, {Name: "workdir", Type: tool.TypeString, Required: true},
		parameter("timeout_ms", tool.TypeNumber), {Name: "with_escalated_permissions", Type: tool.TypeBoolean, Default: false},
	}
	for _, row := range []struct {
		name       string
		script     string
		parameters []tool.Parameter
		dynamic    bool
		want       []string // a part of every finding
	}{
		{name: "web_request", script: webRequest, parameters: webParameters, want: []string{
			"warning: line 2: {{method}} (unquoted word, argument of curl -X): a line break in the value would make another request of it",
			"warning: line 4: {{key}} (double quotes, argument of curl -H): curl reads headers from a local file",
			"{{key}} (double quotes, argument of curl -H): a line break in the value would add headers",
			"{{value}} (double quotes, argument of curl -H): a line break in the value would add headers",
			"warning: line 5: {{data}} (single quotes, argument of curl -d): curl reads a local file when the value starts with '@'; use --data-raw",
		}},
		{
			name: "headers that the author has described", script: "#!/bin/bash\ncurl {{#headers}} --header {{.}} {{/headers}} -- {{url}}\n",
			parameters: []tool.Parameter{
				{Name: "headers", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString, Pattern: `[A-Za-z-]+: .*`}},
				{Name: "url", Type: tool.TypeString, Required: true},
			},
		},
		{name: "web_request with tojson, nothing declared", script: webRequestJSON, want: []string{
			`no parameter "method" is declared, so it counts as an optional string`,
			`no parameter "url" is declared, so it counts as a required string`,
			"(unquoted word, argument of curl -X): a line break in the value would make another request of it",
			`no parameter "headers" is declared, so it counts as an optional object`,
			"{{key}}", "{{key}}", "{{value}}",
			`no parameter "data" is declared, so it counts as an optional string`,
			"curl reads a local file",
			`no parameter "auth_token" is declared`, "{{auth_token}}",
		}},
		{name: "database_query", script: databaseQuery, parameters: stringsNamed("host", "database", "query"), want: []string{
			`{{host}}: "host" is optional`, `{{database}}: "database" is optional`, `no parameter "user" is declared, so it counts as a required string`, `"query" is optional`,
			"error: line 2: {{query}} (double quotes, SQL code of psql -c): the whole argument is SQL that the agent writes. Fix: if that is what the tool is for, set `code: sql` on the parameter",
		}},
		{name: "database_query with code: sql", script: databaseQuery, parameters: []tool.Parameter{
			{Name: "host", Required: true}, {Name: "database", Required: true}, {Name: "user", Required: true}, {Name: "query", Required: true, Code: tool.CodeSQL},
		}},
		{name: "file_processor", script: fileProcessor, want: []string{
			`"directory" is declared`, `"pattern" is declared`, `"search" is declared`, `"limit" is declared`,
			"error: line 3: {{limit}} (unquoted word, option of head): only a number is safe here: the value picks the options of head. Fix: declare the parameter with `type: integer`",
		}},
		{name: "file_processor with an integer", script: fileProcessor, parameters: []tool.Parameter{
			{Name: "directory", Required: true}, {Name: "pattern", Required: true}, {Name: "search", Required: true}, {Name: "limit", Type: tool.TypeInteger, Required: true},
		}},
		{name: "read_text_file", script: readTextFile, parameters: []tool.Parameter{{Name: "path", Type: tool.TypeString, Required: true}}, want: []string{
			"warning: line 12: {{path}} (through $FILE): a value that starts with '-' would be an option of cat, so it is refused. Fix: put -- in front of it",
		}},
		{name: "quick_task", script: "echo {{message}}", parameters: []tool.Parameter{{Name: "message", Required: true}}},
		{name: "data_processor", script: "python process_data.py {{input_file}}", parameters: []tool.Parameter{{Name: "input_file", Required: true}}},
		{name: "flaky_api, nothing declared", script: "curl {{url}}", want: []string{`no parameter "url" is declared`}},
		{name: "dangerous_operation, no tags", script: "dangerous_command --execute"},
		{name: "functions.shell", script: codexShell, parameters: shell, want: []string{
			"through $WORKDIR", "error: line 33: {{.}} (through $CMD): the value chooses which command timeout runs",
			"error: line 35: {{.}} (through $CMD): the value chooses which command runs. Fix: name the command in the script, use case, or set `allow_dynamic_command: true` on the tool",
		}},
		{name: "functions.shell with allow_dynamic_command", script: codexShell, parameters: shell, dynamic: true, want: []string{"through $WORKDIR"}},
		{name: "functions.acp_fs__read_text_file", script: codexRead, parameters: []tool.Parameter{
			{Name: "path", Required: true}, parameter("line", tool.TypeNumber), parameter("limit", tool.TypeNumber),
		}, want: []string{"through $FILE", "through $FILE"}},
		{name: "functions.acp_fs__write_text_file", script: codexWrite, parameters: []tool.Parameter{{Name: "path", Required: true}, {Name: "content", Required: true}}, want: []string{
			"through $TARGET", "through $TARGET_DIR",
		}},
		{name: "functions.apply_patch", script: codexPatch, parameters: []tool.Parameter{{Name: "workdir", Required: true}, {Name: "patch", Required: true}}, want: []string{"through $WORKDIR"}},
		{name: "file_operations", script: fileOperations, parameters: []tool.Parameter{
			{Name: "operation", Enum: []any{"read", "write", "search", "list"}, Required: true}, {Name: "path", Default: ""}, {Name: "directory", Default: ""}, {Name: "content", Default: ""},
			{Name: "pattern", Default: ""}, {Name: "file_type"}, {Name: "extension"}, {Name: "limit", Type: tool.TypeNumber, Default: number("50")},
		}},
		{name: "text_processing", script: textProcessing, parameters: []tool.Parameter{{Name: "text", Required: true}, {Name: "operation", Required: true, Enum: []any{"format_json", "extract_urls"}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, row.parameters, Options{Undeclared: ImplyUndeclared, DynamicCommand: row.dynamic})
			missing := slices.Clone(row.want)
			for _, f := range findings {
				i := slices.IndexFunc(missing, func(want string) bool { return strings.Contains(f.String(), want) })
				if i < 0 {
					t.Errorf("unexpected: %s", f)
					continue
				}
				missing = slices.Delete(missing, i, i+1)
			}
			for _, want := range missing {
				t.Errorf("missing: %s", want)
			}
			if (template == nil) != hasErrors(findings) {
				t.Errorf("template is nil: %v, but errors: %v", template == nil, hasErrors(findings))
			}
		})
	}
}

// stubs makes a directory of programs that write their words down, each run to a file of its own, and do
// nothing else.
func stubs(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		stub := "#!/bin/bash\nprintf '%s\\0' \"${0##*/}\" \"$@\" > \"$A2A_RECORD/words.$$\"\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// recorded runs a script with stubs and gives the words that each program got, sorted by program.
func recorded(t *testing.T, dir, bin string, r Rendered) [][]string {
	t.Helper()
	o := run(t, dir, r, "PATH="+bin+":/usr/bin:/bin", "A2A_RECORD="+dir)
	if o.pwned {
		t.Errorf("a payload ran\n%q\n%s", r.Values, r.Script)
	}
	files, err := filepath.Glob(filepath.Join(dir, "words.*"))
	if err != nil || len(files) == 0 {
		t.Errorf("no program ran: %v, %v: %s\n%s", err, o.err, o.stderr, r.Script)
	}
	var calls [][]string
	for _, file := range files {
		words, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		os.Remove(file)
		calls = append(calls, strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00"))
	}
	slices.SortFunc(calls, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return calls
}

// Whatever the values hold, each program of the seeds' tools gets exactly the words that its author planned.
func TestSeedWords(t *testing.T) {
	t.Parallel()
	bin := stubs(t, "curl", "psql", "find", "grep", "head", "python")
	imply := Options{Undeclared: ImplyUndeclared}
	web := compile(t, webRequest, webParameters, imply)
	webJSON := compile(t, webRequestJSON, []tool.Parameter{parameter("data", tool.TypeObject)}, imply)
	database := compile(t, databaseQuery, []tool.Parameter{{Name: "query", Code: tool.CodeSQL}}, imply)
	files := compile(t, fileProcessor, []tool.Parameter{parameter("limit", tool.TypeInteger)}, imply)
	inParallel(t, fuzzRuns(400), func(i int, r *rand.Rand, dir string) {
		value := func() string { return hostile(r) }
		var template *Template
		var arguments map[string]any
		var want [][]string
		switch i % 4 {
		case 0:
			template = web
			method, url, header1, header2, data, timeout := value(), value(), "a"+value(), "b"+value(), value(), strconv.Itoa(r.IntN(300))
			arguments = map[string]any{"method": method, "url": url, "headers": map[string]any{header2: "2", header1: url}, "data": data, "timeout": number(timeout)}
			words := []string{"curl", "-X", method, url, "-H", "Content-Type: application/json", "-H", header1 + ": " + url, "-H", header2 + ": 2"}
			if data != "" {
				words = append(words, "-d", data)
			}
			want = [][]string{append(words, "-w", `STATUS:%{http_code}\n`, "--max-time", timeout)}
		case 1:
			template = webJSON
			url, token := value(), value()
			data := map[string]any{"k" + strings.ToValidUTF8(value(), ""): strings.ToValidUTF8(value(), "")}
			arguments = map[string]any{"url": url, "data": data, "auth_token": token}
			text, _ := argument.JSON(data)
			want = [][]string{{"curl", "-X", "GET", url, "-d", text, "-H", "Authorization: Bearer " + token, "-w", "HTTPSTATUS:%{http_code}"}}
		case 2:
			template = database
			host, name, user, query := value(), value(), value(), value()
			arguments = map[string]any{"host": host, "database": name, "user": user, "query": query}
			want = [][]string{{"psql", "-h", host, "-d", name, "-U", user, "-c", query, "--csv"}}
		case 3:
			template = files
			directory, pattern, search, limit := value(), value(), value(), strconv.Itoa(r.IntN(100))
			arguments = map[string]any{"directory": directory, "pattern": pattern, "search": search, "limit": number(limit)}
			want = [][]string{{"find", directory, "-name", pattern, "-exec", "grep", "-l", search, "{}", ";"}, {"head", "-" + limit}}
		}
		rendered, err := template.Render(arguments)
		if err != nil {
			if !strings.Contains(err.Error(), "starts with") && !strings.Contains(err.Error(), "takes the value for an operator") {
				t.Errorf("%q: %v", arguments, err)
			}
			return // a leading '-' or '\' where it would not be data, or find's "!"
		}
		if diff := cmp.Diff(want, recorded(t, dir, bin, rendered)); diff != "" {
			t.Errorf("words (-want +got):\n%s", diff)
		}
	})
}

// What the original's file tools write is the value, end markers and all.
func TestSeedFiles(t *testing.T) {
	t.Parallel()
	imply := Options{Undeclared: ImplyUndeclared}
	write := compile(t, codexWrite, nil, imply)
	read := compile(t, readTextFile, nil, imply)
	inParallel(t, fuzzRuns(150), func(i int, r *rand.Rand, dir string) {
		content := hostile(r)
		name := "f" + strings.NewReplacer("/", "_").Replace(hostile(r))
		if len(name) > 200 {
			name = name[:200]
		}
		arguments := map[string]any{"path": name, "content": content}
		rendered, err := write.Render(arguments)
		if err != nil {
			t.Error(err)
			return
		}
		o := run(t, dir, rendered)
		got, err := os.ReadFile(filepath.Join(dir, name))
		if o.pwned || o.err != nil || err != nil || string(got) != content+"\n" {
			t.Errorf("writing %q to %q: got %q, %v, %v, stderr %q, payload ran: %v", content, name, got, err, o.err, o.stderr, o.pwned)
			return
		}
		if rendered, err = read.Render(arguments); err != nil {
			t.Error(err)
			return
		}
		if o = run(t, dir, rendered); o.pwned || o.err != nil || o.stdout != content+"\n" {
			t.Errorf("reading %q: got %q, want %q, %v, payload ran: %v", name, o.stdout, content+"\n", o.err, o.pwned)
		}
		empty(t, dir)
	})
}
