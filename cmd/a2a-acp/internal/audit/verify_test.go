package audit

import (
	"slices"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/audit"
)

// TestReportLines tells of lines that are gone on purpose, and whether a checkpoint from elsewhere speaks of the line that
// says so: whoever has the key could have written that.
func TestReportLines(t *testing.T) {
	t.Parallel()
	r := &audit.Report{OK: true, Records: 15, First: 46, Last: 60, Removed: &audit.Removed{To: 45, By: 50}, Outside: true,
		Checkpoint: &audit.Held{Size: 20, Source: "kept"}}
	want := []string{"15 records, from number 46 to 60",
		"number 1 to 45 were removed on purpose, as number 50 says, of which the checkpoint does not speak",
		"the record of that day, up to number 20: it agrees with the checkpoint in kept", "consistent from there to number 60"}
	if got := reportLines(r); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	r.Checkpoint.Size = 55
	want[1], want[2], want[3] = "number 1 to 45 were removed on purpose, as number 50 says",
		"the record of that day, up to number 55: it agrees with the checkpoint in kept", "consistent from there to number 60"
	if got := reportLines(r); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
