package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleTwice = "given-twice"

// limit is one row of the table of limits: its key, its bounds in the key's own unit, and where it goes.
type limit struct {
	name      string
	want      string
	low, high int64
	set       func(*tool.Limits, int64)
}

// limits are the limits that an entry may give, under sandbox or under resource_limits. The upper bounds are
// there to catch slips; the kernel has its own.
func limits() []limit {
	const mega = 1 << 20
	return []limit{
		{"max_memory_mb", "a whole number of megabytes", 1, mega, func(l *tool.Limits, n int64) {
			l.Memory = n * mega
		}},
		{"max_cpu_time_seconds", "a whole number of seconds", 1, 86400, func(l *tool.Limits, n int64) {
			l.CPU = time.Duration(n) * time.Second
		}},
		{"max_file_size_mb", "a whole number of megabytes", 1, mega, func(l *tool.Limits, n int64) {
			l.FileSize = n * mega
		}},
		{"max_open_files", "a whole number", 8, mega, func(l *tool.Limits, n int64) { l.OpenFiles = int(n) }},
		{"max_processes", "a whole number", 1, 65536, func(l *tool.Limits, n int64) { l.Processes = int(n) }},
		{"max_temp_mb", "a whole number of megabytes", 1, mega, func(l *tool.Limits, n int64) {
			l.TempSize = n * mega
		}},
		{"max_address_space_mb", "a whole number of megabytes", 1, mega, func(l *tool.Limits, n int64) {
			l.Addresses = n * mega
		}},
		{"max_output_mb", "a whole number of megabytes", 1, 1024, func(l *tool.Limits, n int64) {
			l.Output = n * mega
		}},
	}
}

// limitKeys makes the table's rows keys.
func limitKeys() []yamldoc.Key[*toolEntry] {
	var keys []yamldoc.Key[*toolEntry]
	for _, l := range limits() {
		keys = append(keys, yamldoc.NewKey(l.name, l.want, func(e *toolEntry, v yamldoc.Value) {
			e.readLimit(l, v)
		}))
	}
	return keys
}

// limitsMapping is what may stand under resource_limits.
func limitsMapping() yamldoc.Mapping[*toolEntry] {
	return yamldoc.Mapping[*toolEntry]{
		Name: "resource_limits",
		Keys: limitKeys(),
		Elsewhere: []yamldoc.Misplaced{{
			Names: yamldoc.Mapping[*toolEntry]{Keys: sandboxKeys()}.Names(), Hint: "%s belongs under sandbox",
		}},
	}
}

func (e *toolEntry) readLimit(l limit, v yamldoc.Value) {
	if first, twice := e.limits[l.name]; twice {
		v.Fail(ruleTwice, "keep one of them", "the limit is also given in line %d", first.Node.Line)
		return
	}
	e.limits[l.name] = v
	n, ok := v.Int(l.low, l.high)
	if !ok {
		return
	}
	l.set(&e.tool.Sandbox.Limits, n)
	if addresses := e.tool.Sandbox.Limits.Addresses; l.name == "max_address_space_mb" &&
		addresses < manyAddresses {
		v.Warn("address-space", "max_memory_mb counts the memory that a process really takes",
			"node, java and go reserve far more addresses than they ever use, and do not start with so few")
	}
}

// manyAddresses is how much address space such programs start with: java wanted more than one gigabyte, node
// more than a hundred (measured).
const manyAddresses = 128 << 30

// longestTimeout is the longest time that a call may be given.
const longestTimeout = 24 * time.Hour

func (e *toolEntry) readTimeout(v yamldoc.Value) {
	e.timeout = v
	if timeout, ok := v.Duration(longestTimeout); ok {
		e.tool.Sandbox.Limits.Timeout = timeout
	}
}
