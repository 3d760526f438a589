package config

import (
	"regexp"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// readEnvironment reads literal values. A number is given as it is written; true and false need quotes, since programs
// differ on what they take for true.
func (e *toolEntry) readEnvironment(v value) {
	if !isMapping(v) && !v.empty() {
		v.mismatch("", "write each as NAME: value, on a line of its own without a dash")
		return
	}
	entries, _ := v.entries()
	environment := make(map[string]string, len(entries))
	references := map[string]tool.Reference{}
	for _, entry := range entries {
		name := entry.name
		if !variableName.MatchString(name) {
			entry.key.fail(ruleValue, "", "a variable's name has letters, digits and _, and no digit first; found %s", quote(name))
			continue
		}
		if why := command.RefusedInTools(name); why != "" {
			entry.key.fail("refused-variable", "set it in the script, for the one command that needs it",
				"%s cannot be set here: %s", name, why)
			continue
		}
		entry.value.want = "a text"
		if isMapping(entry.value) {
			if reference, ok := readReference(entry.value); ok {
				references[name] = reference
			}
			continue
		}
		literal, ok := entry.value.literal()
		if !ok {
			continue
		}
		environment[name] = literal
		if what := credential(name, literal); what != "" {
			cure := "run: a2a-acp secrets set " + name + " and write here: {secret: " + name + "}"
			entry.value.warn("credential", cure, "%s, in plain text", what)
		}
	}
	if len(environment) > 0 {
		e.tool.Sandbox.Environment = environment
	}
	if len(references) > 0 {
		e.tool.Sandbox.References = references
	}
}

// referenceNoun is what a value says that stands elsewhere.
func referenceNoun() noun[*tool.Reference] {
	return noun[*tool.Reference]{
		name:   "a variable's value",
		called: map[string]string{"secretref": "secret", "fromenv": "env", "variable": "env", "path": "file", "fromfile": "file", "cmd": "command", "exec": "command"},
		keys: []key[*tool.Reference]{
			{"secret", "the name of a secret", readSecretName},
			{"env", "the name of a variable", readVariableName},
			{"file", "an absolute path", readSecretFile},
			{"command", "a list of texts: a program and its arguments", readSecretCommand},
		},
	}
}

// readReference reads where a value stands. The value itself is looked for when the tool is called.
func readReference(v value) (tool.Reference, bool) {
	var r tool.Reference
	before := len(v.doc.found)
	if !readKeys(v, referenceNoun(), &r) {
		return r, false
	}
	if len(v.node.Content) != 2 {
		v.fail(ruleValue, "keep the one that is meant", "want exactly one of secret, env, file, command")
		return r, false
	}
	return r, len(v.doc.found) == before
}

func readSecretName(r *tool.Reference, v value) {
	name, ok := v.text()
	if !ok {
		return
	}
	if shapedSecret().MatchString(name) {
		v.fail("credential", "run: a2a-acp secrets set NAME and write here: {secret: NAME}", "the name of a secret belongs here, and this looks like the secret itself")
		return
	}
	if err := secret.CheckName(name); err != nil {
		v.fail(ruleValue, "", "%v; found %s", err, quote(name))
		return
	}
	r.Secret = name
}

// readVariableName reads the name of a variable of the environment that the program is started with. Its own are not for
// tools: they hold the tokens of its doors.
func readVariableName(r *tool.Reference, v value) {
	name, ok := v.text()
	switch {
	case !ok:
	case !variableName.MatchString(name):
		v.fail(ruleValue, "", "a variable's name has letters, digits and _, and no digit first; found %s", quote(name))
	case secret.IsOwnVariable(name):
		v.fail("refused-variable", "a secret of the tool's own: a2a-acp secrets set NAME, and {secret: NAME}", "%s cannot be given to a tool: it belongs to this program", name)
	default:
		r.Env = name
	}
}

func readSecretFile(r *tool.Reference, v value) {
	path, ok := v.path()
	switch {
	case !ok:
	case !strings.HasPrefix(path, "/"):
		v.fail(ruleValue, "", "want an absolute path, found %s", quote(path))
	default:
		r.File = path
	}
}

func readSecretCommand(r *tool.Reference, v value) {
	command, ok := v.texts()
	switch {
	case !ok:
	case len(command) == 0 || command[0] == "":
		v.fail(ruleValue, "", "want a program and its arguments, as [pass, show, KEY]; found none")
	case strings.Contains(command[0], "/") && !strings.HasPrefix(command[0], "/"):
		v.fail(ruleValue, "write its whole path", "want a name that is found in PATH, or an absolute path; found %s", quote(command[0]))
	default:
		r.Command = command
	}
}

// credentialShapes are the beginnings of well-known keys.
var credentialShapes = regexp.MustCompile(`^(?:sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|` +
	`ya29\.|eyJ|hf_|npm_|pypi-|dop_v1_)`)

var credentialNames = regexp.MustCompile(`(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)`)

// longLiteral is the length from which the value of a variable that is named like a credential is taken for one.
const longLiteral = 12

// credential says why a literal looks like one, "" when it does not. It never repeats the literal.
func credential(name, literal string) string {
	switch {
	case len(literal) >= longLiteral && credentialShapes.MatchString(literal), strings.Contains(literal, "-----BEGIN "):
		return "the value looks like a credential"
	case len(literal) >= longLiteral && credentialNames.MatchString(name):
		return "the name says that this is a credential"
	}
	return ""
}
