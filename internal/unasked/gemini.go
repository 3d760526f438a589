package unasked

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// geminiHarmless are the settings of a repository, by section, that run nothing, write nothing, send nothing and change
// nothing of what is run: that they allow tools is below our rules
// (https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md). A section with a dot
// behind it is harmless whole. Earlier versions had them without sections.
var geminiHarmless = strings.Fields(`$schema ui. output. privacy. extensions. hooksConfig. skills.
	general.checkpointing general.defaultApprovalMode general.disableAutoUpdate general.enableAutoUpdate
	general.enableAutoUpdateNotification general.enableNotifications general.enablePromptCompletion general.maxAttempts
	general.preferredEditor general.retryFetchErrors general.topicUpdateNarration general.vimMode
	context.fileFiltering context.discoveryMaxDirs context.importFormat context.includeDirectoryTree
	ide.enabled ide.hasSeenNudge mcp.allowed mcp.excluded model.name model.maxSessionTurns model.compressionThreshold
	model.skipNextSpeakerCheck model.summarizeToolOutput model.disableLoopDetection
	security.disableYoloMode security.disableAlwaysAllow security.folderTrust security.blockGitExtensions
	security.enablePermanentToolApproval
	tools.allowed tools.autoAccept tools.confirmationRequired tools.core tools.disableLLMCorrection tools.exclude
	tools.truncateToolOutputThreshold tools.truncateToolOutputLines tools.useRipgrep useWriteTodos
	allowedTools autoAccept checkpointing coreTools excludeTools hideBanner hideTips preferredEditor theme
	usageStatisticsEnabled vimMode`)

// findGemini finds settings that have Gemini start programs (MCP servers, hooks, commands that find or call tools), use
// a server's tools without asking, or write or send somewhere what is said; and variables for it, and for the commands
// that were decided about. It is measured with Gemini CLI 0.61.0, and read in its code. Settings count in the directory
// itself alone, variables and instructions in those above, too.
func findGemini(dir string, environ []string) ([]Finding, error) {
	for _, name := range []string{"GEMINI_CLI_HOME", "HOME"} {
		if home := variable(environ, name); home != "" && filepath.Clean(dir) == filepath.Clean(home) {
			return nil, nil // these are the person's own
		}
	}
	own, names := geminiFindings(filepath.Clean(dir))
	names = append(names, "GEMINI.md")
	found, err := inRepository(dir, environ, func(dir string) []Finding {
		told := slices.Concat(instructions(dir, names, nil, ".gemini/skills", ".agents/skills"), included(dir, names...))
		return append(geminiVariables(dir), told...)
	})
	return slices.Concat(own, found, geminiBelow(filepath.Clean(dir), names)), err
}

// geminiBelow finds what of the instructions in the directories below is told to Gemini's model with a file from there, and
// is not the repository's own.
func geminiBelow(dir string, names []string) []Finding {
	below, _ := filesBehind(dir, ".", func(at string, _ fs.DirEntry) bool {
		return filepath.Dir(at) != "." && slices.Contains(names, filepath.Base(at))
	})
	return append(ledAway(dir, below...), included(dir, below...)...)
}

// geminiFindings finds what of a directory's settings is not harmless, and returns the names of instructions in them.
func geminiFindings(dir string) (found []Finding, names []string) {
	const name = ".gemini/settings.json"
	path := filepath.Join(dir, name)
	told := func(what string) { found = append(found, Finding{Dir: dir, Files: []string{name}, What: what}) }
	sections, cannot := settings(dir, name) // whose keys have one spelling to Gemini
	if cannot != "" {
		told(cannot)
	}
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		if slices.Contains(geminiHarmless, section) || slices.Contains(geminiHarmless, section+".") {
			continue
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(sections[section], &members) != nil {
			told(path + " has " + section)
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(members)) {
			full := section + "." + member
			if full == "context.fileName" {
				files, own := named(members[member])
				if !own {
					told(path + " has " + full)
				}
				names = append(names, files...)
				continue
			}
			if !slices.Contains(geminiHarmless, full) && !geminiKeepsToItself(full, members[member]) {
				told(path + " has " + full)
			}
		}
	}
	return found, names
}

// geminiKeepsToItself reports whether a setting has a value with which it is harmless.
func geminiKeepsToItself(name string, value json.RawMessage) bool {
	return (name == "telemetry.enabled" || name == "telemetry.logPrompts") && string(value) == "false"
}

// geminiVariables finds files of variables (dotenv) in a directory that have one by which programs run or obey
// something, or Gemini does: it takes all of them. Where it takes such a file from it does not take another, which is
// not looked at here.
func geminiVariables(dir string) (found []Finding) {
	for _, name := range []string{".gemini/.env", ".env"} {
		data, cannot := text(dir, name)
		path := filepath.Join(dir, name)
		switch {
		case cannot != "":
			found = append(found, Finding{Dir: dir, Files: []string{name}, What: cannot})
		default:
			if names := steering(data); len(names) > 0 {
				found = append(found, Finding{Dir: dir, Files: []string{name}, What: path + " sets " + strings.Join(names, ", ")})
			}
		}
	}
	return found
}

// geminiPlain are variables of Gemini's own that only say who the person is there, and which model is asked.
var geminiPlain = strings.Fields(`GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION GEMINI_MODEL
	GOOGLE_GENAI_USE_VERTEXAI GOOGLE_GENAI_USE_GCA`)

// geminiFamilies begin the names of those by which it goes elsewhere, or does something else.
var geminiFamilies = strings.Fields(`GEMINI_ GOOGLE_APPLICATION_ GOOGLE_CLOUD_ GOOGLE_GEMINI_ GOOGLE_GENAI_ GOOGLE_VERTEX_
	CLOUD_SHELL CODE_ASSIST_ OTEL_ SANDBOX_ SEATBELT_ BUILD_SANDBOX`)

var dotenvName = lazyregexp.New(`([A-Za-z0-9_]+)[\s\v\pZ\x{feff}]*[=:]`)

// steering lists the variables in a dotenv file that steer Gemini, or the programs that it runs. Each name before = or :
// counts, wherever it stands, so that no way of writing hides one.
func steering(data []byte) (names []string) {
	var known *command.Catalogue // without what the person has added: there is nothing of it in these names
	for _, match := range dotenvName.Get().FindAllSubmatch(data, -1) {
		name := string(match[1])
		if slices.Contains(names, name) || slices.Contains(geminiPlain, name) {
			continue
		}
		upper := strings.ToUpper(name)
		ofGeminis := slices.ContainsFunc(geminiFamilies, func(family string) bool { return strings.HasPrefix(upper, family) })
		if _, runs, _ := known.Exported(name); runs || ofGeminis || strings.HasSuffix(upper, "_PROXY") {
			names = append(names, name)
		}
	}
	return names
}
