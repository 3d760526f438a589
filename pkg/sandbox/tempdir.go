package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// PrivateTempDir returns the directory below a place for temporary files in which those of this program's files
// lie that no call sees, also where it was granted all of that place: one for each user, made if need be. It
// stays there, so that it also hides what other processes of this program put there later.
func PrivateTempDir(temp string) (string, error) {
	temp, err := filepath.Abs(temp)
	if err != nil {
		return "", err
	}
	place := tempPlace(temp)
	err = os.Mkdir(place, 0o700)
	if err == nil && os.Geteuid() == 0 {
		err = os.Chmod(place, 0o711) // a call may be another's, see scratch.furnish
	}
	if err == nil {
		return place, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	is, err := os.Lstat(place)
	if err != nil {
		return "", err
	}
	if stat, ok := is.Sys().(*syscall.Stat_t); !ok || !is.IsDir() || int(stat.Uid) != os.Geteuid() ||
		is.Mode().Perm()&0o066 != 0 {
		// Somebody was quicker. In a directory of another name we are still alone.
		return os.MkdirTemp(temp, filepath.Base(place)+"-")
	}
	return place, nil
}

func tempPlace(temp string) string {
	return filepath.Join(temp, "a2a-acp-"+strconv.Itoa(os.Geteuid()))
}
