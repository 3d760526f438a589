package executor

import (
	"path/filepath"
	"slices"
	"sort"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// workDirParameter is the parameter by which agents' own tools name the directory where a command runs or a
// patch is applied.
const workDirParameter = "workdir"

// workDir returns the directory that a call names by that parameter, else the one that it starts in.
func workDir(t *tool.Tool, arguments map[string]any, dir string) string {
	named, ok := arguments[workDirParameter].(string)
	declared := slices.ContainsFunc(t.Parameters,
		func(p tool.Parameter) bool { return p.Name == workDirParameter && p.Type == tool.TypeString })
	switch {
	case !ok || !declared || named == "":
		return dir
	case filepath.IsAbs(named):
		return filepath.Clean(named)
	}
	return filepath.Join(dir, named)
}

// pathsOf lists the files that a call names in its arguments, including those that a patch names. If a
// patch is applied in another directory than the one that the call starts in, it lists both files that a
// name could mean: only the tool's author knows which one it is.
func pathsOf(t *tool.Tool, arguments map[string]any, dir string) []permissions.Path {
	var paths []permissions.Path
	add := func(value any) {
		if name, ok := value.(string); ok && name != "" {
			paths = append(paths, permissions.Path{Name: name, Write: !t.IsReadOnly()})
		}
	}
	declared, patches := map[string]bool{}, map[string]bool{}
	for _, p := range t.Parameters {
		patches[p.Name] = p.Format == tool.FormatPatch
		declared[p.Name] = p.Format == tool.FormatPath || p.Items != nil && p.Items.Format == tool.FormatPath
	}
	names := make([]string, 0, len(arguments))
	for name := range arguments {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if patch, ok := arguments[name].(string); ok && patches[name] {
			files, _ := tool.PatchFiles(patch) // a text that is no patch was refused with the arguments
			other := workDir(t, arguments, dir)
			for _, file := range files {
				add(file)
				if other != dir && !filepath.IsAbs(file) {
					add(filepath.Join(other, file))
				}
			}
			continue
		}
		if !permissions.PathNames[name] && !declared[name] {
			continue
		}
		if list, ok := arguments[name].([]any); ok {
			for _, item := range list {
				add(item)
			}
			continue
		}
		add(arguments[name])
	}
	return paths
}
