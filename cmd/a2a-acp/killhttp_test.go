package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// shop is a server that takes orders, and counts what arrives of each. Every third is answered with 503, so that it is
// sent again.
type shop struct {
	mu       sync.Mutex
	arrived  map[string]int
	requests int
	came     news
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // whoever sent it may be gone
	s.mu.Lock()
	s.arrived[strings.TrimPrefix(r.URL.Path, "/orders/")]++
	s.requests++
	again := s.requests%3 == 0
	s.mu.Unlock()
	s.came.tell()
	if again {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// TestKilledHTTP kills calls that send requests with kill -9, at any moment of what they do, several at a time: what the
// server has got was decided before, on record, and each attempt has its line there. A2A_SOAK_KILLS says how often.
func TestKilledHTTP(t *testing.T) {
	t.Parallel()
	const together = 4
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK_KILLS")); err == nil {
		rounds = n / together
	}
	h := newHouse(t)
	kitchen := &shop{arrived: map[string]int{}, came: make(news, 1)}
	server := httptest.NewServer(kitchen)
	t.Cleanup(server.Close)
	h.write(map[string]string{filepath.Join(h.config, "tools.yaml"): `version: 2
sources:
  shop: {base_url: '` + server.URL + `', allow_addresses: [127.0.0.1/32]}
tools:
  order:
    description: Orders
    parameters: [{name: name, type: string, required: true, description: Which}]
    http: {source: shop, post: "/orders/{{name}}", json: {a: b}, idempotency_key: Idempotency-Key}
    retry: {attempts: 3, initial_delay: 0.01}
`})
	record := filepath.Join(h.home, ".local/state/a2a-acp/audit")
	killed := 0
	for round := range rounds {
		var all sync.WaitGroup
		var mu sync.Mutex
		for n := range together {
			cmd := h.command("tools", "run", "order", "-p", fmt.Sprintf("name=%d-%d", round, n), "--yes")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			all.Go(func() { // ends with the process
				if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() < 0 {
					mu.Lock()
					killed++
					mu.Unlock()
				}
				close(ended)
			})
			all.Go(func() { // likewise
				kitchen.wait(n, ended)
				kill(cmd)
			})
		}
		all.Wait()
		if round%50 == 49 || round == rounds-1 {
			kitchen.compare(t, record)
		}
	}
	t.Logf("%d processes of %d were killed, %d requests of %d calls had arrived", killed, rounds*together, kitchen.requests,
		len(kitchen.arrived))
	if killed == 0 || kitchen.requests == 0 {
		t.Error("nothing was killed, or nothing arrived, so nothing was tried")
	}
}

func kill(cmd *exec.Cmd) { cmd.Process.Kill() } //nolint:errcheck // it may have ended by itself

// wait waits for a moment in the life of a call: until a request arrives, for half of them, and for a while that is not
// known before.
func (s *shop) wait(n int, ended <-chan struct{}) {
	if n%2 == 0 {
		select {
		case <-s.came:
		case <-ended:
		}
	}
	select {
	case <-time.After(rand.N(60 * time.Millisecond)):
	case <-ended:
	}
}

// compare holds what has arrived against the record.
func (s *shop) compare(t *testing.T, record string) {
	t.Helper()
	report, err := audit.Verify(record, audit.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		if p.Kind != audit.Torn {
			t.Fatalf("%+v", report)
		}
	}
	calls, begun := map[string]string{}, map[string]int{}
	if err := audit.Read(record, func(e audit.Entry) error {
		switch {
		case e.Type == events.ToolDecided && e.Act != nil && e.Decision != nil && e.Decision.Result == "approve":
			calls[e.CallID] = fmt.Sprint(e.Act.Arguments["name"])
		case e.Type == events.ToolStarted:
			if calls[e.CallID] == "" {
				t.Errorf("%s has begun what nothing on record decided", e.CallID)
			}
			begun[calls[e.CallID]]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range s.arrived {
		if n > begun[name] {
			t.Errorf("%d requests of %s have arrived, and %d are on record", n, name, begun[name])
		}
	}
}
