package gitrepotest

// Ordinary are repositories as people have them, with the settings that programs write into them.
func Ordinary() []Case {
	return []Case{
		{Name: "just made", Make: func(b *Bed) string {
			b.Git("ws", "init", "-q")
			return "ws"
		}},
		{Name: "a clone from elsewhere",
			Make: settings("[remote \"origin\"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n" +
				"\tgh-resolved = base\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n" +
				"\tvscode-merge-base = origin/main\n")},
		{Name: "a directory below", Make: func(b *Bed) string {
			b.Init("ws")
			return "ws/docs"
		}},
		{Name: "the workspace is a part of it", Make: func(b *Bed) string {
			b.Init(".")
			b.Write("ws/x", "")
			return "ws"
		}},
		{Name: "cloned", Make: func(b *Bed) string {
			b.Init("elsewhere/src")
			b.Git(".", "clone", "-q", "elsewhere/src", "ws/c")
			return "ws/c"
		}},
		{Name: "cloned, with the objects of another of the workspace", Make: func(b *Bed) string {
			b.Init("ws/src")
			b.Git(".", "clone", "-q", "--shared", "ws/src", "ws/c")
			return "ws/c"
		}},
		{Name: "a shallow clone", Make: func(b *Bed) string {
			b.Init("elsewhere/src")
			b.Git(".", "clone", "-q", "--depth=1", "file://"+b.Elsewhere+"/src", "ws/c")
			return "ws/c"
		}},
		{Name: "a partial clone",
			Make: settings("[remote \"origin\"]\n\turl = https://github.com/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n" +
				"\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = origin\n" +
				"[core]\n\trepositoryformatversion = 1\n")},
		{Name: "submodules", Make: func(b *Bed) string {
			submodule(b, "lib/inner")
			return "ws"
		}},
		{Name: "submodules that are not there", Make: func(b *Bed) string {
			submodule(b, "inner")
			b.Git("ws", "submodule", "--quiet", "deinit", "-f", "--all")
			return "ws"
		}},
		{Name: "a submodule by itself", Make: func(b *Bed) string {
			b.Init("elsewhere/src")
			b.Init("elsewhere/super")
			b.Git("elsewhere/super", "submodule", "--quiet", "add", b.Elsewhere+"/src", "inner")
			b.Move("elsewhere/super", "elsewhere/around")
			b.Move("elsewhere/around/inner", "ws/inner") // its links are relative
			b.Move("ws/inner", "elsewhere/around/inner")
			b.Git("elsewhere/around", "submodule", "--quiet", "status")
			return "elsewhere/around/inner"
		}},
		{Name: "a submodule of the old kind", Make: func(b *Bed) string {
			b.Init("ws/inner")
			b.Init("ws")
			return "ws"
		}},
		{Name: "work trees", Make: func(b *Bed) string {
			b.Init("elsewhere/main")
			b.Git("elsewhere/main", "worktree", "add", "-q", b.WS+"/tree")
			return "ws/tree"
		}},
		{Name: "work trees of a repository without one", Make: func(b *Bed) string {
			b.Init("elsewhere/src")
			b.Git(".", "clone", "-q", "--bare", "elsewhere/src", "elsewhere/bare")
			b.Git("elsewhere/bare", "worktree", "add", "-q", b.WS+"/tree", "main")
			return "ws/tree"
		}},
		{Name: "settings of the work tree", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "config", "extensions.worktreeConfig", "true")
			b.Git("ws", "config", "--worktree", "core.sparseCheckout", "false")
			return "ws"
		}},
		{Name: "git-lfs", Make: settings("[lfs]\n\trepositoryformatversion = 0\n" +
			"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n" +
			"\tprocess = git-lfs filter-process\n\trequired = true\n[lfs \"https://github.com/a/b.git/info/lfs\"]\n" +
			"\taccess = basic\n\tlocksverify = false\n")},
		{Name: "git-lfs without files",
			Make: settings("[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge --skip -- %f\n" +
				"\tprocess = git-lfs filter-process --skip\n\trequired = true\n")},
		{Name: "git-crypt", Make: settings("[filter \"git-crypt\"]\n\tsmudge = \\\"git-crypt\\\" smudge\n" +
			"\tclean = \\\"git-crypt\\\" clean\n\trequired = true\n")},
		{Name: "sparse", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "sparse-checkout", "set", "--cone", "docs")
			return "ws"
		}},
		{Name: "sparse, with a sparse index", Since: "2.36", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/far/away/x", "")
			b.Git("ws", "add", ".")
			b.Git("ws", "commit", "-q", "-m", "far")
			b.Git("ws", "sparse-checkout", "set", "--cone", "--sparse-index", "docs")
			return "ws"
		}},
		{Name: "a split index", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "update-index", "--split-index")
			return "ws"
		}},
		{Name: "many files", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "config", "feature.manyFiles", "true")
			b.Git("ws", "update-index", "--index-version=4", "--untracked-cache")
			return "ws"
		}},
		{Name: "longer hashes", Make: func(b *Bed) string {
			b.Init("ws", "--object-format=sha256")
			return "ws"
		}},
		{Name: "longer hashes and submodules", Make: func(b *Bed) string {
			b.Init("ws/inner", "--object-format=sha256")
			b.Init("ws", "--object-format=sha256")
			return "ws"
		}},
		{Name: "reftable", Since: "2.45", Make: func(b *Bed) string {
			b.Init("ws", "--ref-format=reftable")
			return "ws"
		}},
		{Name: "aliases", Make: settings("[alias]\n\tst = status -sb\n\tlg = !git log --oneline | ./evil\n\tstatus = !./evil\n")},
		{Name: "husky", Make: func(b *Bed) string {
			b.Init("ws")
			b.Git("ws", "config", "core.hooksPath", ".husky/_")
			b.Program("ws/.husky/_/pre-commit", "")
			return "ws"
		}},
		{Name: "hooks for other times", Make: func(b *Bed) string {
			b.Init("ws")
			b.Program("ws/.git/hooks/pre-commit", "")
			b.Program("ws/.git/hooks/post-checkout", "")
			return "ws"
		}},
		{Name: "signing", Make: settings("[user]\n\tname = a\n\temail = a@b\n\tsigningkey = ~/.ssh/id.pub\n" +
			"[commit]\n\tgpgsign = true\n[gpg]\n\tformat = ssh\n" +
			"[gpg \"ssh\"]\n\tallowedSignersFile = ~/.ssh/allowed\n[tag]\n\tgpgsign = true\n")},
		{Name: "another key, another way",
			Make: settings("[core]\n\tsshCommand = ssh -i ~/.ssh/work -o IdentitiesOnly=yes\n[credential]\n\thelper = store\n" +
				"[credential \"https://example.com\"]\n\tusername = a\n[http]\n\tpostBuffer = 524288000\n" +
				"[url \"git@github.com:\"]\n\tinsteadOf = https://github.com/\n")},
		{Name: "what programs leave",
			Make: settings("[core]\n\tfsmonitor = true\n\tuntrackedCache = true\n\tautocrlf = input\n\tpager = less -FRX\n" +
				"[gitflow \"branch\"]\n\tmaster = main\n" +
				"[pull]\n\trebase = true\n[merge]\n\tff = only\n\tconflictStyle = zdiff3\n[merge \"ours\"]\n\tdriver = true\n" +
				"[diff \"rust\"]\n\txfuncname = ^fn\n[rerere]\n\tenabled = true\n" +
				"[maintenance]\n\tauto = false\n\tstrategy = incremental\n[fetch]\n\tprune = true\n[gc]\n\tauto = 0\n" +
				"[push]\n\tdefault = current\n\tautoSetupRemote = true\n[gui]\n\twmstate = normal\n" +
				"[gitbutler]\n\taiModelProvider = x\n[color]\n\tui = auto\n[status]\n\tshowUntrackedFiles = all\n" +
				"[safe]\n\tdirectory = /x\n[commit]\n\ttemplate = .gitmessage\n[submodule]\n\trecurse = true\n")},
		{Name: "a file of settings that is shared", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("ws/.gitsettings",
				"[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n[diff]\n\talgorithm = histogram\n")
			b.Write("ws/.git-blame-ignore-revs", "")
			b.Append("ws/.git/config", "[include]\n\tpath = ../.gitsettings\n")
			return "ws"
		}, Commands: words("status", "blame a.txt")},
		{Name: "a person's own settings", Make: func(b *Bed) string {
			b.Init("ws")
			b.Write("home/.gitconfig",
				"[core]\n\tpager = delta --dark\n\teditor = code --wait\n\tfsmonitor = rs-git-fsmonitor\n"+
					"\texcludesFile = ~/.gitignore\n\tattributesFile = ~/.gitattributes\n"+
					"\thooksPath = ~/hooks\n[interactive]\n\tdiffFilter = delta --color-only\n[delta]\n\tpager = less -R\n"+
					"[diff]\n\texternal = difft\n\ttool = difftastic\n"+
					"[difftool \"difftastic\"]\n\tcmd = difft \"$LOCAL\" \"$REMOTE\"\n[diff \"exif\"]\n\ttextconv = exiftool\n"+
					"[diff \"word\"]\n\ttextconv = $HOME/bin/doc2txt\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n"+
					"\tprocess = git-lfs filter-process\n"+
					"[filter \"strip\"]\n\tclean = /usr/local/bin/strip-notebook\n[gpg]\n\tprogram = /usr/bin/gpg2\n"+
					"[log]\n\tshowSignature = true\n[pager]\n\tlog = diff-so-fancy | less -R\n"+
					"[credential]\n\thelper = !gh auth git-credential\n[include]\n\tpath = work/gitconfig\n"+
					"[includeIf \"gitdir:~/work/\"]\n\tpath = ~/work/.gitconfig\n[alias]\n\tx = !sh -c './tools/x'\n"+
					"[pretty]\n\tmine = %h %G? %s\n[init]\n\ttemplateDir = ~/.git-template\n")
			b.Write("home/work/gitconfig", "[user]\n\tname = a\n")
			b.Program("home/hooks/post-index-change", "")
			return "ws"
		}, Commands: [][]string{}},
		{Name: "a person's settings about submodules", Make: func(b *Bed) string {
			submodule(b, "inner")
			b.Write("home/.gitconfig", "[diff]\n\tsubmodule = log\n[status]\n\tsubmoduleSummary = true\n")
			return "ws"
		}, Commands: words("status", "log -p")},
	}
}
