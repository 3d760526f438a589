package acp_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the tests compare with anew")

// TestTranscripts plays testdata/transcript/*.txtar against a Bridge. The text on top of each names the bug
// that it guards. The section `transcript` is a list of lines, carried out one after the other:
//
//	editor> LINE    the editor writes the line
//	agent>  LINE    the agent writes the line
//	editor< LINE    the editor must read exactly this line next
//	agent<  LINE    likewise for the agent
//	editor closes   the editor closes its end
//	agent closes    the agent closes its end
//
// `$WORK` stands for the session's directory; sections named work/… are files in it. The section `record`,
// where there is one, is what must stand on record, one event a line. -update writes both sections anew.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/transcript/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			playTranscript(t, file)
		})
	}
}

func playTranscript(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
		if path, ok := strings.CutPrefix(f.Name, "work/"); ok {
			writeFile(t, filepath.Join(work, path), string(f.Data))
		}
	}
	s := newStage(t, strings.ReplaceAll(sections["policies.yaml"], "$WORK", work), sections["setup"])
	var played strings.Builder
	for number, line := range strings.Split(strings.TrimSuffix(sections["transcript"], "\n"), "\n") {
		got, err := s.play(strings.ReplaceAll(line, "$WORK", work))
		if err != nil {
			t.Fatalf("%s: line %d: %v\n%s", file, number+1, err, line)
		}
		got = strings.ReplaceAll(got, work, "$WORK")
		if got != line && !*update {
			t.Errorf("%s: line %d (-want +got)\n-%s\n+%s", file, number+1, line, got)
		}
		played.WriteString(got + "\n")
	}
	s.end()
	record := strings.ReplaceAll(s.record.String(), work, "$WORK")
	want, recorded := sections["record"]
	if *update {
		for i := range archive.Files {
			switch archive.Files[i].Name {
			case "transcript":
				archive.Files[i].Data = []byte(played.String())
			case "record":
				archive.Files[i].Data = []byte(record)
			}
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, record); recorded && diff != "" {
		t.Errorf("%s: record (-want +got)\n%s", file, diff)
	}
}

// play carries one line of a transcript out. It gives the line as it should have been.
func (s *stage) play(line string) (string, error) {
	who, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimLeft(rest, " ")
	switch {
	case line == "" || who == "#":
		return line, nil
	case line == "editor closes":
		return line, s.editorIn.Close()
	case line == "agent closes":
		return line, s.agentOut.Close()
	case who == "editor>":
		return line, writeLine(s.editorIn, rest)
	case who == "agent>":
		return line, writeLine(s.agentOut, rest)
	case who == "editor<":
		got, err := readLine(s.editor)
		return "editor< " + got, err
	case who == "agent<":
		got, err := readLine(s.agent)
		return "agent<  " + got, err
	}
	return line, fmt.Errorf("not a line of a transcript")
}
