package yamldoc

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration reads seconds, whole or not, or a duration such as 2m30s: more than 0, and no more than longest.
func (v Value) Duration(longest time.Duration) (time.Duration, bool) {
	var d time.Duration
	if isNumber(v.Node) {
		number, ok := v.Number()
		if !ok {
			return 0, false
		}
		seconds, err := number.Float64()
		if err != nil || seconds > longest.Seconds() {
			seconds = longest.Seconds() + 1
		}
		d = time.Duration(seconds * float64(time.Second))
	} else {
		text, ok := v.Text()
		if !ok {
			return 0, false
		}
		var err error
		if d, err = time.ParseDuration(text); err != nil {
			v.Fail(RuleValue, durationHint(text), "want %s, found %s", v.Want, Quote(text))
			return 0, false
		}
	}
	if d <= 0 || d > longest {
		v.Fail(RuleValue, "", "want more than 0 and no more than %s, found %s", inUnits(longest),
			Shorten(v.Node.Value))
		return 0, false
	}
	return d, true
}

// SetDuration reads a duration, as Duration does, into a field.
func (v Value) SetDuration(field *time.Duration, longest time.Duration) {
	if d, ok := v.Duration(longest); ok {
		*field = d
	}
}

// inUnits writes a duration without the units that are zero: 24h, not 24h0m0s.
func inUnits(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// durationHint is how to write a time that is written as people say it.
func durationHint(text string) string {
	if jsonNumber.MatchString(text) {
		return fmt.Sprintf("take the quotes out, or give the unit: %ss", text)
	}
	parts := withUnit.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return "a number of seconds, such as 30, or with units: 90s, 5m, 1h30m"
	}
	number, unit := parts[1], strings.ToLower(parts[2])
	switch {
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"):
		return "write " + number + "ms"
	case strings.HasPrefix(unit, "s"):
		return "write " + number + "s"
	case strings.HasPrefix(unit, "m"):
		return "write " + number + "m"
	case strings.HasPrefix(unit, "h"):
		return "write " + number + "h"
	case strings.HasPrefix(unit, "d"):
		if days, err := strconv.Atoi(number); err == nil && days < 1<<20 {
			return fmt.Sprintf("write %dh: the longest unit is the hour", days*24)
		}
	}
	return "the units are ms, s, m and h"
}
