//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// A call that was granted a socket by name can make sockets, and the kernel lets it connect to whatever has a
// path that it sees (unix(7)): Landlock has no right for that. So what was not granted it must not see.

// socketPlaces lists the directories in which there may be sockets and nothing that a call needs: those of
// the root that are not the system's. What else lies beside /nix/store is links to programs there, and the
// socket of who builds them (nix-daemon(8)).
func socketPlaces() []string {
	needed := slices.Concat(systemPaths, []string{"/dev", "/tmp"})
	places := slices.DeleteFunc(directoriesIn("/"), func(dir string) bool {
		return slices.ContainsFunc(needed, func(path string) bool { return within(path, dir) })
	})
	// What of the system's is in /var is for package managers.
	return existing(append(places, "/var", "/nix/var/nix/daemon-socket")...)
}

// directoriesIn lists the directories in one, without links.
func directoriesIn(dir string) []string {
	var list []string
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() {
			list = append(list, filepath.Join(dir, entry.Name()))
		}
	}
	return list
}

// socketsIn lists the sockets in a directory.
func socketsIn(dir string) []hiding {
	var list []hiding
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Type() == os.ModeSocket {
			list = append(list, hiding{path: filepath.Join(dir, entry.Name()), file: true})
		}
	}
	return list
}

// mostMasked is how many sockets in what was granted are hidden from a call.
const mostMasked = 256

// mask hides the sockets of a directory that were not granted themselves: what is granted as a file is not
// granted as a socket. What a daemon makes there later is seen.
func (f *confinement) mask(dir string, sockets []string, profile *Profile) {
	if len(profile.Sockets) == 0 {
		return // it can make none
	}
	granted := realPaths(profile.Sockets)
	for _, socket := range sockets {
		path := filepath.Join(dir, socket)
		if isBelow(path, granted) || slices.ContainsFunc(f.own, func(h hiding) bool { return within(path, h.path) }) ||
			slices.ContainsFunc(f.sockets, func(h hiding) bool { return h.path == path }) {
			continue
		}
		if len(f.sockets) == mostMasked {
			f.hints = append(f.hints, "sockets: there are more than are hidden in "+dir+", and the call can connect to the rest")
			return
		}
		f.sockets = append(f.sockets, hiding{path: path, file: true})
	}
}
