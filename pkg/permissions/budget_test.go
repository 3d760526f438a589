package permissions

import (
	"fmt"
	"strings"
	"testing"
)

// Texts that would have a decision look at more than its bound are asked about, whatever the rule, and the
// looking ends.
func TestWorkIsBounded(t *testing.T) { // alone: allocations are counted
	b := corpusBed(t, ordinaryFiles)
	lines := func(format string) string {
		var text strings.Builder
		for i := range 199 {
			text.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)) + "\n")
		}
		return text.String()
	}
	signs := strings.Repeat("=,:@", 12000)
	a := b.authority(v2(rule("all", Approve, commands(RedirectsWorkspace, "cp", "git log", "make", "cat", "echo", "grep", "mocha"))))
	for i, c := range []struct {
		name, text string
		approved   bool
	}{
		{"a copy", "cp main.go docs/c.go", true},
		{"signs", "cp " + signs, false},
		{"names and signs", "cp " + strings.Repeat("a=b,c:d@", 6000), false},
		{"signs for a reader", "cat " + signs, false},
		{"signs for git", "git log " + signs, false},
		{"signs for make", "make " + signs, false},
		{"signs that are printed", "echo " + signs, false},
		{"signs of a redirection", "cat < " + signs, false},
		{"options", "cp " + strings.Repeat("-"+strings.Repeat("a,", 120)+" ", 190), false},
		{"words", "cp " + strings.ReplaceAll(lines("a#=b,c:d@e,f#,g#:h,i#@j,k#,l#,m#,n#,o#"), "\n", " "), false},
		{"commands in directories", lines("cd docs; cd ../src; cd ..; cp a#:b:c:d:e:f:g k"), false},
		{"parts", "cat " + lines("docs/"+strings.Repeat("a/", 200)+"#"), false},
		{"long names", "cp " + strings.ReplaceAll(lines(strings.Repeat("a:", 490)+"#"), "\n", " ")[:60000], false},
		{"files that lie nowhere", "grep x " + strings.ReplaceAll(lines("docs/../docs/../a# docs/../docs/../b# docs/../docs/../c# docs/../docs/../d# docs/../docs/../e#"), "\n", " "), false},
		{"a long pattern", "cat ./" + strings.Repeat("*?", 20000), true},
		{"a long pattern of much", "cat ./" + strings.Repeat("*a", 20000), false},
		{"code that is loaded", "mocha " + strings.ReplaceAll(lines("-r a# --reporter b# --import c# --require d#"), "\n", " "), false},
		{"code that is loaded once", "mocha -r a --reporter b", true},
		{"files of every day", "cat " + strings.Repeat("docs/sub/b.md README.md ", 50), true},
	} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		r := b.run(c.text)
		if d := a.Decide(r); (d.Verdict == Approve) != c.approved {
			t.Errorf("%s: %s: %s", c.name, said(d), whyNot(d))
		}
		// What is counted beyond the bound is refused before it is looked at.
		list := newCommandList(Commands{Allow: []string{"cp", "cat", "make", "git log", "echo"}})
		var v *evaluation
		allocations := testing.AllocsPerRun(1, func() {
			v = newEvaluation(r, b.dir+"/home", a.sensitive, a.files, a.git)
			list.covers(v)
			v.commandGuard()
		})
		bytes := 0
		for _, r := range v.shell.resources {
			bytes += len(r.name)
		}
		if names := len(v.shell.resources); names > mostResources || bytes > mostWork/partWork*partBytes {
			t.Errorf("%s: it names %d files in %d bytes", c.name, names, bytes)
		}
		if allocations > 50*mostWork {
			t.Errorf("%s: %.0f allocations, and the bound of the work is %d", c.name, allocations, mostWork)
		}
	}
}

func whyNot(d Decision) string {
	for _, reason := range d.Reasons {
		if reason.Rule == "all" {
			return reason.Why
		}
	}
	return d.Reason
}

// What has been looked at is not looked at again for the next command.
func TestTreesAreWalkedOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ws/": ""}
	for i := range 300 {
		files[fmt.Sprintf("ws/docs/%d.md", i)] = ""
	}
	b := corpusBed(t, files)
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "grep -r word%d docs\n", i)
	}
	a := b.authority(presetFile(t, "careful"))
	if d := a.Decide(b.run(text.String())); d.Verdict != Approve {
		t.Errorf("%s: %s", said(d), because1(d))
	}
}

// Links that lead to one large directory many times do not have it looked at many times.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ws/": ""}
	for i := range 450 {
		files[fmt.Sprintf("ws/links/%d", i%90)] = "-> ../large"
		files[fmt.Sprintf("ws/large/%d.md", i)] = ""
		files[fmt.Sprintf("ws/loop/%d", i%30)] = "-> ."
	}
	b := corpusBed(t, files)
	a := b.authority(presetFile(t, "careful"))
	for text, want := range map[string]Verdict{
		"cat links/*/*no": Ask, "cat loop/*/*/*/*no": Ask, "cat large/*x large/*.md; ls large/?": Approve,
		strings.Repeat("cat large/*no\n", 200): Ask,
	} {
		r := b.run(text)
		if d := a.Decide(r); d.Verdict != want {
			t.Errorf("%.40s: %s: %s", text, said(d), because1(d))
		}
		v := newEvaluation(r, b.dir+"/home", a.sensitive, a.files, a.git)
		v.gather(func() { newCommandList(Commands{Allow: []string{"cat"}}).covers(v) })
		if seen := len(v.facts.dirs); seen > mostMatches {
			t.Errorf("%.40s: %d directories are read", text, seen)
		}
	}
}
