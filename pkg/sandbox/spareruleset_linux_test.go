//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestSpareRulesets checks that a call with a ruleset that was made before it may do what a first one may, and
// nothing that another call of its kind was granted, or that a call of another kind may. Landlock alone holds it.
func TestSpareRulesets(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openWith(t, Options{Grace: 100 * time.Millisecond, Level: LevelLandlock, AllowWeak: true})
		kinds := map[rulesetKind]func(*Profile){
			{}:              func(*Profile) {},
			{network: true}: func(p *Profile) { p.Network = tool.NetworkOn },
			{listed: true}:  func(p *Profile) { p.Commands, p.BestEffort = []string{"cat"}, true },
		}
		const text = `tell() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }
tell cat "$MINE/f"; tell cat "$OTHERS/f"; tell cat /etc/shadow; tell ls /etc; tell /usr/bin/env`
		others := t.TempDir()
		for round := range 4 {
			for kind, change := range kinds {
				mine := t.TempDir()
				for _, dir := range []string{mine, others} {
					if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				host.rulesets.making.Wait()
				ready := kind
				ready.root = os.Geteuid() == 0
				if round > 1 && host.rulesets.ready[ready] == nil { // one call alone needs no next
					t.Fatalf("round %d: no ruleset for %+v is ready", round, ready)
				}
				o := script{text: text, dir: mine, env: map[string]string{"MINE": mine, "OTHERS": others}, profile: change}.run(
					t.Context(), t, host)
				mayRun := map[bool]string{false: "yes", true: "no"}[kind.listed]
				if want := fmt.Sprintf("yes\nno\nno\n%s\n%s\n", mayRun, mayRun); string(o.Stdout) != want {
					t.Errorf("round %d, %+v: the call may read its own, another's, /etc/shadow, list /etc, run env: %q, want %q",
						round, kind, o.Stdout, want)
				}
				others = mine
			}
		}
	})
}
