package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// Position is a place in a source: behind the item with the number. The zero Position is the beginning.
type Position struct {
	Number int64
	Token  string // what the source knows that item by; "" for any that has the number
}

// Item is one thing that a subscription is told.
type Item struct {
	Position    Position // behind it
	ID          string   // unique everywhere, and never another one for the same item
	Event       string   // its name, for people
	Body        []byte
	ContentType string
	Header      http.Header // more headers of the request; may be nil
}

// Stream is what one subscription wants of a source, in order. It is read by one goroutine at a time; many
// streams of a source may be read at once. It may block on the disk, and keeps no place of its own.
type Stream interface {
	// Next returns the first item behind a position, and how far it has looked before that, so that it need
	// not look there again. Without one it returns nil, and how far it has looked in all. The error is io.EOF
	// where there will never be another, a *GapError where items are gone, and ErrMoved where the source is
	// not the one that the position is of.
	Next(ctx context.Context, after Position) (*Item, Position, error)
	// At returns the item with a number, whether the subscription wants it or not. The error is ErrNoItem
	// where there is none.
	At(ctx context.Context, number int64) (*Item, error)
	// End returns the position behind all that there is.
	End(ctx context.Context) (Position, error)
	// News returns a channel that is closed when there may be more. Whoever waits takes it before looking,
	// so that nothing falls between the look and the wait.
	News() <-chan struct{}
}

// The reasons why a source gives no item.
var (
	ErrNoItem = errors.New("it is no longer there")
	ErrMoved  = errors.New("it is not the one that was followed so far")
)

// GapError says that items are gone from a source, as what is older than a record is kept. What follows
// stands behind After.
type GapError struct {
	From, To int64 // the first and the last one
	After    Position
}

func (e *GapError) Error() string {
	return fmt.Sprintf("numbers %d to %d are no longer there", e.From, e.To)
}

// Begin says where a subscription begins that nothing is known of yet.
type Begin string

// The beginnings.
const (
	BeginNow       Begin = "now"
	BeginBeginning Begin = "beginning" // of what is still there
)

// Subscription is what is delivered to whom.
type Subscription struct {
	Source, ID string // required: the key
	Called     string // what people and the record call it; optional, default the ID
	Stream     Stream // required, and comparable
	Begin      Begin  // optional, default BeginNow
	Target     Target // required
	Retry      Retry  // optional, default a day
	Quiet      *Quiet // optional: when nothing is sent
}

// begin returns the position of a subscription that nothing is known of yet.
func (s *Subscription) begin(ctx context.Context) (Position, error) {
	if s.Begin == BeginBeginning {
		return Position{}, nil
	}
	return s.Stream.End(ctx)
}

// isSame reports whether another one delivers the same, from the same stream, to the same receiver in the same way.
func (s *Subscription) isSame(other *Subscription) bool {
	return reflect.DeepEqual(s.plain(), other.plain()) && s.Stream == other.Stream
}

// plain is a subscription without its stream, which is compared by what it is, and not by what is in it.
func (s *Subscription) plain() Subscription {
	plain := *s
	plain.Stream = nil
	return plain
}

// name is what it is called.
func (s *Subscription) name() string { return cmp.Or(s.Called, s.ID) }

func (s *Subscription) key() store.WebhookKey { return store.WebhookKey{Source: s.Source, ID: s.ID} }
