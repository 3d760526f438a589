package telemetry

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Destination is where telemetry is sent, and as whose.
type Destination struct {
	Traces, Metrics *Signal // nil for what is not sent
	Service         string
	Resource        map[string]string
	Delay           time.Duration // how long a span waits for others
	Interval        time.Duration // between two reports of numbers
}

// Signal is where spans are sent, or numbers.
type Signal struct {
	URL     *url.URL
	Headers http.Header
	Timeout time.Duration
	Gzip    bool
	CA      string // the file with the certificates that are trusted; "" for the system's
	// Loopback says that nothing but the environment names the address, so that no other machine is reached.
	Loopback bool
}

// Source is what a Destination is read from.
type Source struct {
	Getenv func(string) string // required
	// Endpoint is what a person's configuration names; "" for nothing.
	Endpoint string
	// Foreign reports whether a file may be the work of whoever wrote the workspace. Optional.
	Foreign func(path string) bool
}

// The bounds of what the environment says. Whoever sets more gets these.
const (
	mostAttributes = 64  // of the resource
	mostText       = 256 // bytes of one value
)

// Read returns what the standard variables of OpenTelemetry and the configuration ask for: nil where nothing is to
// be sent. problems are what the person is to be told of variables that do not count.
//
// A repository can set variables (direnv), and what is sent tells what an agent does. So an address on another
// machine counts only where the configuration names it.
func Read(s Source) (d *Destination, problems []string) {
	r := reading{s: s, say: func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }}
	if strings.EqualFold(s.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	found := Destination{
		Traces: r.signal("TRACES", "v1/traces"), Metrics: r.signal("METRICS", "v1/metrics"),
		Service: "a2a-acp", Resource: map[string]string{},
		Delay:    r.milliseconds("OTEL_BSP_SCHEDULE_DELAY", 5*time.Second),
		Interval: r.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", time.Minute),
	}
	if found.Traces == nil && found.Metrics == nil {
		return nil, problems
	}
	for key, value := range r.pairs("OTEL_RESOURCE_ATTRIBUTES") {
		if len(found.Resource) < mostAttributes {
			found.Resource[cut(key, mostText)] = cut(value, mostText)
		}
	}
	for _, name := range []string{found.Resource["service.name"], s.Getenv("OTEL_SERVICE_NAME")} {
		if name != "" {
			found.Service = cut(name, mostText)
		}
	}
	return &found, problems
}

// reading is Read under way.
type reading struct {
	s   Source
	say func(format string, args ...any)
}

// of returns the variable of a signal, or else the one of all signals.
func (r reading) of(signal, name string) string {
	if value := r.s.Getenv("OTEL_EXPORTER_OTLP_" + signal + "_" + name); value != "" {
		return value
	}
	return r.s.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

func (r reading) signal(name, path string) *Signal {
	exporters := strings.Split(strings.ReplaceAll(r.s.Getenv("OTEL_"+name+"_EXPORTER"), " ", ""), ",")
	asked := slices.Contains(exporters, "otlp")
	if !asked && exporters[0] != "" {
		if exporters[0] != "none" && !(name == "METRICS" && exporters[0] == "prometheus") {
			r.say("OTEL_%s_EXPORTER=%s: nothing is sent: want otlp or none", name, cut(exporters[0], mostText))
		}
		return nil
	}
	at, named := r.s.Getenv("OTEL_EXPORTER_OTLP_"+name+"_ENDPOINT"), ""
	if at != "" {
		named = "OTEL_EXPORTER_OTLP_" + name + "_ENDPOINT"
	} else if base := r.s.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); base != "" {
		at, named = strings.TrimSuffix(base, "/")+"/"+path, "OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	switch {
	case named != "":
	case r.s.Endpoint != "":
		at, named = strings.TrimSuffix(r.s.Endpoint, "/")+"/"+path, "telemetry.endpoint"
	case asked:
		at, named = "http://localhost:4318/"+path, "OTEL_"+name+"_EXPORTER"
	default:
		return nil
	}
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		r.say("%s: nothing is sent: want http://HOST:4318 or https://HOST:4318, without a user or a password in it", named)
		return nil
	}
	loopback := isLoopback(u.Hostname())
	if !loopback && !sameServer(u, r.s.Endpoint) {
		r.say("%s names %s, so nothing is sent: a repository can set variables, so one alone does not have what agents do told "+
			"to another machine; write `telemetry: {endpoint: %s}` into your a2a-acp.yaml", named, cut(u.Host, mostText),
			cut(u.Scheme+"://"+u.Host, mostText))
		return nil
	}
	if protocol := r.of(name, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		r.say("OTEL_EXPORTER_OTLP_PROTOCOL=%s: nothing is sent: want http/protobuf, which collectors take at port 4318",
			cut(protocol, mostText))
		return nil
	}
	signal := &Signal{URL: u, Loopback: loopback, Gzip: r.of(name, "COMPRESSION") == "gzip", Headers: http.Header{},
		Timeout: 10 * time.Second}
	if text := r.of(name, "TIMEOUT"); text != "" {
		signal.Timeout = r.parse("OTEL_EXPORTER_OTLP_TIMEOUT", text, signal.Timeout)
	}
	for key, value := range split(r.of(name, "HEADERS")) {
		signal.Headers.Set(key, value)
	}
	if ca := r.of(name, "CERTIFICATE"); ca != "" {
		if !filepath.IsAbs(ca) || r.s.Foreign != nil && r.s.Foreign(ca) {
			r.say("OTEL_EXPORTER_OTLP_CERTIFICATE: nothing is sent: want an absolute path outside of the workspace, whose author could " +
				"have set that")
			return nil
		}
		signal.CA = ca
	}
	return signal
}

func (r reading) milliseconds(name string, otherwise time.Duration) time.Duration {
	text := r.s.Getenv(name)
	if text == "" {
		return otherwise
	}
	return r.parse(name, text, otherwise)
}

func (r reading) parse(name, text string, otherwise time.Duration) time.Duration {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > int(time.Hour/time.Millisecond) {
		r.say("%s: want milliseconds, from 1 to 3600000; it is %d now", name, otherwise.Milliseconds())
		return otherwise
	}
	return time.Duration(n) * time.Millisecond
}

func (r reading) pairs(name string) map[string]string { return split(r.s.Getenv(name)) }

// split reads key=value,… with values in the encoding of URLs, as W3C Baggage has them. What is none is left out.
func split(text string) map[string]string {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, is := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if is && key != "" && err == nil && !strings.ContainsAny(key+decoded, "\r\n\x00") {
			pairs[key] = decoded
		}
	}
	return pairs
}

// sameServer reports whether an address is on the server that a configuration names.
func sameServer(u *url.URL, endpoint string) bool {
	named, err := url.Parse(endpoint)
	return err == nil && named.Host != "" && named.Scheme == u.Scheme && strings.EqualFold(named.Host, u.Host)
}

// isLoopback reports whether a host is this machine. A name is looked at once more when it is dialled.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// cut returns the beginning of a text that may be too long, in valid UTF-8.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
