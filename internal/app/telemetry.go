package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/telemetry"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// recordIn is the record's directory in a state directory.
func recordIn(state string) string { return filepath.Join(state, "audit") }

// startTelemetry begins to send spans and numbers, where the environment or a person's settings ask for it.
func (a *App) startTelemetry() {
	if a.Unrecorded != nil {
		return // there is nothing to follow
	}
	to, problems := telemetry.Read(telemetry.Source{
		Getenv: a.o.Getenv, Endpoint: a.Set().Settings.Telemetry.Endpoint,
		Foreign: a.o.InWorkspace,
	})
	for _, problem := range problems {
		a.o.Say(problem)
	}
	if to == nil {
		return
	}
	if !a.mayDeliver() { // it could name a collector of its own, and be told what others do
		a.o.Say("what happens is not sent to a collector from here, since an agent has started this program, or may have")
		return
	}
	exporter, err := telemetry.Export(telemetry.Options{
		Destination: to, Record: recordIn(a.state), State: filepath.Join(a.state, "telemetry"),
		Tool: a.toolForSpans, Known: a.isKnownTool, Gauges: a.gauges(), Version: a.o.Version, Say: a.o.Say,
	})
	if err != nil {
		a.o.Say(fmt.Sprintf("what happens is not sent to a collector: %v", err))
		return
	}
	a.exporter = exporter
}

// closeTelemetry ends what startTelemetry began.
func (a *App) closeTelemetry() error {
	if a.exporter == nil {
		return nil
	}
	return a.exporter.Close()
}

// toolForSpans says what the configuration has of a tool.
func (a *App) toolForSpans(id string) (telemetry.Tool, bool) {
	entry, known := a.Configuration().Tools.Lookup(id)
	if !known {
		return telemetry.Tool{}, false
	}
	return telemetry.Tool{Name: entry.Tool.Name, Source: entry.Tool.Source.String()}, true
}

// isKnownTool reports whether the name of a tool may be told as one of few: it is no agent's and no workspace's
// invention.
func (a *App) isKnownTool(id string) bool {
	c := a.Configuration()
	_, known := c.Tools.Lookup(id)
	return known || slices.Contains(c.Set.Unread, id) || slices.Contains(permissions.KnownTools(), id)
}

// gaugePatience bounds how long a look at the questions may take.
const gaugePatience = time.Second

// gauges are the numbers that are looked at when they are asked for.
func (a *App) gauges() []telemetry.Gauge {
	return []telemetry.Gauge{
		{Name: "a2a_acp_approvals_waiting", Help: "Questions that wait for a person.", Read: func() []telemetry.Sample {
			if a.isStopped() {
				return nil // the board may be closed
			}
			ctx, cancel := context.WithTimeout(a.ending, gaugePatience)
			defer cancel()
			n, err := a.board.Waiting(ctx)
			if err != nil {
				return nil
			}
			return []telemetry.Sample{{Value: float64(n)}}
		}},
		{Name: "a2a_acp_record_stopped", Help: "1 where nothing can be recorded, so nothing runs that has to be, by why.",
			Read: a.recordStopped},
		{Name: "a2a_acp_sandbox_level", Help: "1 for the level of the sandbox that this machine has, 0 for the others.",
			Read: func() []telemetry.Sample {
				host, err := a.host.wait()
				if err != nil {
					return nil
				}
				var samples []telemetry.Sample
				for _, level := range sandbox.Levels() {
					s := telemetry.Sample{Labels: [][2]string{{"level", string(level)}}}
					if level == host.Level() {
						s.Value = 1
					}
					samples = append(samples, s)
				}
				return samples
			}},
		{Name: "a2a_acp_webhook_lag_entries", Help: "Entries of the record that are not settled with a webhook, wanted or not.",
			Read: a.webhookLag},
		{Name: "a2a_acp_certificate_end_seconds", Help: "When a certificate of the daemon stops counting, in seconds since 1970.",
			Read: a.certificateEnds},
	}
}

// certificateEnds says when the daemon's certificates end.
func (a *App) certificateEnds() []telemetry.Sample {
	d := a.daemon.Load()
	if d == nil {
		return nil
	}
	ends := d.server.CertificateEnds()
	var samples []telemetry.Sample
	for _, name := range slices.Sorted(maps.Keys(ends)) {
		samples = append(samples, telemetry.Sample{Labels: [][2]string{{"name", name}}, Value: float64(ends[name].Unix())})
	}
	return samples
}

// webhookLag says how far behind the record each webhook of the configuration is.
func (a *App) webhookLag() []telemetry.Sample {
	specs := a.Set().Settings.Webhooks
	if len(specs) == 0 || a.isStopped() {
		return nil
	}
	ctx, cancel := context.WithTimeout(a.ending, gaugePatience)
	defer cancel()
	end, err := audit.End(recordIn(a.state))
	if err != nil {
		return nil
	}
	s, err := a.openWebhookStore(ctx)
	if err != nil {
		return nil
	}
	defer s.Close() //nolint:errcheck // it was only read
	rows, err := s.Webhooks(ctx)
	if err != nil {
		return nil
	}
	var samples []telemetry.Sample
	for _, row := range rows {
		if row.Source == webhook.RecordSource && slices.ContainsFunc(specs, func(w webhook.Spec) bool { return w.ID == row.ID }) {
			samples = append(samples, telemetry.Sample{Labels: [][2]string{{"webhook", row.ID}},
				Value: float64(max(0, end.Seq-row.Position))})
		}
	}
	return samples
}

// metricsDoor tells numbers to Prometheus: of everything that is recorded from now on, by whichever process.
func (a *App) metricsDoor() (serve.Door, error) {
	feed, err := audit.OpenFeed(recordIn(a.state))
	if err != nil {
		return serve.Door{}, err
	}
	from, err := feed.Last(0)
	if err != nil {
		return serve.Door{}, errors.Join(err, feed.Close())
	}
	var counters *telemetry.Counters
	lag := telemetry.Gauge{Name: "a2a_acp_record_lag_entries", Help: "Entries of the record that are not counted yet.",
		Read: func() []telemetry.Sample {
			end, err := feed.Last(0)
			if err != nil {
				return nil
			}
			return []telemetry.Sample{{Value: float64(max(0, end.Seq-max(counters.Seq(), from.Seq)))}}
		}}
	counters = telemetry.NewCounters(a.isKnownTool, append(a.gauges(), lag)...)
	ctx, end := context.WithCancel(context.Background())
	var counting sync.WaitGroup
	counting.Go(func() { a.count(ctx, feed, from, counters) }) // ends with ctx
	return serve.Door{
		Name:      "metrics",
		Routes:    []serve.Route{{Pattern: "GET /metrics", Scope: serve.ScopeAudit, Handler: counters.Handler()}},
		FirstLine: func(base string) map[string]any { return map[string]any{"metrics": base + "/metrics"} },
		Drain: func(context.Context) {
			end()
			counting.Wait()
			_ = feed.Close() // it only watches
		},
	}, nil
}

// count counts what is recorded, until ctx ends.
func (a *App) count(ctx context.Context, feed *audit.Feed, from audit.Cursor, counters *telemetry.Counters) {
	for ctx.Err() == nil {
		r, err := feed.Read(from)
		for err == nil {
			var entry audit.Entry
			if entry, err = r.Next(ctx); err == nil {
				counters.Take(entry)
			}
		}
		if r != nil {
			r.Close() //nolint:errcheck // it only reads
		}
		if ctx.Err() != nil {
			return
		}
		a.o.Say(fmt.Sprintf("the record cannot be counted on, so /metrics goes on with what is recorded from now: %v", err))
		if from, err = feed.Last(0); err != nil {
			a.o.Say(fmt.Sprintf("/metrics counts nothing more: %v", err))
			return
		}
	}
}
