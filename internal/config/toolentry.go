package config

import (
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// toolEntry is one entry of a tools file that is being read.
type toolEntry struct {
	file *toolsFile
	at   yamldoc.Value // the entry's mapping
	tool tool.Tool

	// Places of what is checked once the whole entry is known. A value without a node was not given.
	script       yamldoc.Value
	exec         yamldoc.Value
	http         *httpEntry        // nil for a tool that sends no request
	profile      *executionProfile // of a request in the other format
	when         []yamldoc.Value   // conditions of its error_mapping
	a2a          yamldoc.Value
	token        *tool.Reference // of a2a
	sentAt       tool.Source     // what says where its references go
	allowed      []placedPath    // its allowed_paths
	writable     []yamldoc.Value // those of them that say no access, and so may be written to
	flags        []yamldoc.Value // where a parameter says flag
	confirmation yamldoc.Value
	details      map[int]yamldoc.Value
	limits       map[string]yamldoc.Value
	commands     yamldoc.Value
	timeout      yamldoc.Value
	retry        yamldoc.Value
	caching      yamldoc.Value
	cacheKey     yamldoc.Value
	examples     []yamldoc.Value // of tool.Examples, in the same order

	sandboxCaching sandboxCaching

	networkGranted bool // one of its grants is of no use without

	// unsure says that a parameter, or all of them, could not be read: what is said of their names would only
	// follow from that. untyped are the ones of which only the type is wrong.
	unsure  bool
	untyped []string

	unread bool // the script could not be compiled, so it is not known what it implies

	found yamldoc.Errors // what was said about it so far
}

func newToolEntry(file *toolsFile, e yamldoc.Entry, at yamldoc.Value) *toolEntry {
	return &toolEntry{
		file: file,
		at:   at,
		tool: tool.Tool{
			ID: e.Name, Name: e.Name, Source: file.file.source(e.Key),
			// Since version 2 a call starts where its caller works, as every example has it.
			Sandbox: tool.Sandbox{TempIsolation: file.version == formatOriginal, Limits: tool.DefaultLimits()},
		},
		details: map[int]yamldoc.Value{},
		limits:  map[string]yamldoc.Value{},
	}
}

// toolMapping is what an entry of a tools file may say.
var toolMapping = sync.OnceValue(func() yamldoc.Mapping[*toolEntry] {
	return yamldoc.Mapping[*toolEntry]{
		Name: "a tool",
		Keys: []yamldoc.Key[*toolEntry]{
			yamldoc.NewKey("name", "a text", func(e *toolEntry, v yamldoc.Value) { v.SetText(&e.tool.Name) }),
			yamldoc.NewKey("description", "a text", func(e *toolEntry, v yamldoc.Value) {
				v.SetText(&e.tool.Description)
			}),
			yamldoc.NewKey("enabled", "true or false", (*toolEntry).readEnabled),
			yamldoc.NewKey("script", "a text, best after |", (*toolEntry).readScript),
			yamldoc.NewKey("exec", "a program: {command, argv, sha256, pin}", (*toolEntry).readExec),
			yamldoc.NewKey("http", "a request: {source, get, query, …}", (*toolEntry).readHTTP),
			yamldoc.NewKey("execution_profile", "a request in the format of the tools provider", (*toolEntry).readProfile),
			yamldoc.NewKey("input_schema", "a schema of JSON", (*toolEntry).readInputSchema),
			yamldoc.NewKey("a2a", "a remote agent: {url, skill, token}", (*toolEntry).readA2A),
			yamldoc.NewKey("parameters", "a list of {name, type, …}", (*toolEntry).readParameters),
			yamldoc.NewKey("sandbox", "a mapping", func(e *toolEntry, v yamldoc.Value) {
				yamldoc.ReadKeys(v, sandboxMapping(), e)
			}),
			yamldoc.NewKey("resource_limits", "a mapping of limits", func(e *toolEntry, v yamldoc.Value) {
				yamldoc.ReadKeys(v, limitsMapping(), e)
			}),
			yamldoc.NewKey("error_mapping", "a mapping from exit codes to errors",
				(*toolEntry).readErrorMapping),
			yamldoc.NewKey("annotations", "a mapping of hints", (*toolEntry).readAnnotations),
			yamldoc.NewKey("allow_dynamic_command", "true or false", func(e *toolEntry, v yamldoc.Value) {
				v.SetBool(&e.tool.AllowDynamicCommand)
			}),
			yamldoc.NewKey("trust_program", "true or false", func(e *toolEntry, v yamldoc.Value) {
				v.SetBool(&e.tool.TrustProgram)
			}),
			yamldoc.NewKey("tags", "a list of texts", func(e *toolEntry, v yamldoc.Value) {
				v.SetTexts(&e.tool.Tags)
			}),
			yamldoc.NewKey("examples", "a list of texts, or of {name, params, expect, …}",
				(*toolEntry).readExamples),
			yamldoc.NewKey("version", "a text", func(e *toolEntry, v yamldoc.Value) {
				v.SetLiteral(&e.tool.Version)
			}),
			yamldoc.NewKey("author", "a text", func(e *toolEntry, v yamldoc.Value) {
				v.SetText(&e.tool.Author)
			}),
			yamldoc.NewKey("retry", "a mapping", (*toolEntry).readRetry),
			yamldoc.NewKey("circuit_breaker", "a mapping", (*toolEntry).readCircuitBreaker),
			yamldoc.NewKey("caching", "a mapping", (*toolEntry).readCaching),
			yamldoc.NewKey("output", "a mapping", func(e *toolEntry, v yamldoc.Value) {
				readOutput(&e.tool.Output, v)
			}),
			yamldoc.NewKey("audit", "metadata, params or full", (*toolEntry).readAudit),
			yamldoc.NewKey("surface", "a mapping", func(e *toolEntry, v yamldoc.Value) {
				yamldoc.ReadKeys(v, surfaceMapping(), &e.tool.Surface)
			}),
		},
		Synonyms: map[string]string{
			"command": "script", "cmd": "script", "run": "script", "bash": "script", "shell": "script",
			"argv": "exec", "program": "exec", "args": "parameters", "arguments": "parameters", "params": "parameters",
			"inputs": "parameters", "inputschema": "input_schema", "title": "name", "summary": "description",
			"desc": "description", "help": "description", "errors": "error_mapping",
			"errormap": "error_mapping", "cache": "caching", "retries": "retry", "limits": "resource_limits",
			"tests": "examples",
		},
		Elsewhere: append([]yamldoc.Misplaced{
			{Names: sandboxMapping().Names(), Hint: "%s belongs under sandbox"},
			{Names: retryMapping().Names(), Hint: "%s belongs under retry"},
			{Names: circuitBreakerMapping().Names(), Hint: "%s belongs under circuit_breaker"},
			{Names: []string{"ttl", "max_size", "key_template"}, Hint: "%s belongs under caching"},
			{Names: outputMapping().Names(), Hint: "%s belongs under output"},
			{Names: []string{"setup", "expect", "needs"}, Hint: "%s belongs to an entry of examples"},
			{Names: parameterMapping().Names(), Hint: "%s belongs to an entry of parameters"},
			{Names: annotationsMapping().Names(), Hint: "%s belongs under annotations"},
			{Names: []string{"id"}, Hint: "the key above the entry is its %s"},
		}, sandboxCalled()...),
	}
})

// readEnabled reads whether the tool can be called. One that cannot stays in its file, and in the place of one of an
// earlier layer.
func (e *toolEntry) readEnabled(v yamldoc.Value) {
	if is, ok := v.Bool(); ok && !is {
		e.tool.Disabled, e.tool.Unavailable = true, "it is switched off (enabled: false)"
	}
}

func (e *toolEntry) readScript(v yamldoc.Value) {
	if v.IsList() {
		v.Mismatch("", "write script: | and the commands below it, one a line, without dashes")
		e.unread = true
		return
	}
	script, ok := v.Text()
	if !ok || v.IsFaulty() {
		e.unread = true
		return
	}
	if strings.TrimSpace(script) == "" {
		v.Fail(yamldoc.RuleEmpty, "", "the script is empty")
		return
	}
	e.tool.Script, e.script = script, v
}

// finish checks what needs the whole entry, and compiles it.
func (e *toolEntry) finish() Loaded {
	if e.tool.Exec == nil && e.tool.HTTP == nil && e.tool.A2A == nil {
		e.at.Require("script", "it is what bash runs: script: echo hello")
	}
	if _, given := e.at.Get("parameters"); !given && e.tool.A2A != nil && e.tool.A2A.Skill == "" {
		e.tool.Parameters = tool.A2AParameters()
	}
	loaded := e.compile()
	e.checkExec()
	e.checkA2A()
	e.checkCommands()
	e.checkReadOnly()
	e.checkClosedWorld()
	e.checkRetry()
	e.checkCaching()
	e.checkExamples()
	loaded.Tool, loaded.sentAt, loaded.allowed = e.tool, e.sentAt, e.allowed
	return loaded
}

// refer gives the tool references to what a server is shown, which the file names at a place, or if that is empty within
// another.
func (e *toolEntry) refer(to map[string]tool.Reference, at, within yamldoc.Value) {
	if at.Node == nil {
		at = within
	}
	e.tool.Sandbox.References, e.sentAt = to, e.file.file.source(at)
}

// annotationsMapping is what a tool may say about its effects: MCP's ToolAnnotations.
func annotationsMapping() yamldoc.Mapping[*tool.Annotations] {
	return yamldoc.Mapping[*tool.Annotations]{
		Name: "annotations",
		Keys: []yamldoc.Key[*tool.Annotations]{
			yamldoc.NewKey("title", "a text", func(a *tool.Annotations, v yamldoc.Value) {
				v.SetText(&a.Title)
			}),
			yamldoc.NewKey("readOnlyHint", "true or false", func(a *tool.Annotations, v yamldoc.Value) {
				v.SetFlag(&a.ReadOnly)
			}),
			yamldoc.NewKey("destructiveHint", "true or false", func(a *tool.Annotations, v yamldoc.Value) {
				v.SetFlag(&a.Destructive)
			}),
			yamldoc.NewKey("idempotentHint", "true or false", func(a *tool.Annotations, v yamldoc.Value) {
				v.SetFlag(&a.Idempotent)
			}),
			yamldoc.NewKey("openWorldHint", "true or false", func(a *tool.Annotations, v yamldoc.Value) {
				v.SetFlag(&a.OpenWorld)
			}),
		},
	}
}

func (e *toolEntry) readAnnotations(v yamldoc.Value) {
	a := &e.tool.Annotations
	yamldoc.ReadKeys(v, annotationsMapping(), a)
	if a.ReadOnly != nil && *a.ReadOnly && a.Destructive != nil && *a.Destructive {
		v.Fail(yamldoc.RuleValue, "a read-only tool is not asked about; keep the hint that is true",
			"readOnlyHint and destructiveHint cannot both be true")
	}
}
