package permissions

import "testing"

// A file of the workspace that has a version manager take programs from a directory keeps all that it could
// be about from being approved, and one that names versions nothing.
func TestProgramsThatAFileChooses(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/plain/.tool-versions": "# ours\npython 3.12.1 system\nnodejs 20.1.0 # lts\nruby ref:v3\n", "ws/plain/a.md": "",
		"ws/evil/.tool-versions": "python path:/proc/self/cwd/bin\n", "ws/evil/sub/a.md": "", "ws/runs/.tool-versions": "node {{exec(command='id')}}\n",
		"ws/linked/.tool-versions": "-> ../evil/.tool-versions", "ws/odd/.tool-versions/": "", "ws/up/.python-version": "../../../evil\n", "ws/ruby/.ruby-version": "3.3.0 ../x\n",
		"ws/fetches/package.json": `{"volta":{"node":"20.0.0"}}`, "ws/fetches/.volta/hooks.json": `{"node":{"distro":{"bin":"../evil"}}}`, "ws/fetches/sub/": "",
		"ws/pinned/.python-version": "3.12.1\n", "ws/pinned/.node-version": "lts/iron\n", "ws/pinned/.ruby-version": "ruby-3.3.0\n", ".tool-versions": "python path:~/own\n", "home/": "",
		"ws/proto/.prototools": "node = \"20\"\n[plugins]\nnode = \"file://./evil.wasm\"\n", "ws/protoplain/.prototools": "node = \"20.1\"\n", "ws/goenv/.go-version": "../../evil\n",
		"ws/alias/.nvmrc": "/tmp/evil\n", "ws/swift/.swift-version": "../../evil\n", "ws/tf/.terraform-version": "../../evil\n", "ws/node/.node-version": "20 /x\n", "ws/lts/.nvmrc": "lts/iron\n",
	})
	bed := testbed{dir, dir + "/ws"}
	for text, want := range map[string]Verdict{
		"python3 --version": Approve, "cd plain && python3 --version": Approve, "cd plain && cat a.md | jq .": Approve, "cd evil && echo x": Approve,
		"cd evil && python3 --version": Ask, "cd evil && cat sub/a.md | jq .": Ask,
		"cd evil/sub && node -v": Ask, "cd plain; cd ../evil; node -v": Ask, "cd runs && node -v": Ask, "cd linked && node -v": Ask, "cd odd && node -v": Ask,
		"cd proto && node -v": Ask, "cd protoplain && node -v": Approve, "cd goenv && go version": Ask,
		"cd alias && node -v": Ask, "cd swift && ls | cat": Ask, "cd tf && node -v": Ask, "cd node && node -v": Ask, "cd lts && node -v": Approve,
		"cd up && python3 --version": Ask, "cd ruby && ruby --version": Ask, "cd fetches && node -v": Ask, "cd fetches/sub && npm -v": Ask, "cd pinned && node -v && ruby --version": Approve,
	} {
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run(text)); d.Verdict != want {
			t.Errorf("%s: it is %s, want %s: %s", text, d.Verdict, want, because1(d))
		}
	}
}

// go is told by a go.mod, or a go.work, to fetch a later version of itself, and to run that.
func TestToolchains(t *testing.T) {
	dir := tree(t, map[string]string{
		"ws/old/go.mod": "module x\n\ngo 1.20\n", "ws/plain/go.mod": "module x\n", "ws/plain/sub/": "", "ws/here/go.mod": "module x\n\ngo 1.26 // ours\n",
		"ws/later/go.mod": "module x\n\ngo 1.99\n", "ws/later/sub/": "", "ws/named/go.mod": "module x\n\ngo 1.20\n\ntoolchain go1.99.1\n",
		"ws/default/go.mod": "module x\ngo 1.21\ntoolchain default\n", "ws/own/go.mod": "module x\ntoolchain evil\n", "ws/work/go.work": "go 1.99\n", "ws/work/a/go.mod": "module x\ngo 1.20\n",
		"ws/linked/go.mod": "-> ../later/go.mod", "ws/odd/go.mod/": "", "ws/comment/go.mod": "module x // go 1.99\n// toolchain go1.99\n", "home/": "",
		"go/bin/go": "", "go/VERSION": "go1.26.1\ntime 2026\n", "bin/go": "-> ../go/bin/go", "unsaid/go": "",
	})
	bed := testbed{dir, dir + "/ws"}
	for _, c := range []struct {
		text            string
		here, elsewhere Verdict // where the installed version is known, and where not
	}{
		{"go version", Approve, Approve}, {"cd old && go version", Approve, Approve}, {"cd plain/sub && go version", Approve, Approve},
		{"cd here && go version", Approve, Ask}, {"cd default && go version", Approve, Approve}, {"cd comment && go version", Approve, Approve},
		{"cd later && go version", Ask, Ask}, {"cd later/sub && go version", Ask, Ask}, {"cd named && go version -m", Ask, Ask}, {"cd own && go version", Ask, Ask},
		{"cd work/a && go version", Ask, Ask}, {"cd linked && go version", Ask, Ask}, {"cd odd && go version", Ask, Ask}, {"cd later && go env GOPATH", Ask, Ask},
		{"cd here && go env GOPATH", Approve, Ask}, {"cd plain; cd ../later; go version", Ask, Ask}, {"cd later && ls", Approve, Approve},
	} {
		for path, want := range map[string]Verdict{dir + "/bin": c.here, dir + "/unsaid": c.elsewhere, "bin:.": c.elsewhere} {
			t.Setenv("PATH", path)
			t.Setenv("GOTOOLCHAIN", "")
			a := bed.authority(v2(rule("all", Approve, commands(RedirectsNone, "go version", "go env", "ls"))))
			if d := a.Decide(bed.run(c.text)); d.Verdict != want {
				t.Errorf("%s, with the PATH %s: it is %s, want %s: %s", c.text, path, d.Verdict, want, whyNot(d))
			}
		}
	}
	t.Setenv("GOTOOLCHAIN", "local")
	a := bed.authority(presetFile(t, "careful"))
	if d := a.Decide(bed.run("cd later && go version")); d.Verdict != Approve {
		t.Errorf("where go is told to stay: %s", because1(d))
	}
}
