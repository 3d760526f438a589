package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// RecordSource is the name of the record as a source.
const RecordSource = "record"

// The record is read in pieces of so many entries, of which the last few are kept, so that subscriptions that
// are at the same place share what was read.
const (
	pieceEntries = 32
	mostPieces   = 16
	mostBytes    = 8 << 20 // of lines, in the pieces that are kept
)

// Record is the record as a source. It watches and reads nothing before it is asked. It is safe for
// concurrent use. Close it.
type Record struct {
	dir string

	mu     sync.Mutex
	feed   *audit.Feed   // nil where nothing is watched yet
	at     fs.FileInfo   // the directory that was read
	reader *audit.Reader // that was used last; nil for none
	pieces []*piece      // the one that was read last first
	closed bool
}

// NewRecord makes a source of the record in dir.
func NewRecord(dir string) *Record { return &Record{dir: dir} }

// piece are the entries with the numbers from first on, as far as they are there.
type piece struct {
	first   int64
	before  audit.Cursor // behind the entry before
	entries []*recorded
	bytes   int
}

// recorded is an entry with what was made of it. It never changes but for that.
type recorded struct {
	events.Event
	seq      int64
	id, hash string
	raw      []byte

	bodies [formats]struct {
		once sync.Once
		text []byte
		err  error
	}
}

// Close gives back what is open. Streams find nothing any more.
func (r *Record) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.forget()
	if r.feed == nil {
		return nil
	}
	err := r.feed.Close()
	r.feed = nil
	return err
}

// forget forgets what was read. Called with mu held.
func (r *Record) forget() {
	r.pieces = nil
	r.readNothing()
}

func (r *Record) readNothing() {
	if r.reader != nil {
		r.reader.Close() //nolint:errcheck // it only reads
		r.reader = nil
	}
}

// open watches the record, and forgets what was read of another one that had its name before (audit.Accept). Called
// with mu held.
func (r *Record) open() error {
	if r.closed {
		return errors.New("the record is no longer followed")
	}
	now, err := os.Stat(r.dir)
	if err != nil {
		return err
	}
	if r.feed == nil {
		if r.feed, err = audit.OpenFeed(r.dir); err != nil {
			return err
		}
	} else if !os.SameFile(now, r.at) {
		r.forget()
	}
	r.at = now
	return nil
}

// News implements Stream.
func (r *Record) News() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(); err != nil {
		again := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(again) })
		return again
	}
	return r.feed.News()
}

// End returns the position behind the last entry.
func (r *Record) End(context.Context) (Position, error) {
	end, err := audit.End(r.dir)
	return Position{Number: end.Seq, Token: end.Hash}, err
}

// find returns the entry with a number and the cursor behind the one before it. Without one it returns nil,
// and how far the record goes. The error is a *GapError where the number is gone, and ErrMoved where the
// record ends before the entry that comes before.
func (r *Record) find(number int64) (e *recorded, before audit.Cursor, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.piece(number)
	if err != nil {
		return nil, audit.Cursor{}, err
	}
	i := int(number - p.first)
	switch {
	case i < 0:
		return nil, audit.Cursor{}, fmt.Errorf("%w: it begins with number %d", ErrMoved, p.first)
	case i > len(p.entries):
		return nil, audit.Cursor{}, fmt.Errorf("%w: it ends before number %d", ErrMoved, number-1)
	case i == 0:
		before = p.before
	default:
		before = audit.Cursor{Seq: number - 1, Hash: p.entries[i-1].hash}
	}
	if i < len(p.entries) {
		e = p.entries[i]
	}
	return e, before, nil
}

// piece returns the piece that an entry belongs to, with all that is there by now. Called with mu held.
func (r *Record) piece(number int64) (*piece, error) {
	first := (number-1)/pieceEntries*pieceEntries + 1
	at := func() int {
		return slices.IndexFunc(r.pieces, func(p *piece) bool {
			return p.first <= number && p.first >= first && p.first < first+pieceEntries
		})
	}
	i := at()
	if i >= 0 && number <= r.pieces[i].end().Seq && !r.closed { // mostly
		return r.pieces[i], nil
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	var p *piece
	var err error
	if i = at(); i >= 0 {
		p = r.pieces[i]
		r.pieces = slices.Delete(r.pieces, i, i+1)
	} else if p, err = r.begin(first, number); err != nil {
		return nil, err
	}
	if err := r.grow(p, number); err != nil {
		r.readNothing()
		return nil, err
	}
	r.keep(p)
	return p, nil
}

// read has the reader stand behind an entry. Mostly it does already: pieces are read one after the other.
func (r *Record) read(behind audit.Cursor) (err error) {
	if r.reader != nil && r.reader.Cursor().Seq == behind.Seq {
		return nil
	}
	r.readNothing()
	r.reader, err = r.feed.Read(behind)
	return err
}

// begin begins a piece.
func (r *Record) begin(first, number int64) (*piece, error) {
	err := r.read(audit.Cursor{Seq: first - 1})
	if errors.Is(err, audit.ErrCursor) {
		// What stands before was removed, or there never was as much.
		if err = r.read(audit.Cursor{}); err != nil {
			return nil, err
		}
		switch begins := r.reader.Cursor().Seq + 1; {
		case begins > number:
			return nil, &GapError{From: number, To: begins - 1, After: Position{Number: begins - 1}}
		case begins < first:
			return nil, fmt.Errorf("%w: it ends before number %d", ErrMoved, first-1)
		default:
			first = begins
		}
	}
	if err != nil {
		return nil, err
	}
	return &piece{first: first, before: r.reader.Cursor()}, nil
}

// end is the place behind the last entry of the piece.
func (p *piece) end() audit.Cursor {
	if n := len(p.entries); n > 0 {
		return audit.Cursor{Seq: p.entries[n-1].seq, Hash: p.entries[n-1].hash}
	}
	return p.before
}

// grow reads what there is of a piece by now, unless the number is in it already.
func (r *Record) grow(p *piece, number int64) error {
	for number > p.end().Seq && (p.end().Seq%pieceEntries != 0 || len(p.entries) == 0) {
		if err := r.read(p.end()); err != nil {
			return err
		}
		entry, err := r.reader.Poll()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		p.entries = append(p.entries, &recorded{Event: entry.Event, seq: entry.Seq, id: entry.ID,
			hash: r.reader.Cursor().Hash, raw: entry.Raw})
		p.bytes += len(entry.Raw)
	}
	return nil
}

// keep keeps a piece in front of the others, and of these as many as there is room for.
func (r *Record) keep(p *piece) {
	r.pieces = slices.Insert(r.pieces, 0, p)
	bytes := 0
	for i, kept := range r.pieces {
		if bytes += kept.bytes; i > 0 && (i == mostPieces || bytes > mostBytes) {
			clear(r.pieces[i:])
			r.pieces = r.pieces[:i]
			return
		}
	}
}

// Stream returns what a subscription wants of the record.
func (r *Record) Stream(wanted Filter, format Format) Stream {
	return &recordStream{Record: r, wanted: wanted, format: format}
}

type recordStream struct {
	*Record
	wanted Filter
	format Format
}

// Next implements Stream.
func (s *recordStream) Next(ctx context.Context, after Position) (*Item, Position, error) {
	for ctx.Err() == nil {
		e, before, err := s.find(after.Number + 1)
		if err == nil && after.Token != "" && before.Hash != "" && before.Hash != after.Token {
			err = fmt.Errorf("%w: number %d is another", ErrMoved, after.Number)
		}
		if errors.Is(err, ErrMoved) && after.Number > 0 && s.begunAnew() {
			after = Position{} // all of it is news
			continue
		}
		if err != nil || e == nil {
			return nil, after, err
		}
		if s.wanted.fits(e) {
			item, err := e.item(s.format)
			return item, Position{Number: before.Seq, Token: before.Hash}, err
		}
		after = e.position()
	}
	return nil, after, ctx.Err()
}

// begunAnew reports whether somebody has accepted that the record before was damaged, and this one was begun
// in its place: its first entry says so.
func (r *Record) begunAnew() bool {
	first, _, err := r.find(1)
	return err == nil && first != nil && first.Type == events.RecordRepaired && len(first.Damage) > 0
}

// At implements Stream.
func (s *recordStream) At(_ context.Context, number int64) (*Item, error) {
	e, _, err := s.find(number)
	var gap *GapError
	switch {
	case errors.As(err, &gap), errors.Is(err, ErrMoved), err == nil && e == nil:
		return nil, ErrNoItem
	case err != nil:
		return nil, err
	}
	return e.item(s.format)
}

func (e *recorded) position() Position { return Position{Number: e.seq, Token: e.hash} }

// item returns what a subscription is told of the entry.
func (e *recorded) item(format Format) (*Item, error) {
	body := &e.bodies[format]
	body.once.Do(func() { body.text, body.err = encode(e, format) })
	if body.err != nil {
		return nil, fmt.Errorf("number %d of the record cannot be told: %w", e.seq, body.err)
	}
	item := &Item{Position: e.position(), ID: e.id, Event: string(e.Type), Body: body.text, ContentType: contentTypes[format]}
	if trace := e.Trace().Header(); trace != "" {
		item.Header = http.Header{"Traceparent": {trace}}
	}
	return item, nil
}
