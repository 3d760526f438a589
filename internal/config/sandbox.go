package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleGrant = "grant"

// sandboxNoun is what a tool may say about where and how it runs.
func sandboxNoun() noun[*toolEntry] {
	return noun[*toolEntry]{
		name:   "sandbox",
		keys:   append(sandboxKeys(), limitKeys()...),
		called: sandboxNames(),
		elsewhere: []misplaced{
			{besideSandbox(), "%s belongs to the tool, beside sandbox"},
			{[]string{"readOnlyHint", "destructiveHint"}, "%s belongs under annotations, beside sandbox"},
		},
	}
}

// besideSandbox are the keys of a tool that are no key of its sandbox.
func besideSandbox() []string {
	return []string{
		"error_mapping", "annotations", "retry", "circuit_breaker", "caching", "resource_limits", "parameters", "script", "description",
		"examples", "allow_dynamic_command", "trust_program", "output",
	}
}

// sandboxNames are what other programs call what a sandbox may say.
func sandboxNames() map[string]string {
	return map[string]string{
		"env": "environment_variables", "environment": "environment_variables", "envvars": "environment_variables", "vars": "environment_variables",
		"cwd": "working_directory", "workdir": "working_directory", "dir": "working_directory", "directory": "working_directory",
		"timeoutseconds": "timeout", "timeoutsecs": "timeout", "timeoutms": "timeout", "maxtime": "timeout",
		"memory": "max_memory_mb", "memorylimit": "max_memory_mb", "mem": "max_memory_mb", "cpu": "max_cpu_time_seconds",
		"processes": "max_processes", "paths": "allowed_paths", "volumes": "allowed_paths", "mounts": "allowed_paths",
		"commands": "allowed_commands", "confirm": "requires_confirmation", "confirmation": "requires_confirmation",
		"networkaccess": "network", "allownetwork": "network", "internet": "network", "permissions": "grants",
	}
}

// sandboxCalled is where they belong, for somebody who wrote them beside sandbox.
func sandboxCalled() []misplaced {
	var all []misplaced
	for _, name := range slices.Sorted(maps.Keys(sandboxNames())) {
		all = append(all, misplaced{[]string{name}, "write it under sandbox, where it is " + sandboxNames()[name]})
	}
	return all
}

func sandboxKeys() []key[*toolEntry] {
	return []key[*toolEntry]{
		{"requires_confirmation", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.Sandbox.RequiresConfirmation) }},
		{"confirmation_message", "a text", (*toolEntry).readConfirmation},
		{"timeout", "seconds, or a duration such as 2m30s", (*toolEntry).readTimeout},
		{"working_directory", "a path", (*toolEntry).readWorkingDirectory},
		{"use_temp_isolation", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.Sandbox.TempIsolation) }},
		{"allowed_paths", "a list of paths", (*toolEntry).readAllowedPaths},
		{"environment_variables", "a mapping of names to texts", (*toolEntry).readEnvironment},
		{"network", "on or off", (*toolEntry).readNetwork},
		{"strict", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.Sandbox.Strict) }},
		{"allowed_commands", "a list of texts", (*toolEntry).readAllowedCommands},
		{"sockets", "a list of paths", (*toolEntry).readSockets},
		{"grants", "a list of names", (*toolEntry).readGrants},
		{"require", "a list of properties", (*toolEntry).readRequire},
		{"best_effort", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.Sandbox.BestEffort) }},

		{"caching_enabled", "true or false", (*toolEntry).readCachingEnabled},
		{"cache_ttl_seconds", "a whole number of seconds", (*toolEntry).readCacheTTL},
		{"cache_max_size_mb", "a whole number of megabytes", (*toolEntry).readCacheSize},
	}
}

func (e *toolEntry) readConfirmation(v value) {
	if text, ok := v.text(); ok {
		e.tool.Sandbox.ConfirmationMessage, e.confirmation = text, v
	}
}

func (e *toolEntry) readWorkingDirectory(v value) {
	if dir, ok := v.path(); ok {
		e.tool.Sandbox.WorkingDirectory = dir
	}
}

// path reads a path that is used as it is written: no shell and no template ever sees it.
func (v value) path() (string, bool) {
	path, ok := v.text()
	if !ok {
		return "", false
	}
	switch {
	case path == "":
		v.fail(ruleValue, `"." is the caller's directory`, "want a path, found nothing")
	case strings.HasPrefix(path, "~"), strings.HasPrefix(path, "$"):
		v.fail(ruleValue, "write the whole path", "%s is not filled in here: the path is used as it is written", quote(path))
	case strings.Contains(path, "{{"):
		v.fail(ruleValue, "what a call may touch is the author's to say, not the call's", "values are not filled in here")
	default:
		return path, true
	}
	return "", false
}

// allowedPathNoun is the long form of an entry of allowed_paths.
func allowedPathNoun() noun[*tool.AllowedPath] {
	return noun[*tool.AllowedPath]{
		name: "an allowed path",
		keys: []key[*tool.AllowedPath]{
			{"path", "a path", func(p *tool.AllowedPath, v value) {
				if path, ok := v.path(); ok {
					p.Path = path
				}
			}},
			{"access", "read or write", func(p *tool.AllowedPath, v value) {
				access, ok := v.text()
				if ok && access != "read" && access != "write" {
					v.fail(ruleValue, "write includes read", "want read or write, found %s", quote(access))
				}
				p.ReadOnly = access == "read"
			}},
		},
	}
}

// allowedPathsWant is what allowed_paths are a list of.
const allowedPathsWant = "a path, or {path: …, access: read}"

func (e *toolEntry) readAllowedPaths(v value) {
	entries, _ := v.list(allowedPathsWant)
	for _, entry := range entries {
		if isMapping(entry) {
			var allowed tool.AllowedPath
			readKeys(entry, allowedPathNoun(), &allowed)
			entry.mustHave("path", "path: /srv/data")
			e.tool.Sandbox.AllowedPaths = append(e.tool.Sandbox.AllowedPaths, allowed)
			continue
		}
		if path, ok := entry.path(); ok {
			e.tool.Sandbox.AllowedPaths = append(e.tool.Sandbox.AllowedPaths, tool.AllowedPath{Path: path})
		}
	}
}

// readNetwork takes the words only. on and off are truth values to YAML 1.1 and texts to YAML 1.2, which is what we read.
func (e *toolEntry) readNetwork(v value) {
	if v.node.Tag != "!!str" {
		hint := map[string]string{"true": "write on", "false": "write off"}[strings.ToLower(v.node.Value)]
		v.mismatch("", hint)
		return
	}
	switch network := tool.Network(v.node.Value); network {
	case tool.NetworkOn, tool.NetworkOff:
		e.tool.Sandbox.Network = network
	default:
		v.fail(ruleValue, "", "want on or off, found %s", quote(v.node.Value))
	}
}

func (e *toolEntry) readAllowedCommands(v value) {
	commands, ok := v.texts()
	if !ok {
		return
	}
	for i, command := range commands {
		if command == "" || strings.Contains(command, "/") && !strings.HasPrefix(command, "/") {
			v.item(i).fail(ruleValue, "write the name alone, or the whole path", "want a name to be found in PATH, or an absolute path; found %s", quote(command))
			return
		}
	}
	// The original's files say [] for "no list".
	if len(commands) > 0 {
		e.tool.Sandbox.Commands, e.commands = commands, v
	}
}

func (e *toolEntry) readSockets(v value) {
	entries, _ := v.list("an absolute path")
	for _, entry := range entries {
		path, ok := entry.path()
		if ok && !strings.HasPrefix(path, "/") {
			entry.fail(ruleValue, "", "want an absolute path, found %s", quote(path))
			continue
		}
		if ok {
			e.tool.Sandbox.Sockets = append(e.tool.Sandbox.Sockets, path)
		}
	}
}

// readGrants reads what a tool is granted in one word. What that gives is looked for when all files are read.
func (e *toolEntry) readGrants(v value) {
	entries, _ := v.list("the name of a grant")
	for _, entry := range entries {
		name, ok := entry.text()
		if !ok {
			continue
		}
		g, err := grant.Named(name)
		var unknown *grant.UnknownError
		switch {
		case errors.As(err, &unknown):
			entry.fail(ruleGrant, unknown.Hint(), "%v", err)
		case err != nil:
			entry.fail(ruleGrant, "", "%v", err)
		case slices.Contains(e.tool.Sandbox.Grants, name):
			entry.fail(ruleGrant, "take one of them out", "%s stands here twice", name)
		default:
			e.tool.Sandbox.Grants = append(e.tool.Sandbox.Grants, name)
			e.networkGranted = e.networkGranted || g.NeedsNetwork()
		}
	}
}

// properties are what a tool can require of its sandbox. pkg/sandbox has the same list and says what each means.
var properties = []string{"fs", "net", "processes", "memory", "tree"}

func (e *toolEntry) readRequire(v value) {
	required, _ := v.texts()
	for i, property := range required {
		if !slices.Contains(properties, property) {
			v.item(i).fail(ruleValue, "", "want one of %s; found %s", strings.Join(properties, ", "), quote(property))
			return
		}
	}
	e.tool.Sandbox.Require = required
}
