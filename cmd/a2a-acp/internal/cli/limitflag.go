package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// limitFlag is a flag that sets one limit. Only limits that were given are set, so that 0 can mean none.
type limitFlag struct {
	list  *[]func(*tool.Limits)
	kind  string // of value, in --help
	parse func(text string) (int64, error)
	set   func(l *tool.Limits, n int64)
	text  string
}

// String, Set and Type implement pflag.Value.
func (f *limitFlag) String() string { return f.text }

// Set implements pflag.Value.
func (f *limitFlag) Set(text string) error {
	n, err := f.parse(text)
	if err != nil {
		return err
	}
	f.text = text
	*f.list = append(*f.list, func(l *tool.Limits) { f.set(l, n) })
	return nil
}

// Type implements pflag.Value.
func (f *limitFlag) Type() string { return f.kind }

// AddLimits adds a flag for every limit that the kernel can hold a command to.
func AddLimits(flags *pflag.FlagSet, list *[]func(*tool.Limits)) {
	add := func(name, kind, usage string, parse func(string) (int64, error), set func(*tool.Limits, int64)) {
		flags.Var(&limitFlag{list: list, kind: kind, parse: parse, set: set}, name, usage)
	}
	add("timeout", "time", "end it after this time", parseTime,
		func(l *tool.Limits, n int64) { l.Timeout = time.Duration(n) })
	add("memory", "size", "memory of each process; of all together where this machine can (see doctor)",
		parseSize, func(l *tool.Limits, n int64) { l.Memory = n })
	add("address-space", "size", "addresses that each process can reserve; node, java and go want many gigabytes",
		parseSize, func(l *tool.Limits, n int64) { l.Addresses = n })
	add("cpu", "time", "processor time of each process, in whole seconds", parseSeconds,
		func(l *tool.Limits, n int64) { l.CPU = time.Duration(n) })
	add("processes", "number", "processes and threads of all of it", parseNumber,
		func(l *tool.Limits, n int64) { l.Processes = int(n) })
	add("open-files", "number", "open files of each process", parseNumber,
		func(l *tool.Limits, n int64) { l.OpenFiles = int(n) })
	add("file-size", "size", "size of each file that it writes", parseSize,
		func(l *tool.Limits, n int64) { l.FileSize = n })
	add("temp-size", "size", "size of its /tmp, in memory; 0 puts it on the disk", parseSize,
		func(l *tool.Limits, n int64) { l.TempSize = n })
}

func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, errors.New("want a whole number, or 0 for none")
	}
	return n, nil
}

// parseTime reads a duration, or seconds.
func parseTime(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n >= 0 {
		return n * int64(time.Second), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("want seconds or a time such as 90s or 2m, or 0 for none")
	}
	return int64(d), nil
}

func parseSeconds(text string) (int64, error) {
	n, err := parseTime(text)
	if err == nil && n%int64(time.Second) != 0 {
		return 0, errors.New("want whole seconds")
	}
	return n, err
}

// parseSize reads bytes, or a number with K, M, G or T, which are powers of 1024.
func parseSize(text string) (int64, error) {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	unit := int64(1)
	if i := strings.IndexAny(number, "KMGT"); i >= 0 && i == len(number)-1 {
		unit <<= 10 * (1 + strings.Index("KMGT", number[i:]))
		number = number[:i]
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("want a size such as 512M or 2G, or 0 for none")
	}
	return n * unit, nil
}
