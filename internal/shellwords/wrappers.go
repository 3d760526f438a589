package shellwords

// wrappers run the command that stands in their own words.
var wrappers = map[string]*program{
	"env": {
		options: options{
			"-u --unset -C --chdir --argv0 -a": plain,
			"-S --split-string":                code(Shell, "write the command as words of its own"),
		},
		flags:    "-i --ignore-environment -0 --null -v --debug - --block-signal --default-signal --ignore-signal --list-signal-handling",
		operands: []slot{command}, environ: true, stops: true,
	},
	"sudo": {
		options:  options{"-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -T --command-timeout -R --chroot -D --chdir": plain},
		flags:    "-A -b -B -E -e -H -i -K -k -l -n -N -P -S -s -V -v --askpass --background --bell --edit --set-home --login --non-interactive --preserve-env --preserve-groups --reset-timestamp --remove-timestamp --shell --stdin --validate --list",
		operands: []slot{command}, environ: true, mixed: true, stops: true,
	},
	"doas":        {options: options{"-u -C -a": plain}, flags: "-L -n -s", operands: []slot{command}, stops: true},
	"pkexec run0": {options: options{"--user -u": plain}, flags: "--disable-internal-agent --keep-cwd", operands: []slot{command}, stops: true},
	"su runuser": {
		options:  options{"-c --command --session-command": code(Shell, "su runs this; write it in the script"), "-s --shell": command, "-u --user -g --group -G --supp-group -w": plain},
		flags:    "-l --login -m -p -P --preserve-environment --pty -f --fast -",
		operands: []slot{operand, code(Shell, "name the command in the script")}, stdin: Shell,
	},
	"timeout": {options: options{"-s --signal -k --kill-after": plain}, flags: "-v --verbose --foreground --preserve-status", operands: []slot{operand, command}, stops: true},
	"nice":    {options: options{"-n --adjustment": plain}, flags: "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9", operands: []slot{command}, stops: true},
	"ionice":  {options: options{"-c --class -n --classdata -p --pid -P --pgid -u --uid": plain}, flags: "-t --ignore", operands: []slot{command}, stops: true},
	"chrt":    {options: options{"-T -P -D": plain}, flags: "-a -b -f -i -m -o -p -r -d -R -v", operands: []slot{operand, command}, stops: true},
	"taskset": {flags: "-a -p -c --all-tasks --pid --cpu-list", operands: []slot{operand, command}, stops: true},
	"prlimit setpriv numactl cpulimit cgexec":                  {flags: "-", options: options{"-g -p --pid -l": plain}, operands: []slot{command}, stops: true},
	"nohup chronic unbuffer fakeroot tini dumb-init catchsegv": {flags: "-", operands: []slot{command}, stops: true},
	"setsid":         {flags: "-c -f -w --ctty --fork --wait", operands: []slot{command}, stops: true},
	"stdbuf":         {options: options{"-i --input -o --output -e --error": plain}, flags: "-", operands: []slot{command}, stops: true},
	"time":           {options: options{"-f --format": plain, "-o --output": output}, flags: "-a --append -p --portability -v --verbose -q --quiet", operands: []slot{command}, stops: true},
	"command":        {flags: "-p -v -V", inert: "-v -V", operands: []slot{command}, stops: true},
	"builtin":        {flags: "-", operands: []slot{command}, stops: true},
	"exec":           {options: options{"-a": plain}, flags: "-c -l", operands: []slot{command}, stops: true},
	"busybox toybox": {flags: "--list --install --help", operands: []slot{command}, stops: true},
	"gosu su-exec setuidgid s6-setuidgid chpst envuidgid softlimit": {flags: "-", operands: []slot{operand, command}, stops: true},
	"envdir setarch":  {flags: "-", operands: []slot{operand, command}, stops: true},
	"linux32 linux64": {flags: "-3 -B -R -v", operands: []slot{command}, stops: true},
	"flock": {
		options:  options{"-w --wait --timeout -E --conflict-exit-code": plain, "-c --command": code(Shell, "flock runs this; write it in the script")},
		flags:    "-e -x -s -u -n -o -F --exclusive --shared --unlock --nonblock --close --no-fork --verbose",
		operands: []slot{operand, command},
	},
	"strace ltrace": {
		options:  options{"-e -p -s -a -P -E -I -O -S -u -X -U -b -l -x -n -A": plain, "-o --output": code(Shell, "strace runs a value like '|cmd'; write the file in the script")},
		flags:    "-f -ff -c -C -d -D -h -i -k -q -r -t -tt -T -v -V -y -yy -z -Z --follow-forks",
		operands: []slot{command}, environ: true, stops: true,
	},
	"script": {options: options{"-c --command": code(Shell, "script runs this; write it in the script"), "-E -o -m -I -O -B -T": plain}, operands: []slot{{kind: Operand, writes: true}}, stdin: Shell, always: true},
	"watch": {
		options:  options{"-n --interval": plain},
		flags:    "-b -c -d -e -g -p -t -w -x -q --beep --color --differences --errexit --chgexit --precise --no-title --no-wrap --exec",
		operands: []slot{code(Shell, "watch gives its words to a shell; do without it")}, stops: true, joined: true,
	},
	"parallel entr":              {operands: []slot{code(Shell, "it gives its words to a shell; use a loop")}, joined: true, stdin: Arguments, always: true},
	"systemd-inhibit caffeinate": {options: options{"--what --who --why --mode -t": plain}, operands: []slot{command}, stops: true},
	"at batch":                   {options: options{"-f --file": file(Shell), "-q -t": plain}, operands: []slot{file(Shell)}, stdin: Shell, always: true},
	"crontab":                    {options: options{"-u": plain}, operands: []slot{file(Shell)}, stdin: Shell, always: true},
}
