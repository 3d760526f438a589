package toolyaml

import (
	"strings"
	"testing"
)

// TestSwitch is a table of files whose tool is switched off, and on again: of the file nothing else changes.
func TestSwitch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, off string }{ // off "" where it is refused
		"block":            {"version: 2\ntools:\n  a: # the first\n    # why\n    script: |\n      echo\n  b: {script: x}\n", "version: 2\ntools:\n  a: # the first\n    # why\n    enabled: false\n    script: |\n      echo\n  b: {script: x}\n"},
		"flow":             {"tools: {a: {script: 'é'}, b: {script: x}}\n", "tools: {a: {enabled: false, script: 'é'}, b: {script: x}}\n"},
		"behind others":    {"tools: {'ü': {script: 'é'}, a: { script: x } }", "tools: {'ü': {script: 'é'}, a: {enabled: false,  script: x } }"},
		"bare":             {"a:\n  script: x\n", "a:\n  enabled: false\n  script: x\n"},
		"said":             {"tools:\n  a:\n    script: x\n    enabled: true # for now\n", "tools:\n  a:\n    script: x\n    enabled: false # for now\n"},
		"off already":      {"tools:\n  a:\n    enabled: false\n", "tools:\n  a:\n    enabled: false\n"},
		"lines of Windows": {"tools:\r\n  a:\r\n    script: x\r\n", "tools:\r\n  a:\r\n    enabled: false\r\n    script: x\r\n"},
		"no last line":     {"tools:\n  a:\n    script: x", "tools:\n  a:\n    enabled: false\n    script: x"},
		"an alias":         {"x: &x {script: y}\ntools: {a: *x}\n", ""},
		"an anchor":        {"tools: {a: &x {script: y}, b: *x}\n", ""},
		"anchored lines":   {"tools:\n  a: &x\n    script: y\n  b: *x\n", ""}, // b would be off, too
		"a text":           {"tools: {a: x}\n", ""},
		"a quoted word":    {"tools: {a: {enabled: \"yes\"}}\n", ""},
		"none":             {"tools: {b: {script: x}}\n", ""},
		"nothing":          {"", ""},
		"twice":            {"tools: {a: {script: x}, a: {script: y}}\n", ""},
		"no YAML":          {"tools: {", ""},
		"in a script":      {"tools:\n  b:\n    script: |\n      a:\n        enabled: true\n  a:\n    script: x\n", "tools:\n  b:\n    script: |\n      a:\n        enabled: true\n  a:\n    enabled: false\n    script: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			off, err := Switch([]byte(test.file), "a", false)
			if string(off) != test.off || (err == nil) != (test.off != "") {
				t.Fatalf("%q, %v; want %q", off, err, test.off)
			}
			if err != nil {
				return
			}
			on, err := Switch(off, "a", true)
			if want := strings.Replace(test.off, "enabled: false", "enabled: true", 1); err != nil || string(on) != want {
				t.Errorf("%q, %v; want %q", on, err, want)
			}
		})
	}
}

// FuzzSwitch checks that whatever a file holds, either nothing else in it changes, or it is refused.
func FuzzSwitch(f *testing.F) {
	f.Add([]byte("tools:\n  a: # x\n    script: y\n"))
	f.Add([]byte("tools: {a: {script: x}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, on := range []bool{false, true} {
			changed, err := Switch(data, "a", on)
			if err == nil && string(changed) != string(data) && onlySwitched(data, changed, "a", on) != nil {
				t.Errorf("%q became %q", data, changed)
			}
		}
	})
}
