package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleGrant = "grant"

// sandboxMapping is what a tool may say about where and how it runs.
func sandboxMapping() yamldoc.Mapping[*toolEntry] {
	return yamldoc.Mapping[*toolEntry]{
		Name:     "sandbox",
		Keys:     append(sandboxKeys(), limitKeys()...),
		Synonyms: sandboxNames(),
		Elsewhere: []yamldoc.Misplaced{
			{Names: besideSandbox(), Hint: "%s belongs to the tool, beside sandbox"},
			{Names: []string{"readOnlyHint", "destructiveHint"},
				Hint: "%s belongs under annotations, beside sandbox"},
		},
	}
}

// besideSandbox are the keys of a tool that are no key of its sandbox.
func besideSandbox() []string {
	return []string{
		"error_mapping", "annotations", "retry", "circuit_breaker", "caching", "resource_limits",
		"parameters", "script", "description",
		"examples", "allow_dynamic_command", "trust_program", "output",
	}
}

// sandboxNames are what other programs call what a sandbox may say.
func sandboxNames() map[string]string {
	return map[string]string{
		"env": "environment_variables", "environment": "environment_variables",
		"envvars": "environment_variables", "vars": "environment_variables", "cwd": "working_directory",
		"workdir": "working_directory", "dir": "working_directory", "directory": "working_directory",
		"timeoutseconds": "timeout", "timeoutsecs": "timeout", "timeoutms": "timeout", "maxtime": "timeout",
		"memory": "max_memory_mb", "memorylimit": "max_memory_mb", "mem": "max_memory_mb",
		"cpu": "max_cpu_time_seconds", "processes": "max_processes", "paths": "allowed_paths",
		"volumes": "allowed_paths", "mounts": "allowed_paths", "commands": "allowed_commands",
		"confirm": "requires_confirmation", "confirmation": "requires_confirmation",
		"networkaccess": "network", "allownetwork": "network", "internet": "network", "permissions": "grants",
	}
}

// sandboxCalled is where they belong, for somebody who wrote them beside sandbox.
func sandboxCalled() []yamldoc.Misplaced {
	var all []yamldoc.Misplaced
	for _, name := range slices.Sorted(maps.Keys(sandboxNames())) {
		all = append(all, yamldoc.Misplaced{Names: []string{name},
			Hint: "write it under sandbox, where it is " + sandboxNames()[name]})
	}
	return all
}

func sandboxKeys() []yamldoc.Key[*toolEntry] {
	return []yamldoc.Key[*toolEntry]{
		yamldoc.NewKey("requires_confirmation", "true or false", func(e *toolEntry, v yamldoc.Value) {
			v.SetBool(&e.tool.Sandbox.RequiresConfirmation)
		}),
		yamldoc.NewKey("confirmation_message", "a text", (*toolEntry).readConfirmation),
		yamldoc.NewKey("timeout", "seconds, or a duration such as 2m30s", (*toolEntry).readTimeout),
		yamldoc.NewKey("working_directory", "a path", (*toolEntry).readWorkingDirectory),
		yamldoc.NewKey("use_temp_isolation", "true or false", func(e *toolEntry, v yamldoc.Value) {
			v.SetBool(&e.tool.Sandbox.TempIsolation)
		}),
		yamldoc.NewKey("allowed_paths", "a list of paths", (*toolEntry).readAllowedPaths),
		yamldoc.NewKey("environment_variables", "a mapping of names to texts", (*toolEntry).readEnvironment),
		yamldoc.NewKey("network", "on or off", (*toolEntry).readNetwork),
		yamldoc.NewKey("strict", "true or false", func(e *toolEntry, v yamldoc.Value) {
			v.SetBool(&e.tool.Sandbox.Strict)
		}),
		yamldoc.NewKey("allowed_commands", "a list of texts", (*toolEntry).readAllowedCommands),
		yamldoc.NewKey("sockets", "a list of paths", (*toolEntry).readSockets),
		yamldoc.NewKey("grants", "a list of names", (*toolEntry).readGrants),
		yamldoc.NewKey("require", "a list of properties", (*toolEntry).readRequire),
		yamldoc.NewKey("best_effort", "true or false", func(e *toolEntry, v yamldoc.Value) {
			v.SetBool(&e.tool.Sandbox.BestEffort)
		}),

		yamldoc.NewKey("caching_enabled", "true or false", (*toolEntry).readCachingEnabled),
		yamldoc.NewKey("cache_ttl_seconds", "a whole number of seconds", (*toolEntry).readCacheTTL),
		yamldoc.NewKey("cache_max_size_mb", "a whole number of megabytes", (*toolEntry).readCacheSize),
	}
}

func (e *toolEntry) readConfirmation(v yamldoc.Value) {
	if text, ok := v.Text(); ok {
		e.tool.Sandbox.ConfirmationMessage, e.confirmation = text, v
	}
}

func (e *toolEntry) readWorkingDirectory(v yamldoc.Value) {
	if dir, ok := readPath(v); ok {
		e.tool.Sandbox.WorkingDirectory = dir
	}
}

// readPath reads a path that is used as it is written: no shell and no template ever sees it.
func readPath(v yamldoc.Value) (string, bool) {
	path, ok := v.Text()
	if !ok {
		return "", false
	}
	switch {
	case path == "":
		v.Fail(yamldoc.RuleValue, `"." is the caller's directory`, "want a path, found nothing")
	case strings.HasPrefix(path, "~"), strings.HasPrefix(path, "$"):
		v.Fail(yamldoc.RuleValue, "write the whole path",
			"%s is not filled in here: the path is used as it is written", yamldoc.Quote(path))
	case strings.Contains(path, "{{"):
		v.Fail(yamldoc.RuleValue, "what a call may touch is the author's to say, not the call's",
			"values are not filled in here")
	default:
		return path, true
	}
	return "", false
}

// allowedPathMapping is the long form of an entry of allowed_paths.
func allowedPathMapping() yamldoc.Mapping[*tool.AllowedPath] {
	return yamldoc.Mapping[*tool.AllowedPath]{
		Name: "an allowed path",
		Keys: []yamldoc.Key[*tool.AllowedPath]{
			yamldoc.NewKey("path", "a path", func(p *tool.AllowedPath, v yamldoc.Value) {
				if path, ok := readPath(v); ok {
					p.Path = path
				}
			}),
			yamldoc.NewKey("access", "read or write", func(p *tool.AllowedPath, v yamldoc.Value) {
				access, ok := v.Text()
				if ok && access != "read" && access != "write" {
					v.Fail(yamldoc.RuleValue, "write includes read", "want read or write, found %s",
						yamldoc.Quote(access))
				}
				p.ReadOnly = access == "read"
			}),
		},
	}
}

// allowedPathsWant is what allowed_paths are a list of.
const allowedPathsWant = "a path, or {path: …, access: read}"

func (e *toolEntry) readAllowedPaths(v yamldoc.Value) {
	entries, _ := v.List(allowedPathsWant)
	for _, entry := range entries {
		if entry.IsMapping() {
			var allowed tool.AllowedPath
			yamldoc.ReadKeys(entry, allowedPathMapping(), &allowed)
			if path, ok := entry.Get("path"); ok {
				e.allowed = append(e.allowed, pathAt(allowed.Path, path))
			}
			entry.Require("path", "path: /srv/data")
			if _, said := entry.Get("access"); !said {
				e.writable = append(e.writable, entry)
			}
			e.tool.Sandbox.AllowedPaths = append(e.tool.Sandbox.AllowedPaths, allowed)
			continue
		}
		if path, ok := readPath(entry); ok {
			e.tool.Sandbox.AllowedPaths = append(e.tool.Sandbox.AllowedPaths, tool.AllowedPath{Path: path})
			e.allowed = append(e.allowed, pathAt(path, entry))
			e.writable = append(e.writable, entry)
		}
	}
}

// readNetwork takes the words only. on and off are truth values to YAML 1.1 and texts to YAML 1.2, which is
// what we read.
func (e *toolEntry) readNetwork(v yamldoc.Value) {
	if v.Node.Tag != "!!str" {
		hint := map[string]string{"true": "write on", "false": "write off"}[strings.ToLower(v.Node.Value)]
		v.Mismatch("", hint)
		return
	}
	switch network := tool.Network(v.Node.Value); network {
	case tool.NetworkOn, tool.NetworkOff:
		e.tool.Sandbox.Network = network
	default:
		v.Fail(yamldoc.RuleValue, "", "want on or off, found %s", yamldoc.Quote(v.Node.Value))
	}
}

func (e *toolEntry) readAllowedCommands(v yamldoc.Value) {
	commands, ok := v.Texts()
	if !ok {
		return
	}
	for i, command := range commands {
		if command == "" || strings.Contains(command, "/") && !strings.HasPrefix(command, "/") {
			v.Item(i).Fail(yamldoc.RuleValue, "write the name alone, or the whole path",
				"want a name to be found in PATH, or an absolute path; found %s", yamldoc.Quote(command))
			return
		}
	}
	// The original's files say [] for "no list".
	if len(commands) > 0 {
		e.tool.Sandbox.Commands, e.commands = commands, v
	}
}

func (e *toolEntry) readSockets(v yamldoc.Value) {
	entries, _ := v.List("an absolute path")
	for _, entry := range entries {
		path, ok := readPath(entry)
		if ok && !strings.HasPrefix(path, "/") {
			entry.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(path))
			continue
		}
		if ok {
			e.tool.Sandbox.Sockets = append(e.tool.Sandbox.Sockets, path)
		}
	}
}

// readGrants reads what a tool is granted in one word. What that gives is looked for when all files are read.
func (e *toolEntry) readGrants(v yamldoc.Value) {
	entries, _ := v.List("the name of a grant")
	for _, entry := range entries {
		name, ok := entry.Text()
		if !ok {
			continue
		}
		g, err := grant.Named(name)
		var unknown *grant.UnknownError
		switch {
		case errors.As(err, &unknown):
			entry.Fail(ruleGrant, unknown.Hint(), "%v", err)
		case err != nil:
			entry.Fail(ruleGrant, "", "%v", err)
		case slices.Contains(e.tool.Sandbox.Grants, name):
			entry.Fail(ruleGrant, "take one of them out", "%s stands here twice", name)
		default:
			e.tool.Sandbox.Grants = append(e.tool.Sandbox.Grants, name)
			e.networkGranted = e.networkGranted || g.NeedsNetwork()
		}
	}
}

// properties are what a tool can require of its sandbox. pkg/sandbox has the same list and says what each
// means.
var properties = []string{"fs", "net", "processes", "memory", "tree"}

func (e *toolEntry) readRequire(v yamldoc.Value) {
	required, _ := v.Texts()
	for i, property := range required {
		if !slices.Contains(properties, property) {
			v.Item(i).Fail(yamldoc.RuleValue, "", "want one of %s; found %s", strings.Join(properties, ", "),
				yamldoc.Quote(property))
			return
		}
	}
	e.tool.Sandbox.Require = required
}
