package permissions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A pack lets the builds and tests of its language run, and nothing that makes them run, load or write something
// else.
func TestPacks(t *testing.T) {
	t.Parallel()
	preset, _ := permissions.Preset("balanced")
	file, ok := permissions.WithPacks(preset, permissions.Packs())
	if !ok {
		t.Fatal("there is a pack without rules")
	}
	rules, err := config.ReadPolicies(config.File{Name: "policies.yaml", Layer: tool.LayerUser, Data: file})
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/x\n", ".git/objects/x": "", ".git/refs/x": "", "main.go": "", "tests/test_a.py": "", "tests/sub/test_b.py": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{rules})})
	for _, tt := range []struct{ want, commands string }{
		{"approve", `go test ./...
go test -run TestX -v ./pkg | tail -20
go build ./...
go vet ./...
npm test
npm test -- --watch=false
npm run build
npm ls --depth=0
node --test
node --test 2>&1 | tail -30
node --test --test-reporter=spec
.venv/bin/pytest -q tests
.venv/bin/python -m pytest -x tests
venv/bin/python3 -m unittest discover -s tests
.venv/bin/pytest 2>&1 | tail -5
pytest -q tests
python3 -m pytest -x -q tests
python -m pytest
PYTHONPATH=src pytest -q 2>&1 | tail -5
PYTHONPATH=.:lib/src CI=1 python3 -m unittest -v
PYTHONPATH=src .venv/bin/python -m pytest
python3 -m unittest
python3 -m unittest -v tests.test_a
python3 -m unittest discover -s tests -p 'test_*.py' 2>&1 | tail -5
python3 -m unittest discover -s tests -t . -v
python3 -m unittest discover --start-directory=tests/sub
pip list 2>/dev/null | head -20
pip3 show requests
pip freeze | grep -i django
cargo test --release
cargo check
cargo tree
git add -A
git add main.go && git commit -qm 'Mend it' && git status
git commit --amend --no-edit
git restore --staged main.go
git switch -c fix && go test ./... 2>&1 | tail -5
git checkout -b fix`},
		{"ask", `git push
git commit --no-verify -m x
git commit -nm x
git commit -F ../notes
git -c core.hooksPath=. commit -m x
git add .env
git add -A && git push
git checkout main
git restore main.go
git switch -C main
git switch -c fix -C main
git checkout -b fix -B main
git restore --staged --worktree main.go
git restore --staged -qW main.go
go test -exec ./evil ./...
go test -o /tmp/x ./...
go build -o ../x .
go build -toolexec ./evil ./...
go vet -vettool=./evil ./...
GOFLAGS=-exec=./evil go test ./...
go run .
go install ./...
go generate ./...
go get example.com/x
go test ./... > ../out
go test ./... && rm -rf build
npm test --script-shell=./evil
npm run deploy
npm install
npm --prefix ../x test
npx evil
node --test evil.js
node --test --import ./evil.js
node --test --test-reporter=./evil.js
node --test --test-reporter-destination=Makefile
echo evil | node --test -
node -r ./evil.js --test
node --run evil
./evil/.venv/bin/pytest
sub/.venv/bin/pytest
../.venv/bin/pytest
.venv/bin/python evil.py
.venv/bin/python -m evil
.venv/bin/python -c evil
.venv/bin/pytest -p evil
.venv/bin/pytest -c ../other.ini
.venv/bin/pytest --junitxml=Makefile
.venv/bin/pytest --junitxml=.venv/bin/pytest
.venv/bin/python -m pytest --rootdir=/etc
PYTHONPATH=/elsewhere .venv/bin/pytest
PYTHONPATH=/elsewhere pytest
PYTHONPATH=../x pytest
PYTHONPATH=src/../../x pytest
PYTHONPATH=src:/elsewhere pytest
PYTHONPATH=src: pytest
PYTHONPATH= pytest
PYTHONPATH=~/x pytest
PYTHONPATH='$HOME' pytest
PYTHONPATH=$HOME pytest
PYTHONPATH=src:$PYTHONPATH pytest
PYTHONPATH+=src pytest
PYTHONPATH=src; pytest
export PYTHONPATH=src; pytest
PYTHONPATH=src env pytest
PYTHONPATH=src eval pytest
PYTHONPATH=src python3 evil.py
PYTHONPATH=src python3 -m http.server
PYTHONPATH=src python3 -m evil
PYTHONPATH=src pip list
PYTHONPATH=src ls
PYTHONPATH=src git status
PYTHONPATH=src pytest -p evil
PYTHONPATH=src PYTHONSTARTUP=evil.py pytest
PYTHONPATH=src PATH=src pytest
pytest() { ls; }; PYTHONPATH=src pytest
cd .. && PYTHONPATH=x pytest
PERL5LIB=src npm test
NODE_OPTIONS=src npm test
cp tests/test_a.py .venv/bin/pytest && .venv/bin/pytest
echo evil > .venv/bin/pytest; .venv/bin/pytest
ln -s ../../evil .venv/bin/pytest
pytest -p evil
pytest -c ../other.ini
pytest --rootdir=/etc
python3 -m pytest -p evil
python3 -m pytest -c ../other.ini
python3 -m pytest --junitxml=Makefile
python3 -m pytest /elsewhere/test_a.py
python3 -m evil
python3 -m pip install x
python3 -c 'import os' -m pytest
python3 -X importtime -m pytest
python3 evil.py -m pytest
python3 -m unittest discover -s /elsewhere
python3 -m unittest discover -s tests -t ..
python3 -m unittest discover -s ~/tests
pip list --index-url=https://elsewhere
pip list --python ./evil
pip --python ./evil list
pip show -f requests --log Makefile
pip freeze -r ../x
pip freeze > ../out
pip install x
pip download x
pip3 uninstall x
pip list --proxy http://elsewhere:1
pip list --cert ../x
PIP_CONFIG_FILE=x pip list
PYTHONPATH=. pip list
python3 -m unittest discover -s../elsewhere
python3 -m unittest --start-directory=/elsewhere
python3 -m unittest ../elsewhere/test_a.py
python3 -m unittest $(evil)
python3 -m unittest > ../out
PYTHONPATH=/elsewhere python3 -m unittest
PYTHONSTARTUP=evil.py python3 -m pytest
cargo test --config ./evil.toml
cargo build --manifest-path ../other/Cargo.toml
cargo +nightly test
cargo install x
cargo publish
cd .. && go test ./...
go test ./... | head -5 > notes
go test $(evil)
tail -f /etc/shadow`},
	} {
		for command := range strings.Lines(tt.commands) {
			r := permissions.Request{Door: tool.DoorACP, Action: permissions.ActionExecute, Tools: []string{"functions.shell"}, Dir: root,
				Workspace: tool.Workspace{Root: root}}
			r.SetShellText(strings.TrimSpace(command))
			if d := a.Decide(r); d.Verdict.String() != tt.want {
				t.Errorf("%s: got %s, want %s: %s", strings.TrimSpace(command), d.Verdict, tt.want, d.Reason)
			}
		}
	}
	// Of a tool that does not run the project's code a file flake8.py there would be run.
	own, err := config.ReadPolicies(config.File{Name: "own.yaml", Layer: tool.LayerUser, Data: []byte("version: 2\nauto_approval_policies:\n" +
		"  - {id: own, applies_to: [functions.shell], commands: {allow: [python3 -m flake8]}, decision: {type: approve}}\n")})
	if err != nil {
		t.Fatal(err)
	}
	a = permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{own})})
	r := permissions.Request{Door: tool.DoorACP, Action: permissions.ActionExecute, Tools: []string{"functions.shell"}, Dir: root,
		Workspace: tool.Workspace{Root: root}}
	r.SetShellText("python3 -m flake8 src")
	if d := a.Decide(r); d.Verdict != permissions.Ask {
		t.Errorf("python3 -m flake8 src: %s: %s", d.Verdict, d.Reason)
	}
	for _, wrong := range [][]string{{"cobol"}, {"go", "go"}, {"../presets/strict"}} {
		if _, ok := permissions.WithPacks(preset, wrong); ok {
			t.Errorf("%q are packs", wrong)
		}
	}
}
