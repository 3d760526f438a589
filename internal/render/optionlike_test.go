package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// optionLike are scripts in which a value stands behind an option that takes none with that program or
// subcommand, or behind the code of an interpreter that goes on to read options there. A value that begins
// with a dash would be an option, so it is refused when the tool is called.
var optionLike = []string{
	`make -j {{x}}`, `make -l {{x}}`,
	`git fetch -n {{x}}`, `git push -n {{x}} main`, `git rebase -m {{x}}`, `git grep -n {{x}}`,
	`git grep -F {{x}} one`, `git log --pretty {{x}}`, `git status --branch {{x}}`, `git blame -b {{x}}`,
	`git branch -m {{x}}`,
	`scp -B {{x}} host:/x`, `fd -g {{x}}`, `man -l {{x}}`, `go test -cover {{x}}`, `go get -u {{x}}`,
	`kubectl logs -f {{x}}`, `kubectl logs -p {{x}}`, `docker logs -f {{x}}`, `docker rm -f {{x}}`,
	`pgrep -f {{x}}`, `pkill -f {{x}}`, `id -u {{x}}`, `date -u {{x}}`, `zip -r out.zip . -x {{x}}`,
	`pytest --lf {{x}}`, `jest -o {{x}}`,
	`node -e 'console.log(process.argv[1])' {{x}}`, `node -p 1 {{x}}`, `perl -e 'print @ARGV;' {{x}}`,
	`ruby -e 'p ARGV' {{x}}`, `php -r 'echo $argv[1];' {{x}}`, `julia -e 'println(ARGS)' {{x}}`,
	`fish -c 'echo $argv' {{x}}`, `bun -e 'console.log(1)' {{x}}`, `elixir -e 'IO.puts 1' {{x}}`,
	`npm test -- {{x}}`, `pnpm run build -- {{x}}`, `yarn run test {{x}}`,
	`Rscript -e 'commandArgs()' {{x}}`, `racket -e '(display 1)' {{x}}`, `osascript -e 'return 1' {{x}}`,
}

func TestOptionLikeValues(t *testing.T) {
	t.Parallel()
	for _, script := range optionLike {
		template, _ := Compile(script, standard(), Options{})
		if template == nil {
			continue // refused is fine, too
		}
		if _, err := template.Render(map[string]any{"x": "--eval=1"}); err == nil {
			t.Errorf("%s: a value that begins with a dash is taken", script)
		}
		if _, err := template.Render(map[string]any{"x": "a"}); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// TestFilesOfWords: where a program reads words in a file @FILE, a value names none.
func TestFilesOfWords(t *testing.T) {
	t.Parallel()
	for _, script := range []string{`gcc -c {{x}}`, `javac -d out {{x}}`, `timeout 5 ld -o out a.o {{x}}`, `V={{x}}; ar rcs a.a "$V"`} {
		template, _ := Compile(script, standard(), Options{})
		if template == nil {
			t.Errorf("%s is refused", script)
			continue
		}
		if _, err := template.Render(map[string]any{"x": "@words"}); err == nil || !strings.Contains(err.Error(), "reads words in the file") {
			t.Errorf("%s: @words gives %v", script, err)
		}
		if _, err := template.Render(map[string]any{"x": "a.c"}); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// TestOptionLikeValuesRun runs what the programs of the machine would do with such values.
func TestOptionLikeValuesRun(t *testing.T) {
	t.Parallel()
	const repository = `git init -q -b main r; cd r; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; `
	for _, row := range []struct{ program, script, value string }{
		{"node", `node -e 'console.log(process.argv[1])' {{x}}`,
			`--import=data:text/javascript,import("fs").then(f=>f.writeFileSync("PWNED",""))`},
		{"perl", `perl -e 'print "@ARGV"' {{x}}`, `-e;open F,">PWNED"`},
		{"make", `make -j {{x}}`, `--eval=$(shell touch PWNED)`},
		{"make", `make -j {{x}}`, `x=$(shell touch PWNED)`},
		{"git", repository + `git init -q --bare o; git remote add origin o; git fetch -q -n {{x}}; mv PWNED ..`,
			`--upload-pack=touch PWNED`},
		{"git", repository + `git log --pretty {{x}}; mv PWNED ..`, `--output=PWNED`},
		{"git", repository + `echo one > f; git add f; git grep -n {{x}} one; mv PWNED ..`, `-Otouch PWNED`},
		{"find", `printf '%s\n' {{x}} | xargs -d '\n' find`, ".\n-exec\ntouch\nPWNED\n;"},
		{"find", `printf '%s\0' {{x}} | xargs -0 -I{} find {} -name PWNED`, "-fprintPWNED"},
	} {
		if _, err := exec.LookPath(row.program); err != nil {
			t.Logf("%s is not here: %s", row.program, row.script)
			continue
		}
		template, _ := Compile(row.script, standard(), Options{})
		if template == nil {
			continue
		}
		rendered, err := template.Render(map[string]any{"x": row.value})
		if err != nil {
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte("all:\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if o := run(t, dir, rendered, "HOME="+dir); o.pwned {
			t.Errorf("%s: %q ran", row.script, row.value)
		}
	}
}
