package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/governor"
)

// governorsFile is a governors file that is being read.
type governorsFile struct {
	file    File
	doc     *document
	version int
	out     governor.File
}

// ReadGovernors reads one governors file. Its governors come in the order of the file. The error is an Errors that holds all
// mistakes of the file; the Errors beside it are what people should be told all the same.
func ReadGovernors(file File) (governor.File, Errors, error) {
	f := &governorsFile{file: file, doc: parse(file.Name, file.Data), version: formatOriginal}
	f.doc.emptyIsWrong = true
	f.out = governor.File{
		Layer: file.Layer, Name: file.Name, Project: file.Workspace,
		PermissionSettings: governor.DefaultSettings(), OutputSettings: governor.DefaultSettings(),
	}
	if f.doc.root != nil {
		f.readRoot(f.doc.at(f.doc.root, "", "a mapping with permission_governors or output_governors"))
	}
	f.doc.finish()
	if err := f.doc.found.err(); err != nil {
		return governor.File{}, nil, err
	}
	return f.out, f.doc.found, nil
}

// IsGovernors tells whether a file that a person named is one of governors, by what stands in it, whatever its name.
func IsGovernors(file File) bool {
	doc := parse(file.Name, file.Data)
	if doc.root == nil {
		return filepath.Base(file.Name) == governorsName
	}
	root := doc.at(doc.root, "", "")
	return slices.ContainsFunc(names(governorsFileNoun().keys), func(name string) bool {
		return name != "version" && root.has(name)
	})
}

// governorsFileNoun is what a governors file may say.
func governorsFileNoun() noun[*governorsFile] {
	return noun[*governorsFile]{
		name: "a governors file",
		keys: []key[*governorsFile]{
			{"permission_governors", "a list of governors", func(f *governorsFile, v value) {
				f.out.Permission = f.readList(v, false)
			}},
			{"output_governors", "a list of governors", func(f *governorsFile, v value) { f.out.Output = f.readList(v, true) }},
			{"permission_settings", "a mapping", func(f *governorsFile, v value) {
				readKeys(v, governorSettingsNoun(), &f.out.PermissionSettings)
			}},
			{"output_settings", "a mapping", func(f *governorsFile, v value) {
				readKeys(v, governorSettingsNoun(), &f.out.OutputSettings)
			}},
			{"settings", "a mapping with permission and output", (*governorsFile).readSettings},
			{"version", "1 or 2", func(*governorsFile, value) {}}, // read first
		},
		elsewhere: []misplaced{
			{[]string{"auto_approval_policies"}, "%s belongs in auto_approval_policies.yaml"},
			{[]string{"tools"}, "%s belongs in a tools file, such as tools.yaml"},
			{names(governorNoun().keys), "%s belongs to an entry of permission_governors or output_governors"},
			{names(governorSettingsNoun().keys), "%s belongs under permission_settings or output_settings"},
		},
	}
}

func (f *governorsFile) readRoot(root value) {
	if version, given := root.get("version"); given {
		f.version, _ = readVersion(version)
	}
	for _, phase := range []string{"permission", "output"} {
		at, given := root.get("settings")
		if _, twice := at.getIf(given, phase); twice && root.has(phase+"_settings") {
			at.fail(ruleDuplicate, "keep one of the two", "settings.%s and %s_settings say the same", phase, phase)
		}
	}
	if readKeys(root, governorsFileNoun(), f) && !root.has("permission_governors") && !root.has("output_governors") {
		root.mustHave("permission_governors", "a file without governors says `permission_governors: []`")
	}
}

// getIf is get for a value that may not be there.
func (v value) getIf(there bool, name string) (value, bool) {
	if !there {
		return value{}, false
	}
	return v.get(name)
}

// readSettings reads the other way in which the original system takes settings.
func (f *governorsFile) readSettings(v value) {
	readKeys(v, noun[*governorsFile]{
		name: "settings",
		keys: []key[*governorsFile]{
			{"permission", "a mapping", func(f *governorsFile, v value) {
				readKeys(v, governorSettingsNoun(), &f.out.PermissionSettings)
			}},
			{"output", "a mapping", func(f *governorsFile, v value) {
				readKeys(v, governorSettingsNoun(), &f.out.OutputSettings)
			}},
		},
	}, f)
}

// The bounds of a governor's settings.
const (
	mostFollowUps   = 100
	longestGovernor = 10 * 60 * 1000 // milliseconds
)

// governorSettingsNoun is what may be said about all governors of a phase.
func governorSettingsNoun() noun[*governor.Settings] {
	return noun[*governor.Settings]{
		name: "the settings of governors",
		keys: []key[*governor.Settings]{
			{"stop_on_first_reject", "true or false", func(s *governor.Settings, v value) { v.setBool(&s.StopOnFirstReject) }},
			{"auto_decision", "all_approve or manual", func(s *governor.Settings, v value) {
				v.oneOf([]string{"all_approve", "manual"}, func(text string) { s.AllApprove = text == "all_approve" })
			}},
			{"max_iterations", "a whole number", func(s *governor.Settings, v value) {
				if n, ok := v.whole(0, mostFollowUps); ok {
					s.MostFollowUps = int(n)
				}
			}},
			{"deadline_ms", "a whole number of milliseconds", func(s *governor.Settings, v value) { v.setMillis(&s.Deadline) }},
		},
	}
}

func (f *governorsFile) readList(v value, output bool) []governor.Spec {
	list, _ := v.list("a governor: {id, type, …}")
	seen := map[string]int{}
	var specs []governor.Spec
	for _, at := range list {
		if id, ok := at.get("id"); ok {
			at.name = fmt.Sprintf("governor %s", quote(id.node.Value))
		}
		e := newGovernorEntry(f, at, output)
		readKeys(at, governorNoun(), e)
		e.check()
		if line, twice := seen[e.spec.ID]; twice && e.spec.ID != "" {
			at.fail(ruleDuplicate, "give one of them another id", "the id is used twice, first in line %d", line)
		}
		seen[e.spec.ID] = at.node.Line
		specs = append(specs, e.spec)
	}
	return specs
}
