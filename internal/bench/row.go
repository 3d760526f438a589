package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is one thing that was measured. Numbers that there are not are null.
type row struct {
	Name    string   `json:"name"`
	Value   *float64 `json:"value"`
	Unit    string   `json:"unit"`
	Against string   `json:"against"` // what the ratio is to; "limit" when the goal is a value of its own
	Ratio   *float64 `json:"ratio"`   // value over the floor's value, or over the limit
	// The largest ratio; the smallest one where more is better; the largest value for a limit.
	Goal   *float64 `json:"goal"`
	Met    bool     `json:"met"`
	Reason string   `json:"reason,omitempty"` // why there is no value

	floor   float64 // the floor's value
	samples string
}

const limit = "limit"

// The units of which more is better.
const (
	rate       = "MB/s"
	callRate   = "calls/s"
	recordRate = "records/s"

	deliveryRate = "deliveries/s"
)

// moreIsBetter reports whether the row's goal is to be reached from above.
func (r row) moreIsBetter() bool {
	return r.Unit == rate || r.Unit == callRate || r.Unit == recordRate || r.Unit == deliveryRate
}

// comparedRow begins a row that is compared with a floor. Its goal is a ratio; 0 is none.
func comparedRow(name, unit, against string, goal float64) row {
	r := row{Name: name, Unit: unit, Against: against}
	if goal > 0 {
		r.Goal = &goal
	}
	return r
}

// within begins a row whose goal is a value.
func within(name, unit string, goal float64) row {
	return row{Name: name, Unit: unit, Against: limit, Goal: &goal}
}

// measured ends a row. The floor is that of a row which is beside one.
func (r row) measured(value, floor float64, samples string) row {
	r.Value, r.floor, r.samples = &value, floor, samples
	reached := value
	switch r.Against {
	case "":
	case limit:
		ratio := value / *r.Goal
		r.Ratio = &ratio
	default:
		reached = value / floor
		r.Ratio = &reached
	}
	switch {
	case r.Goal == nil:
		r.Met = true
	case r.moreIsBetter():
		r.Met = reached >= *r.Goal
	default:
		r.Met = reached <= *r.Goal
	}
	return r
}

// unmeasured ends a row that has no value, and says why.
func (r row) unmeasured(err error) row {
	r.Reason = err.Error()
	return r
}

// table prints the rows for people.
func table(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tMEDIAN\tUNIT\tFLOOR\tRATIO\tGOAL\tMET\tSAMPLES")
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r.cells(), "\t"))
	}
	return w.Flush()
}

// cells returns the columns of a row.
func (r row) cells() []string {
	value, floor, ratio, goal, met, note := "-", "-", "-", "-", "-", r.samples
	if r.Goal != nil {
		sign, times := "≤", ""
		if r.moreIsBetter() {
			sign = "≥"
		}
		if r.Against != limit {
			times = " ×"
		}
		goal = fmt.Sprintf("%s %g%s", sign, *r.Goal, times)
		met = map[bool]string{true: "yes", false: "NO"}[r.Met]
	}
	switch {
	case r.Value == nil:
		note = r.Reason
	case r.Ratio != nil && r.Against != limit:
		floor, ratio = number(r.floor), fmt.Sprintf("%.2f", *r.Ratio)
		fallthrough
	default:
		value = number(*r.Value)
	}
	return []string{r.Name, value, r.Unit, floor, ratio, goal, met, note}
}

// number writes a value with about three digits.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// median sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}
