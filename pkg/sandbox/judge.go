package sandbox

// Judge says which files others run or believe without a further look, wherever below a directory that a
// call may write to they lie. It is asked about every name there, so it has to be quick, and by many calls
// at once. Paths are relative to that directory, those of directories end with a slash.
type Judge interface {
	// Enter reports whether anything in a directory can count.
	Enter(dir string) bool
	// Weigh says what it means that a file or directory was made or changed. What read returns is what a
	// file there holds, or the first MostRead bytes of that, and nil for what is no file. Where read is
	// nil, it is whether a file of that name can mean anything.
	Weigh(path string, read func(path string) []byte) Weight
	// Hides reports whether not all that could count is looked for in a directory, by a path that leads to
	// it: what a link leads there would show under another name.
	Hides(path string) bool
}

// MostRead is how much of a file is read to be judged.
const MostRead = 64 << 10

// Weight is what it means to others that a call has made or changed something.
type Weight int

// The weights.
const (
	Plain Weight = iota // nothing: it is data
	Told                // they should know of it
	Held                // they would run or believe it: it is taken out of the way where a tool's call has made it
)
