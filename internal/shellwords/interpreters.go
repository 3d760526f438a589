package shellwords

// The cure for a value that stands in a program's text.
const argvCure = "pass the value as an argument of the program and read it there (sys.argv, process.argv, ARGV)"

// interpreters run a program that a word holds or names, and give the words after it to that program.
var interpreters = map[string]*program{
	"python python2 python3 pypy pypy3": {
		options:  options{"-c": ending(code(Python, argvCure)), "-m": ending(file(Python)), "-W -X --check-hash-based-pycs": plain, "-Q": plain},
		flags:    "-b -B -d -E -h -i -I -O -q -s -S -u -v -V -x -P -R -t -3 --version --help",
		operands: []slot{file(Python), free},
		instead:  []slot{free},
		stops:    true, stdin: Python,
	},
	"ruby jruby": {
		options:  options{"-e": code(Ruby, argvCure), "-r": beside(file(Ruby)), "-I -C -E -K -T -W -F -x": plain, "-i -0": gluedOnly(plain)},
		flags:    "-a -c -d -h -l -n -p -s -S -U -v -w -y --version --yjit --jit --disable-gems",
		operands: []slot{file(Ruby), free},
		instead:  []slot{free},
		stops:    true, stdin: Ruby,
	},
	"node nodejs bun deno": {
		options: options{
			"-e --eval -p --print": code(JavaScript, argvCure),
			"-r --require --import --loader --experimental-loader --env-file":        beside(file(JavaScript)),
			"-C --conditions --input-type --stack-size --max-old-space-size --title": plain,
		},
		flags:    "-c --check -i --interactive -v --version --no-warnings --trace-warnings --inspect --inspect-brk --test --watch --use-strict",
		operands: []slot{file(JavaScript), free},
		instead:  []slot{free},
		stops:    true, stdin: JavaScript,
	},
	"php": {
		options: options{
			"-r -B -R -E --run --process-code --process-begin --process-end": code(PHP, argvCure),
			"-f --file -F --process-file":                                    file(PHP), "-c --php-ini -z --zend-extension -S": beside(file(PHP)),
			"-d --define":  beside(code(Settings, "a setting of php can name a file to run; write it in the script")),
			"-t --docroot": plain,
		},
		flags:    "-a -C -e -h -H -i -l -m -n -q -s -v -w --version",
		operands: []slot{file(PHP), free},
		instead:  []slot{free},
		stops:    true, stdin: PHP,
	},
	"lua luajit lua5.1 lua5.3 lua5.4": {
		options:  options{"-e": code(Lua, argvCure), "-l": beside(file(Lua))},
		flags:    "-i -v -E -W -",
		operands: []slot{file(Lua), free},
		stops:    true, stdin: Lua,
	},
	"Rscript": {
		options:  options{"-e": code(R, argvCure)},
		flags:    "--vanilla --verbose --no-save --no-environ --no-init-file --slave --quiet --default-packages",
		operands: []slot{file(R), free},
		instead:  []slot{free},
		stops:    true,
	},
	"osascript": {options: options{"-e": code(Shell, argvCure), "-l -s": plain}, operands: []slot{file(Shell), free}, instead: []slot{free}, stops: true, stdin: Shell},
	"java":      {options: options{"-cp -classpath --class-path -p --module-path": beside(file("java")), "-jar -m --module": ending(file("java"))}, long: true, operands: []slot{file("java"), free}, instead: []slot{free}, stops: true},
	"jshell":    {stdin: "java", always: true},
	// Shells whose language is not bash's: their code is told from data, and not read.
	"fish csh tcsh nu elvish xonsh yash osh ysh": {
		options: options{
			"-c -C --command --commands --init-command -e --execute": code("another shell", argvCure),
			"-f --config --env-config":                               file("another shell"),
		},
		operands: []slot{file("another shell"), free}, instead: []slot{free}, stops: true, stdin: "another shell",
	},
	"pwsh powershell": {
		options: options{
			"-c -Command -command -CommandWithArgs -cwa -EncodedCommand -e -enc -ec": code("another shell", argvCure), "-File -file -f": file("another shell"),
			"-ExecutionPolicy -ep -WorkingDirectory -wd -OutputFormat -InputFormat": plain,
		},
		operands: []slot{file("another shell"), free}, instead: []slot{free}, stops: true, long: true, noEnd: true, stdin: "another shell",
	},
	"erl": {options: options{"-eval -run -s": code("a program's", argvCure), "-boot -config -args_file": file("a program's")}, long: true, noEnd: true},
	"guile racket sbcl clisp scala groovy ghc runghc ocaml swift raku clojure clj bb crystal kotlin dart": {
		options: options{
			"-e -E -c -x --eval --expr --execute -eval": code("a program's", argvCure),
			"-l --load -f --script -s -i --init":        file("a program's"),
		},
		operands: []slot{file("a program's"), free}, instead: []slot{free}, stdin: "a program's", launcher: true,
	},
	"gs ghostscript":                      {options: options{"-c": code("PostScript", argvCure)}, operands: []slot{file("PostScript")}, stdin: "PostScript", long: true},
	"tex latex pdflatex xelatex lualatex": {operands: []slot{code("TeX", "write the value into a file that a fixed text reads")}, long: true, stdin: "TeX"},
	"julia":                               {options: options{"-e --eval -E --print": code("julia", argvCure), "-L --load": beside(file("julia"))}, operands: []slot{file("julia"), free}, instead: []slot{free}, stops: true, stdin: "julia"},
	"elixir":                              {options: options{"-e --eval --rpc-eval": code("elixir", argvCure), "-r -S": beside(file("elixir"))}, operands: []slot{file("elixir"), free}, instead: []slot{free}, stops: true},
	"m4":                                  {options: options{"-D --define": plain, "-I --include": plain}, operands: []slot{file("m4")}, stdin: "m4", always: true},
	"nix-shell":                           {options: options{"--run --command": code(Shell, "nix-shell runs this; write it in the script"), "-p -A": plain}, launcher: true},
	"go cargo npm pnpm yarn npx bunx pip pip3 uv poetry pipenv conda bundle rake gem dotnet mvn gradle": {launcher: true},
}

const sqlCure = "if that is what the tool is for, set `code: sql` on the parameter; else psql -v x={{…}} and :'x' in a fixed text"

const sqliteCure = "if that is what the tool is for, set `code: sql` on the parameter and add -safe; else list the values under enum"

// dotted is SQL, or one command of the shell of SQLite, whose text ends where the word does. Those that are listed run nothing,
// write nothing and make SQL of nothing that is said behind them, but names to look for
// (https://sqlite.org/cli.html#special_commands_to_sqlite3_dot_commands_).
func dotted(s slot) slot {
	s.plain = ".schema .fullschema .tables .indexes .indices .dump .mode .headers .separator .nullvalue .width .timeout .print"
	return s
}

// databases run SQL from their words, and from their input when no word gave any.
var databases = map[string]*program{
	"psql": {
		options: options{
			"-h --host -d --dbname -U --username -p --port -v --set --variable -F --field-separator -R --record-separator -P --pset -T --table-attr": plain,
			"-c --command":  code(SQL, sqlCure),
			"-f --file":     file(SQL),
			"-o --output":   beside(code(Shell, "psql runs a value like '|cmd'; use > instead")),
			"-L --log-file": output,
		},
		stdin: SQL,
	},
	"pg_dump pg_restore createdb dropdb pg_isready": {options: options{"-h --host -d --dbname -U --username -p --port -t --table -n --schema -F --format -j --jobs": plain, "-f --file": output}},
	"mysql mariadb": {
		options: options{
			"-h --host -u --user -P --port -D --database -S --socket --default-character-set --protocol": plain,
			"-p --password": gluedOnly(plain),
			"-e --execute":  code(SQL, sqlCure), "--init-command": beside(code(SQL, sqlCure)),
			"--defaults-file --defaults-extra-file --plugin-dir": beside(file(Settings)),
			"--pager --tee": beside(code(Shell, "mysql runs this; write it in the script")),
		},
		stdin: SQL,
	},
	"sqlite3 duckdb": {
		options: options{
			"-cmd --cmd": beside(dotted(code(SQL, sqliteCure))), "-c -s": dotted(code(SQL, sqliteCure)), "-init --init": beside(file(SQL)), "-f": file(SQL),
			"-separator --separator -newline --newline -nullvalue --nullvalue -mmap -vfs -lookaside -maxsize -pagecache -nonce": plain,
		},
		flags: `-safe -batch -bail -csv -header -json -line -list -column -box -table -tabs -html -markdown -quote -ascii -readonly
			-noheader -echo -stats -interactive -append -deserialize -memtrace -nofollow -utf8 -no-utf8 -version -help -unsigned
			--safe --batch --bail --csv --header --json --line --list --column --box --table --tabs --html --markdown --quote
			--ascii --readonly --noheader --echo --version --help -A -zip -unsafe-testing -no-stdin -unredacted`,
		operands: []slot{operand, dotted(code(SQL, sqliteCure))},
		long:     true, noEnd: true, stdin: SQL,
		safe: "-safe --safe",
	},
	"sqlcmd":                             {options: options{"-Q -q": code(SQL, sqlCure), "-i": file(SQL), "-S -d -U -P -v": plain}, stdin: SQL},
	"cqlsh usql mysqlsh cockroach":       {options: options{"-e --execute -c --command": code(SQL, sqlCure), "-f --file": file(SQL), "-u --user -p --port -h --host -d --database --url": plain}, stdin: SQL},
	"clickhouse-client clickhouse-local": {options: options{"-q --query": code(SQL, sqlCure), "--queries-file": file(SQL), "-h --host -u --user --password --port -d --database": plain}, stdin: SQL},
	"sqlplus isql":                       {operands: []slot{operand, file(SQL)}, stdin: SQL, always: true},
	"mongosh mongo":                      {options: options{"--eval": code(JavaScript, "write a fixed program and read the value from its environment"), "-f --file": file(JavaScript), "--host --port -u -p --username --password": plain}, operands: []slot{operand, file(JavaScript)}, stdin: JavaScript},
	"redis-cli":                          {options: options{"-h -p -a -n -u --user --pass --pattern -i -r -d": plain, "--eval": file(Lua)}},
}

// containers run their words somewhere else.
var containers = map[string]*program{
	"docker podman nerdctl": {launcher: true, options: options{
		"-H --host -c --context --config -l --log-level --format -f --filter -n --tail --since --until": plain,
	}, subcommands: map[string]*program{
		"exec": {options: options{"-e --env --env-file -u --user -w --workdir --detach-keys": plain}, flags: "-d -i -t --detach --interactive --tty --privileged", operands: []slot{operand, command}, stops: true},
		"run": {
			options: options{
				"-e --env --env-file -u --user -w --workdir -v --volume -p --publish --name --network --net -m --memory --cpus -l --label -h --hostname --mount --platform --pull --add-host --tmpfs --device": plain,
				"--entrypoint": command,
			},
			flags: "-d -i -t --rm --init --detach --interactive --tty --privileged --read-only", operands: []slot{operand, command}, stops: true,
		},
	}},
	"kubectl oc": {launcher: true, options: options{
		"-n --namespace -c --container --context --kubeconfig -f --filename -l --selector -o --output -p --patch --tail --since": plain,
	}, subcommands: map[string]*program{
		"exec": {options: options{"-n --namespace -c --container": plain}, flags: "-i -t -q --stdin --tty --quiet", operands: []slot{operand, command}},
	}},
	"lxc incus nsenter unshare bwrap firejail systemd-run flatpak chroot proot singularity apptainer vagrant":             {launcher: true},
	"valgrind perf hyperfine uvx direnv aws-vault doppler op torsocks proxychains proxychains4 xvfb-run dbus-run-session": {launcher: true},
	"start-stop-daemon": {launcher: true, options: options{"-x --exec -a --startas": command, "-u -p -n -c --pidfile --chuid --name": plain}},
}
