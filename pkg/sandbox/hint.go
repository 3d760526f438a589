package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The things that a call can be refused.
const (
	RefusedRead    = "read"
	RefusedWrite   = "write"
	RefusedRun     = "run"
	RefusedConnect = "connect to"
	RefusedNetwork = "use the network"
)

// Refusal is something that the sandbox kept a call from, as far as the program's own words tell.
type Refusal struct {
	What string // one of the above
	Path string // of the file or socket, absolute, printable; "" for the network
	// Grant is what has to be granted for it: the path, or for a file that does not exist the directory
	// that it would be made in; for a program the name that allowed_commands takes. It is "" where that
	// would be far more than the file.
	Grant string
}

// The bounds of Refusals. What it reads may come from anybody.
const (
	mostSaid     = 64 << 10 // bytes, the last
	longestSaid  = 4096     // bytes of a line
	mostNames    = 64       // that are looked up
	mostRefusals = 5
)

// Refusals looks through what a program said for what the sandbox kept it from: at most five things, each
// once. A program can say anything. What it names counts only where this plan does not grant it, and where
// the call's user could have had it without a sandbox: what is merely missing, or closed to everybody, is
// no refusal. This program's own files are never named.
func (r Reach) Refusals(said string) []Refusal {
	if len(said) > mostSaid {
		said = said[len(said)-mostSaid:]
	}
	var list []Refusal
	names := 0
	for line := range strings.Lines(said) {
		if len(line) > longestSaid {
			continue
		}
		for _, found := range r.inLine(strings.TrimSpace(line), &names) {
			if len(list) < mostRefusals && !slices.Contains(list, found) {
				list = append(list, found)
			}
		}
		if len(list) == mostRefusals || names > mostNames {
			break
		}
	}
	return list
}

// How programs tell of the kernel's refusals: strerror(3)'s words, in any letter case, and Node's names of
// errors.
var (
	saysReadOnly = lazyregexp.New(`(?i)read-only file system|\bEROFS\b`)
	saysDenied   = lazyregexp.New(`(?i)permission denied|operation not permitted|\bEACCES\b|\bEPERM\b`)
	saysMissing  = lazyregexp.New(`(?i)no such file or directory|directory nonexistent|\bENOENT\b`)
	saysNoNet    = lazyregexp.New(`(?i)could not resolve host|couldn't resolve host` +
		`|temporary failure in name resolution|name or service not known|` +
		`network is unreachable|address family not supported|\bENETUNREACH\b|\bEAI_AGAIN\b|unable to resolve host address` +
		`|no address associated with hostname|` +
		`dial (?:tcp|udp)\S* .*(?:operation not permitted|permission denied|connection refused)` +
		`|socket: (?:operation not permitted|permission denied)|` +
		`failed to connect to \S+ port \d+|\bECONNREFUSED [^/\s]|connection to server at .* failed: connection refused`)
	saysSocket  = lazyregexp.New(`(?:unix://|dial unix |connect E[A-Z]+ )(/[^\s:'"]+)`)
	saysWriting = lazyregexp.New(`(?i)\b(?:creat\w*|touch|mkdir|make directory|writ\w*|overwrit\w*|remove|unlink` +
		`|rename|move|chmod|chown|truncate|append|` +
		`symlink|lock|mkstemp|utime\w*|setting times|changing permissions)\b|'[wa]b?\+?'`)
	// What changes a directory, and not the file that it names.
	saysEntry = lazyregexp.New(`(?i)\b(?:remove|unlink|rename|move|rmdir)\b`)
	// A shell that cannot open what output goes to says no more than the name. A name that does not exist
	// is meant to be made. Of a program that it cannot start it says just the same.
	saysRedirect = lazyregexp.New(`: line \d+: [^:]+: [^:]+$`)
	saysRunning  = lazyregexp.New(`(?i)\b(?:exec\w*|spawn\w*|run\w*)\b|^\S+: \d+: `)
	// Node prints the code of an error on a line of its own, which names no file.
	nodeCode = lazyregexp.New(`^\s*code: 'E[A-Z0-9]+',?$`)
	quoted   = lazyregexp.New("'([^']+)'|\"([^\"]+)\"|`([^`']+)['`]|\u2018([^\u2019]+)\u2019")
)

// inLine returns what one line tells of. names counts what was looked up.
func (r Reach) inLine(line string, names *int) []Refusal {
	var list []Refusal
	if !r.network && saysNoNet.MatchString(line) {
		list = append(list, Refusal{What: RefusedNetwork})
	}
	if match := saysSocket.FindStringSubmatch(line); match != nil {
		if found, ok := r.socket(match[1]); ok {
			list = append(list, found)
		}
		return list
	}
	said := saysMissing
	switch {
	case nodeCode.MatchString(line):
		return list
	case saysReadOnly.MatchString(line):
		said = saysReadOnly
	case saysDenied.MatchString(line):
		said = saysDenied
	case !saysMissing.MatchString(line):
		return list
	}
	for _, name := range namesIn(line, said.FindStringIndex(line)[0]) {
		if *names++; *names > mostNames {
			break
		}
		redirect := saysRedirect.MatchString(line)
		if found, ok := r.program(name, redirect || saysRunning.MatchString(line)); ok && said == saysDenied {
			list = append(list, found)
		} else if found, ok := r.file(name, said, saysWriting.MatchString(line), redirect); ok {
			if found.Grant == found.Path && saysEntry.MatchString(line) {
				found.Grant = filepath.Dir(found.Path)
			}
			list = append(list, found)
		}
	}
	return list
}

// namesIn returns the words of a line that may be names of files: what stands in quotes, else what begins
// with a slash or a dot, or stands between colons before the error at the index.
func namesIn(line string, at int) []string {
	var names []string
	add := func(name string) {
		if name != "" && len(name) < unix.PathMax && printable(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, match := range quoted.FindAllStringSubmatch(line, 8) {
		for _, group := range match[1:] {
			add(group)
		}
	}
	if len(names) > 0 {
		return names
	}
	before := strings.TrimRight(line[:at], " :")
	if _, last, found := cutLast(before, ": "); found {
		for _, words := range []string{"cannot create ", "cannot open "} { // of dash, which is sh and so make's shell
			last = strings.TrimPrefix(last, words)
		}
		if !strings.Contains(last, " ") {
			add(last)
			return names
		}
	}
	for _, word := range strings.Fields(before) {
		word = strings.Trim(word, ":,;()[]")
		if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") {
			add(word)
		}
	}
	return names
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// printable reports whether a name shows as what it is: no control, bidirectional or invisible characters.
func printable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) })
}

// program reports whether a name is that of a program which is not among those that may start. A file may
// be meant that is to be read, unless the words are about running it, or there is no such file but for the
// program that the name finds (execvp(3)).
func (r Reach) program(name string, running bool) (Refusal, bool) {
	if !r.listed {
		return Refusal{}, false
	}
	path := name
	if !strings.Contains(name, "/") {
		if found, err := LookPath(name, searchPath, "/"); err == nil {
			path, running = found, running || !r.isThere(name)
		}
	}
	if !filepath.IsAbs(path) {
		if r.start == "" {
			return Refusal{}, false
		}
		path = filepath.Join(r.start, path)
	}
	real, exists := realName(path)
	if !running || !exists || runnable(real) != nil || !printable(path) || r.Of(real).Own ||
		IsPrivate(real) || slices.Contains(r.commands, real) {
		return Refusal{}, false
	}
	grant := real
	if found, err := LookPath(filepath.Base(path), searchPath, "/"); err == nil && found == path {
		grant = filepath.Base(path)
	}
	return Refusal{What: RefusedRun, Path: path, Grant: grant}, true
}

// isThere reports whether a name is that of something in the directory that the call started in.
func (r Reach) isThere(name string) bool {
	_, err := os.Lstat(filepath.Join(r.start, name))
	return r.start != "" && err == nil
}

// file reports whether a file that a program could not use was kept from it by the sandbox.
func (r Reach) file(name string, said *lazyregexp.Regexp, writing, redirect bool) (Refusal, bool) {
	if !filepath.IsAbs(name) {
		if r.start == "" {
			return Refusal{}, false
		}
		name = filepath.Join(r.start, name)
	}
	real, exists := realName(name)
	access := r.Of(real)
	what := RefusedRead
	switch {
	case access.Own, access.Write, !printable(real), IsPrivate(real):
		return Refusal{}, false
	case writing, said == saysReadOnly, redirect && (!exists || access.Read && !r.mounts):
		what = RefusedWrite
	case !exists, access.Read:
		return Refusal{}, false // it would be so without a sandbox, too
	}
	if access.Read && said == saysMissing || !r.couldOutside(real, exists, what == RefusedWrite) {
		return Refusal{}, false
	}
	found := Refusal{What: what, Path: real}
	if !access.Protected {
		found.Grant = r.grantFor(real, exists)
	}
	return found, true
}

// socket reports whether a socket that a program could not connect to is there, and was not granted.
func (r Reach) socket(name string) (Refusal, bool) {
	real, exists := realName(name)
	info, err := os.Stat(real)
	if !exists || err != nil || info.Mode()&os.ModeSocket == 0 || r.Socket(real) || r.Of(real).Own ||
		!printable(real) || !r.couldOutside(real, true, true) {
		return Refusal{}, false
	}
	return Refusal{What: RefusedConnect, Path: real, Grant: real}, true
}

// realName follows the links of a path as far as it exists.
func realName(path string) (real string, exists bool) {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, true
	}
	rest := ""
	for at := path; at != "/"; at = filepath.Dir(at) {
		rest = filepath.Join(filepath.Base(at), rest)
		if real, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil {
			return filepath.Join(real, rest), false
		}
	}
	return path, false
}

// couldOutside reports whether the call's user could use a file were there no sandbox. To make one takes
// the right to change the directory that it would be in.
func (r Reach) couldOutside(path string, exists, write bool) bool {
	if r.other {
		return mayUse("/", path, r.user, write)
	}
	mode := uint32(unix.R_OK)
	if write {
		mode = unix.W_OK
	}
	if !exists {
		path, mode = filepath.Dir(path), unix.W_OK|unix.X_OK
	}
	return unix.Access(path, mode) == nil
}

// grantFor returns what would have to be granted; "" for what holds far more: the system, or a whole home.
func (r Reach) grantFor(path string, exists bool) string {
	if !exists {
		path = filepath.Dir(path)
	}
	home, _ := os.UserHomeDir()
	if r.isSystems(path) {
		return ""
	}
	for _, much := range []string{home, "/home/x", "/root", "/tmp", "/usr", "/etc", "/var", "/opt"} {
		if much != "" && within(much, path) {
			return ""
		}
	}
	if filepath.Dir(path) == "/home" {
		return ""
	}
	return path
}
