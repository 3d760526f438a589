package gitrepotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Generate makes a repository out of pieces that choose picks, each by a number below the one that it is
// given. It gives the directory to run git in, and tells the pieces.
func Generate(b *Bed, choose func(int) int) (dir, told string) {
	var pieces []string
	say := func(format string, args ...any) { pieces = append(pieces, fmt.Sprintf(format, args...)) }
	shape := shapes[choose(len(shapes))]
	say("%s", shape.name)
	dir, configs := shape.make(b)
	for range choose(4) { // before there are settings: some are made with git
		extra := extras[choose(len(extras))]
		say("%s", extra.name)
		extra.make(b, dir)
	}
	for range choose(4) {
		config := configs[choose(len(configs))]
		key, value := generatedKeys[choose(len(generatedKeys))], generatedValues[choose(len(generatedValues))]
		value = strings.NewReplacer("$UP", up(b), "$WS", b.WS).Replace(value)
		say("%s: %s = %s", config, key, value)
		b.Append(config, setting(key, value))
	}
	return dir, strings.Join(pieces, "; ")
}

// setting writes a setting as a file has it.
func setting(key, value string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first == last {
		return fmt.Sprintf("[%s]\n\t%s = %q\n", key[:first], key[last+1:], value)
	}
	return fmt.Sprintf("[%s %q]\n\t%s = %q\n", key[:first], key[first+1:last], key[last+1:], value)
}

// shapes are ways in which repositories lie; make gives the directory to run git in, and the files of
// settings.
var shapes = []struct {
	name string
	make func(b *Bed) (dir string, configs []string)
}{
	{"plain", func(b *Bed) (string, []string) {
		b.Init("ws")
		return "ws", []string{"ws/.git/config"}
	}},
	{"below", func(b *Bed) (string, []string) {
		b.Init("ws")
		return "ws/docs", []string{"ws/.git/config"}
	}},
	{"the workspace is a part", func(b *Bed) (string, []string) {
		b.Init(".")
		return "ws", []string{".git/config"}
	}},
	{"a submodule", func(b *Bed) (string, []string) {
		submodule(b, "inner")
		return "ws", []string{"ws/.git/config", "ws/.git/modules/inner/config"}
	}},
	{"an old submodule", func(b *Bed) (string, []string) {
		b.Init("ws/inner")
		b.Init("ws")
		return "ws", []string{"ws/.git/config", "ws/inner/.git/config"}
	}},
	{"a submodule of the past", func(b *Bed) (string, []string) {
		past(b)
		return "ws", []string{"ws/.git/config", "ws/inner/.git/config"}
	}},
	{"a work tree", func(b *Bed) (string, []string) {
		b.Init("elsewhere/main")
		b.Git("elsewhere/main", "worktree", "add", "-q", b.WS+"/tree")
		return "ws/tree", []string{"elsewhere/main/.git/config"}
	}},
	{"settings of the work tree", func(b *Bed) (string, []string) {
		b.Init("ws")
		b.Append("ws/.git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n")
		b.Write("ws/.git/config.worktree", "")
		return "ws", []string{"ws/.git/config", "ws/.git/config.worktree"}
	}},
	{"an included file", func(b *Bed) (string, []string) {
		b.Init("ws")
		b.Append("ws/.git/config", "[include]\n\tpath = ../more\n")
		b.Write("ws/more", "")
		return "ws", []string{"ws/.git/config", "ws/more"}
	}},
	{"a person's file", func(b *Bed) (string, []string) {
		b.Init("ws")
		b.Write("home/.gitconfig", "")
		return "ws", []string{"ws/.git/config", "home/.gitconfig"}
	}},
	{"a .git that is a file", func(b *Bed) (string, []string) {
		b.Init("ws")
		b.Move("ws/.git", "ws/plain")
		b.Write("ws/.git", "gitdir: plain\n")
		return "ws", []string{"ws/plain/config"}
	}},
	{"longer hashes", func(b *Bed) (string, []string) {
		b.Init("ws", "--object-format=sha256")
		return "ws", []string{"ws/.git/config"}
	}},
	{"merged", func(b *Bed) (string, []string) {
		b.Init("ws")
		merged(b)
		return "ws", []string{"ws/.git/config"}
	}},
	{"signed, and some of it is not there", func(b *Bed) (string, []string) {
		b.Init("ws")
		signed(b)
		lacking(b)
		b.Append("ws/.git/config", "[core]\n\trepositoryformatversion = 1\n")
		return "ws", []string{"ws/.git/config"}
	}},
}

var generatedKeys = strings.Fields(`core.fsmonitor core.pager core.hooksPath core.sshCommand core.gitProxy
	core.askPass core.editor core.worktree core.attributesFile core.excludesFile core.alternateRefsCommand
	core.bare core.commentChar core.notesRef core.untrackedCache core.sparseCheckout pager.status pager.log
	pager.diff diff.external diff.x.command diff.x.textconv diff.x.cachetextconv diff.x.xfuncname diff.submodule
	diff.tool diff.orderFile diff.ignoreSubmodules filter.x.clean filter.x.smudge filter.x.process
	filter.x.required filter.lfs.clean filter.lfs.process merge.x.driver merge.tool gpg.program gpg.format
	gpg.ssh.program gpg.ssh.defaultKeyCommand log.showSignature log.date log.mailmap format.pretty pretty.x
	hook.x.event hook.x.command hook.post-index-change.enabled include.path includeIf.gitdir:/.path
	includeIf.onbranch:main.path extensions.partialClone extensions.objectFormat extensions.worktreeConfig
	remote.o.url remote.o.promisor remote.o.vcs remote.o.uploadpack remote.origin.url url.x.insteadOf
	protocol.ext.allow credential.helper submodule.inner.update submodule.inner.ignore submodule.recurse
	status.submoduleSummary status.showStash alias.status alias.log alias.diff trace2.eventTarget
	blame.ignoreRevsFile mailmap.file mailmap.blob attr.tree grep.fallbackToNoIndex column.ui color.ui
	i18n.logOutputEncoding interactive.diffFilter difftool.x.cmd uploadpack.packObjectsHook gc.recentObjectsHook
	maintenance.auto lfs.extension.x.clean delta.pager safe.directory user.name branch.main.remote branch.sort
	tag.sort`)

var generatedValues = []string{
	"./evil", "./evil", "./evil", "!./evil", "evil", "../evil", "sh -c ./evil", "true", "false", "", "1", "x",
	"post-index-change", "diff", "log", "%G?", "cat", "cat; ./evil", "less -FRX", "h", "../h",
	"$UP/proc/self/cwd/evil", "$UP/proc/self/cwd/h", "$UP/proc/self/cwd/more", "../more", "more", "$WS/evil",
	"$WS/h", "%(prefix)/evil", "~/evil", "ext::./evil", "o", "sha256", "..", "/", ".", "git-lfs clean -- %f",
	"git-lfs clean; ./evil", "nobody@localhost:x", "../elsewhere", ".gitignore",
	"bat --pager ./evil", ":(optional)more", ":(optional)h", "signature", "l/../h", "l/../more", "l/../evil",
	"$UP$WS/evil", "~+/evil", "~root/evil",
}

// extras are what else may lie in a repository.
var extras = []struct {
	name string
	make func(b *Bed, dir string)
}{
	{"attributes", func(b *Bed, _ string) { b.Write("ws/.gitattributes", "* diff=x filter=x merge=x\n") }},
	{"attributes of lfs", func(b *Bed, _ string) { b.Write("ws/.gitattributes", "* filter=lfs\n") }},
	{"a hook", func(b *Bed, dir string) {
		if hooks := filepath.Join(b.Git(dir, "rev-parse", "--git-common-dir"), "hooks"); !filepath.IsAbs(hooks) {
			b.Program(filepath.Join(dir, hooks, "post-index-change"), "")
		}
	}},
	{"hooks at other places", func(b *Bed, _ string) {
		b.Program("ws/h/post-index-change", "")
		b.Program("h/post-index-change", "")
	}},
	{"a .git that is none", func(b *Bed, dir string) { b.Mkdir(dir + "/docs/.git") }},
	{"more settings", func(b *Bed, _ string) {
		b.Write("ws/more", "[core]\n\tfsmonitor = ./evil\n")
		b.Write("home/more", "[core]\n\tfsmonitor = ./evil\n")
	}},
	{"an index that is older than its files",
		func(b *Bed, dir string) { b.Write(dir+"/a.txt", "one\nand more\n") }},
	{"modules", func(b *Bed, _ string) {
		b.Write("ws/.gitmodules", "[submodule \"inner\"]\n\tpath = inner\n\turl = ../x\n\tignore = none\n\tupdate = !./evil\n")
	}},
	{"a repository that git does not track", func(b *Bed, dir string) {
		if _, err := os.Lstat(filepath.Join(b.Dir, dir, "other")); err == nil {
			return
		}
		b.Init(dir + "/other")
		b.Append(dir+"/other/.git/config", "[core]\n\tfsmonitor = ../evil\n\tpager = ../evil\n\thooksPath = ../h\n")
	}},
	{"a link by which .. leads elsewhere", func(b *Bed, dir string) {
		b.Write("ws/deep/more", "[core]\n\tfsmonitor = ./evil\n")
		b.Program("ws/deep/h/post-index-change", "")
		b.Program("ws/deep/evil", "")
		b.Mkdir("ws/deep/er")
		if _, err := os.Lstat(b.WS + "/l"); err != nil {
			b.Link("deep/er", "ws/l")
		}
	}},
	{"ignored", func(b *Bed, dir string) { b.Write(dir+"/.gitignore", "*.x\n") }},
}
