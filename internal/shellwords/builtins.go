package shellwords

// builtins are those that do more with their words than to read them. test, [, trap and the wrappers are elsewhere.
var builtins = map[string]*program{
	"eval":         {operands: []slot{code(Shell, "do not pass values to eval")}, joined: true},
	"source .":     {operands: []slot{file(Shell), free}, stops: true},
	"echo":         {dash: true},
	": true false": {dash: true},
	"printf":       {options: options{"-v": name}, operands: []slot{format, free}, stops: true},
	"read": {
		options:  options{"-a": name, "-d -i -n -N -p -t -u": plain},
		operands: []slot{name},
	},
	"mapfile readarray": {
		options:  options{"-d -n -O -s -u -c": plain, "-C": code(Shell, "do not pass values to mapfile -C")},
		operands: []slot{name},
	},
	"unset":   {operands: []slot{name}},
	"getopts": {operands: []slot{operand, name, free}, dash: true},
	"wait":    {options: options{"-p": name}},
	"declare typeset local export readonly nameref": {operands: []slot{name}},
	"let":   {operands: []slot{code(Arithmetic, "use $(( )) with an integer parameter")}, dash: true},
	"expr":  {operands: []slot{code(Arithmetic, "use $(( )) with an integer parameter")}, dash: true},
	"set":   {operands: []slot{{kind: AnyOption, cure: "write -- in front of it: set -- {{…}}"}}},
	"shopt": {operands: []slot{{kind: AnyOption, cure: "write the option in the script"}}, options: options{"-o": plain}},
	"alias enable bind complete compgen compopt hash fc history jobs": {
		operands: []slot{code(Shell, "do not pass values to it")},
		options:  options{"-A -C -F -G -P -S -W -X -D -f -m -u -q -r -x -p": code(Shell, "do not pass values to it")},
	},
}
