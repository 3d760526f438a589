package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Days is a duration that may be given in days: 7d.
type Days time.Duration

// String implements pflag.Value, as do Set and Type.
func (d *Days) String() string {
	if *d == 0 {
		return ""
	}
	if t := time.Duration(*d); t%(24*time.Hour) == 0 && t > 0 {
		return fmt.Sprintf("%dd", t/(24*time.Hour))
	}
	return time.Duration(*d).String()
}

// Set implements pflag.Value.
func (d *Days) Set(s string) error {
	if count, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(count, 10, 16)
		if err == nil && n > 0 {
			*d = Days(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	}
	t, err := time.ParseDuration(s)
	if err != nil || t <= 0 {
		return errors.New("want a time such as 7d, 12h or 90m")
	}
	*d = Days(t)
	return nil
}

// Type implements pflag.Value.
func (d *Days) Type() string { return "duration" }
