package shellwords

// unknown is the row of every program that has none.
var unknown = &program{}

// table is what the programs do with their words, by name.
var table = rows(clients, texts, editors, files, wrappers, builtins, interpreters, databases, containers, projects)

// clients talk to other machines.
var clients = map[string]*program{
	"curl": {options: options{
		`-X --request --data-raw --data-urlencode --form-string -u --user -A --user-agent -e --referer
			--max-time -m -b --cookie --url -x --proxy --connect-timeout --retry --retry-delay --retry-max-time --resolve
			--max-redirs --proto --proto-redir --limit-rate --cacert --cert -E --key --interface --max-filesize -r --range -y -Y
			-z --time-cond --url-query --variable --expand-url -P --ftp-port --socks5 --unix-socket --aws-sigv4 --oauth2-bearer`: plain,
		"-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --output-dir": output,
		"-d --data --data-binary --data-ascii --json":                                              carefulAtStart("curl reads a local file when the value starts with '@'; use --data-raw"),
		"-H --header": {
			kind: Argument, dash: true, caution: "a line break in the value would add headers to the request; give the parameter a pattern",
			atStart: "curl reads headers from a local file when the value starts with '@'; give the parameter a pattern",
		},
		"-F --form":                       careful("curl -F reads a local file for '@' and '<'; use --form-string"),
		"-w --write-out -T --upload-file": careful("curl can read a local file here"),
		"-K --config":                     file(Settings),
	}},
	"wget": {options: options{
		`-P --directory-prefix -U --user-agent -t --tries -T --timeout --header --method --body-data --post-data --user
			--password -e0 -i --input-file --referer --limit-rate -Q --quota -w --wait --ca-certificate`: plain,
		"--post-file --body-file":                              careful("wget sends the local file that the value names"),
		"-O --output-document -o --output-file --save-cookies": output,
		"-e --execute":  code(Settings, "name the setting in the script"),
		"--use-askpass": command,
		"--config":      file(Settings),
	}},
	"ssh": {
		options: options{
			"-b -c -D -e -E -I -i -J -L -l -m -p -Q -R -S -W -w -B": plain,
			"-o": beside(code(Settings, "ssh -o can name a program to run (ProxyCommand); write the option in the script")),
			"-F": beside(file(Settings)),
		},
		operands: []slot{operand, code(Shell, "ssh gives its words to a shell on the other machine; send the value on standard input")},
		stops:    true, joined: true, stdin: Shell,
	},
	"scp sftp": {options: options{
		"-c -i -J -l -P -D -B -R -X": plain,
		"-o":                         code(Settings, "-o can name a program to run (ProxyCommand); write the option in the script"),
		"-S -b -F":                   file(Settings),
	}},
	"rsync": {options: options{
		"--exclude --include --exclude-from --include-from --files-from --bwlimit --port --timeout --out-format -f --filter -B -T --temp-dir --chmod --chown": plain,
		"--log-file --backup-dir": output,
		"-e --rsh --rsync-path":   code(Shell, "rsync runs this; write it in the script"),
	}},
	"nc ncat netcat": {options: options{
		"-p -s -w -i -x -X -q -T -I -O -P":  plain,
		"-e -c --exec --sh-exec --lua-exec": code(Shell, "nc runs this; write it in the script"),
	}},
	"socat":           {operands: []slot{code(Shell, "a socat address can run a program (EXEC:); write it in the script")}},
	"ftp lftp telnet": {options: options{"-e -c": code(Shell, "write the commands in the script"), "-f": file(Shell)}, stdin: Shell, always: true},
	"mail mailx":      {options: options{"-s -c -b -r -a -A -u -f": plain, "-S": code(Settings, "write the setting in the script")}},
	"dig host nslookup ping traceroute whois": {options: options{"-c -i -W -w -p -t -q -s -I -m": plain}},
}

// texts read text and write text.
var texts = map[string]*program{
	"grep egrep fgrep zgrep": {options: options{
		`-e --regexp -f --file -m --max-count -A --after-context -B --before-context -C --context -d -D --label --include
			--exclude --exclude-dir --exclude-from --color --binary-files`: plain,
	}},
	"rg": {options: options{
		"-e --regexp -f --file -g --glob -t --type -T --type-not -m --max-count -A -B -C --context -d --max-depth -r --replace -j --threads --sort --iglob -E --encoding -M": plain,
		"--pre --hostname-bin": command,
	}},
	"head tail":         {options: options{"-n --lines -c --bytes -s --sleep-interval --pid": plain}},
	"cut":               {options: options{"-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter": plain}},
	"tr":                {},
	"cat tac rev wc nl": {options: options{"-b -d -s -w -v -n -i": slot{kind: Argument, dash: true, glued: true}}},
	"sort": {options: options{
		"-k --key -t --field-separator -S --buffer-size --parallel --batch-size --files0-from -T --temporary-directory": plain,
		"-o --output":        output,
		"--compress-program": command,
	}},
	"uniq":                  {options: options{"-f --skip-fields -s --skip-chars -w --check-chars": plain}},
	"fold fmt column paste": {options: options{"-w --width -d --delimiters -s -t -o -c": plain}},
	"diff cmp comm":         {options: options{"-U -C -I -x -X -S -F -L --label --exclude --exclude-from --unified": plain}},
	"patch":                 {options: options{"-p --strip -i --input -d --directory -B -D -F -V -z --suffix": plain, "-o --output -r --reject-file": output}},
	"base64 base32":         {options: options{"-w --wrap": plain}},
	"md5sum sha1sum sha256sum sha512sum cksum b2sum": {},
	"awk gawk mawk nawk": {
		options: options{
			"-F --field-separator": plain,
			"-v --assign":          careful("awk -v interprets backslashes in the value; ENVIRON does not"),
			"-f --file -E --exec":  file(Awk), "-i --include -l --load": beside(file(Awk)),
			"-e --source": code(Awk, "awk -v x={{…}} '… x …' passes the value as data"),
		},
		flags:    "-b -c -C -g -h -I -k -M -n -N -O -P -r -s -S -t -V --sandbox --posix --traditional --csv --re-interval --bignum",
		operands: []slot{code(Awk, "awk -v x={{…}} '… x …' passes the value as data"), operand},
		instead:  []slot{operand},
	},
	"sed gsed": {
		options: options{
			"-e --expression":  code(Sed, "write a fixed sed program; awk -v passes a value as data"),
			"-f --file":        file(Sed),
			"-l --line-length": plain,
			"-i":               gluedOnly(plain),
		},
		flags:    "-n -E -r -s -u -z -b --quiet --silent --regexp-extended --separate --unbuffered --null-data --in-place --posix --debug --sandbox --follow-symlinks --binary",
		operands: []slot{code(Sed, "write a fixed sed program; awk -v passes a value as data"), operand},
		instead:  []slot{operand},
	},
	"jq": {
		options: options{
			"--arg --argjson --slurpfile --rawfile --argfile": two(plain),
			"--indent -L":    plain,
			"-f --from-file": file(JQ),
		},
		flags: `-r -c -n -s -e -M -C -a -S -j -R -h -V --tab --unbuffered --stream --seq --raw-output --compact-output --null-input
			--slurp --exit-status --monochrome-output --color-output --ascii-output --sort-keys --join-output --raw-input --args
			--jsonargs --raw-output0 --stream-errors`,
		operands: []slot{code(JQ, "jq --arg x {{…}} '… $x …' passes the value as data"), operand},
		instead:  []slot{operand},
	},
	"yq": {
		options:  options{"-o -p -I --output-format --input-format --indent": plain, "--from-file": file(YQ)},
		operands: []slot{code(YQ, "yq '… strenv(X) …' with X={{…}} in front of it passes the value as data")},
	},
}

// files work on files and directories.
var files = map[string]*program{
	"rm rmdir mkdir ls touch du df stat basename dirname realpath readlink file chmod chown chgrp sync tree pwd unlink shred": {
		options: options{"-m --mode -d --date -t --time -r --reference -s --size -L -P -I -w": slot{kind: Argument, dash: true, glued: true}},
	},
	"cp mv ln install":                {options: options{"-t --target-directory -S --suffix -m --mode -o --owner -g --group": plain}},
	"tee sponge":                      {operands: []slot{{kind: Operand, writes: true}}},
	"truncate split csplit dd mktemp": {options: options{"-s --size -n -l -b -a --suffix -p --tmpdir -C -r": plain, "--filter": code(Shell, "split runs this; write it in the script")}},
	"tar bsdtar": {options: options{
		"-f --file": {kind: Argument, dash: true, remote: true},
		"-C --directory --exclude -T --files-from -X --exclude-from --strip-components --transform --owner --group --mode --mtime -b -g -H -K -L -N -V": plain,
		"-I --use-compress-program --to-command --checkpoint-action --rsh-command --rmt-command -F --info-script --new-volume-script":                   code(Shell, "tar runs this; write it in the script"),
	}},
	"zip": {options: options{"-x -i -b -n -t -P": plain, "-TT --unzip-command": code(Shell, "zip runs this; write it in the script")}},
	"unzip gzip gunzip xz bzip2 zstd zcat 7z": {options: options{"-d -x -P -S -o --suffix": slot{kind: Argument, dash: true, glued: true}}},
	"fd fdfind": {options: options{
		"-e --extension -t --type -d --max-depth -E --exclude -g -j -S --size --changed-within --changed-before -c": plain,
		"-x --exec -X --exec-batch": command,
	}},
	"git": {
		options: options{
			"-C --git-dir --work-tree": careful("git runs what the settings of the repository name that the value picks: give the parameter a pattern"),
			"--namespace -m --message --author --date -F --file -b --branch --depth --since --until --grep -n --max-count --format --pretty": plain,
			"-c --config --config-env": code(Settings, "git -c can name a program to run; write the setting in the script"),
			"--exec-path --upload-pack --receive-pack --exec --extcmd --open-files-in-pager --sendmail-cmd": code(Shell, "git runs this; write it in the script"),
		},
		subcommands: map[string]*program{
			"difftool":      {options: options{"-x --extcmd": code(Shell, "git runs this; write it in the script"), "-t --tool": plain}},
			"filter-branch": {operands: []slot{code(Shell, "git filter-branch runs its words; write them in the script")}, options: options{"--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --setup": code(Shell, "git runs this; write it in the script")}, joined: true},
			"rebase":        {options: options{"-x --exec": code(Shell, "git runs this; write it in the script"), "--onto -s -X": plain}},
			"bisect":        {operands: []slot{operand, command}},
			"submodule":     {operands: []slot{operand, code(Shell, "git submodule foreach runs this; write it in the script")}, joined: true},
			"config": {
				options:  options{"-f --file --type --default --blob": plain, "--get --get-all --unset --unset-all": plain},
				operands: []slot{code(Settings, "some settings of git name programs to run; write the setting's name in the script"), operand},
			},
		},
	},
	makes + " ninja": {
		options: options{
			"-j --jobs -l -o -W":              plain,
			"-C --directory -I --include-dir": file(Makefile),
			"-f --file --makefile":            file(Makefile),
			"--eval -E":                       code(Makefile, "write it in the makefile"),
		},
		operands: []slot{code(Makefile, "an operand like X=$(shell cmd) runs cmd; write the target in the script, or use case")},
	},
	"systemctl service": {options: options{"-t --type -p --property -n -H --host -M": plain}},
	"openssl":           {options: options{"-engine -provider": file(Settings)}, long: true},
	"tcpdump":           {options: options{"-i -c -s -r -w -G -C -W": plain, "-z": command}},
	"man":               {options: options{"-P --pager -H --html": code(Shell, "man runs this; write it in the script"), "-M -S -s -l": plain}},
	"ffmpeg ffprobe":    {long: true, noEnd: true},
	"gh glab": {
		options: options{
			"-R --repo -t --title -b --body -l --label -L --limit --search -s --state -a --assignee -q --jq --json --template -F --body-file -B --base -H --head -m --message": plain,
			"-e --editor --recover": plain,
		},
		subcommands: map[string]*program{"alias": {operands: []slot{operand, operand, code(Shell, "an alias of gh that begins with ! is shell text; write it in the script")}}},
	},
	"journalctl loginctl notify-send logger wall": {options: options{"-u --unit -n --lines -S --since -U --until -p --priority -o --output -t -b -g --grep": plain}},
	"iconv od xxd hexdump strings shuf numfmt factor look cal dos2unix unix2dos expand unexpand tsort csplit getconf vmstat iostat ifconfig who last": {},
	"convert magick": {long: true, noEnd: true},
	"date sleep seq id whoami uname hostname uptime free ps kill pkill pgrep lsof ss ip lscpu nproc which tput clear": {
		options: options{"-d --date -s -f -u -p -o -r --reference": slot{kind: Argument, dash: true}},
	},
}

// editors run commands from their words, and from their input.
var editors = map[string]*program{
	"ed ex vi vim nvim view emacs nano less more": {
		options: options{
			"-c --cmd --eval --execute -e -k": code(Editor, "editors run these; write them in the script"),
			"-S -s -u -l --load --script":     file(Editor),
		},
		operands: []slot{code(Editor, "editors run words like !cmd and +cmd; read the file with cat")},
		stdin:    Editor, always: true,
	},
	"bc dc gnuplot octave": {
		options:  options{"-e --expression -q": code(Calculator, "check that the value is a number first"), "-f --file": file(Calculator)},
		operands: []slot{file(Calculator)},
		stdin:    Calculator, always: true,
	},
	"gdb lldb": {
		options: options{"-ex -iex --eval-command --init-eval-command -o -O": code(Debugger, "write the commands in the script"), "-x -s --command --source": file(Debugger), "-p --pid": plain},
		stdin:   Debugger, always: true, launcher: true,
	},
	"expect":      {options: options{"-c": code(Tcl, "write the script in a file"), "-f": file(Tcl)}, operands: []slot{file(Tcl), free}, stops: true, stdin: Tcl},
	"tclsh wish":  {operands: []slot{file(Tcl), free}, stops: true, stdin: Tcl},
	"screen tmux": {operands: []slot{code(Shell, "do not pass values to a terminal multiplexer")}, options: options{"-S -L -t -c -n -s -x -y -f": plain, "-X": code(Shell, "write the command in the script")}},
}
