package dirs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNamesBy finds every name by which a directory can be reached, whatever shows it: a mount of the directory itself,
// of one that it is in or of something in it, of a disk as a whole, or a subvolume.
func TestNamesBy(t *testing.T) {
	t.Parallel()
	const (
		root = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
		home = "30 22 8:2 / /home rw - ext4 /dev/sda2 rw\n"
	)
	const dir = "/home/u/.local/state/a2a-acp"
	for _, row := range []struct {
		name, mounts string
		want         []otherName
	}{
		{"one disk", root, nil},
		{"a disk of its own", root + home, nil},
		{"other disks", root + home + "31 22 8:3 / /mnt rw - ext4 /dev/sda3 rw\n31 22 0:5 /u /srv rw - tmpfs t rw\n", nil},
		{"itself", root + home + "31 22 8:2 /u/.local/state/a2a-acp /mnt/state rw - ext4 /dev/sda2 rw\n", []otherName{{"/mnt/state", dir}}},
		{"what it is in", root + home + "31 22 8:2 /u /data/u rw - ext4 /dev/sda2 rw\n", []otherName{{"/data/u/.local/state/a2a-acp", dir}}},
		{"the disk, elsewhere", root + home + "31 22 8:2 / /data rw - ext4 /dev/sda2 rw\n", []otherName{{"/data/u/.local/state/a2a-acp", dir}}},
		{"something in it", root + home + `31 22 8:2 /u/.local/state/a2a-acp/audit /mnt/my\040log rw - ext4 /dev/sda2 rw`,
			[]otherName{{"/mnt/my log", dir + "/audit"}}},
		{"a part that is not it", root + home + "31 22 8:2 /u/.local/state/a2a-acp2 /mnt/a rw - ext4 /dev/sda2 rw\n31 22 8:2 /v /b rw - ext4 d rw\n", nil},
		{"subvolumes", "22 1 0:30 /@ / rw - btrfs /dev/sda1 rw\n30 22 0:30 /@home /home rw - btrfs /dev/sda1 rw\n31 22 0:30 / /mnt rw - btrfs /dev/sda1 rw\n",
			[]otherName{{"/mnt/@home/u/.local/state/a2a-acp", dir}}},
		{"the root, elsewhere", root + "31 22 8:1 / /mnt rw - ext4 /dev/sda1 rw\n", []otherName{{"/mnt" + dir, dir}}},
		{"a mount that another covers", root + "30 22 8:9 / /home rw - ext4 /dev/sdb rw\n" + home + "31 22 8:2 /u /data/u rw - ext4 /dev/sda2 rw\n",
			[]otherName{{"/data/u/.local/state/a2a-acp", dir}}},
		{"nothing that can be read", "what?\n", nil},
	} {
		got := namesBy(mountsIn(row.mounts), dir)
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(otherName{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", row.name, diff)
		}
	}
}

// TestOwnWhateverIsSet has fewer variables set than the next process may have: what lies where that one looks is ours too.
func TestOwnWhateverIsSet(t *testing.T) {
	t.Parallel()
	set := map[string]string{"HOME": "/h", "A2A_STATE_DIR": "/s", "XDG_STATE_HOME": "/xs", "XDG_CONFIG_HOME": "/xc"}
	own := Dirs{Getenv: func(name string) string { return set[name] }}.Own()
	for _, want := range strings.Fields("/etc/a2a-acp /s /xs/a2a-acp /h/.local/state/a2a-acp /xc/a2a-acp /h/.config/a2a-acp " +
		AccountHome() + "/.config/a2a-acp " + AccountHome() + "/.local/state/a2a-acp") {
		if !slices.Contains(own, want) {
			t.Errorf("%s is not ours: %q", want, own)
		}
	}
}
