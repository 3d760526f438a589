package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	a2aacp "github.com/a2a-acp/a2a-acp"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestToolIDs holds the quick look at the embedded tools against their reading.
func TestToolIDs(t *testing.T) {
	t.Parallel()
	set, err := Load(Sources{EmbeddedTools: a2aacp.Tools})
	if err != nil {
		t.Fatal(err)
	}
	got := toolIDs(a2aacp.Tools)
	slices.Sort(got)
	if diff := cmp.Diff(ids(set), got); diff != "" || len(got) == 0 {
		t.Errorf("ids (-read +seen):\n%s", diff)
	}
}

func TestOfferedOnly(t *testing.T) {
	t.Parallel()
	all, err := Load(Sources{EmbeddedTools: a2aacp.Tools})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, settings, own string
		want, unread        []string
	}{
		{"nothing is exposed", "", "", nil, ids(all)},
		{"one's own tool has the id of an embedded one", "", tools("grep"), []string{"grep"}, ids(all)},
		{"one is exposed, and all are read", "expose: [grep]\n", "", ids(all), nil},
		{"one's own is exposed", "expose: [mine]\n", tools("mine"), []string{"mine"}, ids(all)},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			writeHome(t, home, "a2a-acp.yaml", row.settings)
			writeHome(t, home, "tools.yaml", row.own)
			set, err := Load(Sources{EmbeddedTools: a2aacp.Tools, ConfigHome: home, OfferedOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(set.Unread)
			if diff := cmp.Diff(row.want, ids(set)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.unread, set.Unread); diff != "" {
				t.Errorf("unread (-want +got):\n%s", diff)
			}
			if set.Files[0].SHA256() != all.Files[0].SHA256() {
				t.Error("the file is not among those that are on record")
			}
		})
	}
}

// TestOwnReplacesUnread: where an exposed tool has the embedded ones read, one's own entries stand in their place.
func TestOwnReplacesUnread(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeHome(t, home, "a2a-acp.yaml", "expose: [list]\n")
	writeHome(t, home, "tools.yaml", tools("grep"))
	set, err := Load(Sources{EmbeddedTools: a2aacp.Tools, ConfigHome: home, OfferedOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, loaded := range set.Tools {
		if loaded.Tool.ID == "grep" && loaded.Tool.Source.Layer != tool.LayerUser {
			t.Errorf("grep is that of %v", loaded.Tool.Source)
		}
	}
}

func ids(set *Set) []string {
	var list []string
	for _, loaded := range set.Tools {
		list = append(list, loaded.Tool.ID)
	}
	return list
}

func writeHome(t *testing.T, home, name, text string) {
	t.Helper()
	if text == "" {
		return
	}
	dir := filepath.Join(home, "a2a-acp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUnreadIDsAreTaken: no workspace brings a tool by the name of one that was only left unread.
func TestUnreadIDsAreTaken(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"grep": false, "GREP": false, "find-files": false, "other": true} {
		l := &loading{set: &Set{Unread: toolIDs(a2aacp.Tools)}}
		if got := l.mayAdd(tool.Tool{ID: id}); got != want {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
	}
}
