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
	"node nodejs tsx ts-node ts-node-esm ts-node-dev esno esmo babel-node zx": {
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
	"deno bun": {
		options: options{
			"-e --eval -p --print": code(JavaScript, argvCure),
			"-r --preload --require --import --import-map --env-file -c --config --cwd": beside(file(JavaScript)),
			"--cert --location --seed --v8-flags --inspect --port":                      plain,
		},
		operands: []slot{file(JavaScript), free}, instead: []slot{free}, stops: true, stdin: JavaScript,
		subcommands: map[string]*program{
			"run": runsFile, "serve": runsFile, "test": runsTests, "bench": runsTests, "compile": runsFile, "install": runsFile, "x": runsFile, "create": runsFile,
			"eval": {operands: []slot{code(JavaScript, argvCure)}},
			"exec": {operands: []slot{code(Shell, "write it in the script")}},
			"task": {operands: []slot{{kind: Program, cure: "name the task in the script, or list the values under enum"}, free}},
		},
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
	"m4":                                  {options: options{"-D --define": code("m4", "m4 expands what a name is defined as; give it a file"), "-I --include": plain}, operands: []slot{file("m4")}, stdin: "m4", always: true},
	"nix-shell":                           {options: options{"--run --command": code(Shell, "nix-shell runs this; write it in the script"), "-p -A": plain}, launcher: true},
	"npm pnpm yarn": {launcher: true, options: options{
		"-c --call": code(Shell, "write it in the script"), "--script-shell --node-options": code(Settings, "write it in the script"),
		"--prefix -C --dir --cwd": file(Settings),
	}, subcommands: map[string]*program{
		"exec": runsFile, "x": runsFile, "dlx": runsFile, "create": runsFile, "init": runsFile,
		"install": runsPackage, "i": runsPackage, "add": runsPackage,
		"pkg":    {operands: []slot{operand, code(Settings, "package.json holds commands; write the field in the script, and give the value a pattern")}},
		"config": {operands: []slot{operand, code(Settings, "a setting of npm can name a program; write it in the script")}},
		"set":    {operands: []slot{code(Settings, "a setting of npm can name a program; write it in the script")}},
	}},
	"npx bunx pnpx uvx": {
		options:  options{"-c --call --shell-mode": code(Shell, "write it in the script"), "-p --package --from --with": plain},
		operands: []slot{file("a program's"), operand}, stops: true, launcher: true,
	},
	"go": {launcher: true, long: true, subcommands: map[string]*program{
		"run": {long: true, options: options{"-exec -toolexec": code(Shell, "go runs this; write it in the script"), "-C -modfile -overlay": file(Settings), "-tags -mod -p": plain},
			operands: []slot{file("go"), free}, stops: true},
	}, options: options{
		"-toolexec -exec -vettool":                code(Shell, "go runs this; write it in the script"),
		"-ldflags -gcflags -asmflags -gccgoflags": code(Settings, "a flag of the linker or compiler can name a program: give the parameter a pattern like [A-Za-z0-9._-]+"),
		"-C -modfile -overlay":                    file(Settings),
		"-run -bench -count -tags -timeout -o -p -parallel -cover -coverprofile -skip -fuzz -fuzztime -f -mod -u -w -diff": plain,
	}},
	"cargo":          {launcher: true, options: options{"--config": code(Settings, "a setting of cargo can name a program"), "--manifest-path -C": file(Settings)}},
	"gradle gradlew": {launcher: true, options: options{"-I --init-script -b --build-file -c --settings-file -p --project-dir": file(Settings)}},
	"mvn mvnw":       {launcher: true, options: options{"-s --settings -gs --global-settings -f --file -t --toolchains": file(Settings)}},
	"pip pip3":       {launcher: true, options: options{"--python --config-settings": file(Settings)}, subcommands: map[string]*program{"install": runsPackage, "wheel": runsPackage}},
	"gem":            {launcher: true, subcommands: map[string]*program{"install": runsPackage}},
	"pipx":           {launcher: true, subcommands: map[string]*program{"run": runsFile, "install": runsPackage}},
	"uv poetry pipenv conda bundle rake dotnet": {launcher: true, subcommands: map[string]*program{"run": runsFile, "exec": runsFile}},
}

// runsFile is a subcommand whose first operand names what runs.
var runsFile = &program{operands: []slot{file("a program's"), operand}, options: options{"-p --package --with --from --python": plain}, stops: true, launcher: true}

// runsTests is one whose operands name tests, or only choose among them.
var runsTests = &program{
	operands: []slot{{kind: Operand, caution: "the file that the value names is run: give the parameter a pattern"}},
	options:  options{"-t --test-name-pattern --filter --timeout --reporter --coverage-dir": plain, "--preload -c --config": file(JavaScript)},
}

// runsPackage is one whose operands name packages, the scripts of which run.
var runsPackage = &program{
	operands: []slot{{kind: Operand, caution: "scripts of the package that the value names run when it is installed: give the parameter a pattern, or list the packages under enum"}},
	options: options{
		"-e --editable": file("a program's"), "-r --requirement -c --constraint": careful("scripts of the packages that the file names run when they are installed"),
		"-i --index-url --extra-index-url -f --find-links --registry --source": careful("packages come from the address that the value names, and their scripts run"),
		"-t --target --prefix --tag -w --workspace --python-version":           plain,
	},
}

const projectCure = "name the file in the script, or list the files under enum"

// projects are the tools of a project that run settings, plugins or further programs which their words name
// (each one's --help, or the page of its command line).
var projects = map[string]*program{
	"hyperfine": {
		options: options{
			"-p --prepare -s --setup -c --cleanup -C --conclude -S --shell --reference": beside(code(Shell, "hyperfine gives it to a shell; write it in the script")),
			"-L --parameter-list": two(beside(code(Shell, "hyperfine puts it into the commands; write it in the script"))),
			"-w --warmup -r --runs -m --min-runs -M --max-runs -n --command-name -u --time-unit --style -i --input -D --parameter-step-size": plain,
			"--export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --output":                                       output,
		},
		operands: []slot{code(Shell, "hyperfine gives its words to a shell; write them in the script")},
	},
	"concurrently": {
		options:  options{"-n --names -c --prefix-colors -p --prefix -s --success -m --max-processes --name-separator -l --prefix-length": plain},
		operands: []slot{code(Shell, "concurrently gives its words to a shell; write them in the script")},
	},
	"nodemon ts-node-dev chokidar watchexec cargo-watch onchange watchman-make": {
		options: options{
			"-x --exec -c --command --shell -s --on-busy-update":                     code(Shell, "it gives this to a shell; write it in the script"),
			"--config -r --require":                                                  beside(file(Settings)),
			"-w --watch -e --ext -i --ignore -d --delay --delay-restart -f --filter": plain,
		},
		operands: []slot{file(JavaScript), free}, instead: []slot{free}, launcher: true,
	},
	"ansible ansible-console": {options: options{
		"-a --args":       code(Shell, "the arguments of a module can be a command, and Jinja in them runs; write them in the script"),
		"-e --extra-vars": beside(code(Settings, "Jinja in the value runs; put the value into a JSON file and pass @FILE")),
		"-i --inventory -M --module-path --playbook-dir --vault-password-file":    beside(file(Settings)),
		"-m --module-name -u --user -f --forks -l --limit -t --tree -T --timeout": plain,
	}},
	"ansible-playbook ansible-pull": {
		options: options{
			"-e --extra-vars": beside(code(Settings, "Jinja in the value runs; put the value into a JSON file and pass @FILE")),
			"-i --inventory -M --module-path --vault-password-file":                              beside(file(Settings)),
			"-u --user -f --forks -l --limit -t --tags --skip-tags --start-at-task -T --timeout": plain,
		},
		operands: []slot{file(Settings)},
	},
	"gcloud": {launcher: true, options: options{
		"--command": code(Shell, "gcloud runs it on the other machine"), "--flags-file": beside(file(Settings)), "--ssh-flag": beside(code(Settings, "an option of ssh can name a program")),
		"--project --zone --region --format --filter --limit --account": plain,
	}},
	"az doctl fly flyctl heroku vagrant eb multipass limactl minikube distrobox toolbox": {launcher: true, options: options{
		"--command --scripts --ssh-command -C": code(Shell, "it is run on the other machine; write it in the script"),
	}},
	"adb": {options: options{"-s -t -H -P -L": plain}, subcommands: map[string]*program{
		"shell":    {operands: []slot{code(Shell, "adb gives its words to a shell on the device; write them in the script")}, joined: true, stops: true},
		"exec-out": {operands: []slot{code(Shell, "adb gives its words to a shell on the device; write them in the script")}, joined: true, stops: true},
	}},
	"pdsh pssh parallel-ssh clush dsh mussh": {
		options:  options{"-w -x -h --hosts -H --host -l --user -p --par -t --timeout -g -n -b": plain, "-o --option -O": beside(code(Settings, "an option of ssh can name a program"))},
		operands: []slot{code(Shell, "it gives its words to a shell on the other machines; write them in the script")}, joined: true, stops: true,
	},
	"just": {
		options: options{
			"-f --justfile -d --working-directory --dotenv-path": beside(file(Makefile)), "--shell -c --command": command,
			"--set": two(beside(code(Makefile, "a recipe's text is put around it; write it in the script"))),
		},
		operands: []slot{operand, code(Makefile, "a recipe's text is put around it; pass it in a variable of the environment that the recipe quotes")},
	},
	"pandoc": {options: options{
		"-F --filter -L --lua-filter --pdf-engine --pdf-engine-opt": file("a program's"),
		"-d --defaults --data-dir":                                  file(Settings),
		"-f -r --from --read -t -w --to --write":                    {kind: CodeFile, language: Lua, dash: true, cure: "list the formats under enum: the name of a Lua file is one, too"},
		"-o --output --extract-media --log":                         output,
		"-M --metadata -V --variable --metadata-file --template -c --css -H -B -A --toc-depth --columns --wrap --shift-heading-level-by --resource-path --bibliography --csl": plain,
	}},
	"jest vitest mocha ava jasmine karma cypress playwright webpack vite rollup esbuild parcel tsup babel postcss eslint stylelint prettier standard gulp grunt next nuxt astro storybook": {
		options: options{
			"-c --config --configFile --config-file -r --require --import --loader --setupFiles --globalSetup --globalTeardown --reporters --reporter --testRunner --runner --transform --preset --rootDir --roots --resolver": {
				kind: CodeFile, language: JavaScript, cure: projectCure},
			"--rulesdir --plugin --parser --resolve-plugins-relative-to --use --presets --plugins --gulpfile --gruntfile --tasks --customSyntax --custom-syntax --ui": {
				kind: CodeFile, language: JavaScript, cure: projectCure},
			"-t --testNamePattern --grep -g --ext --ignore-pattern --ignore-path --max-warnings --output-file -o --outDir --outfile --mode --port": plain,
		},
	},
	"pytest py.test": {options: options{
		"-c --config-file -p --rootdir --confcutdir -o --override-ini --import-mode": {kind: CodeFile, language: Python, cure: projectCure},
		"-k -m --tb --maxfail -n --durations --junitxml --timeout --lf --ff --color": plain,
	}, operands: []slot{{kind: Operand, caution: "pytest runs the file that the value names, and conftest.py beside it: give it a pattern"}}},
	"pylint mypy flake8 isort tox nox invoke fab": {options: options{
		"--init-hook": code(Python, projectCure),
		"--rcfile --load-plugins --config-file --config -c -f --noxfile -r --search-root": {kind: CodeFile, language: Settings, cure: projectCure},
	}},
	"helm": {launcher: true, options: options{
		"--kubeconfig --registry-config --repository-config": beside(file(Settings)), "--post-renderer --post-renderer-args": command,
		"-n --namespace --set --set-string --set-json -f --values --version --kube-context --timeout": plain,
	}},
	"terraform tofu terragrunt": {options: options{
		"-chdir": careful("terraform runs the providers that the directory names: give the parameter a pattern"),
		"-var -var-file -target -out -state -backend-config -lock-timeout -parallelism": plain,
	}, long: true},
	"fzf":     {options: options{"--preview --bind --execute --filter-command --with-shell --preview-window": code(Shell, "fzf runs this; write it in the script"), "-q --query -f --filter -n --nth -d --delimiter": plain}},
	"sshpass": {options: options{"-p -f -d -P": plain}, flags: "-e -h -V -v", operands: []slot{command}, stops: true},
	"cross-env cross-env-shell dotenv dotenvx": {flags: "-", options: options{"-e -f --env-file": plain}, operands: []slot{command}, environ: true, stops: true},
	"plink rsh rexec remsh autossh": {
		options:  options{"-l -p -P -i -M -L -R -D": plain, "-o": beside(code(Settings, "an option of ssh can name a program")), "-F -m": beside(file(Settings))},
		operands: []slot{operand, code(Shell, "it gives its words to a shell on the other machine; send the value on standard input")}, stops: true, joined: true, stdin: Shell,
	},
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
		"-H --host -c --context --config":                               careful("docker obeys what is there: give the parameter a pattern"),
		"-l --log-level --format -f --filter -n --tail --since --until": plain,
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
		"--kubeconfig": beside(file(Settings)),
		"-n --namespace -c --container --context -f --filename -l --selector -o --output -p --patch --tail --since": plain,
	}, subcommands: map[string]*program{
		"exec": {options: options{"-n --namespace -c --container": plain}, flags: "-i -t -q --stdin --tty --quiet", operands: []slot{operand, command}},
	}},
	"lxc incus nsenter unshare bwrap firejail systemd-run flatpak chroot proot singularity apptainer vagrant": {launcher: true},
	"valgrind perf direnv aws-vault doppler op torsocks proxychains proxychains4 xvfb-run dbus-run-session":   {launcher: true},
	"start-stop-daemon": {launcher: true, options: options{"-x --exec -a --startas": command, "-u -p -n -c --pidfile --chuid --name": plain}},
}
