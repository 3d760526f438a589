package shellwords

import "strings"

// verbs are the programs whose first operand names what they do, where what that is may stand in a file of the directory that
// they run in: an alias of git's or cargo's settings, a script of package.json, a recipe.
const verbs = `git hg cargo npm pnpm yarn bun deno gh rake just task mix gradle gradlew mvn mvnw composer`

// verb makes of the first operand of such a program the name of a command, unless it is written out.
func (r *reader) verb(name string, at, to int) {
	if !listed(verbs, name) {
		return
	}
	for i := at + 1; i < to; i++ {
		w, kind := r.words[i], r.Roles[i].Kind
		switch {
		case kind == Argument, kind == AnyOption, strings.HasPrefix(w.Text, "-"), !w.Fixed && kind != Operand:
			continue
		case !w.Fixed:
			r.Roles[i] = Role{Kind: Program, Reader: name, Named: true, Cure: "name the command in the script, or list the values under enum"}
		}
		return
	}
}
