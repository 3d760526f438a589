package confine

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/acp"
)

// What is no ticket is not taken for one, and above all not removed: ~/.ssh is a directory that is ours
// alone, too.
func TestOnlyTicketsAreUsedUp(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ours")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	ticket := `{"command":["ls"],"profile":{},"variables":null,"environment":{},"hidden":null}`
	name := strings.Repeat("0a", 8)
	for _, row := range []struct {
		name, path, content string
		mode                os.FileMode
	}{
		{"a key", filepath.Join(dir, "id_ed25519"), "-----BEGIN OPENSSH PRIVATE KEY-----", 0o600},
		{"a key with the name of one", filepath.Join(dir, "00000000000000aa"), "-----BEGIN OPENSSH PRIVATE KEY-----", 0o600},
		{"JSON of somebody else's", filepath.Join(dir, "00000000000000ab"), `{"auths":{}}`, 0o600},
		{"nothing", filepath.Join(dir, "00000000000000ac"), "", 0o600},
		{"an empty object", filepath.Join(dir, "00000000000000ad"), "{}", 0o600},
		{"two objects", filepath.Join(dir, "00000000000000ae"), ticket + ticket, 0o600},
		{"one that others read", filepath.Join(dir, "00000000000000af"), ticket, 0o644},
		{"one of another name", filepath.Join(dir, "config.json"), ticket, 0o600},
		{"one where others come", filepath.Join(open, name), ticket, 0o600},
	} {
		if err := os.WriteFile(row.path, []byte(row.content), row.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := takeTicket(hex.EncodeToString([]byte(row.path))); err == nil {
			t.Errorf("%s is taken for a ticket", row.name)
		}
		if _, err := os.Lstat(row.path); err != nil {
			t.Errorf("%s is gone: %v", row.name, err)
		}
	}
	link := filepath.Join(dir, "00000000000000b0")
	if err := os.Symlink(filepath.Join(dir, "id_ed25519"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := takeTicket(hex.EncodeToString([]byte(link))); err == nil {
		t.Error("a link is taken for a ticket")
	}
	if _, err := os.Lstat(link); err != nil {
		t.Error("the link is gone")
	}
}

// A ticket is good for one time.
func TestATicketIsUsedUp(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ours")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &Boundary{tickets: dir, o: BoundaryOptions{Self: "a2a-acp"}}
	_, args, err := s.Terminal(acp.TerminalOrder{Command: []string{"ls", "-l"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if ticket, err := takeTicket(args[3]); err != nil || len(ticket.Command) != 2 || ticket.Profile.Dir == "" {
		t.Errorf("got %+v, %v", ticket, err)
	}
	if _, err := takeTicket(args[3]); err == nil {
		t.Error("it is good for a second time")
	}
}
