package tooltest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// longestFile is how much of a file is compared. Examples are small.
const longestFile = 16 << 20

// picture tells what lies in a directory: for each name its kind, its permissions and what it holds.
func picture(dir string) (map[string]string, error) {
	seen := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + target
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			what += " " + hex.EncodeToString(sum[:])
		}
		seen[name] = what
		return nil
	})
	return seen, err
}

// changed says where the directory is not what is expected.
func changed(dir string, want tool.Expectation, before map[string]string) ([]string, error) {
	var all []string
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // nothing is written through it
	for _, file := range want.Files {
		if why := misfit(root, file); why != "" {
			all = append(all, fmt.Sprintf("file %s: %s", file.Name, why))
		}
	}
	if !want.Unchanged {
		return all, nil
	}
	after, err := picture(dir)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch was, is := before[name], after[name]; {
		case was == "":
			all = append(all, fmt.Sprintf("file %s: nothing must change, and the call made it", name))
		case is == "":
			all = append(all, fmt.Sprintf("file %s: nothing must change, and the call removed it", name))
		case was != is:
			all = append(all, fmt.Sprintf("file %s: nothing must change, and the call changed it", name))
		}
	}
	return all, nil
}

// misfit says why a file is not what it must be. A link that leads out of the directory is not followed.
func misfit(root *os.Root, want tool.FileMatch) string {
	info, err := root.Lstat(want.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && want.Absent:
		return ""
	case err != nil:
		return "want it to be there: " + err.Error()
	case want.Absent:
		return "must not be there, and is"
	case info.Size() > longestFile:
		return fmt.Sprintf("has %d bytes, and no more than %d can be compared", info.Size(), longestFile)
	}
	data, err := root.ReadFile(want.Name)
	if err != nil {
		return err.Error()
	}
	return want.Text.Misfit(string(data))
}
