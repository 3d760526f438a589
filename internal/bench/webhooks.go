package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

const (
	deliveredEach     = 3000 // deliveries of a round
	deliveredRounds   = 3
	manySubscriptions = 1000
	lagRounds         = 20
	maxWebhookLag     = 1000 // ms, until the last one of so many has it
	maxWebhookMemory  = 64   // MB, of so many
	leastDeliveries   = 0.4  // of requests with a transaction each
)

// webhookRows measure deliveries to a receiver on loopback that answers at once.
func webhookRows(dir string) []row {
	rate := comparedRow("webhooks: deliveries to one receiver", deliveryRate, "a request and a transaction each", leastDeliveries)
	many := row{Name: fmt.Sprintf("webhooks: deliveries to %d subscriptions", manySubscriptions), Unit: deliveryRate}
	lag := within(fmt.Sprintf("webhooks: lag of %d subscriptions, all told", manySubscriptions), "ms", maxWebhookLag)
	memory := within(fmt.Sprintf("webhooks: memory above idle, %d subscriptions", manySubscriptions), "MB", maxWebhookMemory)
	m, err := measureWebhooks(dir)
	if err != nil {
		return []row{rate.unmeasured(err), many.unmeasured(err), lag.unmeasured(err), memory.unmeasured(err)}
	}
	return []row{
		rate.measured(median(m.rates), median(m.floors), fmt.Sprint(deliveredRounds*deliveredEach)),
		many.measured(manySubscriptions*1000/median(m.lags), 0, fmt.Sprint(lagRounds*manySubscriptions)),
		lag.measured(median(m.lags), 0, fmt.Sprint(lagRounds)),
		memory.measured(m.memory, 0, "1 process"),
	}
}

type webhookFigures struct {
	rates, floors, lags []float64
	memory              float64
}

// counting is a receiver that counts.
type counting struct {
	url   string
	heard chan struct{}
}

func receiveCounting() (*counting, func(), error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	c := &counting{url: "http://" + listener.Addr().String(), heard: make(chan struct{}, 1<<16)}
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		c.heard <- struct{}{}
		w.WriteHeader(http.StatusNoContent)
	})}
	go server.Serve(listener) // ends with Close
	return c, func() { server.Close() }, nil
}

// wait waits until so many were heard.
func (c *counting) wait(n int) error {
	for range n {
		select {
		case <-c.heard:
		case <-time.After(patience):
			return errors.New("a delivery did not come")
		}
	}
	return nil
}

func measureWebhooks(dir string) (m webhookFigures, err error) {
	receiver, closeReceiver, err := receiveCounting()
	if err != nil {
		return m, err
	}
	defer closeReceiver()
	for round := range deliveredRounds {
		floor, err := bareRequests(filepath.Join(dir, fmt.Sprint("floor-", round)), receiver)
		if err != nil {
			return m, err
		}
		rate, err := deliverToOne(filepath.Join(dir, fmt.Sprint("webhook-", round)), receiver)
		if err != nil {
			return m, err
		}
		m.floors, m.rates = append(m.floors, floor), append(m.rates, rate)
	}
	m.lags, m.memory, err = deliverToMany(filepath.Join(dir, "webhooks"), receiver)
	return m, err
}

// bareRequests returns how many requests of the size of a delivery a client makes in a second, with a transaction
// after each: what it takes to know after a crash where to go on.
func bareRequests(dir string, receiver *counting) (float64, error) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(makeDir(dir), store.Name), Relaxed: true})
	if err != nil {
		return 0, err
	}
	defer s.Close() //nolint:errcheck // nothing of it is wanted
	key := store.WebhookKey{Source: webhook.RecordSource, ID: "floor"}
	if err := s.EnlistWebhooks(ctx, []store.Webhook{{WebhookKey: key}}); err != nil {
		return 0, err
	}
	rows, err := s.LeaseWebhooks(ctx, []store.WebhookKey{key}, time.Now().Add(time.Hour))
	if err != nil || len(rows) != 1 {
		return 0, fmt.Errorf("%d leases: %w", len(rows), err)
	}
	body := strings.Repeat("x", 400)
	client := &http.Client{}
	defer client.CloseIdleConnections()
	began := time.Now()
	for n := range int64(deliveredEach) {
		response, err := client.Post(receiver.url, "application/json", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		<-receiver.heard
		if _, err := s.StepWebhooks(ctx, []store.WebhookStep{{WebhookKey: key, Term: rows[0].Term, Position: n}}); err != nil {
			return 0, err
		}
	}
	return deliveredEach / time.Since(began).Seconds(), nil
}

// deliverToOne returns how many of the entries that a subscription is owed it gets in a second.
func deliverToOne(dir string, receiver *counting) (float64, error) {
	log, err := audit.Open(filepath.Join(makeDir(dir), "audit"))
	if err != nil {
		return 0, err
	}
	defer log.Close() //nolint:errcheck // what counts was delivered
	event := decision()
	event.Type = events.ToolEnded // not one by one to the disk
	for range deliveredEach {
		if err := log.Record(context.Background(), event); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	d := deliverer(dir, receiver.url, 1)
	defer d.Close(context.Background()) //nolint:errcheck // likewise
	if err := receiver.wait(deliveredEach); err != nil {
		return 0, err
	}
	return deliveredEach / time.Since(began).Seconds(), nil
}

func makeDir(dir string) string {
	os.MkdirAll(dir, 0o700)
	return dir
}

// deliverer delivers to so many subscriptions, whose entries are written as the default has it.
func deliverer(dir, url string, n int) *webhook.Deliverer {
	record := webhook.NewRecord(filepath.Join(dir, "audit"))
	d := webhook.New(webhook.Options{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name), Relaxed: true})
		},
		Say: func(line string) { fmt.Fprintln(os.Stderr, "bench:", line) },
	})
	list := make([]webhook.Subscription, n)
	for i := range list {
		list[i] = webhook.Subscription{Source: webhook.RecordSource, ID: strconv.Itoa(i),
			Stream: record.Stream(webhook.Filter{}, webhook.FormatSeed), Begin: webhook.BeginBeginning,
			Target: webhook.Target{URL: webhook.Value{Literal: url}, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}}
	}
	d.Set(webhook.RecordSource, list)
	return d
}

// deliverToMany has a process of its own deliver to many, and takes how long it takes until all have an entry, and
// the memory of the process above that of one that has one subscription.
func deliverToMany(dir string, receiver *counting) (lags []float64, memory float64, err error) {
	var resident [2]float64
	for i, n := range []int{1, manySubscriptions} {
		at := makeDir(fmt.Sprint(dir, "-", n))
		log, err := audit.Open(filepath.Join(at, "audit"))
		if err != nil {
			return nil, 0, err
		}
		defer log.Close() //nolint:errcheck // what counts was delivered
		took, size, err := deliverFrom(at, log, receiver, n)
		if err != nil {
			return nil, 0, err
		}
		lags, resident[i] = took, size
	}
	return lags, resident[1] - resident[0], nil
}

func deliverFrom(dir string, log *audit.Log, receiver *counting, n int) (lags []float64, size float64, err error) {
	cmd := exec.Command("/proc/self/exe", "-role", "webhooks", dir, receiver.url, strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	defer cmd.Wait() //nolint:errcheck // it has said what it had to
	defer in.Close()
	for range lagRounds + 1 { // the first finds nothing ready
		began := time.Now()
		if err := log.Record(context.Background(), decision()); err != nil {
			return nil, 0, err
		}
		if err := receiver.wait(n); err != nil {
			return nil, 0, err
		}
		lags = append(lags, time.Since(began).Seconds()*1000)
	}
	if _, err := io.WriteString(in, "memory\n"); err != nil {
		return nil, 0, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, 0, err
	}
	size, err = strconv.ParseFloat(strings.TrimSpace(line), 64)
	return lags[1:], size, err
}

// holdWebhooks is the role: it delivers, and says how much memory that takes when it is asked.
func holdWebhooks(dir, url, number string, in io.Reader, out io.Writer) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	d := deliverer(dir, url, n)
	lines := bufio.NewReader(in)
	if _, err := lines.ReadString('\n'); err != nil {
		return err
	}
	runtime.GC()
	size, err := resident(os.Getpid())
	if err != nil {
		return err
	}
	fmt.Fprintln(out, size)
	lines.ReadString('\n') //nolint:errcheck // its end
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.Close(ctx)
}
