package acp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func updateOf(rest string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{` + rest + `}}}`
}

const marker = `{"jsonrpc":"2.0","method":"_test/marker"}`

// untilMarker fails when the editor is told what it must not be told by now.
func (d *dialogue) untilMarker(never string) {
	d.t.Helper()
	d.agentSays(marker)
	d.wait("the marker", func(s said) bool {
		if s.to == "editor" && strings.Contains(s.line, never) {
			d.t.Errorf("while the question stands the editor is told %.300s", s.line)
		}
		return s.Method == "_test/marker"
	})
}

const asksForHook = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Edit .git/hooks/pre-commit","kind":"edit","content":[{"type":"diff","path":"$WORK/.git/hooks/pre-commit","newText":"evil"}]}` + yesNo + `}`

// TestQuestionIsNotForgotten has an agent speak of so many other calls that the one in whose card its
// question stands would be forgotten.
func TestQuestionIsNotForgotten(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	if outcome, _ := d.request("session/request_permission", asksForHook); outcome != "asked" {
		t.Fatalf("it is %s", outcome)
	}
	go func() { // ends when the bridge has read all
		for i := range 4200 {
			_ = writeLine(d.agentOut, updateOf(fmt.Sprintf(`"sessionUpdate":"tool_call","toolCallId":"other%d","title":"x"`, i)))
		}
		_ = writeLine(d.agentOut, updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Fix typo"`))
		_ = writeLine(d.agentOut, marker)
	}()
	d.wait("the marker", func(s said) bool {
		if strings.Contains(s.line, "typo") {
			t.Errorf("while the question stands the editor is told %s", s.line)
		}
		return s.Method == "_test/marker"
	})
}

// TestQuestionBehindHeldUpdates has an agent ask a second time in a card, while the editor is slow to hear
// what was held back for the first question: all of that comes before the second.
func TestQuestionBehindHeldUpdates(t *testing.T) {
	t.Parallel()
	const updates = 250
	s := newStage(t, "", "")
	s.run(prelude)
	say := func(to interface{ Write([]byte) (int, error) }, line string) {
		t.Helper()
		if err := writeLine(to, line); err != nil {
			t.Fatal(err)
		}
	}
	asks := func(id, file string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/request_permission","params":%s}`, id, strings.NewReplacer("$WORK", "/w", "pre-commit", file).Replace(asksForHook))
	}
	say(s.agentOut, asks("p1", "pre-commit"))
	if line, err := readLine(s.editor); err != nil || !strings.Contains(line, "pre-commit") {
		t.Fatal(line, err)
	}
	for i := range updates {
		say(s.agentOut, updateOf(fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Fix typo %d"`, i)))
	}
	say(s.editorIn, `{"jsonrpc":"2.0","id":"p1","result":{"outcome":{"outcome":"selected","optionId":"n"}}}`)
	if line, err := readLine(s.agent); err != nil || !strings.Contains(line, `"p1"`) {
		t.Fatal(line, err)
	}
	say(s.agentOut, asks("p2", "post-commit"))
	for heard := 0; ; {
		line, err := readLine(s.editor)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "typo") {
			heard++
		}
		if strings.Contains(line, `"p2"`) {
			if heard != updates {
				t.Errorf("the second question comes after %d of %d updates that were held back", heard, updates)
			}
			return
		}
	}
}

// TestOneCardOneQuestion has an agent write into cards that are not its own, and into terminals that a
// question shows.
func TestOneCardOneQuestion(t *testing.T) {
	t.Parallel()
	const terminal = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","content":[{"type":"terminal","terminalId":"t1"}]}` + yesNo + `}`
	for _, test := range []struct{ name, ask, line string }{
		{"output by another card", terminal, updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c2","_meta":{"terminal_output":{"terminal_id":"t1","data":"typo"}}`)},
		{"output by a message", terminal, updateOf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"terminal_output":{"terminal_id":"t1","data":"typo"}}`)},
		{"the terminal anew", terminal, updateOf(`"sessionUpdate":"tool_call","toolCallId":"c2","title":"typo","_meta":{"terminal_info":{"terminal_id":"\u0074\u0031"}}`)},
		{"output as version 2 has it", terminal, updateOf(`"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"typo"`)},
		{"a chunk for a card of ours", asksForHook, updateOf(`"sessionUpdate":"tool_call_content_chunk","toolCallId":"ours-1","content":{"type":"content","content":{"type":"text","text":"typo"}}`)},
		{"a question in a card of ours", asksForHook, `{"jsonrpc":"2.0","id":70,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"ours-1","title":"typo","kind":"execute"}` + yesNo + `}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			if outcome, _ := d.request("session/request_permission", test.ask); outcome != "asked" {
				t.Fatalf("it is %s", outcome)
			}
			d.agentSays(test.line)
			d.untilMarker("typo")
		})
	}
}

// TestNoTerminalInAQuestion has an agent ask in a card in which a terminal stands that the editor runs, or
// that it will run. While the question stands the terminal is put away.
func TestNoTerminalInAQuestion(t *testing.T) {
	t.Parallel()
	const terminal = `{"type":"terminal","terminalId":"t1"}`
	const words = `{"type":"content","content":{"type":"text","text":"words"}}`
	for _, content := range []string{"[" + terminal + "]", "[" + words + "," + terminal + "]", `[{"type":"terminal","terminalId":"\u0074\u0031"}]`,
		`[{"type":"terminal","terminalId":"t2"}]`} {
		for _, announced := range []bool{false, true} {
			d := newDialogue(t, "", "", workDir(t))
			d.agentSays(`{"jsonrpc":"2.0","id":"run","method":"terminal/create","params":{"sessionId":"s1","command":"top"}}`)
			d.pick(d.wait("the question", func(s said) bool { return s.Method == "session/request_permission" }), "a2a-acp-allow-once")
			d.wait("the command", func(s said) bool { return s.Method == "terminal/create" })
			d.editorSays(`{"jsonrpc":"2.0","id":"run","result":{"terminalId":"t1"}}`)
			d.wait("the terminal", func(s said) bool { return s.to == "agent" && s.ID == "run" })
			ask := `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","content":` + content + `}` + yesNo + `}`
			if announced {
				d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"make all","kind":"execute","content":` + content))
				d.wait("the card", func(s said) bool { return s.to == "editor" && strings.Contains(s.line, `"toolCallId":"c1"`) })
				ask = strings.Replace(ask, `,"content":`+content, "", 1)
			}
			d.agentSays(`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":` + ask + `}`)
			if announced {
				d.wait("the terminal to be put away", func(s said) bool {
					return strings.Contains(s.line, `"content":[`) && !strings.Contains(s.line, "terminalId")
				})
			}
			question := d.wait("the question", func(s said) bool { return s.to == "editor" && s.ID == "p" })
			if strings.Contains(question.line, "terminalId") || strings.Contains(content, "words") != strings.Contains(question.line, "words") {
				t.Errorf("the question is %s", question.line)
			}
			d.pick(question, "y")
			d.wait("the terminal to be there again", func(s said) bool { return s.to == "editor" && strings.Contains(s.line, `"terminalId":`) })
		}
	}
}

// TestNoTerminalOfACommand has an agent of version 2 ask about a command for a terminal.
func TestNoTerminalOfACommand(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	d.second()
	_, question := d.request("session/request_permission", `{"sessionId":"s1","title":"Run it?","subject":{"type":"command","command":"make all","cwd":"$WORK","toolCallId":"c1","terminalId":"t2"}`+yesNo+`}`)
	if !strings.Contains(question.line, `"toolCallId":"c1"`) || strings.Contains(question.line, "terminalId") {
		t.Errorf("the question is %s", question.line)
	}
}

// TestAYesIsToWhatWasShown has an agent show a person less of an act than a yes would stand for.
func TestAYesIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, before, old, text, want string }{
		{"the file as it is", "one\nmore\n", `"one\nmore\n"`, "two\nmore\n", "forwarded"},
		{"the file with other line ends", "one\r\nmore\r\n", `"one\nmore\n"`, "two\nmore\n", "forwarded"},
		{"a new file", "", `null`, "two\n", "forwarded"},
		{"a line that does not stand there", "one\n", `"one\nevil\n"`, "two\nevil\n", "asked"},
		{"nothing that changes", "one\n", `"evil\n"`, "evil\n", "asked"},
		{"a passage for the whole", "one\nmore\n", `"one\n"`, "two\n", "asked"},
		{"a new file that is none", "one\nmore\n", `null`, "two\n", "asked"},
		{"an empty file that is none", "one\nmore\n", `""`, "two\n", "asked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			path := filepath.Join(d.work, "src", "a.go")
			if test.before != "" {
				writeFile(t, path, test.before)
			}
			d.approve(editOf("s1", "c1", path, test.old, test.text), "y")
			if got, s := d.request("fs/write_text_file", writeOf("s1", path, test.text)); got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
		})
	}
}

// TestOneTextForAFile has an agent show two changes of one file: a yes to them stands for neither.
func TestOneTextForAFile(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	ask := editOf("s1", "c1", "$WORK/src/a.go", "null", "evil")
	ask = strings.Replace(ask, `[{`, `[{"type":"diff","path":"$WORK/src/../src/a.go","newText":"hello"},{`, 1)
	d.approve(ask, "y")
	for _, text := range []string{"hello", "evil"} {
		got, s := d.request("fs/write_text_file", writeOf("s1", "$WORK/src/a.go", text))
		if got != "asked" {
			t.Fatalf("%s is %s: %s", text, got, s.line)
		}
		d.pick(s, "a2a-acp-reject")
	}
}

// reads has the agent read a file by the editor.
func (d *dialogue) reads(path, more, gives string) {
	d.t.Helper()
	d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"read","method":"fs/read_text_file","params":{"sessionId":"s1","path":%q%s}}`, path, more))
	read := d.wait("the editor to be asked for the text", func(s said) bool {
		return s.to == "editor" && (s.Method == "fs/read_text_file" || s.Method == "session/request_permission")
	})
	if read.Method == "session/request_permission" {
		d.pick(read, "a2a-acp-allow-once")
		d.wait("the editor to be asked for the text", func(s said) bool { return s.to == "editor" && s.Method == "fs/read_text_file" })
	}
	d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"read","result":{"content":%q}}`, gives))
	d.wait("the text", func(s said) bool { return s.to == "agent" && s.ID == "read" })
}

// TestAYesIsToTheFileAsItIs has a person answer about a change of a file, and the file change before it is
// written.
func TestAYesIsToTheFileAsItIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, option string
		change       func(d *dialogue, path string)
		want         string
	}{
		{"nothing", "y", func(*dialogue, string) {}, "forwarded"},
		{"only its line ends", "y", func(d *dialogue, path string) { writeFile(d.t, path, "one\r\n") }, "forwarded"},
		{"another text", "y", func(d *dialogue, path string) { writeFile(d.t, path, "one\nmore\n") }, "asked"},
		{"it is gone", "y", func(d *dialogue, path string) { _ = os.Remove(path) }, "asked"},
		{"it is read again", "y", func(d *dialogue, path string) { d.reads(path, "", "one\n") }, "forwarded"},
		{"it is read, and not saved", "y", func(d *dialogue, path string) { d.reads(path, "", "one\nunsaved\n") }, "asked"},
		{"another text, after a no", "n", func(d *dialogue, path string) { writeFile(d.t, path, "one\nmore\n") }, "denied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			path := filepath.Join(d.work, "src", "a.go")
			writeFile(t, path, "one\n")
			d.approve(editOf("s1", "c1", path, `"one\n"`, "two\n"), test.option)
			test.change(d, path)
			if got, s := d.request("fs/write_text_file", writeOf("s1", path, "two\n")); got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
		})
	}
	t.Run("while the person reads", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, "", "", workDir(t))
		path := filepath.Join(d.work, "src", "a.go")
		writeFile(t, path, "one\n")
		got, question := d.request("fs/write_text_file", writeOf("s1", path, "two\n"))
		if got != "asked" {
			t.Fatalf("it is %s: %s", got, question.line)
		}
		writeFile(t, path, "one\nmore\n")
		d.pick(question, "a2a-acp-allow-once")
		told := d.wait("what came of it", func(s said) bool { return s.ID == "r1" })
		if told.to != "agent" || told.Error == nil || !strings.Contains(told.Error.Message, "has changed since") {
			t.Errorf("the %s is told %s", told.to, told.line)
		}
	})
}

// TestAYesIsToWhatTheEditorHolds: a text with changes that are not saved stands only in the editor, which
// gave it to the agent.
func TestAYesIsToWhatTheEditorHolds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, read, gives, old, want string }{
		{"as the editor gave it", ``, "one\nunsaved\n", `"one\nunsaved\n"`, "forwarded"},
		{"with other line ends", ``, "one\r\nunsaved\r\n", `"one\nunsaved\n"`, "forwarded"},
		{"another text", ``, "one\nunsaved\n", `"one\nevil\n"`, "asked"},
		{"a part of it", `,"limit":1`, "one\n", `"one\n"`, "asked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			path := filepath.Join(d.work, "src", "a.go")
			writeFile(t, path, "one\nmore\n")
			d.reads(path, test.read, test.gives)
			d.approve(editOf("s1", "c1", path, test.old, "two\n"), "y")
			if got, s := d.request("fs/write_text_file", writeOf("s1", path, "two\n")); got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
		})
	}
}

// TestACardSaysWhereALinkLeads has an agent ask about a file by a name that is a link: the person, to whose
// yes the file is written, is told which file it is, here and elsewhere.
func TestACardSaysWhereALinkLeads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path string
		tells      bool
	}{
		{"a link", "notes.md", true},
		{"a file behind one", "notes/a.md", true},
		{"a file", "docs/b.md", false},
		{"a file behind dots", "README.md                                /../docs/b.md", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "board", workDir(t))
			home := workDir(t)
			for link, to := range map[string]string{"notes.md": "profile", "notes": "docs"} {
				if err := os.Symlink(filepath.Join(home, to), filepath.Join(d.work, link)); err != nil {
					t.Fatal(err)
				}
			}
			outcome, s := d.request("session/request_permission", editOf("s1", "c1", d.work+"/"+test.path, `null`, "evil\n"))
			call, _ := s.Params["toolCall"].(map[string]any)
			if outcome != "asked" || strings.Contains(fmt.Sprint(call["content"]), " leads to /") != test.tells {
				t.Errorf("it is %s, and the card says %s", outcome, call["content"])
			}
			if elsewhere := (<-d.board.posted).question.Text; strings.Contains(elsewhere, " leads to /") != test.tells {
				t.Errorf("elsewhere is shown %s", elsewhere)
			}
		})
	}
}

// TestAYesIsForTheFileThatWasShown has an agent turn a link while a person reads the question. The yes is for nothing then,
// and an "always" allows nothing where the link leads by now.
func TestAYesIsForTheFileThatWasShown(t *testing.T) {
	t.Parallel()
	const run = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","rawInput":{"command":"make all","cwd":"$WORK/link"}}` + yesNo
	for _, test := range []struct{ name, question, option, method, then string }{
		{"a change", editOf("s1", "c1", "$WORK/link/a", "null", "x"), "y", "fs/write_text_file", writeOf("s1", "$WORK/link/a", "x")},
		{"all changes of it", editOf("s1", "c1", "$WORK/link/a", "null", "x"), "a", "fs/write_text_file", writeOf("s1", "$WORK/link/a", "evil")},
		{"a command", run + "}", "y", "terminal/create", `{"sessionId":"s1","command":"make all","cwd":"$WORK/link"}`},
		{"always this command", run + "}", "a", "terminal/create", `{"sessionId":"s1","command":"make all","cwd":"$WORK/link"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			link := filepath.Join(d.work, "link")
			if err := os.Symlink("docs", link); err != nil {
				t.Fatal(err)
			}
			asked, question := d.request("session/request_permission", test.question)
			if asked != "asked" {
				t.Fatalf("it is %s: %s", asked, question.line)
			}
			if err := errors.Join(os.Remove(link), os.Symlink("src", link)); err != nil {
				t.Fatal(err)
			}
			d.pick(question, test.option)
			told := d.wait("the answer", func(s said) bool { return s.to == "agent" && s.ID == "r1" })
			if !strings.Contains(told.line, `"optionId":"n"`) {
				t.Errorf("the agent is told %s", told.line)
			}
			if got, s := d.request(test.method, test.then); got != "asked" {
				t.Errorf("what the name means by now is %s: %s", got, s.line)
			}
		})
	}
}

// TestACardShowsAllThatRuns has an agent ask about what is so long that nobody would miss its middle.
func TestACardShowsAllThatRuns(t *testing.T) {
	t.Parallel()
	long := "echo " + strings.Repeat("a ", 3000) + "; touch EVIL; echo " + strings.Repeat("b ", 1000)
	for _, test := range []struct{ name, method, params string }{
		{"a terminal", "terminal/create", `{"sessionId":"s1","command":` + quote(long) + `}`},
		{"a variable of a terminal", "terminal/create", `{"sessionId":"s1","command":"make all","env":[{"name":"X","value":` + quote(long) + `}]}`},
		{"a command", "session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","rawInput":{"command":` + quote(long) + `}}` + yesNo + `}`},
		{"a variable", "session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","rawInput":{"command":"make all","env":{"X":` + quote(long) + `}}}` + yesNo + `}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "board", workDir(t))
			outcome, s := d.request(test.method, test.params)
			if outcome != "asked" || !strings.Contains(s.line, "touch EVIL") {
				t.Errorf("it is %s, and the card does not show what is hidden in the middle", outcome)
			}
			if elsewhere := (<-d.board.posted).question.Text; !strings.Contains(elsewhere, "touch EVIL") {
				t.Errorf("elsewhere is shown %s", elsewhere)
			}
		})
	}
}

// TestACardSaysWhatRuns checks that a question about a command tells all of it that a yes stands for.
func TestACardSaysWhatRuns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, input, tells string }{
		{"a program that is no shell", `{"command":["./evil","-c","make all"]}`, "./evil -c"},
		{"a shell of the workspace", `{"command":["./bash","-c","make all"]}`, "./bash -c"},
		{"a variable", `{"command":"make all","env":{"MAKEFLAGS":"-f evil"}}`, "with MAKEFLAGS=-f evil"},
		{"another directory", `{"command":"make all","cwd":"/srv/evil"}`, "in /srv/evil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			outcome, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make all","kind":"execute","rawInput":`+test.input+`}`+yesNo+`}`)
			call, _ := s.Params["toolCall"].(map[string]any)
			if told := fmt.Sprint(call["content"]); outcome != "asked" || !strings.Contains(told, test.tells) {
				t.Errorf("it is %s, and the card says %s", outcome, told)
			}
		})
	}
}

// TestOurToolsAreAskedAboutWithTheirValues has an agent ask about a tool of ours with a card that does not
// show just the values which a yes would stand for. It is let go ahead: the person is asked when the tool
// is called.
func TestOurToolsAreAskedAboutWithTheirValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, call, want string }{
		{"its values", `"title":"mcp__a2a-acp__note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"x"}`, "asked"},
		{"its values, shown", `"title":"note (a2a-acp MCP Server)","kind":"other","content":[{"type":"content","content":{"type":"text","text":"{\"text\":\"x\"}"}}]`, "asked"},
		{"other values shown", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"},"content":[{"type":"content","content":{"type":"text","text":"{\"text\":\"x\"}"}}]`, "answered"},
		{"words shown", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"},"content":[{"type":"content","content":{"type":"text","text":"It is harmless."}}]`, "answered"},
		{"a change shown", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"},"content":[{"type":"diff","path":"$WORK/a","newText":"x"}]`, "answered"},
		{"another title", `"title":"Look at the date","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"}`, "answered"},
		{"a change of mode", `"title":"note","name":"mcp__a2a-acp__note","kind":"switch_mode","rawInput":{"text":"x"}`, "asked"},
		{"a change of mode, about one that only reads", `"title":"grep","name":"mcp__a2a-acp__grep","kind":"switch_mode","rawInput":{"pattern":"x"}`, "asked"},
		{"a fetch, about one that only reads", `"title":"grep","name":"mcp__a2a-acp__grep","kind":"fetch","rawInput":{"pattern":"x"}`, "asked"},
		{"no title", `"title":"","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"}`, "answered"},
		{"a file shown", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"},"locations":[{"path":"$WORK/README.md"}]`, "answered"},
		{"a picture shown", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"},"content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":"","text":"{\"text\":\"evil\"}"}}]`, "answered"},
		{"a resource shown", `"title":"note (a2a-acp MCP Server)","kind":"other","content":[{"type":"content","content":{"type":"resource","resource":{"uri":"x:","text":"{\"text\":\"x\"}"},"text":"{\"text\":\"evil\"}"}}]`, "answered"},
		{"what nobody knows", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"evil"},"summary":"It is harmless."`, "answered"},
		{"a value written backwards", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"\u202elive"}`, "answered"},
		{"values that it does not take", `"title":"note","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"bogus":"x"}`, "answered"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "tools", workDir(t))
			got, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1",`+test.call+`}`+yesNo+`}`)
			if got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
		})
	}
}

// TestTheEditorsTextGoesOutOfDate has an agent show a change of the text that the editor gave it a while ago.
func TestTheEditorsTextGoesOutOfDate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(d *dialogue, path string)
		want   string
	}{
		{"it is what it was", func(*dialogue, string) {}, "forwarded"},
		{"the person saved another", func(d *dialogue, path string) { writeFile(d.t, path, "one\nfixed\n") }, "asked"},
		{"it was removed", func(d *dialogue, path string) { _ = os.Remove(path) }, "asked"},
		{"the editor wrote another, and did not save it", func(d *dialogue, path string) {
			_, question := d.request("fs/write_text_file", writeOf("s1", path, "one\nfixed\n"))
			d.pick(question, "a2a-acp-allow-once")
			d.wait("the write", func(s said) bool { return s.to == "editor" && s.Method == "fs/write_text_file" })
			d.editorSays(`{"jsonrpc":"2.0","id":"r1","result":{}}`)
			d.wait("its end", func(s said) bool { return s.to == "agent" && s.ID == "r1" })
		}, "asked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			path := filepath.Join(d.work, "src", "a.go")
			writeFile(t, path, "one\nmore\n")
			d.reads(path, "", "one\nunsaved\n")
			test.change(d, path)
			d.approve(editOf("s1", "c1", path, `"one\nunsaved\n"`, "two\nunsaved\n"), "y")
			if got, s := d.request("fs/write_text_file", writeOf("s1", path, "two\nunsaved\n")); got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
		})
	}
}

// TestQuestionIsNotNoted has something be decided, while a question stands, that belongs to the call in whose
// card it stands: what the person is warned of there stays. The decision is told in the card afterwards.
func TestQuestionIsNotNoted(t *testing.T) {
	t.Parallel()
	const run = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"echo","kind":"execute","rawInput":{"command":"echo","env":{"MAKEFLAGS":"-f evil"},"as":"root"}}` + yesNo + `}`
	const edit = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}],"content":[{"type":"diff","path":"$WORK/docs/link","oldText":null,"newText":"evil"}]}` + yesNo + `}`
	for _, test := range []struct{ name, ask, method, params, note string }{
		{"a command by rule", run, "terminal/create", `{"sessionId":"s1","command":"echo"}`, "a2a-acp: allowed: "},
		{"a command that a rule rejects", run, "terminal/create", `{"sessionId":"s1","command":"echo","env":[{"name":"MARK","value":"1"}]}`, "a2a-acp: stopped: "},
		{"a change by rule", edit, "fs/write_text_file", writeOf("s1", "$WORK/docs/a.md", "x"), "a2a-acp: allowed: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, readsAndEchoes, "", workDir(t))
			if err := os.Symlink("../src", filepath.Join(d.work, "docs", "link")); err != nil {
				t.Fatal(err)
			}
			asked, question := d.request("session/request_permission", test.ask)
			if asked != "asked" {
				t.Fatalf("it is %s: %s", asked, question.line)
			}
			d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":"meanwhile","method":%q,"params":%s}`, test.method, test.params))
			d.wait("what becomes of it", func(s said) bool {
				if s.to == "editor" && strings.Contains(s.line, `"toolCallId":"c1"`) {
					t.Errorf("while the question stands the editor is told %s", s.line)
				}
				return s.ID == "meanwhile"
			})
			d.agentSays(marker)
			d.wait("the marker", func(s said) bool {
				if s.to == "editor" && strings.Contains(s.line, `"toolCallId":"c1"`) {
					t.Errorf("while the question stands the editor is told %s", s.line)
				}
				return s.Method == "_test/marker"
			})
			d.pick(question, "n")
			d.wait("the line in the card", func(s said) bool {
				return s.to == "editor" && strings.Contains(s.line, `"toolCallId":"c1"`) && strings.Contains(s.line, test.note)
			})
		})
	}
}

// TestALineIsAboutItsCard has something be decided while the agent's one unfinished card tells of something
// else: no line of ours says in it that it was allowed. Nor does a question show what was decided in its card
// before.
func TestALineIsAboutItsCard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, card, method, params string
		noted                      bool
	}{
		{"the command", `"title":"echo hi","kind":"execute"`, "terminal/create", `{"sessionId":"s1","command":"echo hi"}`, true},
		{"the words of the command", `"title":"echo hi","kind":"execute"`, "terminal/create", `{"sessionId":"s1","command":"echo","args":["hi"]}`, true},
		{"the command in its raw input", `"title":"Say hi","kind":"execute","rawInput":{"command":"echo hi"}`, "terminal/create", `{"sessionId":"s1","command":"echo hi"}`, true},
		{"another command", `"title":"rm -rf build","kind":"execute"`, "terminal/create", `{"sessionId":"s1","command":"echo hi"}`, false},
		{"the file", `"title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}]`, "fs/write_text_file", writeOf("s1", "$WORK/docs/a.md", "x"), true},
		{"another file", `"title":"Edit","kind":"edit","locations":[{"path":"$WORK/src/a.go"}]`, "fs/write_text_file", writeOf("s1", "$WORK/docs/a.md", "x"), false},
		{"a read of the file that it changes", `"title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}]`, "fs/read_text_file", `{"sessionId":"s1","path":"$WORK/docs/a.md"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const line = "a2a-acp: allowed"
			d := newDialogue(t, readsAndEchoes, "", workDir(t))
			d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1",` + test.card))
			if outcome, s := d.request(test.method, test.params); outcome != "forwarded" {
				t.Fatalf("it is %s: %s", outcome, s.line)
			}
			_, question := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"rm -rf src","kind":"execute"}`+yesNo+`}`)
			if strings.Contains(question.line, line) {
				t.Errorf("the question says that something was allowed: %s", question.line)
			}
			d.pick(question, "y")
			d.wait("the answer", func(s said) bool { return s.to == "agent" && s.ID == question.ID })
			noted := false
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","content":[]`))
			d.agentSays(marker)
			d.wait("the marker", func(s said) bool {
				noted = noted || s.to == "editor" && strings.Contains(s.line, line)
				return s.Method == "_test/marker"
			})
			if noted != test.noted {
				t.Errorf("a line of ours in the card afterwards: %t", noted)
			}
		})
	}
}

// TestQuestionSaysAll has an agent show something in a card and take it back in a way in which not every
// editor takes it back, and then ask in that card: the question leaves nothing of it.
func TestQuestionSaysAll(t *testing.T) {
	t.Parallel()
	const harmless = `"title":"typo","kind":"edit","content":[{"type":"content","content":{"type":"text","text":"typo"}}],"locations":[{"path":"/typo"}],"rawInput":{"text":"typo"}`
	const nothing = `"title":null,"kind":null,"content":null,"locations":null,"rawInput":null`
	for _, test := range []struct{ name, update, ask string }{
		{"null in the question", ``, nothing},
		{"null in an update", `,` + nothing, `"title":"note","kind":"other"`},
		{"it has ended", `,"status":"completed"`, `"title":"note","kind":"other"`},
		{"an empty title", ``, `"title":"","kind":"","content":[],"locations":[],"rawInput":{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1",` + harmless))
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1"` + test.update))
			asked, question := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1",`+test.ask+`}`+yesNo+`}`)
			if asked != "asked" {
				t.Fatalf("it is %s: %s", asked, question.line)
			}
			call, _ := question.Params["toolCall"].(map[string]any)
			for _, key := range []string{"title", "kind", "content", "locations", "rawInput"} {
				if value := call[key]; value == nil || value == "" || strings.Contains(fmt.Sprint(value), "typo") {
					t.Errorf("%s is %v", key, value)
				}
			}
		})
	}
	t.Run("it is forgotten", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, "", "", workDir(t))
		go func() { // ends when the bridge has read all
			_ = writeLine(d.agentOut, updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1",`+harmless))
			for i := range 4100 {
				_ = writeLine(d.agentOut, updateOf(fmt.Sprintf(`"sessionUpdate":"tool_call","toolCallId":"other%d","title":"x"`, i)))
			}
			_ = writeLine(d.agentOut, marker)
		}()
		d.wait("the marker", func(s said) bool { return s.Method == "_test/marker" })
		_, question := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"make","kind":"execute"}`+yesNo+`}`)
		if strings.Contains(question.line, "typo") || !strings.Contains(question.line, `"locations":[],"rawInput":{}`) {
			t.Errorf("the question is %s", question.line)
		}
	})
}

// TestATerminalWithoutAName has an editor say that it has made a terminal and not which: no other part of a
// card is put away for that.
func TestATerminalWithoutAName(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, readsAndEchoes, "", workDir(t))
	if got, s := d.request("terminal/create", `{"sessionId":"s1","command":"echo"}`); got != "forwarded" {
		t.Fatalf("it is %s: %s", got, s.line)
	}
	if _, s := d.request("session/request_permission", asksForHook); !strings.Contains(s.line, "evil") {
		t.Errorf("the question is %s", s.line)
	}
}

// TestAnAnswerIsToAQuestion has an editor answer under another id than that of a question: the agent is not
// told what nobody here has heard.
func TestAnAnswerIsToAQuestion(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	d.agentSays(`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":` + asksForHook + `}`)
	d.wait("the question", func(s said) bool { return s.to == "editor" && s.ID == 7.0 })
	d.editorSays(`{"jsonrpc":"2.0","id":"7","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`)
	d.editorSays(`{"jsonrpc":"2.0","id":7.0,"result":{"outcome":{"outcome":"selected","optionId":"n"}}}`)
	if s := d.wait("the answer", func(s said) bool { return s.to == "agent" }); !strings.Contains(s.line, `"n"`) {
		t.Errorf("the agent is told %s", s.line)
	}
}

// TestAQuestionIsNotSwapped has an agent take its question back, while a person is about to answer it, and
// put another in the same card.
func TestAQuestionIsNotSwapped(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	d.agentSays(`{"jsonrpc":"2.0","id":"first","method":"session/request_permission","params":` + strings.ReplaceAll(asksForHook, ".git/hooks/pre-commit", "README.md") + `}`)
	d.wait("the question", func(s said) bool { return s.to == "editor" && s.ID == "first" })
	d.agentSays(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"first"}}`)
	d.wait("its end", func(s said) bool { return s.to == "agent" && s.ID == "first" })
	if got, s := d.request("session/request_permission", asksForHook); got != "refused" {
		t.Errorf("it is %s: %s", got, s.line)
	}
	if got, s := d.request("session/request_permission", strings.Replace(asksForHook, `"c1"`, `"c2"`, 1)); got != "asked" {
		t.Errorf("in another card it is %s: %s", got, s.line)
	}
}

// TestOurQuestionHidesNothing has an agent want variables, members and a directory that would hide in
// Markdown what stands behind them in our question.
func TestOurQuestionHidesNothing(t *testing.T) {
	t.Parallel()
	for _, opens := range []string{"<!--", "`", "``", "[fine](x ", "<a title=", "![x](", "$$", "~~~"} {
		d := newDialogue(t, "", "", workDir(t))
		outcome, question := d.request("terminal/create", fmt.Sprintf(
			`{"sessionId":"s1","command":"make","cwd":%s,"env":[{"name":"A","value":%s},{"name":"LD_PRELOAD","value":"./evil.so"}],"shell":%s}`,
			quote(d.work+"/"+opens), quote(opens), quote(opens)))
		call, _ := question.Params["toolCall"].(map[string]any)
		content := call["content"].([]any)[0].(map[string]any)["content"].(map[string]any)["text"].(string)
		for line := range strings.Lines(content) {
			at := strings.Index(line, opens)
			if at >= 0 && line != "```bash\n" && line != "```\n" && !strings.Contains(line, "` /") && !strings.Contains(line, "` A=") &&
				!strings.Contains(line, "` shell") {
				t.Errorf("%s: it is %s, and %q hides what is behind it", opens, outcome, line)
			}
		}
	}
}
