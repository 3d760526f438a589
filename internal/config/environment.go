package config

import (
	"regexp"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (e *toolEntry) readEnvironment(v yamldoc.Value) {
	environment, references := readVariables(v, command.RefusedInTools)
	if len(environment) > 0 {
		e.tool.Sandbox.Environment = environment
	}
	if len(references) > 0 {
		e.tool.Sandbox.References = references
	}
}

// readVariables reads literal values, and where others stand. A number is given as it is written; true and
// false need quotes, since programs differ on what they take for true. refused says why a variable cannot be
// set; "" where it can.
func readVariables(v yamldoc.Value, refused func(name string) string) (environment map[string]string,
	references map[string]tool.Reference) {
	if !v.IsMapping() && !v.IsEmpty() {
		v.Mismatch("", "write each as NAME: value, on a line of its own without a dash")
		return nil, nil
	}
	entries, _ := v.Entries()
	environment = make(map[string]string, len(entries))
	references = map[string]tool.Reference{}
	for _, entry := range entries {
		name := entry.Name
		if !variableName.MatchString(name) {
			entry.Key.Fail(yamldoc.RuleValue, "",
				"a variable's name has letters, digits and _, and no digit first; found %s",
				yamldoc.Quote(name))
			continue
		}
		if why := refused(name); why != "" {
			entry.Key.Fail("refused-variable", "set it in the script, for the one command that needs it",
				"%s cannot be set here: %s", name, why)
			continue
		}
		entry.Value.Want = "a text"
		if entry.Value.IsMapping() {
			if reference, ok := readReference(entry.Value); ok {
				references[name] = reference
			}
			continue
		}
		literal, ok := entry.Value.Literal()
		if !ok {
			continue
		}
		environment[name] = literal
		if what := credential(name, literal); what != "" {
			cure := "run: a2a-acp secrets set " + name + " and write here: {secret: " + name + "}"
			entry.Value.Warn("credential", cure, "%s, in plain text", what)
		}
	}
	return environment, references
}

// referenceMapping is what a value says that stands elsewhere.
func referenceMapping() yamldoc.Mapping[*tool.Reference] {
	return yamldoc.Mapping[*tool.Reference]{
		Name: "a variable's value",
		Synonyms: map[string]string{"secretref": "secret", "fromenv": "env", "variable": "env",
			"path": "file", "fromfile": "file", "cmd": "command", "exec": "command"},
		Keys: []yamldoc.Key[*tool.Reference]{
			yamldoc.NewKey("secret", "the name of a secret", readSecretName),
			yamldoc.NewKey("env", "the name of a variable", readVariableName),
			yamldoc.NewKey("file", "an absolute path", readSecretFile),
			yamldoc.NewKey("command", "a list of texts: a program and its arguments", readSecretCommand),
		},
	}
}

// readReference reads where a value stands. The value itself is looked for when the tool is called.
func readReference(v yamldoc.Value) (tool.Reference, bool) {
	var r tool.Reference
	before := len(v.Doc.Found)
	if !yamldoc.ReadKeys(v, referenceMapping(), &r) {
		return r, false
	}
	if len(v.Node.Content) != 2 {
		v.Fail(yamldoc.RuleValue, "keep the one that is meant",
			"want exactly one of secret, env, file, command")
		return r, false
	}
	return r, len(v.Doc.Found) == before
}

// readNamedSecret reads the name of a secret that stands by itself; nil where it is none.
func readNamedSecret(v yamldoc.Value) *tool.Reference {
	var r tool.Reference
	v.Want = "the name of a secret"
	if readSecretName(&r, v); r.Secret == "" {
		return nil
	}
	return &r
}

// readNamedVariable reads the name of a variable that stands by itself; nil where it is none.
func readNamedVariable(v yamldoc.Value) *tool.Reference {
	var r tool.Reference
	if readVariableName(&r, v); r.Env == "" {
		return nil
	}
	return &r
}

func readSecretName(r *tool.Reference, v yamldoc.Value) {
	name, ok := v.Text()
	if !ok {
		return
	}
	if yamldoc.LooksSecret(name) {
		v.Fail("credential", "run: a2a-acp secrets set NAME and write here: {secret: NAME}",
			"the name of a secret belongs here, and this looks like the secret itself")
		return
	}
	if err := secret.CheckName(name); err != nil {
		v.Fail(yamldoc.RuleValue, "", "%v; found %s", err, yamldoc.Quote(name))
		return
	}
	r.Secret = name
}

// readVariableName reads the name of a variable of the environment that the program is started with. Its own
// are not for tools: they hold the tokens of its doors.
func readVariableName(r *tool.Reference, v yamldoc.Value) {
	name, ok := v.Text()
	switch {
	case !ok:
	case !variableName.MatchString(name):
		v.Fail(yamldoc.RuleValue, "",
			"a variable's name has letters, digits and _, and no digit first; found %s", yamldoc.Quote(name))
	case secret.IsOwnVariable(name):
		v.Fail("refused-variable", "a secret of the tool's own: a2a-acp secrets set NAME, and {secret: NAME}",
			"%s cannot be given to a tool: it belongs to this program", name)
	default:
		r.Env = name
	}
}

func readSecretFile(r *tool.Reference, v yamldoc.Value) {
	path, ok := readPath(v)
	switch {
	case !ok:
	case !strings.HasPrefix(path, "/"):
		v.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(path))
	default:
		r.File = path
	}
}

func readSecretCommand(r *tool.Reference, v yamldoc.Value) {
	command, ok := v.Texts()
	switch {
	case !ok:
	case len(command) == 0 || command[0] == "":
		v.Fail(yamldoc.RuleValue, "", "want a program and its arguments, as [pass, show, KEY]; found none")
	case strings.Contains(command[0], "/") && !strings.HasPrefix(command[0], "/"):
		v.Fail(yamldoc.RuleValue, "write its whole path",
			"want a name that is found in PATH, or an absolute path; found %s", yamldoc.Quote(command[0]))
	default:
		r.Command = command
	}
}

// credentialShapes are the beginnings of well-known keys.
var credentialShapes = lazyregexp.New(`^(?:sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|` +
	`ya29\.|eyJ|hf_|npm_|pypi-|dop_v1_)`)

// credentialNames are names of variables that hold one.
var credentialNames = lazyregexp.New(`(?i)KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|` +
	`(?:^|_)(?:AUTH|PASS|PAT|PWD|DSN)$`)

// credentialInText is one that stands within a text: the password of a URL, or what a request authorises
// itself with. What a variable or a tag stands for is none.
var credentialInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:[^\s/:@"'<>${*][^\s/@"'<>]*@|` +
		`(?i:authorization["']?[ \t]*[:=][ \t]*["']?(?:basic|bearer|token))[ \t]+[A-Za-z0-9+/=._~-]{12,}`)
})

// credential says why a literal looks like one, "" when it does not. It never repeats the literal.
func credential(name, literal string) string {
	switch {
	case len(literal) >= yamldoc.LongLiteral && credentialShapes.MatchString(literal),
		strings.Contains(literal, "-----BEGIN "), credentialInText().MatchString(literal):
		return "the value looks like a credential"
	case len(literal) >= yamldoc.LongLiteral && credentialNames.MatchString(name):
		return "the name says that this is a credential"
	}
	return ""
}
