package telemetry

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// prometheusText is the format of Handler (Prometheus text exposition format 0.0.4).
const prometheusText = "text/plain; version=0.0.4; charset=utf-8"

// Handler tells the numbers to whoever scrapes them. Who may is for the daemon to say.
func (c *Counters) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", prometheusText)
		w.Header().Set("Cache-Control", "no-store")
		if r.Method != http.MethodHead {
			_, _ = w.Write(text(c.Families())) // whoever does not read it, does not want it
		}
	})
}

// text writes metrics for Prometheus.
func text(families []Family) []byte {
	var b bytes.Buffer
	for _, f := range families {
		if len(f.Samples) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", f.Name, escapes.Replace(f.Help), f.Kind)
		for _, s := range f.Samples {
			if f.Kind != KindHistogram {
				fmt.Fprintf(&b, "%s%s %s\n", f.Name, labelled(s.Labels), number(s.Value))
				continue
			}
			for i, bound := range buckets() {
				fmt.Fprintf(&b, "%s_bucket%s %d\n", f.Name, labelled(s.Labels, [2]string{"le", number(bound)}), s.Buckets[i])
			}
			fmt.Fprintf(&b, "%s_bucket%s %d\n", f.Name, labelled(s.Labels, [2]string{"le", "+Inf"}), s.Count)
			fmt.Fprintf(&b, "%s_sum%s %s\n%[1]s_count%[2]s %[4]d\n", f.Name, labelled(s.Labels), number(s.Sum), s.Count)
		}
	}
	return b.Bytes()
}

var (
	escapes      = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func labelled(labels [][2]string, more ...[2]string) string {
	if len(labels)+len(more) == 0 {
		return ""
	}
	var parts []string
	for _, l := range append(labels[:len(labels):len(labels)], more...) {
		parts = append(parts, l[0]+`="`+labelEscapes.Replace(strings.ToValidUTF8(l[1], "\uFFFD"))+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
