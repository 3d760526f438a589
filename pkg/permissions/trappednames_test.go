package permissions

import "testing"

// Of the names that git tracks one is a link that leads out, in the bed where what the corpus has approved is run: whatever
// way such names take to a program, it is asked about, and below a directory without one it is not.
func TestTrackedTraps(t *testing.T) {
	t.Parallel()
	bed := trapBed(t)
	a := bed.authority(presetFile(t, "careful"))
	for _, around := range [][2]string{
		{"cat $(git ls-files ", ")"}, {"git ls-files ", " | xargs cat"}, {"for f in $(git ls-files ", `); do head -3 "$f"; done`},
		{"git ls-files ", ` | while IFS= read -r f; do tail -2 "$f"; done`},
	} {
		for where, want := range map[string]Verdict{"": Ask, "docs": Ask, "src": Approve} {
			if d := a.Decide(bed.run(around[0] + where + around[1])); d.Verdict != want {
				t.Errorf("%s%s%s: %s, want %s: %s", around[0], where, around[1], d.Verdict, want, because1(d))
			}
		}
	}
}
