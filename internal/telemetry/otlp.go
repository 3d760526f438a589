package telemetry

import (
	"slices"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// The messages of OTLP are taken from proto/slim: the exporters of OpenTelemetry bring gRPC along, which each start
// of a bridge would pay for, and read the environment by themselves.

// tracesRequest returns an ExportTraceServiceRequest. Its one field has the number and the type of TracesData's.
func tracesRequest(r *resourcepb.Resource, scope *commonpb.InstrumentationScope, spans []*tracepb.Span) ([]byte, error) {
	return proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: r, ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope, Spans: spans}},
	}}})
}

// metricsRequest returns an ExportMetricsServiceRequest, likewise.
func metricsRequest(r *resourcepb.Resource, scope *commonpb.InstrumentationScope, families []Family,
	begun, now time.Time,
) ([]byte, error) {
	var list []*metricspb.Metric
	for _, f := range families {
		if len(f.Samples) > 0 {
			list = append(list, metric(f, nano(begun), nano(now)))
		}
	}
	return proto.Marshal(&metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: r, ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: scope, Metrics: list}},
	}}})
}

func metric(f Family, begun, now uint64) *metricspb.Metric {
	m := &metricspb.Metric{Name: f.Name, Description: f.Help}
	const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	if f.Kind == KindHistogram {
		points := &metricspb.Histogram{AggregationTemporality: cumulative}
		for _, s := range f.Samples {
			sum := s.Sum
			point := &metricspb.HistogramDataPoint{Attributes: labels(s.Labels), StartTimeUnixNano: begun, TimeUnixNano: now,
				Count: s.Count, Sum: &sum, ExplicitBounds: buckets()}
			before := uint64(0)
			for _, n := range append(slices.Clone(s.Buckets), s.Count) { // there they are not cumulative
				point.BucketCounts = append(point.BucketCounts, n-before)
				before = n
			}
			points.DataPoints = append(points.DataPoints, point)
		}
		m.Unit, m.Data = "ms", &metricspb.Metric_Histogram{Histogram: points}
		return m
	}
	var points []*metricspb.NumberDataPoint
	for _, s := range f.Samples {
		points = append(points, &metricspb.NumberDataPoint{Attributes: labels(s.Labels), StartTimeUnixNano: begun, TimeUnixNano: now,
			Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: s.Value}})
	}
	if f.Kind == KindGauge {
		m.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: points}}
		return m
	}
	m.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{DataPoints: points, AggregationTemporality: cumulative, IsMonotonic: true}}
	return m
}

func labels(list [][2]string) []*commonpb.KeyValue {
	var a attributes
	for _, l := range list {
		a.text(l[0], l[1])
	}
	return a
}

// resource says what tells: this program, of this version.
func (d *Destination) resource(version, instance string) *resourcepb.Resource {
	var a attributes
	for _, key := range sortedKeys(d.Resource) {
		if !strings.HasPrefix(key, "service.") {
			a.text(key, d.Resource[key])
		}
	}
	a.text("service.name", d.Service)
	a.text("service.version", version)
	a.text("service.instance.id", instance)
	a.text("service.namespace", d.Resource["service.namespace"])
	return &resourcepb.Resource{Attributes: a}
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
