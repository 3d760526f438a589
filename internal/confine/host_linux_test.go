package confine

import (
	"os"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/steering"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// fullHost opens the sandbox of this machine, and skips the test, or fails it where REQUIRE_SANDBOX is set, if it has not
// all that an agent's takes.
func fullHost(t *testing.T) *sandbox.Host {
	t.Helper()
	host, err := sandbox.Open(sandbox.Options{Judge: steering.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	if !host.Level().AtLeast(sandbox.LevelFull) {
		if os.Getenv("REQUIRE_SANDBOX") != "" {
			t.Fatalf("REQUIRE_SANDBOX is set, but: %s", host.Why())
		}
		t.Skip(host.Why())
	}
	return host
}
