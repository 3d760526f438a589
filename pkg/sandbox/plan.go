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
	level   Level
	profile Profile // its limits are lowered to what this process may still grant
	digest  string
}

// capability is what a machine can do, as far as planning depends on it.
type capability struct {
	level Level
	why   string // why the level is no higher, for people

	// The limits that bind this process itself. A call cannot be granted more.
	cpu       time.Duration
	memory    int64
	fileSize  int64
	openFiles int
	processes uint64 // tasks of the whole user
}

// plan settles what a machine enforces of a profile. A machine that cannot own a call, and a profile that asks to be cut
// off from a network that the machine cannot cut, are refused: sandbox_unavailable.
func plan(c capability, profile Profile) (Plan, error) {
	if c.level == LevelNone {
		return Plan{}, tool.Failf(tool.FailSandbox, "tools cannot be run on this machine: %s", c.why)
	}
	if err := profile.check(); err != nil {
		return Plan{}, err
	}
	if profile.Network == tool.NetworkOff {
		return Plan{}, tool.Failf(tool.FailSandbox, "the network cannot be switched off on this machine (sandbox level %s); `network: on` in the tool's entry runs it with the network", c.level)
	}
	p := Plan{level: c.level, profile: profile}
	p.profile.Environment = maps.Clone(profile.Environment)
	p.profile.AllowedPaths = slices.Clone(profile.AllowedPaths)
	limits := &p.profile.Limits
	limits.CPU = lower(limits.CPU, c.cpu)
	limits.Memory = lower(limits.Memory, c.memory)
	limits.FileSize = lower(limits.FileSize, c.fileSize)
	limits.OpenFiles = lower(limits.OpenFiles, c.openFiles)
	p.digest = p.sum()
	return p, nil
}

// lower gives a limit that is not above the ceiling. Zero is none, of either.
func lower[T int | int64 | time.Duration](limit, ceiling T) T {
	if limit > 0 && ceiling > 0 {
		return min(limit, ceiling)
	}
	return limit
}

// Level is how far the machine confines the call.
func (p Plan) Level() Level { return p.level }

// Digest names all that will be enforced, in hexadecimal: two plans that differ in anything have different digests. It is
// "" for the zero Plan.
func (p Plan) Digest() string { return p.digest }

// NotEnforced says what the profile holds, or a reader may take for granted, that this machine does not enforce. Each entry
// is a sentence that begins with the property's name.
func (p Plan) NotEnforced() []string {
	list := []string{
		"files: the call can use whatever this user can, not only its directory and allowed_paths",
		"network: it cannot be switched off",
		"isolation: the call can see this user's other processes and signal them",
	}
	if n := p.profile.Limits.Processes; n > 0 {
		list = append(list, "processes: "+strconv.Itoa(n)+" tasks are counted ten times a second and more end the call, but the kernel does not hold it to that number")
	}
	return list
}

// Report is the beginning of what a result says about its sandbox. Limits are in milliseconds for timeout, in seconds for
// cpu, in bytes for memory, file_size and output, and counted for open_files.
func (p Plan) Report() tool.SandboxReport {
	limits := map[string]int64{}
	for name, value := range map[string]int64{
		limitTimeout:   p.profile.Limits.Timeout.Milliseconds(),
		limitCPU:       int64(p.profile.Limits.CPU / time.Second),
		limitMemory:    p.profile.Limits.Memory,
		limitFileSize:  p.profile.Limits.FileSize,
		limitOutput:    p.profile.Limits.Output,
		limitOpenFiles: int64(p.profile.Limits.OpenFiles),
	} {
		if value > 0 {
			limits[name] = value
		}
	}
	return tool.SandboxReport{
		Level: string(p.level), Network: true,
		Limits: limits, LimitsHit: []string{}, Hints: p.NotEnforced(),
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
)

// sum hashes every field with its length before it, so that no two ways of splitting the same bytes agree.
func (p *Plan) sum() string {
	h := sha256.New()
	puts(h, "a2a-acp sandbox plan v1", string(p.level), p.profile.Dir, string(p.profile.Network))
	l := p.profile.Limits
	isolation := int64(0)
	if p.profile.TempIsolation {
		isolation = 1
	}
	for _, n := range []int64{
		isolation, int64(l.Timeout), int64(l.CPU), l.Memory, l.FileSize, l.Output, int64(l.OpenFiles), int64(l.Processes),
		int64(len(p.profile.AllowedPaths)), int64(len(p.profile.Environment)),
	} {
		puts(h, strconv.FormatInt(n, 10))
	}
	for _, path := range p.profile.AllowedPaths {
		puts(h, path.Path, strconv.FormatBool(path.ReadOnly))
	}
	for _, name := range slices.Sorted(maps.Keys(p.profile.Environment)) {
		puts(h, name, p.profile.Environment[name])
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
