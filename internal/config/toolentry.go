package config

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// toolEntry is one entry of a tools file that is being read.
type toolEntry struct {
	file *toolsFile
	at   value // the entry's mapping
	tool tool.Tool

	// Places of what is checked once the whole entry is known. A value without a node was not given.
	script       value
	confirmation value
	details      map[int]value
	limits       map[string]value
	commands     value
	retry        value
	caching      value
	cacheKey     value
	examples     []value // of tool.Examples, in the same order

	sandboxCaching sandboxCaching

	networkGranted bool // one of its grants is of no use without

	// unsure says that a parameter, or all of them, could not be read: what is said of their names would only follow from that.
	// untyped are the ones of which only the type is wrong.
	unsure  bool
	untyped []string

	unread bool // the script could not be compiled, so it is not known what it implies

	found Errors // what was said about it so far
}

func newToolEntry(file *toolsFile, e entry, at value) *toolEntry {
	return &toolEntry{
		file: file,
		at:   at,
		tool: tool.Tool{
			ID: e.name, Name: e.name, Source: file.file.source(e.key),
			Sandbox: tool.Sandbox{TempIsolation: true, Limits: tool.DefaultLimits()},
		},
		details: map[int]value{},
		limits:  map[string]value{},
	}
}

// toolNoun is what an entry of a tools file may say.
func toolNoun() noun[*toolEntry] {
	return noun[*toolEntry]{
		name: "a tool",
		keys: []key[*toolEntry]{
			{"name", "a text", func(e *toolEntry, v value) { v.setText(&e.tool.Name) }},
			{"description", "a text", func(e *toolEntry, v value) { v.setText(&e.tool.Description) }},
			{"script", "a text, best after |", (*toolEntry).readScript},
			{"parameters", "a list of {name, type, …}", (*toolEntry).readParameters},
			{"sandbox", "a mapping", func(e *toolEntry, v value) { readKeys(v, sandboxNoun(), e) }},
			{"resource_limits", "a mapping of limits", func(e *toolEntry, v value) { readKeys(v, limitsNoun(), e) }},
			{"error_mapping", "a mapping from exit codes to errors", (*toolEntry).readErrorMapping},
			{"annotations", "a mapping of hints", (*toolEntry).readAnnotations},
			{"allow_dynamic_command", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.AllowDynamicCommand) }},
			{"trust_program", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.TrustProgram) }},
			{"tags", "a list of texts", func(e *toolEntry, v value) { v.setTexts(&e.tool.Tags) }},
			{"examples", "a list of texts, or of {name, params, expect, …}", (*toolEntry).readExamples},
			{"version", "a text", func(e *toolEntry, v value) { v.setLiteral(&e.tool.Version) }},
			{"author", "a text", func(e *toolEntry, v value) { v.setText(&e.tool.Author) }},
			{"retry", "a mapping", (*toolEntry).readRetry},
			{"circuit_breaker", "a mapping", (*toolEntry).readCircuitBreaker},
			{"caching", "a mapping", (*toolEntry).readCaching},
			{"output", "a mapping", func(e *toolEntry, v value) { readOutput(&e.tool.Output, v) }},
			{"surface", "a mapping", func(e *toolEntry, v value) { readKeys(v, surfaceNoun(), &e.tool.Surface) }},
		},
		called: map[string]string{
			"command": "script", "cmd": "script", "run": "script", "bash": "script", "shell": "script", "exec": "script",
			"args": "parameters", "arguments": "parameters", "params": "parameters", "inputs": "parameters", "inputschema": "parameters",
			"title": "name", "summary": "description", "desc": "description", "help": "description", "errors": "error_mapping",
			"errormap": "error_mapping", "cache": "caching", "retries": "retry", "limits": "resource_limits", "tests": "examples",
		},
		elsewhere: append([]misplaced{
			{names(sandboxNoun().keys), "%s belongs under sandbox"},
			{names(retryNoun().keys), "%s belongs under retry"},
			{names(circuitBreakerNoun().keys), "%s belongs under circuit_breaker"},
			{[]string{"ttl", "max_size", "key_template"}, "%s belongs under caching"},
			{names(outputNoun().keys), "%s belongs under output"},
			{[]string{"setup", "expect", "needs"}, "%s belongs to an entry of examples"},
			{names(parameterNoun().keys), "%s belongs to an entry of parameters"},
			{names(annotationsNoun().keys), "%s belongs under annotations"},
			{[]string{"id"}, "the key above the entry is its %s"},
		}, sandboxCalled()...),
	}
}

func (e *toolEntry) readScript(v value) {
	if isList(v) {
		v.mismatch("", "write script: | and the commands below it, one a line, without dashes")
		e.unread = true
		return
	}
	script, ok := v.text()
	if !ok || v.doc.faulty[v.node] || v.doc.broken[v.node.Line] {
		e.unread = true
		return
	}
	if strings.TrimSpace(script) == "" {
		v.fail(ruleEmpty, "", "the script is empty")
		return
	}
	e.tool.Script, e.script = script, v
}

// finish checks what needs the whole entry, and compiles it.
func (e *toolEntry) finish() Loaded {
	e.at.mustHave("script", "it is what bash runs: script: echo hello")
	loaded := e.compile()
	e.checkCommands()
	e.checkReadOnly()
	e.checkRetry()
	e.checkCaching()
	e.checkExamples()
	loaded.Tool = e.tool
	return loaded
}

// annotationsNoun is what a tool may say about its effects: MCP's ToolAnnotations.
func annotationsNoun() noun[*tool.Annotations] {
	return noun[*tool.Annotations]{
		name: "annotations",
		keys: []key[*tool.Annotations]{
			{"title", "a text", func(a *tool.Annotations, v value) { v.setText(&a.Title) }},
			{"readOnlyHint", "true or false", func(a *tool.Annotations, v value) { v.setFlag(&a.ReadOnly) }},
			{"destructiveHint", "true or false", func(a *tool.Annotations, v value) { v.setFlag(&a.Destructive) }},
			{"idempotentHint", "true or false", func(a *tool.Annotations, v value) { v.setFlag(&a.Idempotent) }},
			{"openWorldHint", "true or false", func(a *tool.Annotations, v value) { v.setFlag(&a.OpenWorld) }},
		},
	}
}

func (e *toolEntry) readAnnotations(v value) {
	a := &e.tool.Annotations
	readKeys(v, annotationsNoun(), a)
	if a.ReadOnly != nil && *a.ReadOnly && a.Destructive != nil && *a.Destructive {
		v.fail(ruleValue, "a read-only tool is not asked about; keep the hint that is true",
			"readOnlyHint and destructiveHint cannot both be true")
	}
}
