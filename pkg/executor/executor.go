package executor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/httpcache"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Executor runs tool calls. It is safe for concurrent use.
type Executor struct {
	inForce  func(tool.Workspace) Configuration
	gate     *gate.Gate
	scripts  runner
	argvs    runner
	requests runner
	client   Client // nil: no request is sent
	remotes  runner
	record   events.Recorder
	now      func() time.Time
	newID    func() string
	sleep    func(context.Context, time.Duration) error
	patience time.Duration
	profile  tool.ErrorProfile
	blobs    Blobs // nil: there is no place for them
	vault    Vault // nil: no tool can be given what it refers to
	hidden   Hidden
	degrades bool

	fingerprintKey []byte // of this process alone; see fill and actOf

	circuits *circuits
	turns    *turns
	cache    *cache
	answers  *httpcache.Cache
	calls    *calls
}

// Configuration is what calls are made under: the tools, and what decides about them. It is immutable, and
// a call keeps the one it began with. A call that a newer one no longer allows does not begin.
type Configuration struct {
	Tools *Tools
	gate.InForce
	Screener Screener // optional: who looks at outputs
}

// Host confines and runs processes. *sandbox.Host is one.
type Host interface {
	Plan(sandbox.Profile) (sandbox.Plan, error)
	Run(context.Context, sandbox.Plan, sandbox.Process) (sandbox.Outcome, error)
	// Reach returns what a plan lets a call reach.
	Reach(sandbox.Plan) sandbox.Reach
}

// Blobs keeps what is too long for a result. *blob.Store is one.
type Blobs interface {
	Keep(data []byte) (blob.Blob, error)
	// Begin is Keep for what comes in parts.
	Begin() (*blob.Writer, error)
}

// Hidden is what stands on record in the place of values. *secret.Hidden is one.
type Hidden interface {
	// Mark returns what stands in a value's place.
	Mark(value string) string
	// Add has values replaced by their marks in everything that is recorded from now on.
	Add(values ...string)
}

// Options configure an Executor.
type Options struct {
	// InForce returns the configuration for a call in the workspace that begins now. Required.
	InForce func(tool.Workspace) Configuration
	Gate    *gate.Gate      // required: every call passes it, under its configuration
	Host    Host            // required
	Record  events.Recorder // required
	Bash    string          // required: absolute path of bash, 4.4 or newer (mapfile -d)
	Client  Client          // optional; without it no request is sent
	// ErrorProfile is what the tools were read under. Optional, default tool.ProfileBasic.
	ErrorProfile tool.ErrorProfile
	Blobs        Blobs  // optional; without it no output is kept beside the result
	Vault        Vault  // optional; without it a tool that refers to a value is not run
	Hidden       Hidden // optional; without it nothing is said on record of secret values
	// Reset returns when a person has last reset the circuit of a tool, or a source, of that name; the zero Time
	// for never. It is asked while the circuit is not closed. Optional.
	Reset func(name string) time.Time
	// Degrades says that tools which change nothing run where nothing can be recorded.
	Degrades bool

	Now   func() time.Time // optional, default time.Now
	NewID func() string    // optional, default random
	// Sleep waits between two attempts, and returns early with an error when ctx ends. Optional, default a
	// timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Patience is how long a person may take to answer. No answer by then counts as no. Optional, default
	// DefaultPatience.
	Patience time.Duration
}

// DefaultPatience is long enough for somebody who is fetching a coffee. After that the call is not run, and
// the agent can make it again.
const DefaultPatience = 10 * time.Minute

// New makes an Executor.
func New(o Options) (*Executor, error) {
	if o.InForce == nil || o.Gate == nil || o.Host == nil || o.Record == nil || o.Bash == "" {
		return nil, errors.New("make an executor: a configuration, gate, host, record and bash are required")
	}
	e := &Executor{
		inForce: o.InForce, gate: o.Gate, scripts: scripts{o.Host, o.Bash},
		argvs: argvs{scripts{o.Host, o.Bash}, &programs{}}, client: o.Client, record: o.Record,
		remotes: remotes{},
		now:     o.Now, newID: o.NewID, sleep: o.Sleep, patience: o.Patience,
		vault: o.Vault, hidden: o.Hidden, degrades: o.Degrades, profile: o.ErrorProfile, blobs: o.Blobs,
		fingerprintKey: make([]byte, 32),
		circuits:       &circuits{reset: o.Reset}, cache: &cache{}, answers: httpcache.New(), calls: newCalls(),
	}
	rand.Read(e.fingerprintKey) // never fails; see randomID
	if e.now == nil {
		e.now = time.Now
	}
	if e.newID == nil {
		e.newID = randomID
	}
	if e.sleep == nil {
		e.sleep = sleepFor
	}
	e.turns = &turns{now: e.now, sleep: e.sleep}
	e.requests = requests{o.Client, o.Now, o.Sleep, e.turns}
	if e.hidden == nil {
		e.hidden = (*secret.Hidden)(nil)
	}
	if e.patience <= 0 {
		e.patience = DefaultPatience
	}
	return e, nil
}

// At returns the executor for the calls of another door, which has a gate and a configuration of its own.
// Kept results, counters and attempts are shared; Drain concerns the calls of the door alone.
func (e *Executor) At(g *gate.Gate, inForce func(tool.Workspace) Configuration) *Executor {
	door := *e
	door.gate, door.inForce, door.calls = g, inForce, newCalls()
	return &door
}

// randomID returns an id that nobody can guess and that is never repeated.
func randomID() string {
	var b [12]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program when the kernel has no randomness
	return "call_" + hex.EncodeToString(b[:])
}
