package tool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPatchFiles: every file that a patch names is listed, and a patch that another reader could read
// otherwise is an error that names the line and nothing of what stands there.
func TestPatchFiles(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		lines []string
		want  []string
		fault string
	}{
		{"every kind", []string{"*** Add File: a b", "+*** Delete File: x", "+", "*** Delete File: c", "*** Update File: d", "*** Move to: e/f", "@@ def", " x", "-y", "+z", "", "*** End of File", "*** Update File: g", "-h"}, []string{"a b", "c", "d", "e/f", "g"}, ""},
		{"an empty file", []string{"*** Add File: a"}, []string{"a"}, ""},
		{"a kept line that looks like a header", []string{"*** Update File: a", " *** Delete File: b", "+c"}, []string{"a"}, ""},
		{"nothing", nil, nil, "it names no file"},
		{"text before a file", []string{"hello", "*** Delete File: a"}, nil, "line 2: want"},
		{"a second patch", []string{"*** Delete File: a", "*** End Patch", "*** Begin Patch", "*** Delete File: b"}, nil, "line 3: want"},
		{"a new file's line without +", []string{"*** Add File: a", "+x", "y"}, nil, "line 4: want"},
		{"no change", []string{"*** Update File: a", "*** Delete File: b"}, nil, "line 3: the change"},
		{"one @", []string{"*** Update File: a", "@ x"}, nil, "line 3: the change"},
		{"another blank", []string{"*** Update File: a", "*** Add File:\tb"}, nil, "line 3: the change"},
		{"a blank before the name", []string{"*** Delete File:  a"}, nil, "line 2: want the name"},
		{"a carriage return", []string{"*** Delete File: a\r"}, nil, "line 2: want the name"},
		{"a tab in the name", []string{"*** Delete File: a\tb"}, nil, "line 2: want the name"},
		{"no name", []string{"*** Delete File: "}, nil, "line 2: want the name"},
		{"a NUL", []string{"*** Delete File: a\x00b"}, nil, "line 2: want the name"},
		{"a header in front of which something stands", []string{" *** Delete File: a"}, nil, "line 2: want"},
		{"a move by itself", []string{"*** Move to: a"}, nil, "line 2: want"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			patch := strings.Join(append(append([]string{patchBegin}, row.lines...), patchEnd), "\n")
			got, err := PatchFiles(patch + "\n")
			if row.fault == "" {
				if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), row.fault) || got != nil {
				t.Errorf("want %q, got %v and %q", row.fault, err, got)
			}
		})
	}
	for _, patch := range []string{"", "*** Begin Patch", "*** Begin Patch\n*** Delete File: a", "x\n*** Begin Patch\n*** Delete File: a\n*** End Patch", "*** Begin Patch \n*** Delete File: a\n*** End Patch"} {
		if got, err := PatchFiles(patch); err == nil {
			t.Errorf("%q is taken for a patch of %q", patch, got)
		}
	}
}

// FuzzPatchFiles: whatever the text is, a name that is listed stands behind a header, each header's name is
// listed, and none can be read in two ways.
func FuzzPatchFiles(f *testing.F) {
	f.Add("*** Begin Patch\n*** Add File: a\n+b\n*** Update File: c\n*** Move to: d\n@@\n x\n*** End Patch\n")
	f.Fuzz(func(t *testing.T, patch string) {
		files, err := PatchFiles(patch)
		if err != nil {
			return
		}
		var want []string
		for line := range strings.SplitSeq(patch, "\n") {
			for _, prefix := range []string{patchAdd, patchDelete, patchUpdate, patchMove} {
				if name, ok := strings.CutPrefix(line, prefix); ok {
					want = append(want, name)
				}
			}
		}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("%q (-want +got):\n%s", patch, diff)
		}
	})
}
