package permissions

import (
	"bytes"
	"embed"
	"slices"
	"strings"
)

// Presets lists the names of the rule sets that come with the program, the one that holds by default first.
func Presets() []string { return []string{"careful", "balanced", "confined", "strict"} }

//go:embed presets/careful.yaml presets/balanced.yaml presets/confined.yaml presets/strict.yaml
var presetFiles embed.FS

// Preset returns a rule set that comes with the program, as the policy file that it is. No preset approves
// a file that runs, decides or holds a secret.
func Preset(name string) ([]byte, bool) {
	data, err := presetFiles.ReadFile("presets/" + name + ".yaml")
	return data, err == nil
}

//go:embed packs/*.yaml
var packFiles embed.FS

// Packs lists the names of the rules for a language's builds and tests, which can be added to a preset.
func Packs() (names []string) {
	entries, _ := packFiles.ReadDir("packs") // it is there: it was embedded
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

// WithPacks returns a preset with the rules of packs behind its own. What they approve runs the project's own
// code.
func WithPacks(preset []byte, packs []string) ([]byte, bool) {
	file := bytes.Clone(preset)
	for i, name := range packs {
		rules, err := packFiles.ReadFile("packs/" + name + ".yaml")
		if err != nil || slices.Contains(packs[:i], name) || !slices.Contains(Packs(), name) {
			return nil, false
		}
		file = append(file, rules...)
	}
	return file, true
}
