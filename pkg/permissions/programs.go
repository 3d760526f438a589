package permissions

import (
	"fmt"
	"strings"
)

// The rows of harmless programs, by name; git and its like have a row for each subcommand. They follow the programs'
// manuals (GNU coreutils 9.1, grep 3.8, findutils 4.9, diffutils 3.8, ripgrep 14, tree 2.1, git 2.39) and leave out, on
// purpose, what is named behind each.
var programs = byName(map[string]*harmless{
	"ls": {
		noOptionHarms: true,
		short:         "1aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ", // to the ls of a Mac -I, -T and -w take nothing
		long: `all almost-all author escape block-size= ignore-backups color? directory dired classify? file-type format= full-time
			group-directories-first no-group human-readable si dereference-command-line dereference-command-line-symlink-to-dir hide= hyperlink?
			indicator-style= inode ignore= kibibytes dereference numeric-uid-gid literal hide-control-chars show-control-chars quote-name
			quoting-style= reverse recursive size sort= time= time-style= tabsize= width= context zero help version`,
	},
	"cat": {noOptionHarms: true, short: "AbeEnstTuv", long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version"},
	"tac": {noOptionHarms: true, short: "brs=", long: "before regex separator= help version"},
	"nl": {
		noOptionHarms: true,
		short:         "b=d=f=h=i=l=n=ps=v=w=",
		long: `body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= join-blank-lines= number-format=
			no-renumber number-separator= starting-line-number= number-width= help version`,
	},
	"head": {noOptionHarms: true, short: "c=n=qvz0123456789", long: "bytes= lines= quiet silent verbose zero-terminated help version"},
	"tail": {
		noOptionHarms: true,
		short:         "c=fFn=qs=vz0123456789",
		long:          "bytes= follow? lines= max-unchanged-stats= pid= quiet silent retry sleep-interval= verbose zero-terminated help version",
	},
	"wc": {noOptionHarms: true, short: "clmLw", long: "bytes chars lines max-line-length words help version"}, // --files0-from reads what a file lists
	"grep egrep fgrep": { // -R follows links out of the workspace; -d and --directories can mean -r
		noOptionHarms: true,
		short:         "A=abB=C=cD=e:EFf:GhHiIlLm=noPqrsTUvVwxyzZ0123456789",
		long: `extended-regexp fixed-strings basic-regexp perl-regexp regexp= file: ignore-case no-ignore-case word-regexp line-regexp null-data
			no-messages invert-match version help max-count= byte-offset line-number line-buffered with-filename no-filename label=
			only-matching quiet silent binary-files= text recursive include= exclude= exclude-from: exclude-dir= files-without-match
			files-with-matches count initial-tab null before-context= after-context= context= colour? color? binary unix-byte-offsets`,
		trees: "r recursive", hidden: "*",
	},
	"rg": { // --pre, --hostname-bin and -z run programs; -L follows links; a -g or -t that names a hidden file has it read
		short: "A=B=C=E=F0HIM=NPST=UVabcd=e:f:g=hij=lm=nopqr=st=uvwx.",
		long: `after-context= before-context= context= encoding= fixed-strings null with-filename no-filename max-columns= no-line-number pcre2 smart-case
			case-sensitive type= type-not= type-list type-all multiline multiline-dotall version text byte-offset count count-matches max-depth=
			regexp: file: glob= iglob= help ignore-case threads= files-with-matches files-without-match files max-count= line-number
			only-matching passthru pretty quiet replace= sort= sortr= unrestricted invert-match vimgrep word-regexp line-regexp hidden no-hidden
			no-ignore no-ignore-vcs no-ignore-parent no-ignore-global no-ignore-dot no-config no-heading heading column no-column color= colors=
			no-messages json stats trim max-filesize= no-mmap mmap crlf one-file-system null-data binary`,
		trees: "*", hidden: "u . g t hidden unrestricted glob iglob type",
	},
	"find": { // -exec, -execdir, -ok, -okdir run; -delete, -fprint, -fprint0, -fprintf, -fls write; -follow and -L leave; -files0-from
		long: `name= iname= path= ipath= wholename= iwholename= lname= ilname= regex= iregex= regextype= type= xtype= maxdepth= mindepth= newer:
			anewer: cnewer: samefile: size= mtime= atime= ctime= mmin= amin= cmin= user= group= uid= gid= perm= links= inum= fstype= used= empty
			readable writable executable nouser nogroup true false depth d mount xdev daystart noleaf ignore_readdir_race
			noignore_readdir_race print print0 printf= ls prune quit a and o or not warn nowarn H P help version`,
		oneDash: true,
	},
	"file": { // -C compiles; -m and -d print lines of files; -f reads what a file lists; -z and -Z run decompressors; -L follows
		short: "be=EF=iIhknNrv0",
		long:  "brief mime mime-type mime-encoding apple extension no-dereference keep-going no-buffer no-pad raw separator= print0 version help",
	},
	"stat":                    {noOptionHarms: true, short: "c=fLt", long: "dereference file-system cached= format= printf= terse help version"},
	"du":                      {noOptionHarms: true, short: "0aB=bcd=DHhklmPsSt=x", long: "null all apparent-size block-size= bytes total max-depth= human-readable inodes no-dereference si separate-dirs summarize threshold= time? time-style= one-file-system exclude= exclude-from: help version"},
	"df":                      {short: "aB=hHiklPt=Tvx=", long: "all block-size= human-readable si inodes local no-sync output? portability total type= print-type exclude-type= help version"},
	"basename dirname":        {short: "as=z", long: "multiple suffix= zero help version", rest: texts},
	"realpath readlink":       {short: "efLmnPqsvz", long: "canonicalize canonicalize-existing canonicalize-missing logical physical quiet silent verbose no-newline zero no-symlinks strip relative-to: relative-base: help version"},
	"which":                   {short: "as", rest: texts},
	"type":                    {short: "afptP", rest: texts},
	"uname arch nproc tty":    {short: "amnoprsv", long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system ignore= quiet silent help version", rest: nothing},
	"whoami uptime pwd users": {short: "LPps", long: "pretty since help version", rest: nothing},
	"id groups":               {short: "aGgnruzZ", long: "context group groups name real user zero help version", rest: texts},
	"date":                    {short: "d=I?r:Ru", long: "date= debug iso-8601? reference: rfc-email rfc-3339= utc universal resolution help version", rest: formats}, // -s sets the clock; -f reads dates from a file and prints what is none
	"hostname":                {short: "adfiIsy", long: "alias domain fqdn long ip-address all-ip-addresses short help version", rest: nothing},
	"echo":                    {short: "*", rest: texts},
	": true false":            {short: "*", rest: texts},
	"seq":                     {short: "f=s=w", long: "format= separator= equal-width help version", rest: texts},
	"sleep":                   {long: "help version", rest: texts},
	"tr":                      {short: "cCdst", long: "complement delete squeeze-repeats truncate-set1 help version", rest: texts},
	"cut":                     {noOptionHarms: true, short: "b=c=d=f=nsz", long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated help version"},
	"paste":                   {short: "d=sz", long: "delimiters= serial zero-terminated help version"},
	"fold":                    {short: "bsw=", long: "bytes spaces width= help version"},
	"rev":                     {},
	"comm":                    {short: "123z", long: "check-order nocheck-order output-delimiter= total zero-terminated help version"},
	"cmp":                     {short: "bi=ln=sv", long: "print-bytes ignore-initial= verbose bytes= quiet silent help version"},
	"uniq":                    {short: "cdDf=is=uw=z", long: "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated check-chars= help version", rest: oneFile},
	"sort":                    {short: "bcCdfghiMnRrsuVmk=t=S=z", long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source: reverse sort= version-sort batch-size= check? debug key= merge stable buffer-size= field-separator= parallel= unique zero-terminated help version"}, // -o and -T write; --compress-program runs; --files0-from
	"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum": {noOptionHarms: true, short: "btz", long: "binary text tag zero help version"}, // -c reads what a file lists
	"od":      {short: "A=abcdfij=lN=osS=t=vxw?", long: "address-radix= endian= skip-bytes= read-bytes= strings? format= output-duplicates width? help version"},
	"xxd":     {short: "abc=eEg=hil=pu", rest: oneFile}, // -r and a second file write
	"hexdump": {short: "bcCdn=os=vx"},                   // -f reads what a file lists
	"shasum":  {short: "a=bt", long: "algorithm= binary text"},
	"column":  {short: "c=s=tx", long: "table separator="},
	"diff": { // -l runs pr; --to-file, --from-file and -D are left out
		short: "abBcC=dEeF=iI=L=nNpqrsS:tTuU=vW=wx=X:yZ0123456789",
		long: `normal brief report-identical-files context? unified? ed rcs side-by-side width= left-column suppress-common-lines
			show-c-function show-function-line= label= expand-tabs initial-tab tabsize= suppress-blank-empty recursive no-dereference new-file
			unidirectional-new-file ignore-file-name-case no-ignore-file-name-case exclude= exclude-from: starting-file= ignore-case
			ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text
			strip-trailing-cr horizon-lines= minimal speed-large-files color? palette= help version`,
		trees: "r recursive", hidden: "*",
	},
	"tree": { // -o and -R write; -l follows; --fromfile reads a list
		short: "aACdDfFghiIL=nNpP=qQrsStuUvxJ",
		long: `dirsfirst filesfirst du si prune matchdirs ignore-case noreport charset= filelimit= timefmt= sort= gitignore inodes device metafirst
			nolinks help version`,
	},

	"sed gsed": { // -i, -f and the commands w, r and e of its programs write, read and run; -l takes a value in some, none in others
		short: "ne%Ersuz", long: "quiet silent expression% regexp-extended separate unbuffered null-data posix debug sandbox help version",
		program: sedProgram,
	},
	"awk gawk mawk nawk": {short: "F=v=", long: "field-separator= assign= version", program: awkProgram, refuses: awkProgram}, // -f and -i load, -o and -d write
	"jq": { // -f, -L, --slurpfile and --rawfile open files
		short: "rcnseMCaSjRhV",
		long: `arg& argjson& raw-output compact-output null-input slurp exit-status monochrome-output color-output ascii-output sort-keys join-output
			raw-input tab indent= unbuffered stream seq args jsonargs help version`,
		program: jqProgram,
	},
	"tar bsdtar": { // only to list; a : in a name is another machine
		short: "tvzjJf:", long: "list verbose gzip bzip2 xz file: version help", bundled: true, refuses: hosts,
	},

	"npm --version": {rest: nothing}, "npm -v": {rest: nothing}, "docker --version": {rest: nothing}, "gcc --version": {rest: nothing},
	"make --version": {rest: nothing}, "git --version": {rest: nothing},

	"go version": {rest: nothing, oneDash: true, long: "m v"},
	"go env":     {rest: texts, oneDash: true, long: "json changed"}, // -w and -u write

	"git status":         {short: "bsu?vz", long: "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?", rest: revisions},
	"git diff":           {short: gitDiffShort + "0123456789", long: gitDiffLong + " cached staged merge-base", rest: revisions},
	"git log":            {short: gitDiffShort + "cEFgiL:mn=q0123456789", long: gitDiffLong + gitLogLong, rest: revisions},
	"git show":           {short: gitDiffShort + "cEFgiL:mn=q0123456789", long: gitDiffLong + gitLogLong, rest: revisions},
	"git stash list":     {short: gitDiffShort + "n=q0123456789", long: gitDiffLong + gitLogLong, rest: revisions},
	"git stash show":     {short: gitDiffShort, long: gitDiffLong + " include-untracked only-untracked", rest: revisions},
	"git shortlog":       {short: "cE:eFinsw?", long: gitLogLong + " numbered summary email group= committer", rest: revisions},
	"git blame":          {short: "bcCefL=lM?npstw", long: "root show-stats porcelain line-porcelain incremental encoding= first-parent date= score-debug show-name show-number show-email abbrev= color-lines color-by-age since= ignore-rev= reverse no-progress", rest: revisions},
	"git branch":         {short: "ailrv", long: "all remotes list show-current verbose sort= color? no-color column? no-column ignore-case abbrev= no-abbrev format= omit-empty contains= no-contains= points-at=", rest: nothing},
	"git branch --list":  {short: "ailrv", long: "all remotes verbose sort= color? no-color column? no-column ignore-case abbrev= no-abbrev format= contains= no-contains= merged? no-merged? points-at=", rest: revisions},
	"git tag":            {rest: nothing},
	"git tag --list":     {short: "iln?", long: "list sort= color? no-color column? no-column ignore-case format= contains= no-contains= merged? no-merged? points-at=", rest: revisions},
	"git tag -l":         {short: "in?", long: "sort= color? no-color column? no-column ignore-case format= contains= no-contains= merged? no-merged? points-at=", rest: revisions},
	"git remote":         {short: "v", long: "verbose", rest: nothing},
	"git remote get-url": {long: "push all", rest: texts},
	"git config":         {long: "get global local", rest: oneFile, refuses: plainSetting}, // a second word is written
	"git symbolic-ref":   {short: "q", long: "short quiet", rest: oneFile},                 // so it is here
	"git reflog":         {short: "n=0123456789", long: gitLogLong, rest: nothing},         // reflog expire and delete write
	"git reflog show":    {short: "n=q0123456789", long: gitLogLong, rest: revisions},
	"git show-ref":       {short: "dqs?", long: "heads tags branches head dereference hash? abbrev? quiet verify", rest: texts},
	"git for-each-ref":   {long: "count= sort= format= points-at= merged? no-merged? contains? no-contains? ignore-case", rest: texts},
	"git name-rev":       {long: "tags refs= exclude= all name-only no-undefined always", rest: revisions},
	"git cherry":         {short: "v", long: "verbose abbrev?", rest: revisions},
	"git rev-parse":      {short: "q", long: "show-toplevel abbrev-ref? short? verify quiet is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository git-dir absolute-git-dir git-common-dir show-prefix show-cdup show-superproject-working-tree symbolic symbolic-full-name all branches? tags? remotes? since= until= revs-only no-revs flags no-flags sq", rest: revisions},
	"git rev-list":       {short: "n=0123456789", long: gitLogLong + " count objects quiet left-only right-only timestamp header parents children disk-usage?", rest: revisions},
	"git ls-files":       {short: "cdfiokmstuvx=X:z", long: "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol exclude= exclude-from: exclude-per-directory= exclude-standard error-unmatch with-tree= full-name recurse-submodules abbrev? deduplicate format= debug resolve-undo", rest: revisions},
	"git ls-tree":        {short: "drtlz", long: "long name-only name-status object-only full-name full-tree abbrev? format=", rest: revisions},
	"git cat-file":       {short: "epst", rest: revisions}, // --filters and --textconv run; --batch reads names from its input
	"git describe":       {long: "all tags contains abbrev= candidates= exact-match debug long match= exclude= always first-parent dirty? broken?", rest: revisions},
	"git merge-base":     {short: "a", long: "all octopus is-ancestor independent fork-point", rest: revisions},
	"git grep": { // -O and --open-files-in-pager run; --no-index and --untracked read what git does not know; -f
		short: "A=aB=C=cE:EFGhHIiLlnopPqvWwze:0123456789",
		long: `cached text ignore-case invert-match word-regexp extended-regexp basic-regexp fixed-strings perl-regexp line-number column
			full-name files-with-matches name-only files-without-match null only-matching count color? no-color break heading show-function
			function-context context= after-context= before-context= max-depth= recursive no-recursive threads= and or not all-match quiet`,
		rest: revisions,
	},
	"git worktree list": {short: "vz", long: "porcelain verbose", rest: nothing},
	"git check-ignore":  {short: "nqvz", long: "quiet verbose non-matching no-index", rest: revisions},
	"git count-objects": {short: "vH", long: "verbose human-readable", rest: nothing},
	"git version":       {long: "build-options", rest: nothing},
})

// hosts tells whether a word could name a file of another machine.
func hosts(word string) string {
	if strings.Contains(word, ":") {
		return fmt.Sprintf("%q could be a file of another machine", word)
	}
	return ""
}

// plainSetting keeps git config to settings that hold no secret; some have tokens in them (http.extraHeader, url.insteadOf).
func plainSetting(word string) string {
	name := strings.ToLower(word)
	branch := strings.HasPrefix(name, "branch.") && (strings.HasSuffix(name, ".remote") || strings.HasSuffix(name, ".merge"))
	if strings.HasPrefix(word, "-") || branch || plainSettings[name] {
		return ""
	}
	return fmt.Sprintf("it is not known that the setting %q holds no secret", word)
}

var plainSettings = set(`user.name user.email init.defaultbranch core.autocrlf core.eol core.filemode core.ignorecase core.bare core.editor
	remote.origin.url remote.upstream.url pull.rebase push.default core.hookspath`)

// signatures tells whether a format has git run gpg: %G?, %+GS, %(signature).
func signatures(word string) string {
	for i := 0; i+1 < len(word); i++ {
		if rest := word[i:]; rest[0] == '%' && strings.HasPrefix(strings.TrimLeft(rest[1:], "+- "), "G") || strings.HasPrefix(rest, "(signature") || strings.HasPrefix(rest, "(*signature") {
			return fmt.Sprintf("%q has git run gpg", word)
		}
	}
	return ""
}

// What git's commands share. Left out: -O, --output, --ext-diff, --textconv and --no-index, which write, run or leave the
// repository, and --show-signature, which runs gpg.
const (
	gitDiffShort = "abB?C?DG=l=M?pRsS=U=uWwz"
	gitDiffLong  = ` patch no-patch unified= raw patch-with-raw indent-heuristic no-indent-heuristic minimal patience histogram anchored= diff-algorithm=
		stat? compact-summary numstat shortstat dirstat? cumulative dirstat-by-file? summary patch-with-stat name-only name-status submodule? color? no-color
		color-moved? no-color-moved color-moved-ws= word-diff? word-diff-regex= color-words? no-renames rename-empty no-rename-empty check
		ws-error-highlight= full-index binary abbrev? break-rewrites? find-renames? find-copies? find-copies-harder irreversible-delete diff-filter=
		find-object= pickaxe-all pickaxe-regex relative? no-relative text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space
		ignore-blank-lines ignore-matching-lines= inter-hunk-context= function-context exit-code quiet no-ext-diff no-textconv ignore-submodules?
		src-prefix= dst-prefix= no-prefix line-prefix= ita-invisible-in-index`
	gitLogLong = ` oneline graph decorate? no-decorate decorate-refs= decorate-refs-exclude= source mailmap no-mailmap follow max-count= skip= since= after=
		until= before= author= committer= grep-reflog= grep= all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings
		perl-regexp merges no-merges min-parents= max-parents= first-parent not all branches? tags? remotes? glob= exclude= reflog
		ignore-missing bisect cherry cherry-mark cherry-pick left-right left-only right-only walk-reflogs merge boundary simplify-by-decoration show-pulls full-history dense
		sparse simplify-merges ancestry-path? date-order author-date-order topo-order reverse no-walk? do-walk pretty? format= abbrev-commit no-abbrev-commit
		encoding= expand-tabs? no-expand-tabs notes? no-notes relative-date date= parents children left-right shortstat cc combined-all-paths remerge-diff
		diff-merges= no-diff-merges`
)

// byName gives every name of a key its row.
func byName(rows map[string]*harmless) map[string]*harmless {
	all := map[string]*harmless{}
	for names, row := range rows {
		if first, second, subcommand := strings.Cut(names, " "); subcommand && (families[first] || second[0] == '-') {
			if first == "git" && row.refuses == nil {
				row.refuses = signatures
			}
			all[names] = row
			continue
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = row
		}
	}
	return all
}

// families are the programs of which a rule must name the subcommand, unless it is one of the rows: their subcommands have
// nothing in common. ("Allow git status" allowed all of git: Zed #37906.)
var families = set("git go")

// interpreters run what stands in their words, read commands while they run, or hand their words to something that does.
// A rule covers one of them only when it spells the whole command.
var interpreters = set(`sed gsed awk gawk mawk nawk perl python pypy node nodejs deno bun ruby php lua luajit Rscript R tclsh wish expect
	osascript swift ghci erl iex elixir julia groovy scala jshell java bash sh zsh dash ksh mksh fish csh tcsh ash busybox toybox env xargs
	parallel sudo doas su pkexec run0 ssh less more most pg man info vi vim nvim view ed ex emacs nano pico joe micro sqlite3 psql mysql
	mariadb mongosh mongo redis-cli gdb lldb watch script screen tmux nsenter unshare chroot setpriv systemd-run at batch crontab entr
	strace ltrace eval source . exec trap bc dc jq yq xmlstarlet gnuplot octave`)

// builders read build files that they are told to; other programs that name one may be writing it.
var builders = set(`make gmake ninja cmake meson bazel buck docker podman nerdctl npm pnpm yarn npx cargo go gradle gradlew mvn mvnw just task
	pip pip3 uv poetry hatch tox nox pytest sbt mix rebar3 stack cabal dune zig swift dotnet msbuild bundle rake composer tsc eslint jest
	vitest webpack vite rollup prettier`)

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}
