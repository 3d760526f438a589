package permissions

import "embed"

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
