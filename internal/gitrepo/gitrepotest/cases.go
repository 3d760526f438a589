package gitrepotest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is a repository, made in a bed's workspace.
type Case struct {
	Name string
	// Make makes it and gives the directory, relative to the bed's, in which git is to run.
	Make func(b *Bed) (dir string)
	// Commands are words behind git by which it shows: of a hostile one, those that run what it names.
	// Without any, status.
	Commands [][]string
	// Since is the first version of git to which it matters, such as 2.54; "" for all.
	Since string
	// Leaks marks a repository that runs nothing, but has git show what is none of the workspace's.
	Leaks bool
	// ByOption marks one that needs an option of the command's, which is what is asked about.
	ByOption bool
	// Unproved says why nobody sees it here, where that is so.
	Unproved string
}

// Applies reports whether the git that is there is one to which the case matters.
func (c Case) Applies(b *Bed) bool {
	var major, minor int
	if c.Since == "" {
		return true
	}
	if _, err := fmt.Sscanf(c.Since, "%d.%d", &major, &minor); err != nil {
		b.T.Fatal(err)
	}
	return b.Version(major, minor)
}

// Shows returns the commands.
func (c Case) Shows() [][]string {
	if len(c.Commands) == 0 {
		return [][]string{{"status"}}
	}
	return c.Commands
}

func words(commands ...string) (all [][]string) {
	for _, text := range commands {
		all = append(all, strings.Fields(text))
	}
	return all
}

// settings makes a repository whose settings are these, besides those of git init.
func settings(text string) func(b *Bed) string {
	return func(b *Bed) string {
		b.Init("ws")
		b.Append("ws/.git/config", text)
		return "ws"
	}
}

// inProc names the bed's workspace by way of the directory that git is in.
const inProc = "/proc/self/cwd"

// linked makes a repository in whose directory a file is a link.
func linked(b *Bed, name, target string) string {
	b.Init("ws")
	b.Write("elsewhere/secret", "SECRET\n")
	b.Write("ws/.env", "SECRET\n")
	b.Mkdir("ws/.git/" + filepath.Dir(name))
	b.Link(target, "ws/.git/"+name)
	return "ws"
}

// Hostile are repositories that have git run something, or show what it should not, when it only reads.
func Hostile() []Case {
	return []Case{
		{Name: "core.fsmonitor", Make: settings("[core]\n\tfsmonitor = ./evil\n"),
			Commands: words("status", "diff", "ls-files", "describe --dirty --always")},
		{Name: "core.fsmonitor behind a line break", Make: settings("[CORE]\n\tFSMonitor = \\\n./evil\n")},
		{Name: "core.fsmonitor, harmless later",
			Make: settings("[core]\n\tfsmonitor = ./evil\n[core]\n\thooksPath = x\n")},
		{Name: "core.pager", Make: settings("[core]\n\tpager = ./evil\n"),
			Commands: words("log", "diff", "show", "blame a.txt", "grep one")},
		{Name: "core.pager, one with options",
			Make: settings("[core]\n\tpager = cat --pager ./evil | ./evil\n"), Commands: words("log")},
		{Name: "pager of one command", Make: settings("[pager]\n\tstatus = ./evil\n\tlog = ./evil\n"),
			Commands: words("status", "log")},
		{Name: "diff.external", Make: settings("[diff]\n\texternal = ./evil\n"), Commands: words("diff")},
		{Name: "filter.clean", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.gitattributes", "* filter=x\n")
			b.Append("ws/.git/config", "[filter \"x\"]\n\tclean = ./evil\n")
			return "ws"
		}, Commands: words("status", "diff")},
		{Name: "filter.process", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.git/info/attributes", "* filter=x\n")
			b.Append("ws/.git/config", "[filter \"x\"]\n\tprocess = ./evil\n")
			return "ws"
		}, Commands: words("status", "diff")},
		{Name: "filter that begins as git-lfs does", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.gitattributes", "* filter=lfs\n")
			b.Append("ws/.git/config", "[filter \"lfs\"]\n\tclean = \"git-lfs clean -- %f; ./evil\"\n")
			return "ws"
		}},
		{Name: "textconv", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.gitattributes", "* diff=x\n")
			b.Append("ws/.git/config", "[diff \"x\"]\n\ttextconv = ./evil\n")
			return "ws"
		}, Commands: words("diff", "log -p", "show", "blame a.txt")},
		{Name: "diff command of a driver", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.gitattributes", "* diff=x\n")
			b.Append("ws/.git/config", "[diff \"x\"]\n\tcommand = ./evil\n")
			return "ws"
		}, Commands: words("diff")},
		{Name: "gpg.program", Make: func(b *Bed) string {
			b.Init("ws")
			signed(b)
			b.Append("ws/.git/config", "[gpg]\n\tprogram = ./evil\n[log]\n\tshowSignature = true\n")
			return "ws"
		}, Commands: words("log", "show")},
		{Name: "a format that asks for signatures", Make: func(b *Bed) string {
			b.Init("ws")
			signed(b)
			b.Append("ws/.git/config", "[gpg]\n\tprogram = ./evil\n[format]\n\tpretty = %+G?\n")
			return "ws"
		}, Commands: words("log")},
		{Name: "a partial clone over a helper", Make: func(b *Bed) string {
			b.Init("ws")
			lacking(b)
			b.Append("ws/.git/config",
				"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = o\n[remote \"o\"]\n\turl = ext::./evil\n"+
					"[protocol \"ext\"]\n\tallow = always\n")
			return "ws"
		}, Commands: words("diff", "log -p", "cat-file -p HEAD:a.txt")},
		{Name: "a partial clone without the tree of its last commit", Make: func(b *Bed) string {
			b.Init("ws")
			without(b, "HEAD^{tree}")
			b.Write("ws/.git/config",
				"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = o\n[remote \"o\"]\n\turl = ext::./evil\n"+
					"[protocol \"ext\"]\n\tallow = always\n")
			return "ws"
		}},
		{Name: "a partial clone by a program of its own", Make: func(b *Bed) string {
			b.Init("ws")
			lacking(b)
			b.Append("ws/.git/config",
				"[core]\n\trepositoryformatversion = 1\n\tsshCommand = ./evil\n"+
					"[remote \"o\"]\n\tpromisor = true\n\turl = nobody@localhost:x\n")
			return "ws"
		}, Commands: words("log -p")},
		{Name: "a partial clone of a repository beside it", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("elsewhere", "init", "-q", "--bare", "src")
			lacking(b)
			b.Append("ws/.git/config",
				"[core]\n\trepositoryformatversion = 1\n[remote \"o\"]\n\tpromisor = true\n\turl = ../elsewhere/src\n\tuploadpack = ./evil\n")
			return "ws"
		}, Commands: words("log -p")},
		{Name: "hook", Make: func(b *Bed) string {
			b.Init("ws")
			b.Program("ws/.git/hooks/post-index-change", "")
			touch(b)
			return "ws"
		}},
		{Name: "core.hooksPath", Make: func(b *Bed) string {
			b.Init("ws")
			b.Program("ws/h/post-index-change", "")
			b.Append("ws/.git/config", "[core]\n\thooksPath = h\n")
			touch(b)
			return "ws"
		}},
		{Name: "core.hooksPath by way of home and /proc", Make: func(b *Bed) string {
			b.Init("ws")
			b.Program("ws/h/post-index-change", "")
			b.Append("ws/.git/config", "[core]\n\thooksPath = "+up(b)+inProc+"/h\n")
			touch(b)
			return "ws"
		}},
		{Name: "core.hooksPath through a link and ..", Make: func(b *Bed) string {
			b.Init("ws")
			b.Program("ws/deep/h/post-index-change", "")
			b.Mkdir("ws/deep/er")
			b.Link("deep/er", "ws/l")
			b.Append("ws/.git/config", "[core]\n\thooksPath = l/../h\n")
			touch(b)
			return "ws"
		}},
		{Name: "core.hooksPath outside", Make: func(b *Bed) string {
			b.Init("ws")
			b.Program("elsewhere/h/post-index-change", "")
			b.Append("ws/.git/config", "[core]\n\thooksPath = "+b.Elsewhere+"/h\n")
			touch(b)
			return "ws"
		}},
		{Name: "a person's core.hooksPath that is relative", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.gitconfig", "[core]\n\thooksPath = .githooks\n")
			b.Program("ws/.githooks/post-index-change", "")
			touch(b)
			return "ws"
		}},
		{Name: "a person's program that is relative", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.gitconfig", "[core]\n\tfsmonitor = .git/hooks/query-watchman\n")
			b.Program("ws/.git/hooks/query-watchman", "")
			return "ws"
		}},
		{Name: "hook of the settings", Since: "2.54", Make: func(b *Bed) string {
			b.Init("ws")
			b.Append("ws/.git/config", "[hook \"x\"]\n\tevent = post-index-change\n\tcommand = ./evil\n")
			touch(b)
			return "ws"
		}},
		{Name: "[include]", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/more", "[core]\n\tfsmonitor = ./evil\n")
			b.Append("ws/.git/config", "[include]\n\tpath = ../more\n")
			return "ws"
		}},
		{Name: "[include] by way of home and /proc", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/more", "[core]\n\tfsmonitor = ./evil\n")
			b.Append("ws/.git/config", "[include]\n\tpath = "+up(b)+inProc+"/more\n")
			return "ws"
		}},
		{Name: "[include] by way of home and /proc, of a directory below", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/more", "[pager]\n\tstatus = ./evil\n")
			b.Append("ws/.git/config", "[include]\n\tpath = "+up(b)+inProc+"/more\n")
			return "ws/docs"
		}},
		{Name: "[include] with a prefix", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/more", "[core]\n\tfsmonitor = ./evil\n")
			b.Append("ws/.git/config",
				"[include]\n\tpath = %(prefix)/"+inProc+"/more\n[include]\n\tpath = ../more\n")
			return "ws"
		}},
		{Name: "[include] below home", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/w/more", "[core]\n\tfsmonitor = ./evil\n")
			b.Append("ws/.git/config", "[include]\n\tpath = ~/w/more\n")
			return "ws"
		}},
		{Name: "[includeIf]", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/more", "[core]\n\tfsmonitor = ./evil\n")
			b.Append("ws/.git/config", "[includeIf \"onbranch:main\"]\n\tpath = ../more\n")
			return "ws"
		}},
		{Name: "[include] in an included file", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/more", "[include]\n\tpath = still/more\n")
			b.Write("ws/still/more", "[core]\n\tfsmonitor = ./evil\n")
			b.Append("ws/.git/config", "[include]\n\tpath = ../more\n")
			return "ws"
		}},
		{Name: "a person's settings that include a file of the workspace", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/dot/git", "[core]\n\tfsmonitor = ./evil\n")
			b.Write("home/.gitconfig", "[include]\n\tpath = "+b.WS+"/dot/git\n")
			return "ws"
		}},
		{Name: "a person's settings that are a file of the workspace", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/dot/git", "[core]\n\tfsmonitor = ./evil\n")
			b.Link(b.WS+"/dot/git", "home/.gitconfig")
			return "ws"
		}},
		{Name: "settings of the work tree", Make: func(b *Bed) string {
			b.Init("ws")
			b.Append("ws/.git/config",
				"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n")
			b.Write("ws/.git/config.worktree", "[core]\n\tfsmonitor = ./evil\n")
			return "ws"
		}},
		{Name: "a .git below that is none", Make: func(b *Bed) string {
			b.Init("ws")
			b.Append("ws/.git/config", "[core]\n\tfsmonitor = ./evil\n")
			b.Mkdir("ws/sub/.git")
			return "ws/sub"
		}},
		{Name: "a .git below that is almost one", Make: func(b *Bed) string {
			b.Init("ws")
			b.Append("ws/.git/config", "[core]\n\tfsmonitor = ./evil\n")
			b.Write("ws/sub/.git/HEAD", "no\n")
			b.Mkdir("ws/sub/.git/objects")
			b.Mkdir("ws/sub/.git/refs")
			return "ws/sub"
		}},
		{Name: "a repository below", Make: func(b *Bed) string {
			b.Init("ws")
			b.Init("ws/vendored")
			b.Append("ws/vendored/.git/config", "[core]\n\tfsmonitor = ../evil\n")
			return "ws/vendored"
		}},
		{Name: "a repository without work tree", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "init", "-q", "-b", "main", "--bare", "bare")
			b.Append("ws/bare/config", "[core]\n\tfsmonitor = ../evil\n\tpager = ../evil\n")
			b.Git("ws", "push", "-q", "./bare", "main")
			return "ws/bare"
		}, Commands: words("log")},
		{Name: "a repository without work tree that has one", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "clone", "-q", "--bare", ".", "bare")
			b.Append("ws/bare/config", "[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ./evil\n")
			b.Mkdir("ws/bare/in")
			return "ws/bare"
		}},
		{Name: "a .git that names another directory", Make: func(b *Bed) string {
			b.Init("ws")
			b.Move("ws/.git", "ws/plain")
			b.Append("ws/plain/config", "[core]\n\tfsmonitor = ./evil\n")
			b.Write("ws/.git", "gitdir: plain\n")
			return "ws"
		}},
		{Name: "a .git that names a directory with a shared one", Make: func(b *Bed) string {
			b.Init("ws")
			b.Move("ws/.git", "ws/plain")
			b.Append("ws/plain/config", "[core]\n\tfsmonitor = ./evil\n")
			b.Write("ws/own/HEAD", "ref: refs/heads/main\n")
			b.Write("ws/own/commondir", "../plain\n")
			b.Write("ws/.git", "gitdir: own\n")
			return "ws"
		}},
		{Name: "a .git that is a link", Make: func(b *Bed) string {
			b.Init("ws")
			b.Move("ws/.git", "ws/plain")
			b.Append("ws/plain/config", "[core]\n\tfsmonitor = ./evil\n")
			b.Link("plain", "ws/.git")
			return "ws"
		}},
		{Name: "a submodule", Make: func(b *Bed) string {
			submodule(b, "inner")
			b.Append("ws/.git/modules/inner/config", "[core]\n\tfsmonitor = ../evil\n")
			return "ws"
		}, Commands: words("status", "diff")},
		{Name: "a submodule of a submodule", Make: func(b *Bed) string {
			b.Init("elsewhere/deep")
			b.Init("elsewhere/src")
			b.Git("elsewhere/src", "submodule", "--quiet", "add", b.Elsewhere+"/deep", "deep")
			b.Git("elsewhere/src", "commit", "-q", "-m", "deep")
			b.Init("ws")
			b.Git("ws", "submodule", "--quiet", "add", b.Elsewhere+"/src", "inner")
			b.Git("ws", "submodule", "--quiet", "update", "--init", "--recursive")
			b.Append("ws/.git/modules/inner/modules/deep/config", "[core]\n\tfsmonitor = ../../evil\n")
			return "ws"
		}},
		{Name: "a submodule that .gitmodules does not know", Make: func(b *Bed) string {
			b.Init("ws/inner")
			b.Init("ws")
			b.Append("ws/inner/.git/config", "[core]\n\tfsmonitor = ../evil\n")
			return "ws"
		}},
		{Name: "longer hashes, by an included file", Make: func(b *Bed) string {
			b.Init("ws/inner")
			b.Init("ws")
			b.Append("ws/.git/config", "[include]\n\tpath = more\n")
			b.Write("ws/.git/more", "[extensions]\n\tobjectformat = sha256\n") // where git does not look for it
			b.Append("ws/inner/.git/config", "[core]\n\tfsmonitor = ../evil\n")
			return "ws"
		}},
		{Name: "a submodule in a sparse index", Since: "2.36", Make: func(b *Bed) string {
			b.Init("ws/out/inner")
			b.Init("ws")
			b.Git("ws", "sparse-checkout", "set", "--cone", "--sparse-index", "docs")
			b.Append("ws/out/inner/.git/config", "[core]\n\tfsmonitor = ../../evil\n")
			b.Git("ws", "config", "core.sparseCheckout", "false")
			return "ws"
		}},
		{Name: "a submodule in a sparse index that git did not make", Make: func(b *Bed) string {
			b.Init("ws")
			b.Mkdir("ws/out")
			b.Init("ws/out/inner")
			b.Git("ws", "add", "out")
			tree := b.Git("ws", "write-tree")
			sparseIndex(b, "out/", b.Git("ws", "rev-parse", tree+":out"))
			b.Append("ws/out/inner/.git/config", "[core]\n\tfsmonitor = ../../evil\n")
			// Git looks what of it is there all the same.
			b.Append("ws/.git/config", "[core]\n\tsparseCheckout = true\n")
			b.Write("ws/.git/info/sparse-checkout", "/*\n")
			return "ws"
		}, Since: "2.36"},
		{Name: "a submodule in a split index", Make: func(b *Bed) string {
			b.Init("ws/inner")
			b.Init("ws")
			b.Git("ws", "update-index", "--split-index")
			b.Append("ws/inner/.git/config", "[core]\n\tfsmonitor = ../evil\n")
			return "ws"
		}},
		{Name: "a submodule of the past", Make: func(b *Bed) string {
			past(b)
			b.Append("ws/inner/.git/config", "[diff]\n\texternal = ../evil\n")
			return "ws"
		}, Commands: words("log -p --submodule=diff", "show --submodule=diff HEAD~1"), ByOption: true},
		{Name: "a submodule of the past, by the settings", Make: func(b *Bed) string {
			past(b)
			b.Append("ws/inner/.git/config", "[diff]\n\texternal = ../evil\n")
			b.Append("ws/.git/config", "[diff]\n\tsubmodule = diff\n")
			return "ws"
		}, Commands: words("log -p", "show HEAD~1")},
		{Name: "a submodule of the past, by a person's settings", Make: func(b *Bed) string {
			past(b)
			b.Append("ws/inner/.git/config", "[diff]\n\texternal = ../evil\n")
			b.Write("home/.gitconfig", "[diff]\n\tsubmodule = diff\n")
			return "ws"
		}, Commands: words("log -p", "show HEAD~1")},
		{Name: "an extension of git-lfs", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.gitattributes", "* filter=lfs\n")
			b.Append("ws/.git/config",
				"[lfs \"extension.x\"]\n\tclean = ./evil\n\tpriority = 0\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n")
			return "ws"
		}, Unproved: "git-lfs would run it, which need not be there"},
		{Name: "a sort by signatures", Make: settings("[gpg]\n\tprogram = gpg\n[tag]\n\tsort = signature\n"),
			Commands: words("tag --list"),
			Unproved: "gpg would be run by git from 2.43 on, and is no file of the repository"},
		{Name: "a sort by signatures, without more", Make: settings("[branch]\n\tsort = -signature:grade\n"),
			Commands: words("branch --list"),
			Unproved: "gpg would be run by git from 2.43 on, and is no file of the repository"},
		{Name: "a pager with another behind it", Make: settings("[core]\n\tpager = bat --pager ./evil\n"),
			Commands: words("log"),
			Unproved: "bat would run it, which need not be there"},
		{Name: "settings of a person's pager", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.gitconfig", "[core]\n\tpager = delta\n")
			b.Append("ws/.git/config", "[delta]\n\tpager = ./evil\n")
			return "ws"
		}, Commands: words("log"), Unproved: "delta would run it, which need not be there"},
		{Name: "a merge driver", Since: "2.36", Make: func(b *Bed) string {
			b.Init("ws")
			merged(b)
			b.Write("ws/.git/info/attributes", "* merge=x\n")
			b.Append("ws/.git/config", "[merge \"x\"]\n\tdriver = ./evil\n")
			return "ws"
		}, Commands: words("log -p --remerge-diff", "show --remerge-diff")},
		{Name: "the settings of a work tree beside it", Make: func(b *Bed) string {
			b.Init("elsewhere/main")
			b.Git("elsewhere/main", "worktree", "add", "-q", b.WS+"/tree")
			b.Append("elsewhere/main/.git/config", "[core]\n\tfsmonitor = ../evil\n")
			return "ws/tree"
		}},

		{Name: "a work tree elsewhere", Leaks: true, Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("elsewhere/a.txt", "secret\n")
			b.Append("ws/.git/config", "[core]\n\tworktree = "+b.Elsewhere+"\n")
			return "ws"
		}, Commands: words("diff")},
		{Name: "a work tree around", Leaks: true, Make: func(b *Bed) string {
			b.Init("ws/in")
			b.Git("ws/in", "mv", "a.txt", "docs/c")
			b.Write("a.txt", "secret\n")
			b.Append("ws/in/.git/config", "[core]\n\tworktree = "+b.Dir+"\n")
			return "ws/in"
		}, Commands: words("status")},
		{Name: "a .git that names somebody else's", Leaks: true, Make: func(b *Bed) string {
			b.Init("elsewhere/other")
			b.Write("ws/.git", "gitdir: "+b.Elsewhere+"/other/.git\n")
			return "ws"
		}, Commands: words("log -p")},
		{Name: "objects and refs of somebody else's", Leaks: true, Make: func(b *Bed) string {
			b.Init("elsewhere/other")
			b.Init("ws")
			for _, name := range []string{"objects", "refs"} {
				b.Move("ws/.git/"+name, "ws/old-"+name)
				b.Link(b.Elsewhere+"/other/.git/"+name, "ws/.git/"+name)
			}
			return "ws"
		}, Commands: words("log -p")},
		{Name: "the objects of somebody else's beside its own", Leaks: true, Make: func(b *Bed) string {
			b.Init("elsewhere/other")
			b.Git(".", "clone", "-q", "--shared", "elsewhere/other", "ws/c")
			return "ws/c"
		}, Commands: words("log -p")},
		{Name: "alternates of alternates", Leaks: true, Make: func(b *Bed) string {
			b.Init("elsewhere/other")
			b.Git(".", "clone", "-q", "--shared", "elsewhere/other", "ws/b")
			b.Git(".", "clone", "-q", "--shared", "ws/b", "ws/c")
			b.Write("ws/c/.git/objects/info/alternates", "# one\n\n../../../b/.git/objects\n")
			return "ws/c"
		}, Commands: words("log -p")},
		{Name: "alternates of a name in quotes", Leaks: true, Make: func(b *Bed) string {
			b.Init("elsewhere/other")
			b.Git(".", "clone", "-q", "--shared", "elsewhere/other", "ws/c")
			b.Write("ws/c/.git/objects/info/alternates", "\""+b.Elsewhere+"/\\157ther/.git/objects\"\n")
			return "ws/c"
		}, Commands: words("log -p")},
		{Name: "alternates that are a secret's lines", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "objects/info/alternates", "../../../.env")
		}},
		{Name: "objects one of which is somebody else's", Leaks: true, Make: func(b *Bed) string {
			b.Init("elsewhere/other")
			b.Init("ws")
			b.Git("elsewhere/other", "gc", "-q")
			b.Move("ws/.git/objects/pack", "ws/old-pack")
			b.Link("../../../elsewhere/other/.git/objects/pack", "ws/.git/objects/pack")
			return "ws"
		}, Commands: words("log -p")},
		{Name: "a bisection that began at somebody else's file", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "BISECT_START", "../../elsewhere/secret")
		}},
		{Name: "a bisection that began at a secret", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "BISECT_START", "../.env")
		}},
		{Name: "steps of a rebase that are somebody else's lines", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "rebase-merge/done", "../../../elsewhere/secret")
		}},
		{Name: "steps of a rebase in a directory that is a link", Leaks: true, Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("elsewhere/secret", "SECRET\n")
			b.Mkdir("ws/docs/steps")
			b.Link("../../../elsewhere/secret", "ws/docs/steps/done")
			b.Link("../docs/steps", "ws/.git/rebase-merge")
			return "ws"
		}},
		{Name: "a ref that is somebody else's file", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "refs/heads/x", "../../../../elsewhere/secret")
		}},
		{Name: "the reflog of somebody else", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "logs/refs/stash", "../../../../elsewhere/secret")
		}},
		{Name: "a work tree whose place is somebody else's file", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "worktrees/x/gitdir", "../../../../elsewhere/secret")
		}},
		{Name: "patterns of what is ignored that are somebody else's", Leaks: true, Make: func(b *Bed) string {
			return linked(b, "info/ignored", "../../../elsewhere/secret")
		}},
		{Name: "revisions to ignore that are a secret file's lines", Leaks: true, Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.netrc", "secret\n")
			b.Append("ws/.git/config", "[blame]\n\tignoreRevsFile = ~/.netrc\n")
			return "ws"
		}, Commands: words("blame a.txt")},
		{Name: "revisions to ignore by way of a link", Leaks: true, Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.netrc", "secret\n")
			b.Link(b.Home+"/.netrc", "ws/ignored")
			b.Append("ws/.git/config", "[blame]\n\tignoreRevsFile = ignored\n")
			return "ws"
		}, Commands: words("blame a.txt")},
		{Name: "revisions to ignore by way of a link, if it is there", Leaks: true, Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.netrc", "secret\n")
			b.Link(b.Home+"/.netrc", "ws/ignored")
			// git-config(1), pathname, from 2.52 on.
			b.Append("ws/.git/config", "[blame]\n\tignoreRevsFile = :(optional)ignored\n")
			return "ws"
		}, Commands: words("blame a.txt")},
	}
}

// up names the root by way of the home directory.
func up(b *Bed) string { return "~" + strings.Repeat("/..", strings.Count(b.Home, "/")) }

// sparseIndex writes an index with one entry: a directory that stands for all that is in it
// (gitformat-index(5), sparse directory entries), though nothing is sparse.
func sparseIndex(b *Bed, name, tree string) {
	id, err := hex.DecodeString(tree)
	if err != nil {
		b.T.Fatal(err)
	}
	index := []byte("DIRC\x00\x00\x00\x03\x00\x00\x00\x01")
	entry := make([]byte, 40)
	entry[26] = 0x40 // the mode 040000, in four bytes
	entry = append(entry, id...)
	entry = append(entry, 0x40, byte(len(name)), 0x40, 0x00) // extended, and left out of the work tree
	entry = append(entry, name...)
	entry = append(entry, make([]byte, 8-len(entry)%8)...)
	index = append(index, entry...)
	index = append(index, "sdir\x00\x00\x00\x00"...)
	sum := sha1.Sum(index)
	b.Write("ws/.git/index", string(index)+string(sum[:]))
}

// touch has the next status write the index anew.
func touch(b *Bed) {
	b.Git("ws", "checkout", "-q", "--", ".")
	data, err := os.ReadFile(b.WS + "/a.txt")
	if err != nil {
		b.T.Fatal(err)
	}
	b.Write("ws/a.txt.new", string(data))
	b.Move("ws/a.txt.new", "ws/a.txt")
}

// signed makes a commit that says that it is signed.
func signed(b *Bed) {
	text := b.Git("ws", "cat-file", "commit", "HEAD")
	head, message, _ := strings.Cut(text, "\n\n")
	b.Write("ws/.git/commit", head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"+message+"\n")
	b.Git("ws", "update-ref", "HEAD", b.Git("ws", "hash-object", "-t", "commit", "-w", ".git/commit"))
}

// lacking takes an object out of a repository: what a file holds.
func lacking(b *Bed) { without(b, "HEAD:a.txt") }

// without takes the object of a revision out of a repository.
func without(b *Bed, revision string) {
	id := b.Git("ws", "rev-parse", revision)
	if err := os.Remove(b.WS + "/.git/objects/" + id[:2] + "/" + id[2:]); err != nil {
		b.T.Fatal(err)
	}
}

// submodule makes a repository with one submodule.
func submodule(b *Bed, name string) {
	b.Init("elsewhere/src")
	b.Init("ws")
	b.Git("ws", "submodule", "--quiet", "add", b.Elsewhere+"/src", name)
	b.Git("ws", "commit", "-q", "-m", "submodule")
}

// past makes a repository whose history has a submodule that its index has not, with a repository in its
// place.
func past(b *Bed) {
	b.Init("ws/inner")
	b.Init("ws")
	b.Git("ws/inner", "commit", "-q", "-a", "-m", "three")
	b.Git("ws", "commit", "-q", "-a", "-m", "further")
	b.Git("ws", "rm", "-q", "--cached", "inner")
	b.Git("ws", "commit", "-q", "-m", "gone")
}

// merged makes a merge with a conflict that was resolved.
func merged(b *Bed) {
	b.Git("ws", "checkout", "-q", "--", ".")
	b.Git("ws", "checkout", "-q", "-b", "side", "HEAD~1")
	b.Write("ws/a.txt", "other\n")
	b.Git("ws", "commit", "-q", "-a", "-m", "side")
	b.Git("ws", "checkout", "-q", "main")
	b.Git("ws", "merge", "-q", "-s", "ours", "side")
}
