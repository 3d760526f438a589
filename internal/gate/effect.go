package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Effect is what happens when an act is carried out, with everything that is handed on. Two doors can tell
// by it that they speak of the very same: what a person said to the agent's question about it then stands
// for the frame in which the agent has it done.
type Effect struct {
	Kind permissions.Action
	// Path is the file that is read or written, resolved (see permissions.Resolve), and Content the
	// ContentDigest of what is written.
	Path, Content string
	// Command is the shell text that runs, or Argv the words of the one command that does: the same words
	// joined by blanks are another act. Dir is the directory that it runs in, and Env what is set for it,
	// in that order.
	Command string
	Argv    []string
	Dir     string
	Env     []permissions.Variable
	// More names everything else that is handed on with the act; "" for nothing.
	More string
	// Tool is the id of a tool of ours, and Arguments its arguments, as JSON decodes them (numbers as
	// json.Number).
	Tool      string
	Arguments map[string]any

	// What a yes was given to beside that, and a no whatever it is: Resolved are the files that the names in
	// a command or a call mean (see permissions.ResolvedFiles), Over names what a file holds that is written,
	// and Runs what runs of a tool of ours.
	Resolved   []string
	Over, Runs string
}

// CallOf returns the effect of a call of one of our tools.
func CallOf(r permissions.Request) Effect {
	return Effect{Kind: permissions.ActionCall, Tool: r.Tools[0], Arguments: r.Arguments, Runs: r.Digest,
		Resolved: permissions.ResolvedFiles(r)}
}

// ContentDigest names the content of a file.
func ContentDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// key names the effect: a write by its path and its whole content, a read by its path, a command by its
// text or its words, its directory and its variables, a call by its tool and arguments. It is false for an
// act that is not told in full, and for every other kind: nothing stands for those.
func (e Effect) key() (string, bool) {
	switch e.Kind {
	case permissions.ActionWrite:
		return digest.Of("write", e.Path, e.Content, e.More), filepath.IsAbs(e.Path) &&
			len(e.Content) == 2*sha256.Size
	case permissions.ActionRead:
		return digest.Of("read", e.Path, e.More), filepath.IsAbs(e.Path)
	case permissions.ActionExecute:
		one := (e.Command != "") != (len(e.Argv) > 0)
		return digest.Of("execute", permissions.CommandKey(e.Command, e.Argv, e.Env), e.Dir, e.More), one &&
			filepath.IsAbs(e.Dir)
	case permissions.ActionCall:
		arguments := e.Arguments
		if arguments == nil {
			arguments = map[string]any{}
		}
		text, err := permissions.Canonical(arguments)
		return digest.Of("call", e.Tool, text), e.Tool != "" && err == nil
	}
	return "", false
}

// state names what a yes was given to beside the key. It is false where that cannot be told.
func (e Effect) state() (string, bool) {
	return digest.Of(append([]string{e.Over, e.Runs}, e.Resolved...)...), !slices.Contains(e.Resolved, "")
}

// Digest names the effect; "" for one that no yes stands for.
func (e Effect) Digest() string {
	key, ok := e.key()
	state, known := e.state()
	if !ok || !known {
		return ""
	}
	return hex.EncodeToString([]byte(key + state))
}
