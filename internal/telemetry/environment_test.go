package telemetry

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name             string
		env              map[string]string
		endpoint         string
		traces, metrics  string // where they go; "" for nowhere
		problem, silence string // what is said, and what is not
	}{
		{name: "off by default"},
		{name: "a name for the service alone switches nothing on", env: map[string]string{"OTEL_SERVICE_NAME": "x"}},
		{
			name:   "an address on this machine",
			env:    map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318/"},
			traces: "http://127.0.0.1:4318/v1/traces", metrics: "http://127.0.0.1:4318/v1/metrics",
		},
		{
			name:   "by its name",
			env:    map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318/otlp"},
			traces: "http://localhost:4318/otlp/v1/traces", metrics: "http://localhost:4318/otlp/v1/metrics",
		},
		{
			name: "of one signal, as it is",
			env:  map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://[::1]:4318/mine"}, traces: "http://[::1]:4318/mine",
		},
		{
			name: "one signal is switched off",
			env:  map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_METRICS_EXPORTER": "none"}, traces: "http://127.0.0.1:1/v1/traces",
		},
		{
			name: "Prometheus asks for numbers itself",
			env:  map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_METRICS_EXPORTER": "prometheus"}, traces: "http://127.0.0.1:1/v1/traces",
		},
		{name: "the usual address", env: map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, traces: "http://localhost:4318/v1/traces"},
		{name: "all is switched off", env: map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}},
		{
			name:    "another machine, by a variable alone",
			env:     map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://evil.example:4318"},
			problem: "telemetry: {endpoint: https://evil.example:4318}",
		},
		{
			name:    "a name that only looks like this machine",
			env:     map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost.evil.example"},
			problem: "telemetry: {endpoint: http://localhost.evil.example}",
		},
		{
			name: "another machine that the person names", endpoint: "https://collector.example:4318",
			env:    map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example:4318/otlp"},
			traces: "https://collector.example:4318/otlp/v1/traces", metrics: "https://collector.example:4318/otlp/v1/metrics",
		},
		{
			name: "the person's alone", endpoint: "https://collector.example:4318",
			traces: "https://collector.example:4318/v1/traces", metrics: "https://collector.example:4318/v1/metrics",
		},
		{
			name: "another port than the person's", endpoint: "https://collector.example:4318",
			env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example:9999"}, problem: "collector.example:9999",
		},
		{
			name:    "a password in the address",
			env:     map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:hunter2@127.0.0.1:4318"},
			problem: "without a user or a password", silence: "hunter2",
		},
		{name: "no address", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "file:///etc/passwd"}, problem: "want http://HOST:4318"},
		{
			name:    "a protocol that is not there",
			env:     map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			problem: "want http/protobuf",
		},
		{
			name:    "certificates of the workspace's",
			env:     map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/work/ca.pem"},
			problem: "outside of the workspace",
		},
		{
			name:    "an exporter that is not there",
			env:     map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "none"},
			problem: "want otlp or none",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, problems := Read(Source{Getenv: func(name string) string { return row.env[name] }, Endpoint: row.endpoint,
				Foreign: func(path string) bool { return strings.HasPrefix(path, "/work/") }})
			var got [2]string
			if d != nil {
				for i, s := range []*Signal{d.Traces, d.Metrics} {
					if s != nil {
						got[i] = s.URL.String()
					}
				}
			}
			if diff := cmp.Diff([2]string{row.traces, row.metrics}, got); diff != "" {
				t.Errorf("where it goes (-want +got):\n%s", diff)
			}
			said := strings.Join(problems, "\n")
			if row.problem == "" && said != "" || !strings.Contains(said, row.problem) || row.silence != "" && strings.Contains(said, row.silence) {
				t.Errorf("said %q, want %q", said, row.problem)
			}
		})
	}
}

func TestReadDetails(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":       "http://127.0.0.1:4318",
		"OTEL_EXPORTER_OTLP_HEADERS":        "authorization=Bearer%20abc, x-scope = team,broken,bad=%zz,crlf=a%0d%0ab",
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "2500",
		"OTEL_EXPORTER_OTLP_COMPRESSION":    "gzip",
		"OTEL_RESOURCE_ATTRIBUTES":          "service.name=ignored,deployment.environment.name=test",
		"OTEL_SERVICE_NAME":                 "guard",
		"OTEL_BSP_SCHEDULE_DELAY":           "20",
		"OTEL_METRIC_EXPORT_INTERVAL":       "none",
	}
	d, problems := Read(Source{Getenv: func(name string) string { return env[name] }})
	if len(problems) != 1 || !strings.Contains(problems[0], "OTEL_METRIC_EXPORT_INTERVAL") {
		t.Errorf("said %q, want one line about the interval", problems)
	}
	if d.Service != "guard" || d.Resource["deployment.environment.name"] != "test" {
		t.Errorf("service %q, resource %v", d.Service, d.Resource)
	}
	if d.Delay != 20*time.Millisecond || d.Interval != time.Minute || d.Traces.Timeout != 2500*time.Millisecond || d.Metrics.Timeout != 10*time.Second {
		t.Errorf("delay %v, interval %v, timeouts %v and %v", d.Delay, d.Interval, d.Traces.Timeout, d.Metrics.Timeout)
	}
	if !d.Traces.Gzip || d.Traces.Headers.Get("Authorization") != "Bearer abc" || d.Traces.Headers.Get("X-Scope") != "team" || len(d.Traces.Headers) != 2 {
		t.Errorf("gzip %v, headers %v", d.Traces.Gzip, d.Traces.Headers)
	}
}
