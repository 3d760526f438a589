package shellscan

import (
	"fmt"
	"testing"
)

// What is not known to be read alike by every shell is told, the first of it.
func TestUnlike(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ script, want string }{
		{`ls -la && git status | head; pwd`, ""}, {`cd a || exit 1`, ""}, {`! ls & wait`, ""}, {`{ ls; } | (cat)`, ""},
		{`if [ -f a ]; then ls; fi`, ""}, {`for f in a b; do cat "$f"; done`, ""}, {`case a in a|b) ls;; *) pwd;; esac`, ""}, {`while false; do ls; done`, ""},
		{`ls >/dev/null 2>&1 <a 3>>b 2>&-`, ""}, {"cat <<'E' # c\na\nE", ""}, {`cat <<<a`, ""}, {`diff <(ls) a`, ""}, {`echo "$(ls)" $? ${x}`, ""}, {`A=b ls`, ""}, {`export A=b`, ""},
		{`[[ -f a || -d b ]] && ls`, ""}, {`time ls`, ""}, {`$'ls' -l`, ""}, {`bash -c 'cat 10<a'`, ""},
		{`cat 10<a`, "10<a"}, {`cat {fd}<a`, "{fd}<a"}, {`cat $'a'`, "$'a'"}, {`$'./a' b`, "$'./a'"}, {`cat <1-9>/b`, "<1-9"}, {`cat <->/b`, "<-"}, {`cat a<-9>b`, "<-9"}, {`a |& b`, "a |& b"}, {`ls >|a`, ">|a"}, {`ls <>a`, "<>a"},
		{`ls >&a`, ">&a"}, {`ls 2>&1-`, "2>&1-"}, {`f() { ls; }`, "f() { ls; }"}, {`select x in a; do ls; done`, "select x in a; do ls; done"}, {`for ((;;)); do ls; done`, "((;;))"}, {`case a in a) ls;& b) ls;; esac`, "a) ls;&"},
		{`a=(b)`, "a=(b)"}, {`a+=b`, "a+=b"}, {`a[1]=b`, "a[1]=b"}, {`declare a`, "declare a"}, {"echo \"`ls`\"", "`ls`"}, {`ls > >(cat)`, ">(cat)"}, {`echo ${x:-a}`, "${x:-a}"}, {`echo $((1))`, "$((1))"}, {`eval 'cat 10<a'`, "10<a"},
		{"cat 10<a\nls 11<b", "10<a"},
	} {
		if s := Scan(row.script, nil); s.Unlike != row.want {
			t.Errorf("Scan(%q) finds %q unlike; want %q", row.script, s.Unlike, row.want)
		}
	}
	if s := ScanArgv([]string{"cat", "10<a"}, nil); s.Unlike != "" {
		t.Errorf("words that no shell reads are unlike: %q", s.Unlike)
	}
}

// What shells read alike that are no kin of bash's is words, and four operators.
func TestPlain(t *testing.T) {
	t.Parallel()
	for _, script := range []string{`ls`, ` git  log --oneline -3 HEAD `, `cat 'a b' | grep -n 'x|y$' ; ls && wc -l a || pwd`, `find . -name '*.go'`} {
		if !Scan(script, nil).Plain {
			t.Errorf("Scan(%q) is not plain", script)
		}
	}
	for _, script := range []string{
		``, `ls 2>&1`, `ls >a`, `ls &`, `ls "a b"`, `ls a'b'`, `ls 'a'b`, `ls 'a'\''b'`, `ls *`, `ls ~`, `ls $x`, `echo $(ls)`, `ls \(a\)`, `echo $'(a)'`, `echo '!!'`, `echo !#`, `echo 'a\'`, "echo 'a\nb'", `ls # a`,
		`ls ...`, `ls a/.../b`, `ls .....`, `A=b ls x{`, `(ls)`, `{ ls }`, `ls @a`, `ls =a`, `ls %a`, `ls a,b`, `ls ^a`, `ls [a]`, `ls;`, `|ls`, `ls é`, "ls\nls", "ls |\ncat", `git log HEAD~1`,
	} {
		if Scan(script, nil).Plain {
			t.Errorf("Scan(%q) is plain", script)
		}
	}
}

// Variables that a text gives a value are told, but for those by which programs that only read do nothing
// else.
func TestSets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ script, want string }{
		{`ls`, "[]"}, {`A=b ls; CC=d`, "[A CC]"}, {`A=b ls; C=d; count=1`, "[A]"}, {`count=1; (count=2)`, "[count]"}, {`if a; then n=1; fi`, "[n]"}, {`all_proxy=x; npm_config_x=y`, "[all_proxy npm_config_x]"}, {`export A=b B; ls`, "[A]"}, {`env A=b X=y ls`, "[A X]"}, {`A="$(ls)" ls`, "[A]"}, {`A= ls; A=c`, "[A]"}, {`sh -c 'A=b ls'`, "[A]"}, {`sh -c "A=b ls"; BB=c`, "[A BB]"}, {`export "A=$(ls)"`, "[A]"},
		{`for f in a b; do cat "$f"; done`, "[]"}, {`NO_COLOR=1 CI=true TZ=Europe/Berlin ls`, "[]"}, {`TERM=dumb ls`, "[]"}, {`TERM=../x ls`, "[TERM]"}, {`TERM=$x ls`, "[TERM]"},
		{`LC_ALL=C ls`, "[]"}, {`LC_ALL=ja_JP.sjis ls`, "[LC_ALL]"}, {`GIT_PAGER=cat git log`, "[]"}, {`GIT_PAGER=less git log`, "[GIT_PAGER]"}, {`NODE_ENV=test ls`, "[]"}, {`GIT_AUTHOR_NAME=x git log`, "[]"},
	} {
		if got := fmt.Sprint(Scan(row.script, nil).Sets); got != row.want {
			t.Errorf("Scan(%q) sets %s; want %s", row.script, got, row.want)
		}
	}
}
