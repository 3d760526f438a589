package secret

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// values are what the programs below are given: with what they escape, with what looks like an escape, of
// more than one row of a dump, and of nothing but letters.
var values = map[string]string{
	"signs":   password,
	"escapes": `41be%2f\x6e&amp;$'\n%c3\u-tail%`,
	"long":    "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY==.-_~1Zq9/2Zr8/3Zs7+4Zt6+5Zu5=6Zv4",
	"letters": "deadbeefcafe0123nopqrstu",
	"foreign": "Пароль: żółć 🔑 ключ",
	"quotes":  `it's "the"  'one' ''of'' ""many""!`,
}

// printed are what programs print that were given a value, as $V and in a file of that name.
var printed = []struct{ name, script string }{
	{"as it is", `printf '<%s>' "$V"`},
	{"bash printf %q", `printf %q "$V"`},
	{"bash @Q", `echo "${V@Q}"`},
	{"bash declare", `declare -p V`},
	{"bash xtrace", `set -x; : "$V"`},
	{"bash xtrace twice", `set -x; bash -xc ': "$1"' - "$(printf %q "$V")"`},
	{"env", `env | grep -a ^V=`},
	{"grep --color", `printf '%s\n' "$V" | grep -a --color=always '[aeio4лю]'`},
	{"grep --color, in JSON", `printf '%s\n' "$V" | grep -a --color=always '[aeio4лю]' | jq -Rs .`},
	{"jq -C", `jq -nC '[env.V]'`},
	{"env -0", `env -0 | grep -az ^V=`},

	{"jq string", `jq -n 'env.V'`},
	{"jq -a", `jq -na '{a: env.V}'`},
	{"jq nested JSON", `jq -n '{a: ({b: env.V} | tojson)}'`},
	{"jq JSON thrice", `jq -n '{a: ({b: ({c: env.V} | tojson)} | tojson)}'`},
	{"jq -a thrice", `jq -na '{a: ({b: env.V} | tojson)} | tojson'`},
	{"jq @uri", `jq -nr 'env.V | @uri'`},
	{"jq @uri twice", `jq -nr 'env.V | @uri | @uri'`},
	{"jq @uri behind a percent sign", `jq -nr '"100%\(env.V)" | @uri'`},
	{"jq @uri behind a backslash", `jq -nr '"\\\(env.V)" | @uri'`},
	{"jq @html", `jq -nr 'env.V | @html'`},
	{"jq @html, @uri", `jq -nr 'env.V | @html | @uri'`},
	{"jq @uri, @html", `jq -nr 'env.V | @uri | @html'`},
	{"jq @csv", `jq -nr '[1, env.V] | @csv'`},
	{"jq @csv in JSON", `jq -n '[1, env.V] | @csv'`},
	{"jq @tsv", `jq -nr '[1, env.V] | @tsv'`},
	{"jq @sh", `jq -nr 'env.V | @sh'`},
	{"jq @base64", `jq -nr 'env.V | @base64'`},
	{"jq @base64 of more", `jq -nr '"user:\(env.V)@host" | @base64'`},
	{"jq @base64, @uri", `jq -nr '"user:\(env.V)@host" | @base64 | @uri'`},
	{"jq numbers", `jq -nc 'env.V | explode' | if [[ $V == *[!\ -~]* ]]; then printf '"%s"' "$V"; else cat; fi`},

	{"python repr", `python3 -c 'import os; print([os.environ["V"]])'`},
	{"python ascii", `python3 -c 'import os; print(ascii(os.environ["V"]))'`},
	{"python repr of bytes", `python3 -c 'import os; print(os.environb[b"V"])'`},
	{"python repr of repr", `python3 -c 'import os; print(repr(repr(os.environb[b"V"])))'`},
	{"python list of bytes", `python3 -c 'import os; print(list(os.environb[b"V"]))'`},
	{"python list of hex", `python3 -c 'import os; print([hex(b) for b in os.environb[b"V"]])'`},
	{"python hex with blanks", `python3 -c 'import os; print(os.environb[b"V"].hex(" "))'`},
	{"python hex with colons", `python3 -c 'import os; print(os.environb[b"V"].hex(":").upper())'`},
	{"python html.escape", `python3 -c 'import html, os; print(html.escape(os.environ["V"]))'`},
	{"python quote", `python3 -c 'from urllib.parse import *; import os; print(quote(os.environ["V"]))'`},
	{"python quote_plus", `python3 -c 'from urllib.parse import *; import os; print(quote_plus(os.environ["V"]))'`},
	{"python shlex.quote", `python3 -c 'import os, shlex; print(shlex.quote(os.environ["V"]))'`},
	{"python re.escape", `python3 -c 'import os, re; print(re.escape(os.environ["V"]))'`},
	{"python json", `python3 -c 'import json, os; print(json.dumps(json.dumps([os.environ["V"]])))'`},
	{"python xml", `python3 -c 'from xml.sax.saxutils import quoteattr; import os; print(quoteattr(os.environ["V"]))'`},
	{"python csv", `python3 -c 'import csv, os, sys; csv.writer(sys.stdout).writerow([os.environ["V"]])'`},
	{"python URL-safe base64", `python3 -c 'import base64, os; print(base64.urlsafe_b64encode(b"?~" + os.environb[b"V"]))'`},
	{"python unicode_escape", `python3 -c 'import os; print(os.environ["V"].encode("unicode_escape"))'`},
	{"python character references", `python3 -c 'import os; print(os.environ["V"].encode("ascii", "xmlcharrefreplace"))'`},

	{"python U+", `python3 -c 'import os; print(" ".join(f"U+{ord(c):04X}" for c in os.environ["V"]))'`},
	{"python CSS escapes", `python3 -c 'import os; print("".join(f"\\{ord(c):x} " for c in os.environ["V"]))'`},
	{"python references without semicolons", `python3 -c 'import os; print("".join(f"&#{ord(c)}" for c in os.environ["V"]))'`},
	{"python hexadecimal references without semicolons", `python3 -c 'import os; print(" ".join(f"&#x{ord(c):x}" for c in os.environ["V"]).replace(" ", ""))'`},
	{"python subject", `python3 -c 'import os; from email.header import Header; print(Header(os.environ["V"], "utf-8", maxlinelen=2000).encode())'`},
	{"jq references, @uri", `jq -nr 'env.V | explode | map("&#\(.);") | join("") | @uri'`},

	{"node encodeURIComponent", `node -p 'encodeURIComponent(process.env.V)'`},
	{"node encodeURI", `node -p 'encodeURI(process.env.V)'`},
	{"node escape", `node -p 'escape(process.env.V)'`},
	{"node URLSearchParams", `node -p 'new URLSearchParams({a: process.env.V}).toString()'`},
	{"node inspect", `node -p '[process.env.V]'`},
	{"node JSON", `node -p 'JSON.stringify(JSON.stringify(process.env.V))'`},
	{"node Buffer", `node -e 'require("buffer").INSPECT_MAX_BYTES = 500; console.log(Buffer.from(process.env.V))'`},
	{"node JSON of a Buffer", `node -p 'JSON.stringify(Buffer.from(process.env.V))'`},
	{"node indented JSON of a Buffer", `node -p 'JSON.stringify(Buffer.from(process.env.V), null, 2)'`},
	{"node base64url", `node -p 'Buffer.from("a" + process.env.V).toString("base64url")'`},

	{"perl quotemeta", `perl -e 'print quotemeta $ENV{V}'`},
	{"perl Dumper", `perl -MData::Dumper -e '$Data::Dumper::Useqq = 1; print Dumper($ENV{V})'`},
	{"perl Dumper of characters", `perl -MData::Dumper -MEncode -e '$Data::Dumper::Useqq = 1; print Dumper(decode("UTF-8", $ENV{V}))'`},

	{"sqlite quote()", `sqlite3 :memory: "select quote('${V//$Q/$Q$Q}')"`},
	{"sqlite insert", `sqlite3 -cmd '.mode insert' :memory: "select '${V//$Q/$Q$Q}'"`},
	{"sqlite csv", `sqlite3 -csv :memory: "select '${V//$Q/$Q$Q}'"`},
	{"sqlite hex()", `sqlite3 :memory: "select hex('${V//$Q/$Q$Q}')"`},
	{"sqlite json", `sqlite3 -json :memory: "select '${V//$Q/$Q$Q}'"`},

	{"xxd", `printf %s "$V" | xxd`},
	{"xxd within a file", `printf 'head%s-t' "$V" | xxd`},
	{"xxd -c 7 -g 1", `printf 'one%s' "$V" | xxd -c 7 -g 1`},
	{"xxd -e", `printf 'a%s' "$V" | xxd -e`},
	{"xxd -u", `printf %s "$V" | xxd -u`},
	{"xxd -p", `printf %s "$V" | xxd -p`},
	{"bytea of PostgreSQL", `printf '\\x%s' "$(printf %s "$V" | xxd -p -c 1000)"`},
	{"a percent sign for each byte", `printf %s "$V" | xxd -p -c 1000 | sed 's/../%&/g'`},
	{"\\x for each byte", `printf %s "$V" | xxd -p -c 1000 | sed 's/../\\x&/g'`},
	{"xxd -p, indented", `printf %s "$V" | xxd -p -c 9 | sed 's/^/    /'`},
	{"xxd -i", `printf %s "$V" | xxd -i`},
	{"od", `printf %s "$V" | od`},
	{"od within a file", `printf 'a%sbc' "$V" | od`},
	{"od -c", `printf 'a%sb' "$V" | od -c`},
	{"od -An -c", `printf %s "$V" | od -An -c`},
	{"od -x", `printf 'a%s' "$V" | od -x`},
	{"od -b", `printf %s "$V" | od -b`},
	{"od -t x1", `printf %s "$V" | od -t x1`},
	{"od -t x1z", `printf 'abc%s' "$V" | od -t x1z`},
	{"od -A x -t x1", `printf %s "$V" | od -A x -t x1`},
	{"od -A d -t u1", `printf %s "$V" | od -A d -t u1`},
	{"od -t x4", `printf 'abc%s' "$V" | od -t x4`},
	{"od -t x8", `printf 'abc%s' "$V" | od -t x8`},
	{"od -t o4", `printf 'abc%s' "$V" | od -t o4`},
	{"od -An -v -t x1", `printf %s "$V" | od -An -v -tx1`},
	{"xxd -b", `printf 'a%s' "$V" | xxd -b`},
	{"xxd -b -c 1", `printf 'a%s' "$V" | xxd -b -c 1`},
	{"perl bits", `perl -e 'print unpack "B*", "x$ENV{V}"'`},
	{"python bits", `python3 -c 'import os; print(" ".join(f"{b:08b}" for b in os.environb[b"V"]))'`},
	{"python bin", `python3 -c 'import os; print([bin(b) for b in os.environb[b"V"]])'`},
	{"od -t d1", `printf %s "$V" | od -An -v -t d1`},
	{"od -t d2", `printf 'a%s' "$V" | od -t d2`},
	{"od -t d4", `printf 'ab%s' "$V" | od -An -t d4`},
	{"od -t d8", `printf 'abc%s' "$V" | od --endian=big -t d8`},
	{"a list of signed bytes", `printf %s "$V" | od -An -v -w1 -t d1 | paste -sd, | tr -d ' ' | sed 's/.*/[&]/'`},
	{"od -d", `printf 'a%s' "$V" | od -d`},
	{"od -t u2", `printf %s "$V" | od -An -t u2`},
	{"od -A x", `printf 'a%s' "$V" | od -A x`},
	{"od -A x -t u4", `printf 'abc%s' "$V" | od -A x -t u4`},
	{"od -t u4", `printf 'ab%s' "$V" | od -An -t u4`},
	{"od -t u8", `printf 'abc%s' "$V" | od -t u8`},
	{"hexdump -d", `printf 'a%s' "$V" | hexdump -d`},
	{"xxd of UTF-16", `printf 'a%s' "$V" | iconv -f UTF-8 -t UTF-16LE | xxd`},
	{"od, without blanks", `printf %s "$V" | od -An -v -tx1 | tr -d ' \n'`},
	{"hexdump", `printf 'a%s' "$V" | hexdump`},
	{"hexdump -C", `printf 'head%s-t' "$V" | hexdump -C`},
	{"hexdump -c", `printf %s "$V" | hexdump -c | sed 's/ *$//'`},
	{"hexdump -b", `printf %s "$V" | hexdump -b`},
	{"hexdump -o", `printf %s "$V" | hexdump -o`},

	{"base64", `printf %s "$V" | base64`},
	{"base64 with a line end", `echo "$V" | base64`},
	{"base64 -w 5", `printf %s "$V" | base64 -w 5`},
	{"base64, one byte before", `printf 'u:%s' "$V" | base64`},
	{"base64, two bytes before", `printf 'u1:%s' "$V" | base64`},
	{"base64, three bytes before", `printf 'u12:%s@host' "$V" | base64`},
	{"base64, indented", `printf %s "$V" | base64 -w 20 | sed 's/^/        /'`},
	{"base64, with tabs and line ends of Windows", `printf %s "$V" | base64 -w 20 | sed 's/^/\t/; s/$/\r/'`},
	{"base64, lines in JSON", `printf %s "$V" | base64 -w 20 | jq -Rs .`},
	{"base64, lines in JSON twice", `printf %s "$V" | base64 -w 20 | jq -Rs . | jq -Rs .`},
	{"base64, lines in C", `printf %s "$V" | base64 -w 20 | sed 's/.*/  "&\\n"/'`},
	{"base64 of base64", `printf %s "$V" | base64 -w 0 | base64`},
	{"base64 of base64 within more", `printf 'a: %s' "$(printf 'user:%s@host' "$V" | base64 -w 0)" | base64 -w 0`},
	{"jq @base64 within JSON, @base64", `jq -nr '{auths: {r: {auth: ("u:" + env.V | @base64)}}} | tojson | @base64'`},
	{"base64 of URL-safe base64", `printf 'x%s' "$V" | base64 -w 0 | tr +/ -_ | base64`},
	{"base64 of UTF-16", `printf 'echo %s' "$V" | iconv -f UTF-8 -t UTF-16LE | base64 -w 0`},
	{"openssl base64", `printf %s "$V" | openssl base64`},
	{"base32", `printf %s "$V" | base32`},
	{"base32, four bytes before", `printf 'abcd%s!' "$V" | base32 -w 11 | sed 's/^/  /'`},
	{"xxd -g 0", `printf 'a%s' "$V" | xxd -g 0`},
	{"xxd -g 0 -c 32", `printf 'abc%s' "$V" | xxd -g 0 -c 32`},
	{"perl %vd", `perl -e 'printf "%vd", "ab$ENV{V}"'`},
	{"perl %vx", `perl -e 'printf "%*vx", ":", "ab$ENV{V}"'`},
	{"perl %#o", `perl -e 'print join ",", map { sprintf "%#o", ord } split //, "a$ENV{V}"'`},
	{"base64 of UTF-16BE", `printf 'a%s' "$V" | iconv -f UTF-8 -t UTF-16BE | base64`},
	{"od --endian=big -d", `printf 'a%s' "$V" | od --endian=big -d`},
	{"od --endian=big -t u4", `printf 'ab%s' "$V" | od -An --endian=big -t u4`},
	{"od --endian=big -t u8", `printf 'abcd%s' "$V" | od --endian=big -t u8`},
	{"od --endian=big", `printf 'ab%s' "$V" | od --endian=big`},
	{"od --endian=big -t o4", `printf 'ab%s' "$V" | od --endian=big -t o4`},
	{"od --endian=big -t x4", `printf 'abc%s' "$V" | od --endian=big -t x4`},
	{"perl network words", `perl -e 'print join ",", unpack "N*", "ab$ENV{V}   "'`},
	{"basenc --base32hex", `printf 'abc%s' "$V" | basenc --base32hex`},
	{"basenc --base16", `printf 'abc%s' "$V" | basenc --base16 -w 7`},
	{"basenc --base2msbf", `printf 'abc%s' "$V" | basenc --base2msbf -w 60`},
	{"basenc --base2lsbf", `printf 'abc%s' "$V" | basenc --base2lsbf`},
	{"basenc --z85", `printf 'abc%s...' "$V" | head -c $(( ($(printf 'abc%s...' "$V" | wc -c)) / 4 * 4 )) | basenc --z85`},
	{"python b85", `python3 -c 'import base64, os; print(base64.b85encode(os.environb[b"V"]).decode())'`},
	{"python b85 within more", `python3 -c 'import base64, os; print(base64.b85encode(b"a" + os.environb[b"V"] + b"bc").decode())'`},
	{"python a85", `python3 -c 'import base64, os; print(base64.a85encode(b"ab" + os.environb[b"V"], adobe=True).decode())'`},
	{"python a85, wrapped", `python3 -c 'import base64, os; print(base64.a85encode(b"ab" + os.environb[b"V"], wrapcol=30).decode())'`},
	{"perl uuencode", `perl -e 'print pack "u", $ENV{V}'`},
	{"perl uuencode within more", `perl -e 'print pack "u", "x" x 32 . $ENV{V} . "y"'`},
	{"python uuencode", `python3 -c 'import binascii, os
v = b"ab" + os.environb[b"V"]
for i in range(0, len(v), 45): print(binascii.b2a_uu(v[i:i + 45], backtick=True).decode(), end="")'`},
	{"UTF-7", `printf '%s' "$V" | iconv -f UTF-8 -t UTF-7`},
	{"python UTF-7", `python3 -c 'import os; print("user: " + os.environ["V"].encode("utf-7").decode())'`},
	{"base32, small letters", `printf 'abcd%s!' "$V" | base32 | tr A-Z a-z`},

	{"cat -v", `printf %s "$V" | cat -v`},
	{"cat -A of a line", `printf 'a %s\n' "$V" | cat -A`},
	{"od -a", `printf 'a%sb' "$V" | od -a`},
	{"perl quoted-printable", `perl -MMIME::QuotedPrint -e 'print encode_qp("some words before it = $ENV{V}")'`},
	{"python quoted-printable", `python3 -c 'import os, quopri, sys; sys.stdout.buffer.write(quopri.encodestring(os.environb[b"V"]))'`},
	{"node as Latin-1", `node -p 'Buffer.from(process.env.V).toString("latin1")'`},
	{"jq JSON, @base64", `jq -nr '{a: env.V} | tojson | @base64'`},
	{"tput sgr0", `printf '\e[1m%s\e(B\e[m%s' "${V:0:3}" "${V:3}"`},

	{"a hyperlink", `printf '%s\e]8;;https://example.com/\e\\%s\e]8;;\a%s' "${V:0:3}" "${V:3:4}" "${V:7}"`},
	{"a title", `printf '%s\e]0;%s' "${V:0:5}" "done"; printf '\a%s' "${V:5}"`},
	{"a hidden cursor", `printf '%s\e[?25l%s\e7%s\e[K' "${V:0:3}" "${V:3:4}" "${V:7}"`},
	{"overstruck", `perl -CSA -e 'print map {"$_\b$_"} split //, $ARGV[0]' "$V"`},
	{"underlined", `perl -CSA -e 'print map {"_\b$_"} split //, $ARGV[0]' "$V"`},
	{"underlined afterwards", `perl -CSA -e 'print map {"$_\b_"} split //, $ARGV[0]' "$V"`},
	{"bold and underlined", `perl -CSA -e 'print map {"_\b$_\b$_"} split //, $ARGV[0]' "$V"`},
	{"in part", `perl -CSA -e 'print substr($ARGV[0], 0, 4), "\b", substr($ARGV[0], 3)' "$V"`},

	{"UTF-16", `printf %s "$V" | iconv -f UTF-8 -t UTF-16`},
	{"UTF-16LE", `printf 'a%s' "$V" | iconv -f UTF-8 -t UTF-16LE`},
	{"UTF-16BE", `printf 'a%sb' "$V" | iconv -f UTF-8 -t UTF-16BE`},
	{"UTF-32", `printf %s "$V" | iconv -f UTF-8 -t UTF-32`},
	{"UTF-32LE", `printf 'a%s' "$V" | iconv -f UTF-8 -t UTF-32LE`},
	{"UTF-32BE", `printf 'a%sb' "$V" | iconv -f UTF-8 -t UTF-32BE`},
	{"JSON in UTF-16", `jq -na 'env.V' | iconv -f UTF-8 -t UTF-16LE`},
	{"ISO 8859-1", `printf %s "$V" | iconv -f UTF-8 -t ISO-8859-1//TRANSLIT 2>/dev/null | if [[ $V == П* ]]; then printf %s "$V"; else cat; fi`},

	{"ls", `ls`},
	{"ls -b", `ls -b`},
	{"ls -Q", `ls -Q`},
	{"ls shell-escape", `ls --quoting-style=shell-escape`},
	{"ls shell-escape-always, ASCII", `LC_ALL=C ls --quoting-style=shell-escape-always`},
	{"ls in another directory", `ls --quoting-style=c -d "$PWD"/*`},
	{"find -ls", `LC_ALL=C find . -type f -ls | sed 's/.*:.. //'`},
	{"stat", `stat -c %N *`},
	{"git status", `git init -q . && git status --short`},
	{"lines", `printf 'one\n\ttwo %s three\n' "$V" | cat -n`},
}

// TestPrinted checks that nothing of a value is left of what real programs print, wherever a stream is
// divided. With -short every other program is given one of the values.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for nth, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(value, "/", "_")), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for i, test := range printed {
			if testing.Short() && i%(2*len(values)) != 2*nth {
				continue
			}
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				value := value
				if strings.Contains(test.script, "ls") && !strings.Contains(test.script, "$V") || strings.Contains(test.name, "stat") {
					value = strings.ReplaceAll(value, "/", "_") // the name of a file
				}
				where := dir
				if strings.HasPrefix(test.name, "git") {
					where = t.TempDir()
					if err := os.WriteFile(filepath.Join(where, value), nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				checkPrinted(t, value, run(t, where, value, test.script))
			})
		}
	}
}

func run(t *testing.T, dir, value, script string) string {
	t.Helper()
	for _, program := range []string{"jq", "python3", "node", "perl", "sqlite3", "xxd", "hexdump", "iconv", "openssl", "git"} {
		if path := "/usr/bin/" + program; strings.Contains(script, program) {
			if _, err := os.Stat(path); err != nil {
				t.Skip(err)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Env = []string{"V=" + value, "Q='", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + dir}
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// checkPrinted checks what is left of a text that holds a value once.
func checkPrinted(t *testing.T, value, out string) {
	t.Helper()
	r := New(value)
	got := r.String(out)
	if !strings.Contains(got, Mark) {
		t.Fatalf("nothing is taken out of %q", out)
	}
	if rest := strings.ReplaceAll(got, Mark, ""); len(rest) > len(out)/3 && len(rest) > 60 {
		t.Errorf("of %q, %q is left", out, got)
	}
	if single := divided(t, r, false, strings.Split(out, "")...); single != got {
		t.Fatalf("%q in single characters: %q, want %q", out, single, got)
	}
	if value != values["signs"] && value != values["letters"] {
		return
	}
	for at := range out {
		if parts := divided(t, r, false, out[:at], out[at:]); parts != got {
			t.Fatalf("divided at %d of %q: %q, want %q", at, out, parts, got)
		}
	}
}
