package permissions

import "testing"

// A file of the workspace that has a version manager take programs from a directory keeps all that it could
// be about from being approved, and one that names versions nothing.
func TestProgramsThatAFileChooses(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/plain/.tool-versions": "# ours\npython 3.12.1 system\nnodejs 20.1.0 # lts\nruby ref:v3\n", "ws/plain/a.md": "",
		"ws/evil/.tool-versions": "python path:/proc/self/cwd/bin\n", "ws/evil/sub/a.md": "", "ws/runs/.tool-versions": "node {{exec(command='id')}}\n",
		"ws/linked/.tool-versions": "-> ../evil/.tool-versions", "ws/odd/.tool-versions/": "", ".tool-versions": "python path:~/own\n", "home/": "",
	})
	bed := testbed{dir, dir + "/ws"}
	for text, want := range map[string]Verdict{
		"python3 --version": Approve, "cd plain && python3 --version": Approve, "cd plain && cat a.md | jq .": Approve, "cd evil && echo x": Approve,
		"cd evil && python3 --version": Ask, "cd evil && cat sub/a.md | jq .": Ask,
		"cd evil/sub && node -v": Ask, "cd plain; cd ../evil; node -v": Ask, "cd runs && node -v": Ask, "cd linked && node -v": Ask, "cd odd && node -v": Ask,
	} {
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run(text)); d.Verdict != want {
			t.Errorf("%s: it is %s, want %s: %s", text, d.Verdict, want, because1(d))
		}
	}
}
