package imports

import (
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
)

// newFile writes a file that is not there. The directory of our own configuration is made with it, which who begins has not
// got yet; any other has to be there, since its name may be mistyped.
func newFile(env *cli.Environment, path string, data []byte) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if dir := filepath.Dir(whole); dir == (dirs.Dirs{Getenv: env.Getenv}).Config() {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return cli.ReplaceFile(path, data, 0o600)
}
