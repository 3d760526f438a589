package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// governorsFile is a governors file that is being read.
type governorsFile struct {
	file    File
	doc     *yamldoc.Document
	version int
	out     governor.File
}

// ReadGovernors reads one governors file. Its governors come in the order of the file. The error is an Errors
// that holds all mistakes of the file; the Errors beside it are what people should be told all the same.
func ReadGovernors(file File) (governor.File, yamldoc.Errors, error) {
	f := &governorsFile{file: file, doc: yamldoc.Parse(file.Name, file.Data,
		yamldoc.Options{EmptyIsWrong: true}), version: formatOriginal}
	f.out = governor.File{
		Layer: file.Layer, Name: file.Name, Project: file.Workspace,
		PermissionSettings: governor.DefaultSettings(), OutputSettings: governor.DefaultSettings(),
	}
	if root, ok := f.doc.Root("a mapping with permission_governors or output_governors"); ok {
		f.readRoot(root)
	}
	f.doc.Finish()
	if err := f.doc.Found.Err(); err != nil {
		return governor.File{}, nil, err
	}
	return f.out, f.doc.Found, nil
}

// IsGovernors reports whether a file that a person named is one of governors, by what stands in it, whatever
// its name.
func IsGovernors(file File) bool {
	doc := yamldoc.Parse(file.Name, file.Data, yamldoc.Options{})
	root, ok := doc.Root("")
	if !ok {
		return filepath.Base(file.Name) == governorsName
	}
	return slices.ContainsFunc(governorsFileMapping().Names(), func(name string) bool {
		return name != "version" && root.Has(name)
	})
}

// governorsFileMapping is what a governors file may say.
func governorsFileMapping() yamldoc.Mapping[*governorsFile] {
	return yamldoc.Mapping[*governorsFile]{
		Name: "a governors file",
		Keys: []yamldoc.Key[*governorsFile]{
			yamldoc.NewKey("permission_governors", "a list of governors",
				func(f *governorsFile, v yamldoc.Value) {
					f.out.Permission = f.readList(v, false)
				}),
			yamldoc.NewKey("output_governors", "a list of governors",
				func(f *governorsFile, v yamldoc.Value) {
					f.out.Output = f.readList(v, true)
				}),
			yamldoc.NewKey("permission_settings", "a mapping", func(f *governorsFile, v yamldoc.Value) {
				yamldoc.ReadKeys(v, governorSettingsMapping(), &f.out.PermissionSettings)
			}),
			yamldoc.NewKey("output_settings", "a mapping", func(f *governorsFile, v yamldoc.Value) {
				yamldoc.ReadKeys(v, governorSettingsMapping(), &f.out.OutputSettings)
			}),
			yamldoc.NewKey("settings", "a mapping with permission and output", (*governorsFile).readSettings),
			yamldoc.NewKey("version", "1 or 2", func(*governorsFile, yamldoc.Value) {}), // read first
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"auto_approval_policies"}, Hint: "%s belongs in auto_approval_policies.yaml"},
			{Names: []string{"tools"}, Hint: "%s belongs in a tools file, such as tools.yaml"},
			{Names: governorMapping().Names(),
				Hint: "%s belongs to an entry of permission_governors or output_governors"},
			{Names: governorSettingsMapping().Names(),
				Hint: "%s belongs under permission_settings or output_settings"},
		},
	}
}

func (f *governorsFile) readRoot(root yamldoc.Value) {
	if version, given := root.Get("version"); given {
		f.version, _ = readVersion(version)
	}
	for _, phase := range []string{"permission", "output"} {
		if at, given := root.Get("settings"); given && at.Has(phase) && root.Has(phase+"_settings") {
			at.Fail(yamldoc.RuleDuplicate, "keep one of the two", "settings.%s and %s_settings say the same",
				phase, phase)
		}
	}
	if yamldoc.ReadKeys(root, governorsFileMapping(), f) && !root.Has("permission_governors") &&
		!root.Has("output_governors") {
		root.Require("permission_governors", "a file without governors says `permission_governors: []`")
	}
}

// readSettings reads the other way in which the original system takes settings.
func (f *governorsFile) readSettings(v yamldoc.Value) {
	yamldoc.ReadKeys(v, yamldoc.Mapping[*governorsFile]{
		Name: "settings",
		Keys: []yamldoc.Key[*governorsFile]{
			yamldoc.NewKey("permission", "a mapping", func(f *governorsFile, v yamldoc.Value) {
				yamldoc.ReadKeys(v, governorSettingsMapping(), &f.out.PermissionSettings)
			}),
			yamldoc.NewKey("output", "a mapping", func(f *governorsFile, v yamldoc.Value) {
				yamldoc.ReadKeys(v, governorSettingsMapping(), &f.out.OutputSettings)
			}),
		},
	}, f)
}

// The bounds of a governor's settings.
const (
	mostFollowUps   = 100
	longestGovernor = 10 * 60 * 1000 // milliseconds
)

// governorSettingsMapping is what may be said about all governors of a phase.
func governorSettingsMapping() yamldoc.Mapping[*governor.Settings] {
	return yamldoc.Mapping[*governor.Settings]{
		Name: "the settings of governors",
		Keys: []yamldoc.Key[*governor.Settings]{
			yamldoc.NewKey("stop_on_first_reject", "true or false",
				func(s *governor.Settings, v yamldoc.Value) {
					v.SetBool(&s.StopOnFirstReject)
				}),
			yamldoc.NewKey("auto_decision", "all_approve or manual",
				func(s *governor.Settings, v yamldoc.Value) {
					v.OneOf([]string{"all_approve", "manual"}, func(text string) {
						s.AllApprove = text == "all_approve"
					})
				}),
			yamldoc.NewKey("max_iterations", "a whole number", func(s *governor.Settings, v yamldoc.Value) {
				if n, ok := v.Int(0, mostFollowUps); ok {
					s.MostFollowUps = int(n)
				}
			}),
			yamldoc.NewKey("deadline_ms", "a whole number of milliseconds",
				func(s *governor.Settings, v yamldoc.Value) {
					setMillis(v, &s.Deadline)
				}),
		},
	}
}

func (f *governorsFile) readList(v yamldoc.Value, output bool) []governor.Spec {
	list, _ := v.List("a governor: {id, type, …}")
	seen := map[string]int{}
	var specs []governor.Spec
	for _, at := range list {
		if id, ok := at.Get("id"); ok {
			at.Name = fmt.Sprintf("governor %s", yamldoc.Quote(id.Node.Value))
		}
		e := newGovernorEntry(f, at, output)
		yamldoc.ReadKeys(at, governorMapping(), e)
		e.check()
		if line, twice := seen[e.spec.ID]; twice && e.spec.ID != "" {
			at.Fail(yamldoc.RuleDuplicate, "give one of them another id",
				"the id is used twice, first in line %d", line)
		}
		seen[e.spec.ID] = at.Node.Line
		specs = append(specs, e.spec)
	}
	return specs
}
