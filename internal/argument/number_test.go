package argument_test

import (
	"encoding/json"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/argument"
)

// TestNumber checks that a number has one form, in decimal, and that what is none is told.
func TestNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "7": "7", "-7": "-7", "30.0": "30", "1.50": "1.5", "0.10": "0.1", "-0.0": "0", "1e3": "1000", "1E+3": "1000", "1.5e3": "1500", "1.5e1": "15", "1.25e1": "12.5",
		"1e-3": "0.001", "12.5e-1": "1.25", "-125e-2": "-1.25", "1e21": "1000000000000000000000", "9007199254740993": "9007199254740993", "0e5": "0", "100e-2": "1",
		"": "", "1e": "", "01": "", "+1": "", "1.": "", ".5": "", "NaN": "", "0x10": "", "1e401": "", "1e99999999999999999999": "",
	} {
		got, err := argument.Number(json.Number(in))
		if (err != nil) != (want == "") || got != want {
			t.Errorf("%s: got %q, %v, want %q", in, got, err, want)
		}
	}
}
