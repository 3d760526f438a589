package webhook

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// roleVariable makes a copy of the test binary play a process of its own.
const roleVariable = "A2A_TEST_WEBHOOK_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "deliver":
		err = playDeliverer(os.Args[1], os.Args[2], os.Args[3:])
	case "record":
		var most int
		if most, err = strconv.Atoi(os.Args[2]); err == nil {
			err = playRecorder(os.Args[1], most)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// playDeliverer delivers the record in a state directory to the URLs, until its stdin ends. At a step of doc.go
// ("send 3": when it comes there for the third time) it is killed.
func playDeliverer(dir, killedAt string, urls []string) error {
	step, number, _ := strings.Cut(killedAt, " ")
	left, _ := strconv.Atoi(number)
	var reached atomic.Int64
	reached.Store(int64(left))
	record := NewRecord(filepath.Join(dir, "audit"))
	d := New(Options{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name), Relaxed: true})
		},
		Say: func(line string) { fmt.Fprintln(os.Stderr, line) },
		reached: func(at string) {
			if at == step && reached.Add(-1) == 0 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		},
	})
	var list []Subscription
	for i, url := range urls {
		list = append(list, Subscription{Source: RecordSource, ID: fmt.Sprint(i), Stream: record.Stream(Filter{}, FormatRecord), Begin: BeginBeginning,
			Target: Target{URL: Value{Literal: url}, Allow: loopback},
			Retry:  Retry{Attempts: MostAttempts, First: time.Millisecond, Longest: time.Millisecond, Multiplier: 1}})
	}
	d.Set(RecordSource, list)
	fmt.Println("ready")
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if errors.Is(err, syscall.EAGAIN) {
		return err
	}
	return d.Close(context.Background())
}

// playRecorder records until it is killed, or has recorded the most: what there is to deliver must not grow with the
// time that a busy machine takes for the kills.
func playRecorder(dir string, most int) error {
	log, err := audit.Open(filepath.Join(dir, "audit"))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for n := range most {
		if err := log.Record(context.Background(), events.Event{Type: events.ToolDecided, Detail: fmt.Sprint(os.Getpid(), n)}); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	_, err = io.Copy(io.Discard, os.Stdin) // until the test ends
	return err
}

// process is one of several that share a state directory.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  interface{ Close() error }
	err strings.Builder
}

func startProcess(t *testing.T, role string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(self, args...)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	p.cmd.Stderr = &p.err
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill() })
	bufio.NewReader(out).ReadString('\n')
	return p
}

func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}

// ends closes its stdin and waits until it has ended well.
func (p *process) ends() {
	p.t.Helper()
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("it ended with %v: %s", err, p.err.String())
	}
}

// tally is what a receiver has heard, by the numbers of the record.
type tally struct {
	mu    sync.Mutex
	ids   map[int64]string
	order []int64 // in which numbers came for the first time
	twice int
	wrong []string
	grown chan struct{}
}

func (r *tally) hear(got heard) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch id, known := r.ids[got.seq]; {
	case known && id != got.id:
		r.wrong = append(r.wrong, fmt.Sprintf("number %d came as %s and as %s", got.seq, id, got.id))
	case known:
		r.twice++
	default:
		r.ids[got.seq] = got.id
		r.order = append(r.order, got.seq)
	}
	select {
	case r.grown <- struct{}{}:
	default:
	}
}

// has waits until so many numbers came.
func (r *tally) has(t *testing.T, n int64) {
	t.Helper()
	for {
		r.mu.Lock()
		have := len(r.order)
		r.mu.Unlock()
		if int64(have) >= n {
			return
		}
		select {
		case <-r.grown:
		case <-time.After(patience):
			t.Fatalf("%d of %d came", have, n)
		}
	}
}

// check checks that all came, in order, each with one id, and hardly any twice.
func (r *tally) check(t *testing.T, n int64, mostTwice int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, seq := range r.order {
		if seq != int64(i+1) {
			t.Errorf("at place %d came number %d", i+1, seq)
			break
		}
	}
	if int64(len(r.order)) != n || len(r.wrong) > 0 || r.twice > mostTwice {
		t.Errorf("%d of %d came, %d twice (at most %d may), %v", len(r.order), n, r.twice, mostTwice, r.wrong)
	}
}

// tallied starts receivers. Each third request to the last one fails, whether it was heard or not.
func tallied(t *testing.T, n int) (urls []string, tallies []*tally, failed *atomic.Int64) {
	failed = &atomic.Int64{}
	for i := range n {
		count := &tally{ids: map[int64]string{}, grown: make(chan struct{}, 1)}
		var requests atomic.Int64
		r := newReceiver(t, nil)
		r.answers(func(w http.ResponseWriter, _ *http.Request) {
			got := <-r.heard
			if i == n-1 && requests.Add(1)%3 == 0 {
				if failed.Add(1)%2 == 0 { // it has it, and does not say so
					count.hear(got)
				}
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			count.hear(got)
		})
		urls, tallies = append(urls, r.URL), append(tallies, count)
	}
	return urls, tallies, failed
}

func lastNumber(t *testing.T, dir string) int64 {
	t.Helper()
	end, err := audit.End(filepath.Join(dir, "audit"))
	if err != nil {
		t.Fatal(err)
	}
	return end.Seq
}

// TestKilledAtEachStep kills the process that delivers at each step of doc.go, again and again. The next one goes
// on: everything comes, in order, with the id that it had, and twice at the most once for each that was killed.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	h := newHouse(t)
	urls, tallies, failed := tallied(t, 3)
	kills := 0
	for round := range rounds {
		for _, step := range []string{"enlist", "lease", "read", "send", "settle", "fail"} {
			for range 20 {
				h.put(step)
			}
			p := startProcess(t, "deliver", append([]string{h.dir, fmt.Sprintf("%s %d", step, 1+5*round)}, urls...)...)
			switch step {
			case "enlist", "lease":
				if round > 0 { // it comes there once
					p.kill()
					continue
				}
			}
			err := p.cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s: it ended with %v: %s", step, err, p.err.String())
			}
			kills++
		}
	}
	// The end of an orderly process is a step, too.
	p := startProcess(t, "deliver", append([]string{h.dir, "release 1"}, urls...)...)
	for _, r := range tallies {
		r.has(t, lastNumber(t, h.dir))
	}
	p.in.Close()
	p.cmd.Wait()
	h.put("last")
	p = startProcess(t, "deliver", append([]string{h.dir, ""}, urls...)...)
	for _, r := range tallies {
		r.has(t, lastNumber(t, h.dir))
	}
	p.ends()
	for i, r := range tallies {
		most := kills + 1
		if i == len(tallies)-1 {
			most += int(failed.Load())
		}
		r.check(t, lastNumber(t, h.dir), most)
	}
}

// TestKilledAnywhere kills processes that deliver at any moment, while others record, and several are there that
// could deliver. Everything comes, in order, with the id that it had.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	kills := 30
	if testing.Short() {
		kills = 8
	}
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK_WEBHOOKS")); err == nil {
		kills = n
	}
	h := newHouse(t)
	h.log.Close()
	urls, tallies, failed := tallied(t, 4)
	deliver := func() *process { return startProcess(t, "deliver", append([]string{h.dir, ""}, urls...)...) }
	record := func() *process { return startProcess(t, "record", h.dir, strconv.Itoa(20*kills)) }
	recorders := []*process{record(), record()}
	deliverers := []*process{deliver(), deliver(), deliver()}
	for range kills {
		// Somewhere in what it does, which the test does not know: this is how long it is left alone.
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		i := rand.IntN(len(deliverers))
		deliverers[i].kill()
		deliverers[i] = deliver()
	}
	for _, p := range recorders {
		p.kill()
		if text := p.err.String(); text != "" {
			t.Error(text)
		}
	}
	log, err := audit.Open(filepath.Join(h.dir, "audit")) // takes a torn line off
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Record(t.Context(), events.Event{Type: events.ToolEnded}); err != nil {
		t.Fatal(err)
	}
	log.Close()
	last := lastNumber(t, h.dir)
	for _, r := range tallies {
		r.has(t, last)
	}
	for _, p := range deliverers {
		p.ends()
	}
	for i, r := range tallies {
		most := kills
		if i == len(tallies)-1 {
			most += int(failed.Load())
		}
		r.check(t, last, most)
	}
	t.Logf("%d entries, %d kills, twice: %d %d %d %d", last, kills, tallies[0].twice, tallies[1].twice, tallies[2].twice, tallies[3].twice)
}

// stopBetweenWrites has a process stand still that is writing nothing: with a transaction of its own open, it would hold
// everybody up, and what others do is what is tested.
func (h *house) stopBetweenWrites(p *process) {
	h.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(h.dir, store.Name)+"?_pragma=busy_timeout(60000)&_txlock=immediate")
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.BeginTx(h.t.Context(), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer lock.Rollback() //nolint:errcheck // nothing was written
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		h.t.Fatal(err)
	}
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		_, err = syscall.Wait4(p.cmd.Process.Pid, nil, syscall.WUNTRACED, nil) // until all of it stands still
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestStandsStill has the process that delivers stand still with an item on its way, and go on when another one has
// its lease: what it does then moves nothing.
func TestStandsStill(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	let := make(chan struct{})
	letIt := sync.OnceFunc(func() { close(let) })
	var first atomic.Bool
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		if first.CompareAndSwap(false, true) {
			<-let
		}
	})
	t.Cleanup(letIt) // the receiver ends when nobody waits in it
	h.put("a", "b")
	p := startProcess(t, "deliver", h.dir, "", r.URL)
	id := r.wants("a")[0].id
	h.stopBetweenWrites(p)
	h.clock.at = realNow().Add(time.Minute) // when the lease has run out
	d := h.deliverer(h.sub("0", r.URL))
	if again := r.wants("a", "b"); again[0].id != id {
		t.Errorf("it came as %s and as %s", id, again[0].id)
	}
	w := h.row("0", func(w store.Webhook) bool { return w.Position == 2 })
	letIt()
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	h.put("c")
	r.wants("c")
	h.row("0", func(w store.Webhook) bool { return w.Position == 3 })
	p.ends()
	if again := h.row("0", func(store.Webhook) bool { return true }); again.Position != 3 || again.Delivered != w.Delivered+1 {
		t.Errorf("it has moved what was no longer its own: %+v", again)
	}
	h.stop(d)
	r.quiet()
}
