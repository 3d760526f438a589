package tool

import "fmt"

// Layer is the place that a configuration file was found in. A later layer replaces an entry of an earlier
// one by its id.
type Layer int

// The layers, from the one that is always there to the one that nothing overrides.
const (
	LayerEmbedded    Layer = iota // came with the program
	LayerUser                     // $XDG_CONFIG_HOME/a2a-acp
	LayerEnvironment              // named by an A2A_ variable
	LayerFlag                     // named on the command line
	LayerSystem                   // /etc/a2a-acp, owned by root
	// LayerProject is a workspace's own files. It stands outside the order: it replaces nothing in the
	// other layers.
	LayerProject
)

var layerNames = [...]string{"embedded", "user", "environment", "flag", "system", "project"}

func (l Layer) String() string {
	if l < 0 || int(l) >= len(layerNames) {
		return fmt.Sprintf("layer(%d)", int(l))
	}
	return layerNames[l]
}

// Source is where an entry was written.
type Source struct {
	Layer  Layer
	File   string // as it is shown to people
	Line   int    // from 1
	Column int    // from 1
}

func (s Source) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }
