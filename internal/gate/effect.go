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
// by it that they mean the same act, so an answer to the agent's question counts for the frame by which the
// agent then has it done.
type Effect struct {
	Kind permissions.Action
	// Path is the file that is read or written, resolved (see permissions.Resolve). Content is the
	// ContentDigest of what is written.
	Path, Content string
	// Command is the shell text that runs, or Argv the words of a single command. The same words joined by
	// blanks are another act. Dir is the directory it runs in. Env lists the variables that are set for it,
	// in order.
	Command string
	Argv    []string
	Dir     string
	Env     []permissions.Variable
	// More identifies everything else that is handed on with the act; "" for nothing.
	More string
	// Tool is the id of a tool of ours, and Arguments its arguments, as JSON decodes them (numbers as
	// json.Number).
	Tool      string
	Arguments map[string]any

	// A yes counts only if these are the same, too; a no counts anyway. Resolved are the files that the
	// names in a command or call mean (see permissions.ResolvedFiles), Over identifies what a file holds
	// before it is written, and Runs what runs for a tool of ours.
	Resolved   []string
	Over, Runs string
}

// CallOf returns the effect of a call of one of our tools.
func CallOf(r permissions.Request) Effect {
	return Effect{Kind: permissions.ActionCall, Tool: r.Tools[0], Arguments: r.Arguments, Runs: r.Digest,
		Resolved: permissions.ResolvedFiles(r)}
}

// ContentDigest returns a digest of a file's content.
func ContentDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// key returns a key for the effect: for a write its path and content, for a read its path, for a command
// its text or words, directory and variables, for a call its tool and arguments. It returns false for an
// act that is not known completely and for every other kind: no answer counts for those.
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

// state returns a digest of what a yes depends on besides the key; false if that is not known.
func (e Effect) state() (string, bool) {
	return digest.Of(append([]string{e.Over, e.Runs}, e.Resolved...)...), !slices.Contains(e.Resolved, "")
}

// Digest returns a digest of the effect; "" if no yes can count for it.
func (e Effect) Digest() string {
	key, ok := e.key()
	state, known := e.state()
	if !ok || !known {
		return ""
	}
	return hex.EncodeToString([]byte(key + state))
}
