package executor

import (
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	// spoolMemory is how many bytes of a stream that goes to a file stand in memory: all of a shorter one,
	// of a longer one its beginning and its end.
	spoolMemory = 256 << 10
	// sandboxMemory is how much of such a stream the sandbox keeps, to see what a call complained of.
	sandboxMemory = 64 << 10
)

// spools reports whether the output of a tool's calls goes to files while they run. Where an output
// governor looks at it, it must see all of it before it stands anywhere: then it is held in memory, up to
// max_output_mb.
func (e *Executor) spools(in Configuration, t *tool.Tool, w tool.Workspace) bool {
	return t.Output.Spill && e.blobs != nil && (in.Screener == nil || !in.Screener.Screens(w, t.ID))
}

// spool is one stream of a run on its way into a file. What comes in has passed the redactor, so no value
// that the act was given is ever written down.
type spool struct {
	blobs Blobs
	clean *secret.Writer // into keep

	head  []byte // of a stream that still is in memory all of it
	tail  []byte // nothing before there is a file
	total int64
	text  textScan
	heard func(p []byte) // is told what comes; nil for nobody

	file *blob.Writer // nil before it is needed, and when it failed
	err  error        // why not all of it could be written
}

func newSpool(blobs Blobs, redactor *secret.Redactor) *spool {
	s := &spool{blobs: blobs}
	s.clean = redactor.Writer(sink(s.keep))
	return s
}

// sink is a function as a Writer that never fails.
type sink func([]byte)

func (f sink) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// keep takes over some of the stream. What the file cannot take is told at the end: a full disk is no
// reason to end the call.
func (s *spool) keep(p []byte) {
	s.total += int64(len(p))
	s.text.add(p)
	if s.heard != nil {
		s.heard(p)
	}
	if !s.long() {
		s.head = append(s.head, p...)
		if len(s.head) <= spoolMemory {
			return
		}
		if s.file, s.err = s.blobs.Begin(); s.err == nil {
			s.write(s.head)
		}
		s.tail = append(make([]byte, 0, spoolMemory), s.head[max(spoolMemory/2, len(s.head)-spoolMemory/2):]...)
		s.head = s.head[: spoolMemory/2 : spoolMemory/2]
		return
	}
	s.write(p)
	p = p[max(0, len(p)-spoolMemory/2):]
	if over := len(s.tail) + len(p) - spoolMemory/2; over > spoolMemory/2 {
		s.tail = s.tail[:copy(s.tail, s.tail[over:])] // now and then, not at each byte
	}
	s.tail = append(s.tail, p...)
}

// long reports whether the stream is more than memory holds of it.
func (s *spool) long() bool { return s != nil && s.tail != nil }

func (s *spool) write(p []byte) {
	if s.file == nil {
		return
	}
	if _, err := s.file.Write(p); err != nil {
		s.drop(err)
	}
}

// end ends the stream; cut says that something has cut it off, perhaps within a value.
func (s *spool) end(cut bool) {
	if cut {
		_ = s.clean.Cut() // into a sink that never fails
	} else {
		_ = s.clean.Close()
	}
	s.tail = s.tail[max(0, len(s.tail)-spoolMemory/2):]
}

// drop takes the file away, and says why.
func (s *spool) drop(why error) {
	if s == nil || s.file == nil {
		return
	}
	s.err = errors.Join(why, s.file.Abort())
	s.file = nil
}

// commit returns the file its name.
func (s *spool) commit() (blob.Blob, error) {
	if s.file == nil {
		return blob.Blob{}, s.err
	}
	kept, err := s.file.Commit()
	s.file = nil
	return kept, err
}

// bytes is what stands in memory of the stream.
func (s *spool) bytes() []byte { return append(s.head[:len(s.head):len(s.head)], s.tail...) }

// spoolPair are the two streams of a run; nil where its output is held in memory.
type spoolPair [2]*spool

// follow makes the spools of a run; nil where its output is held in memory.
func (e *Executor) follow(a *act) *spoolPair {
	if !a.invocation.Spool {
		return nil
	}
	return &spoolPair{newSpool(e.blobs, a.redactor), newSpool(e.blobs, a.redactor)}
}

// streams has a run write into the spools.
func (p *spoolPair) streams() streams {
	if p == nil {
		return streams{}
	}
	return streams{stdout: p[0].clean, stderr: p[1].clean, last: sandboxMemory}
}

// end puts what was kept into the outcome.
func (p *spoolPair) end(o *outcome) {
	if p == nil {
		return
	}
	for i, to := range []*[]byte{&o.Stdout, &o.Stderr} {
		p[i].end(o.Truncated || o.Signal != "")
		*to = p[i].bytes()
	}
}

// drop takes the files of both away.
func (p *spoolPair) drop(why error) {
	if p != nil {
		p[0].drop(why)
		p[1].drop(why)
	}
}

// long reports whether one of both is more than memory holds of it.
func (p *spoolPair) long() bool { return p != nil && (p[0].long() || p[1].long()) }

// giveUpFiles takes away what is in files, and goes on with what stands in memory, as if there had never
// been more.
func (r *runResult) giveUpFiles(why error) {
	for i, to := range []*[]byte{&r.outcome.Stdout, &r.outcome.Stderr} {
		if s := r.spools[i]; s.long() {
			s.drop(nil)
			*to, r.outcome.Truncated = []byte(tool.ExcerptOf(string(s.head), string(s.tail), s.total, 0)), true
		}
	}
	r.spools, r.notWhole = new(spoolPair), why
}

// stream is one stream of a result before it is cut for who asked.
type stream struct {
	name string
	data []byte // all of it, or what stands in memory of it
	long *spool // nil where data is all of it
	to   *string
}

func (r *runResult) stream(i int, name string, data []byte, to *string) stream {
	s := stream{name: name, data: data, to: to}
	if r.spools != nil && r.spools[i].long() {
		s.long = r.spools[i]
	}
	return s
}

// excerpt returns the stream's beginning and end.
func (s stream) excerpt(most int64) (text string, cut bool) {
	if s.long == nil {
		return tool.Excerpt(string(s.data), most)
	}
	return tool.ExcerptOf(string(s.long.head), string(s.long.tail), s.long.total, most), true
}

// binary tells what the stream is, when it is no text. The hash is that of the whole, where the whole is
// known.
func (s stream) binary() (mimeType string, is bool) {
	var scan *textScan
	if s.long != nil {
		scan = &s.long.text
	} else {
		scan = &textScan{}
		scan.add(s.data)
	}
	if !scan.binary() {
		return "", false
	}
	return http.DetectContentType(s.data), true
}

// textScan finds out of a stream, part by part, whether it is text.
type textScan struct {
	nul          bool
	total, wrong int64
	half         []byte // the beginning of a character
}

func (t *textScan) add(p []byte) {
	t.total += int64(len(p))
	if len(t.half) > 0 {
		p = append(t.half, p...)
		t.half = nil
	}
	for len(p) > 0 {
		if p[0] < utf8.RuneSelf {
			t.nul = t.nul || p[0] == 0
			p = p[1:]
			continue
		}
		if !utf8.FullRune(p) {
			t.half = append([]byte{}, p...)
			return
		}
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 {
			t.wrong++
		}
		p = p[size:]
	}
}

// binary reports whether what came is no text: it holds NUL, or more than a tenth of it is no UTF-8. Text
// in an old encoding is text.
func (t *textScan) binary() bool {
	return t.nul || (t.wrong+int64(len(t.half)))*10 > t.total
}
