package sandbox

// Property is something that a tool can require of its sandbox (`require` in tools.yaml).
type Property string

// The properties.
const (
	// PropertyFiles: the call can open, make and change only what was granted to it.
	PropertyFiles Property = "fs"
	// PropertyNetwork: with `network: off` the call reaches nobody, by no kind of socket.
	PropertyNetwork Property = "net"
	// PropertyProcesses: the kernel holds the call to its number of processes.
	PropertyProcesses Property = "processes"
	// PropertyMemory: the kernel holds the call as a whole to its memory, not only each process of it.
	PropertyMemory Property = "memory"
	// PropertyTree: no process outlives the call, not even when this program is killed.
	PropertyTree Property = "tree"
)

// Properties lists them all.
func Properties() []Property {
	return []Property{PropertyFiles, PropertyNetwork, PropertyProcesses, PropertyMemory, PropertyTree}
}

// Meaning says a property to people, in one line.
func (p Property) Meaning() string {
	return map[Property]string{
		PropertyFiles:     "files: only what was granted can be opened or changed",
		PropertyNetwork:   "network: off means off",
		PropertyProcesses: "processes: the kernel holds the call to its number",
		PropertyMemory:    "memory: the kernel holds the call as a whole to its limit",
		PropertyTree:      "tree: nothing outlives the call, whatever happens to this program",
	}[p]
}
