package unasked

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// codexHarmless are the settings of a repository's that run nothing, and change nothing of what runs or is
// reached (https://developers.openai.com/codex/config-reference): of a search of the web no hook tells. Hooks are
// passed over that nobody has trusted, and that hooks are switched off, ours says otherwise.
var codexHarmless = strings.Fields(`approval_policy developer_instructions features.hooks features.multi_agent
	features.shell_tool features.unified_exec file_opener hide_agent_reasoning history hooks model
	model_auto_compact_token_limit model_context_window model_reasoning_effort model_reasoning_summary model_verbosity
	personality plan_mode_reasoning_effort project_doc_fallback_filenames project_doc_max_bytes project_root_markers
	review_model sandbox_mode service_tier show_raw_agent_reasoning tool_output_token_limit tui`)

// findCodex finds settings that have Codex start servers, or give the commands that were decided about other
// variables: codex-acp trusts each directory that a session is opened in (2.6.0, createSessionConfig), and nobody is
// asked.
func findCodex(dir string, environ []string) ([]Finding, error) {
	var names []string
	found, err := inRepository(dir, environ, func(at string) []Finding {
		found, own := codexFindings(at)
		names = append(names, own...)
		return found
	})
	if err != nil || len(names) == 0 {
		return found, err
	}
	led, err := inRepository(dir, environ, func(at string) []Finding { return ledAway(at, names...) }) // they count in each
	return append(found, led...), err
}

// codexFindings finds what is not harmless of what stands in a directory, and returns the further names of instructions
// there.
func codexFindings(dir string) (found []Finding, names []string) {
	const agents, config = ".codex/agents", ".codex/config.toml"
	if files, all := filesIn(dir, agents); len(files) > 0 || !all {
		f := Finding{Dir: dir, Files: files, What: filepath.Join(dir, agents) + " holds agents with settings of their own"}
		if !all {
			f.Files = nil
		}
		found = append(found, f)
	}
	told := func(what string) { found = append(found, Finding{Dir: dir, Files: []string{config}, What: what}) }
	data, cannot := text(dir, config)
	if cannot != "" {
		told(cannot)
	}
	settings, plain := tomlNames(string(data))
	if !plain {
		told(filepath.Join(dir, config) + " has settings that cannot be told")
	}
	for _, name := range settings {
		first, _, _ := strings.Cut(name, ".")
		if !slices.Contains(codexHarmless, first) && !slices.Contains(codexHarmless, name) {
			told(filepath.Join(dir, config) + " has " + name)
		}
	}
	names, own := codexFallbacks(string(data))
	if !own {
		told(filepath.Join(dir, config) + " has instructions in other files than those of instructions")
	}
	away := instructions(dir, []string{"AGENTS.md", "AGENTS.override.md"}, nil, ".codex/skills", ".agents/skills")
	return append(found, away...), names
}

var (
	// codexNamed is the setting that names further files of instructions, as tomlNames lets it be written.
	codexNamed = lazyregexp.New(`(?m)^\s*project_doc_fallback_filenames\s*=\s*\[([^\]]*)\]`)
	tomlText   = lazyregexp.New(`"[^"\n]*"|'[^'\n]*'`)
)

// codexFallbacks lists the files that Codex takes for instructions where there is no AGENTS.md, in each directory. It is
// false where one is none by its name: Codex joins whatever it is to the directory, and tells its model what it holds.
func codexFallbacks(text string) (names []string, own bool) {
	matches := codexNamed.FindAllStringSubmatch(text, -1)
	if strings.Count(text, "project_doc_fallback_filenames") != len(matches) {
		return nil, false
	}
	for _, match := range matches {
		for _, quoted := range tomlText.FindAllString(match[1], -1) {
			name := quoted[1 : len(quoted)-1]
			if name != filepath.Base(name) || strings.Contains(name, `\`) || !ofInstructions(name) {
				return nil, false
			}
			names = append(names, name)
		}
	}
	return names, true
}

var (
	tomlTable = lazyregexp.New(`^\[\[?([A-Za-z0-9_.-]+)\]\]?(?:\s*#.*)?$`)
	tomlKey   = lazyregexp.New(`^([A-Za-z0-9_.-]+)\s*=(.*)$`)
	// tomlRest is a line of a list that goes over several: nothing but texts, and its end.
	tomlRest = lazyregexp.New(`^(?:(?:"[^"\\]*"|'[^']*')\s*,?\s*)*\]?(?:\s*#.*)?$`)
)

// tomlNames lists the names of all values of a TOML text, with those of their tables before them. It is false
// for one that is not written in the plainest way.
func tomlNames(text string) (names []string, plain bool) {
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key := tomlKey.FindStringSubmatch(line)
		header := tomlTable.FindStringSubmatch(line)
		switch {
		case line == "" || line[0] == '#':
		case strings.Contains(line, `"""`) || strings.Contains(line, "'''"):
			return nil, false
		case header != nil:
			table = header[1] + "."
		case key != nil && strings.HasPrefix(strings.TrimSpace(key[2]), "{"):
			return nil, false // its members are on the same line
		case key != nil:
			names = append(names, table+key[1])
		case !tomlRest.MatchString(line):
			return nil, false
		}
	}
	return names, true
}
