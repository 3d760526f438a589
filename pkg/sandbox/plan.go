package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Plan is what one machine will enforce for one call. It never changes. The zero Plan cannot be run.
type Plan struct {
	level    Level
	profile  Profile // its limits are lowered to what this process may still grant
	user     int     // whom the call runs as
	enforced map[Property]string
	lacking  map[Property]string
	signals  bool // without namespaces it can signal this user's other processes
	digest   string
}

// landlockScopes is the first version of Landlock that keeps a call from abstract sockets and processes
// outside of it.
const landlockScopes = 6

// capability is what a machine can do, as far as planning depends on it.
type capability struct {
	level Level
	why   string // why the level is no higher, for people

	landlock    int  // its version
	user        int  // ours
	tasks       bool // control groups count the tasks of a call (pids)
	totalMemory bool // control groups bound the memory of a call (cgroup v2)
	weak        bool // a call may run where its files are not confined

	// The limits that bind this process itself. A call cannot be granted more.
	cpu       time.Duration
	memory    int64
	addresses int64
	fileSize  int64
	openFiles int
	processes uint64 // tasks of the whole user
}

// plan settles what a machine enforces of a profile for a call that runs as user. What the profile requires
// and the machine does not have is refused, unless it says best effort: sandbox_unavailable.
func plan(c capability, profile Profile, user int) (Plan, error) {
	if c.level == LevelNone {
		return Plan{}, tool.Failf(tool.FailSandbox, "tools cannot be run on this machine: %s", c.why)
	}
	if err := profile.check(); err != nil {
		return Plan{}, err
	}
	if c.level == LevelRlimits && !c.weak {
		return Plan{}, tool.Failf(tool.FailSandbox,
			"this machine cannot confine the files of a call (%s), so none is run; "+
				"`a2a-acp doctor` shows what is missing, and `sandbox: {allow_weak: true}` in a2a-acp.yaml runs tools even so", c.why)
	}
	if profile.Network == tool.NetworkUnsaid {
		profile.Network = tool.NetworkOff
	}
	p := Plan{level: c.level, profile: profile, user: user,
		signals: !c.level.hasLandlock() || c.landlock < landlockScopes}
	p.profile.Environment = maps.Clone(profile.Environment)
	p.profile.AllowedPaths = slices.Clone(profile.AllowedPaths)
	p.profile.Own = slices.Clone(profile.Own)
	p.profile.Sockets = slices.Clone(profile.Sockets)
	p.profile.Commands = slices.Clone(profile.Commands)
	p.profile.Require = slices.Clone(profile.Require)
	limits := &p.profile.Limits
	limits.CPU = lower(limits.CPU, c.cpu)
	limits.Memory = lower(limits.Memory, c.memory)
	limits.Addresses = lower(limits.Addresses, c.addresses)
	limits.FileSize = lower(limits.FileSize, c.fileSize)
	limits.OpenFiles = lower(limits.OpenFiles, c.openFiles)
	p.enforced, p.lacking = properties(c, user)
	if err := p.refuse(c); err != nil {
		return Plan{}, err
	}
	p.digest = p.sum()
	return p, nil
}

// properties tells which properties a machine enforces for a user's calls, by what, and which it does not,
// why.
func properties(c capability, user int) (enforced, lacking map[Property]string) {
	enforced, lacking = map[Property]string{}, map[Property]string{}
	has := func(p Property, yes bool, by, why string) {
		if yes {
			enforced[p] = by
		} else {
			lacking[p] = why
		}
	}
	files := "Landlock, and everything else is read-only"
	if !c.level.hasNamespaces() {
		files = "Landlock; but modes, owners and times of this user's other files can be changed"
	}
	has(PropertyFiles, c.level.hasLandlock(), files, "the call can use whatever this user can")
	has(PropertyNetwork, c.level.AtLeast(LevelRlimits), "a system call filter (seccomp)",
		"nothing here filters system calls")
	switch {
	case c.tasks && (user == 0 || c.totalMemory):
		enforced[PropertyProcesses] = "a control group"
	case user != 0 && c.level.hasNamespaces():
		enforced[PropertyProcesses] = "a user namespace, in which the kernel counts"
	default:
		why := "they are counted ten times a second and more end the call, but the kernel does not hold it to the number"
		if user == 0 {
			why += " (it never holds root to it)"
		}
		lacking[PropertyProcesses] = why
	}
	has(PropertyMemory, c.totalMemory, "a control group",
		"each process of a call is held to the limit, but not all of them together")
	has(PropertyTree, c.level.hasNamespaces(), "a process namespace",
		"all of a call is ended with it, but what it has started goes on when this program is killed, until it is started again; "+
			"and it can ask others, such as cron, to start something")
	return enforced, lacking
}

// refuse says no to what the profile requires and the machine does not enforce.
func (p *Plan) refuse(c capability) error {
	if p.profile.BestEffort {
		return nil
	}
	for _, property := range p.profile.Require {
		if why, ok := p.lacking[property]; ok {
			return tool.Failf(tool.FailSandbox,
				"the tool requires %s, which this machine does not enforce (sandbox level %s): %s; "+
					"`a2a-acp doctor` tells what would, `best_effort: true` runs it even so", property, p.level, why)
		}
	}
	if len(p.profile.Sockets) > 0 && !p.profile.Isolated && c.landlock < landlockScopes {
		return tool.Failf(tool.FailSandbox,
			"sockets cannot be granted by name on this machine: those without a path (abstract ones) would be open too, "+
				"for want of version %d of Landlock (Linux 6.12); "+
				"`best_effort: true` grants them, `strict: true` closes them with the network", landlockScopes)
	}
	if p.level.hasNamespaces() {
		return nil
	}
	if p.profile.Commands != nil {
		return tool.Failf(tool.FailSandbox,
			"allowed_commands cannot be enforced on this machine (sandbox level %s): "+
				"a call could start a copy of its own making; `best_effort: true` runs it even so", p.level)
	}
	if len(p.profile.Sockets) > 0 {
		return tool.Failf(tool.FailSandbox,
			"sockets cannot be granted by name on this machine (sandbox level %s), only all of them; "+
				"`best_effort: true` grants all", p.level)
	}
	if p.profile.Isolated {
		return tool.Failf(tool.FailSandbox,
			"this machine gives calls no network interfaces of their own (sandbox level %s); `best_effort: true` runs it even so", p.level)
	}
	return nil
}

// lower returns a limit that is not above the ceiling. Zero is none, of either.
func lower[T int | int64 | time.Duration](limit, ceiling T) T {
	if limit > 0 && ceiling > 0 {
		return min(limit, ceiling)
	}
	return limit
}

// Level is how far the machine confines the call.
func (p Plan) Level() Level { return p.level }

// User is whom the call runs as.
func (p Plan) User() int { return p.user }

// Digest names all that will be enforced, in hexadecimal: two plans that differ in anything have different
// digests. It is "" for the zero Plan.
func (p Plan) Digest() string { return p.digest }

// Enforced tells which properties the machine enforces, and by what.
func (p Plan) Enforced() map[Property]string { return maps.Clone(p.enforced) }

// NotEnforced says what the profile holds, or a reader may take for granted, that this machine does not
// enforce. Each entry is a sentence that begins with the property's name.
func (p Plan) NotEnforced() []string {
	list := []string{}
	for _, property := range Properties() {
		why, ok := p.lacking[property]
		switch {
		case !ok:
		case property == PropertyProcesses && p.profile.Limits.Processes == 0, property == PropertyMemory &&
			p.profile.Limits.Memory == 0:
		default:
			list = append(list, string(property)+": "+why)
		}
	}
	if !p.level.hasNamespaces() && p.profile.Limits.TempSize > 0 {
		list = append(list, "temp: the size of the call's temporary files is not bounded as a whole")
	}
	switch {
	case p.level == LevelNoProc:
		list = append(list, "isolation: the call can see the list of this machine's processes")
	case !p.level.hasNamespaces():
		isolation := "isolation: the call can see this user's other processes"
		if p.signals {
			isolation += ", and signal them"
		}
		list = append(list, isolation,
			"read-only: what may only be read can be changed all the same where it lies in a directory that may be written to",
			"protected: so can what others run or believe, such as .git/hooks",
			"hidden: and this program's own files, where they lie in a directory that was granted")
	}
	return list
}

// Report is the beginning of what a result says about its sandbox. Limits are in milliseconds for timeout,
// in seconds for cpu, in bytes for memory, address_space, file_size, temp_size and output, and counted for
// open_files and processes.
func (p Plan) Report() tool.SandboxReport {
	limits := map[string]int64{}
	for name, value := range map[string]int64{
		limitTimeout:   p.profile.Limits.Timeout.Milliseconds(),
		limitCPU:       int64(p.profile.Limits.CPU / time.Second),
		limitMemory:    p.profile.Limits.Memory,
		limitFileSize:  p.profile.Limits.FileSize,
		limitOutput:    p.profile.Limits.Output,
		limitOpenFiles: int64(p.profile.Limits.OpenFiles),
		limitProcesses: int64(p.profile.Limits.Processes),
		limitTempSize:  p.profile.Limits.TempSize,
		limitAddresses: p.profile.Limits.Addresses,
	} {
		if value > 0 && (name != limitTempSize || p.level.hasNamespaces()) {
			limits[name] = value
		}
	}
	return tool.SandboxReport{
		Level: string(p.level), Network: p.profile.Network == tool.NetworkOn,
		Limits: limits, LimitsHit: []string{}, Hints: tool.Hints(p.NotEnforced()...),
	}
}

// The names of limits, in reports and in Outcome.LimitsHit.
const (
	limitTimeout   = "timeout"
	limitCPU       = "cpu"
	limitMemory    = "memory"
	limitFileSize  = "file_size"
	limitOutput    = "output"
	limitOpenFiles = "open_files"
	limitProcesses = "processes"
	limitTempSize  = "temp_size"
	limitAddresses = "address_space"
)

// sum hashes every field with its length before it, so that no two ways of splitting the same bytes agree.
func (p *Plan) sum() string {
	h := sha256.New()
	puts(h, "a2a-acp sandbox plan v2", string(p.level), p.profile.Dir, string(p.profile.Network))
	l := p.profile.Limits
	flags := int64(0)
	for i, set := range []bool{p.profile.TempIsolation, p.profile.Isolated, p.profile.BestEffort,
		p.profile.Terminal, p.profile.Commands != nil, p.profile.Pty} {
		if set {
			flags |= 1 << i
		}
	}
	for _, n := range []int64{
		flags, int64(p.user), int64(l.Timeout), int64(l.CPU), l.Memory, l.FileSize, l.Output,
		int64(l.OpenFiles), int64(l.Processes), l.TempSize, l.Addresses,
		int64(len(p.profile.AllowedPaths)), int64(len(p.profile.Environment)), int64(len(p.profile.Sockets)),
		int64(len(p.profile.Commands)), int64(len(p.profile.Require)),
	} {
		puts(h, strconv.FormatInt(n, 10))
	}
	for _, path := range p.profile.AllowedPaths {
		puts(h, path.Path, strconv.FormatBool(path.ReadOnly))
	}
	for _, name := range slices.Sorted(maps.Keys(p.profile.Environment)) {
		puts(h, name, p.profile.Environment[name])
	}
	puts(h, strconv.Itoa(len(p.profile.Own)))
	puts(h, p.profile.Own...)
	puts(h, p.profile.Sockets...)
	puts(h, p.profile.Commands...)
	for _, property := range p.profile.Require {
		puts(h, string(property))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func puts(h hash.Hash, parts ...string) {
	for _, part := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
}
