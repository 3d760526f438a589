package permissions

import "testing"

// A rule for a program that copies or moves does not cover what becomes more than data by that: by the directory that it is put
// into, by the name that one gets in which it lies, or by the end of a copy's name.
func TestCopiedInto(t *testing.T) {
	t.Parallel()
	b := testbed{dir: tree(t, map[string]string{
		"ws/.git/HEAD": "ref: refs/heads/x", "ws/notes.txt": "", "ws/environment.py": "", "ws/Make": "", "ws/features/a.feature": "",
		"ws/steps/environment.py": "", "ws/steps/more/a.py": "", "ws/src/a.go": "", "ws/docs/a.md": "", "ws/to_features": "-> features",
	})}
	b.ws = b.dir + "/ws"
	a := b.authority(v2(rule("own", Approve, about(toolShell), commands(RedirectsWorkspace, "cp", "mv", "install", "ln"))))
	for _, tt := range []struct {
		text string
		want Verdict
	}{
		{"cp notes.txt n2.txt", Approve},
		{"mv notes.txt docs/", Approve},
		{"cp -r src s2", Approve},
		{"cp -r steps s2", Approve},
		{"install -m 644 notes.txt docs", Approve},
		{"cp notes.txt environment.py features2", Approve}, // which is no directory
		{"cp environment.py features/", Ask},
		{"cp notes.txt environment.py features", Ask},
		{"mv environment.py features", Ask},
		{"ln environment.py features", Ask},
		{"cp environment.py to_features", Ask},
		{"cp -t features environment.py", Ask},
		{"cp -tfeatures environment.py", Ask},
		{"cp --target-directory=features environment.py", Ask},
		{"cd features && cp ../environment.py .", Ask},
		{"cp -r steps/. features", Ask},
		{"cp -r steps features", Ask},
		{"cp -rT steps features", Ask},
		{"mv features f2; mv steps features", Ask},
		{"cp -b -S file notes.txt Make", Ask},
		{"cp -bSfile notes.txt Make", Ask},
		{"mv --backup=simple --suffix=file notes.txt Make", Ask},
		{"SIMPLE_BACKUP_SUFFIX=file cp -ab notes.txt Make", Ask},
	} {
		if d := a.Decide(b.run(tt.text)); d.Verdict != tt.want {
			t.Errorf("%s: %s: %s", tt.text, said(d), d.Reason)
		}
	}
}
