package shellwords

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes a reading in one line: a letter for each word, and what runs. A ~ behind a letter says that
// a leading '-' is harmless there.
func shown(r Reading) string {
	letters := map[Kind]string{
		Operand: "o", Argument: "a", Option: "-", AnyOption: "A", Program: "P", Code: "C", CodeFile: "F", Variable: "V", Format: "f", Assignment: "=", Unclear: "?",
	}
	var b strings.Builder
	for _, role := range r.Roles {
		b.WriteString(letters[role.Kind])
		if role.Dash && (role.Kind == Operand || role.Kind == Argument) {
			b.WriteString("~")
		}
		if role.Writes {
			b.WriteString("!")
		}
	}
	for _, text := range r.Code {
		known := "?"
		if text.Fixed {
			known = text.Text
		}
		fmt.Fprintf(&b, " %s(%s)", text.Language, known)
		if len(text.Parameters) > 0 {
			fmt.Fprintf(&b, "%v", text.Parameters)
		}
	}
	if r.Stdin != Data {
		fmt.Fprintf(&b, " <%s", r.Stdin)
	}
	if r.Unknown != "" {
		b.WriteString(" unknown")
	}
	return b.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ command, want string }{
		{`ls -l x`, "P-o"},
		{`ls -- -x`, "P-o~"},
		{`grep -e x -- y`, "P-a~-o~"},
		{`grep -iex y`, "P-o"},
		{`grep -A 3 x y`, "P-a~oo"},
		{`grep --regexp=x`, "P-"},
		{`grep --reg x y`, "P-a~o"},
		{`head -5 x`, "P-o"},
		{`head -"$n" x`, "PAo"},
		{`curl --"$x"`, "PA"},
		{`curl --max-time="$x"`, "Pa~"},
		{`curl -o f -X"$m" "$u"`, "P-a~!a~o"},
		{`tee f`, "Po!"},
		{`sort -o f g`, "P-a~!o"},
		{`sort --compress-program x`, "P-P"},
		{`echo -n x`, "Po~o~"},
		{`printf %s -x`, "Pfo~"},
		{`printf -v x %s y`, "P-Vfo~"},
		{`read -r -p hi a b`, "P--a~VV"},
		{`read -a x`, "P-V"},
		{`unset -v x`, "P-V"},
		{`command declare x=1`, "PPV"},
		{`mapfile -t -C cb x`, "P--CV shell(cb)"},
		{`set -e -- -x`, "P--o~"},
		{`set "$x"`, "PA"},
		{`test -v x`, "Po~V"},
		{`[ "$a" "$b" ]`, "Po~Vo~"},
		{`[ "$a" = "$b" ]`, "Po~o~o~o~"},
		{`[ $a = b ]`, "PVo~o~o~"},
		{`eval 'rm x' y`, "PCC shell(rm x y)"},
		{`eval "$x"`, "PC shell(?)"},
		{`trap 'rm x' EXIT INT`, "PCo~o~ shell(rm x)"},
		{`trap - EXIT`, "Po~o~"},
		{`trap '' INT`, "Po~o~"},
		{`trap 2 INT`, "PCo~ shell(2)"},
		{`trap '1x > f' EXIT`, "PCo~ shell(1x > f)"},
		{`trap cleanup EXIT`, "PCo~ shell(cleanup)"},
		{`trap -- "$x" EXIT`, "P-Co~ shell(?)"},
		{`. f -x`, "PFo~"},
		{`. /dev/stdin`, "PF <shell"},
		{`exit 1`, "Po"},

		{`bash`, "P <shell"},
		{`bash -s a`, "P-o~ <shell"},
		{`bash f -x`, "PFo~"},
		{`bash -x f`, "P-F"},
		{`bash -c 'ls' a -b`, "P-Co~o~ shell(ls)[3 4]"},
		{`bash -lc ls`, "P-C shell(ls)"},
		{`bash -c -x ls`, "P--C shell(ls)"},
		{`bash -ec "$x"`, "P-C shell(?)"},
		{`bash -o pipefail -c ls`, "P-a~-C shell(ls)"},
		{`bash +x -c ls`, "P--C shell(ls)"},
		{`bash -- f`, "P-F"},
		{`bash /dev/stdin`, "PF <shell"},
		{`bash $x -c ls`, "P??? <shell unknown"},
		{`sh "$f"`, "PF"},

		{`env A=b ls -l`, "P=P-"},
		{`env -i -u X A=b C=d timeout -k 1 5 nice -n 3 rm x`, "P--a~==P-a~oP-a~Po"},
		{`env -S 'rm x'`, "P-C shell(rm x)"},
		{`env`, "P"},
		{`env "$x" ls`, "PP? unknown"},
		{`env A="$x" ls`, "P=P"},
		{`sudo -u bob bash -c ls`, "P-a~P-C shell(ls)"},
		{`sudo --preserve-env=A ls`, "P-P"},
		{`sudo --no-such-option x ls`, "P-?? unknown"},
		{`timeout "$t" ls`, "PoP"},
		{`timeout $t ls`, "P?? unknown"},
		{`nice ls`, "PP"},
		{`nice -5 ls`, "P-P"},
		{`command -v ls`, "P-o"},
		{`command -p ls`, "P-P"},
		{`exec -a x ls`, "P-a~P"},
		{`exec`, "P"},
		{`nohup bash -c ls`, "PP-C shell(ls)"},
		{`busybox sh -c ls`, "PP-C shell(ls)"},
		{`flock f ls -c x`, "PoP-o"},
		{`flock f -c ls`, "Po-C shell(ls)"},
		{`stdbuf -oL ls`, "P-P"},
		{`setsid -w ls`, "P-P"},
		{`chroot /x sh -c ls`, "PFP-C shell(ls)"},
		{`/usr/bin/time -f x ls`, "P-a~P"},
		{`su bob -c ls`, "Po-C shell(ls)"},
		{`watch -n 1 ls x`, "P-a~CC shell(ls x)"},
		{`ssh -p 22 host ls x`, "P-a~oCC shell(ls x)"},
		{`ssh host`, "Po <shell"},
		{`ssh -o X=y host`, "P-Co configuration(X=y) <shell"},
		{`script -c ls out`, "P-Co! shell(ls) <shell"},
		{`$x y`, "P? unknown"},
		{`"$x" y`, "P? unknown"},
		{`c?t y`, "P? unknown"},

		{`find . -name x -exec rm -f {} ; -print`, "Po-a~-P-o--"},
		{`find . -exec sh -c 'x "$1"' _ {} +`, `Po-P-Co~o~- shell(x "$1")[6 7]`},
		{`find . -exec grep x + {} +`, "Po-Pooo-"},
		{`find . -delete`, "Po-!"},
		{`find . -fprint f -fprintf g %p`, "Po-a~!-a~!a~!"},
		{`find -- -x`, "P--"},
		{`find $x`, "P?"},
		{`find . -ok "$x" ;`, "Po-P- unknown"},
		{`xargs rm`, "PP <arguments"},
		{`xargs -0 rm`, "P-P"},
		{`xargs -0 rm --`, "P-P-"},
		{`xargs -0 sort`, "P-P <arguments"},
		{`xargs -0 bash -c 'x "$1"' _`, `P-P-Co~ shell(x "$1")[5]`},
		{`xargs -0 -I{} sh -c 'x {}'`, "P--P-C shell(x {}) <arguments"},
		{`xargs -d '\n' -n 1 grep -e`, "P-a~-a~P-"},
		{`xargs -n10 grep -e`, "P-P- <arguments"}, // 10 is no -0
		{`xargs -0I{} sh -c 'x {}'`, "P-P-C shell(x {}) <arguments"},
		{`xargs -r0 --max-args=1 grep -e`, "P--P-"},
		{`xargs -0afile grep -e`, "P-P-"},
		{`xargs -a "$f" sh -c`, "P-FP- <arguments"},
		{`xargs -0 no-such-program`, "P-P <arguments"},
		{`xargs`, "P <arguments"},
		{`fd x -x rm`, "Po-P"},

		{`awk '{x}' f`, "PCo awk({x})"},
		{`awk -F : -v a=b '{x}' f`, "P-a~-a~Co awk({x})"},
		{`awk -f p f`, "P-Fo"},
		{`awk -f - f`, "P-Fo <awk"},
		{`awk --what x y`, "P-CC awk(x) awk(y)"},
		{`awk $x y`, "PCC awk(?) awk(y)"},
		{`sed -n 1p f`, "P-Co sed(1p)"},
		{`sed -e 1p -e 2p f`, "P-C-Co sed(1p) sed(2p)"},
		{`sed -i.bak 1p f`, "P-Co sed(1p)"},
		{`sed f -e 1p`, "Po-C sed(1p)"},
		{`jq --arg a b .x f`, "P-a~a~Co jq(.x)"},
		{`jq -r .x`, "P-C jq(.x)"},
		{`python3 -c x a -b`, "P-Co~o~ python(x)"},
		{`python3 f -c x`, "PFo~o~"},
		{`python3 -u -m mod -x`, "P--F-"},
		{`python3`, "P <python"},
		{`python3 -`, "PF <python"},
		{`python3 - a`, "PFo~ <python"},
		{`perl -e 'print 1' a`, "P-Co perl(print 1)"},
		{`perl -e'print 1' a`, "P-o perl(print 1)"},
		{`perl -ne 'print' a`, "P-CC perl(print) (a)"},
		{`perl -pi -e 's/a/b/' f`, "P--CC perl(s/a/b/) (f)"},
		{`perl -e 'while(<>){}' a`, "P-CC perl(while(<>){}) (a)"},
		{`node --eval=x`, "P- javascript(x)"},
		{`node -r m f -x`, "P-FFo~"},
		{`php -r x`, "P-C php(x)"},
		{`psql -h h -c x`, "P-a~-C SQL(x)"},
		{`psql -ch`, "P- SQL(h)"},
		{`psql --command=x db`, "P-o SQL(x)"},
		{`psql db`, "Po <SQL"},
		{`psql -f - db`, "P-Fo <SQL"},
		{`psql $x y`, "P?? <SQL"},
		{`mysql -psecret -e x`, "P--C SQL(x)"},
		{`mysql -p x`, "P-o <SQL"},
		{`sqlite3 -csv f 'select 1'`, "P-oC SQL(select 1)"},
		{`sqlite3 f`, "Po <SQL"},
		{`sqlite3 -what f x`, "P-CC SQL(f) SQL(x)"},
		{`git -c a=b log`, "P-Co configuration(a=b)"},
		{`git rebase -x make main`, "P--Co shell(make)"},
		{`git config a.b x`, "P-Co configuration(a.b)"},
		{`git log --author x`, "Po-a~"},
		{`git submodule foreach ls x`, "P-oCC shell(ls x)"},
		{`tar xf a --to-command=x`, "P-a~- shell(x)"},
		{`make x`, "PC make(x)"},
		{`docker exec -it c ls`, "P--oP"},
		{`docker run -v a:b i sh -c ls`, "P--a~oP-C shell(ls)"},
		{`kubectl exec p -- python3 -c x`, "P-o-P-C python(x)"},
		{`docker exec -i c sh`, "P--oP <shell"},
		{`docker history x`, "Poo"}, // no program: bash's history
		{`kubectl jobs -x sh -c x`, "Po-o-C shell(x)"},
		{`no-such-program alias -p x`, "Po-o"},
		{`no-such-program bash -c ls x`, "Po-Co shell(ls)[4]"},
		{`no-such-program python3 x`, "Poo"},
		{`bc`, "P <calculator"},
		{`csh f x`, "PFo~"},           // csh(1): the first operand is the script
		{`firejail ls x`, "PPo"},      // firejail(1): starts the program in a sandbox
		{`deno f.ts`, "PF"},           // docs.deno.com: deno FILE is deno run FILE
		{`java f.java x`, "PFo~"},     // java(1), source-file mode
		{`gradle -I f build`, "P-Fo"}, // gradle --help: -I is an init script
		{`vim +x f`, "PCC editor(+x) editor(f) <editor"},

		// Programs that run what their words hold, by their manuals: one of each row that has none above.
		{`irb -e x`, "P-C a program's(x)"},
		{`ghci -e x`, "P-C a program's(x)"},
		{`swipl -g x`, "P-C a program's(x)"},
		{`sqlcmd -Q x`, "P-C SQL(x)"},
		{`sftp -o x h`, "P-Co configuration(x)"},
		{`sftp -D x`, "P-C shell(x)"},
		{`sftp -b f h`, "P-Fo"},
		{`go build -toolexec x`, "Po-C shell(x)"},
		{`go vet -vettool x`, "Po-C shell(x)"},
		{`gh api -q x`, "P--C jq(x)"},
		{`npm set x`, "P-C configuration(x)"},
		{`ssh -F f h`, "P-Fo <shell"},
		{`deno exec x`, "P-C shell(x)"},
		{`git difftool -x x`, "P--C shell(x)"},
		{`git bisect run x`, "P-oP"},
		{`git -c x status`, "P-Co configuration(x)"},
		{`lua -l x`, "P-F <lua"},
		{`terraform init -from-module x`, "Po-F"},
		{`systemd-run -p x y`, "P-CP configuration(x)"},
		{`csh -c x`, "P-C another shell(x)"},
		{`fish -c x`, "P-C another shell(x)"},
		{`prlimit --pid 1 x`, "P-a~P"},
		{`taskset 1 x`, "PoP"},
		{`chrt 1 x`, "PoP"},
		{`ionice -c 3 x`, "P-a~P"},
		{`linux32 x y`, "PPo"},
		{`gosu u x`, "PoP"},
		{`setarch x86_64 x`, "PoP"},
		{`envdir d x`, "PoP"},
		{`systemd-inhibit x y`, "PPo"},
		{`singularity exec i x`, "P-oP"},
		{`oc exec p x`, "P-oP"},
		{`minikube ssh x`, "P-C shell(x)"},
		{`lxc exec c x`, "P-oP"},
		{`adb shell x`, "P-C shell(x)"},
		{`cross-env A=1 x`, "P=P"},
		{`fzf --preview x`, "P-C shell(x)"},
		{`split --filter x f`, "P-Co shell(x)"},
		{`expect -c x`, "P-C tcl(x)"},
		{`tex x`, "PC TeX(x)"},
		{`Rscript -e x`, "P-C R(x)"},
		{`julia -e x`, "P-C julia(x)"},
		{`elixir -e x`, "P-C elixir(x)"},
		{`tclsh f`, "PF"},
		{`tcpdump -z x`, "P-P"},
		{`ip netns exec n x`, "P--oP"},
		{`pandoc --filter x y`, "P-Fo"},
		{`timeit x`, "PC python(x)"},
		{`chokidar -c x`, "P-C shell(x)"},
		{`coverage run x`, "P-F"},
		{`pypy3 -c x`, "P-C python(x)"},
		{`python2 -c x`, "P-C python(x)"},
		{`lua5.4 -e x`, "P-C lua(x)"},
		{`ocaml x`, "PF"},
		{`kotlin x`, "PF"},
	} {
		t.Run(row.command, func(t *testing.T) {
			t.Parallel()
			line := strings.ReplaceAll(row.command, " ; ", " \\; ")
			line = strings.TrimSuffix(line, " ;") + map[bool]string{true: ` \;`}[strings.HasSuffix(line, " ;")]
			if got := shown(Read(words(t, line), nil)); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}
