package executor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// spilling makes a tool whose whole output is kept, and a house that has a place for it.
func spilling(t *testing.T, text string) (*house, *tool.Tool) {
	t.Helper()
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": apiKey}
	h.executor.blobs = &blob.Store{Dir: filepath.Join(t.TempDir(), "blobs")}
	work := referring(text)
	work.Output.Spill = true
	work.Sandbox.Limits.Output = 1 << 20 // which does not count
	h.has(work)
	return h, work
}

// left lists what lies where blobs are kept.
func (h *house) left() []string {
	h.t.Helper()
	entries, err := os.ReadDir(h.executor.blobs.(*blob.Store).Dir)
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func blobsOf(result tool.Result) map[string]blob.Blob {
	kept, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	return kept
}

// TestSpoolWhole is about streams that are longer than memory holds, and than max_output_mb: all of both is
// kept, without what the call was given, wherever a read of ours divided it; the caller gets the beginning
// and the end, and what is between in bytes.
func TestSpoolWhole(t *testing.T) {
	t.Parallel()
	// The lines are 31 bytes long, so that values stand across each border that there is.
	// No value stands among the words of a program: those are seen by everybody, another test's thief for
	// one.
	const stdout, stderr = 60, 50 // thousands of lines
	h, _ := spilling(t, fmt.Sprintf(`
		printf -v many '%%1000s'; out=${many// /$API_KEY ää€🙂$'\n'}; err=${many// /e $API_KEY$'\n'}
		echo first; for ((i = 0; i < %d; i++)); do printf %%s "$out"; done; echo last
		for ((i = 0; i < %d; i++)); do printf %%s "$err" >&2; done`, stdout, stderr))
	line := secret.Mark + " ää€🙂\n"
	want := map[string]string{
		"stdout": "first\n" + strings.Repeat(line, stdout*1000) + "last\n",
		"stderr": strings.Repeat("e "+secret.Mark+"\n", stderr*1000),
	}
	result := h.execute(t.Context(), `{}`)
	if result.Status != tool.StatusCompleted || !result.Truncated || len(blobsOf(result)) != 2 {
		t.Fatalf("got %s, truncated %t, %v, %v", result.Status, result.Truncated, result.Error, result.Metadata.Diagnostics)
	}
	for name, kept := range blobsOf(result) {
		data, err := os.ReadFile(kept.Path)
		if err != nil || string(data) != want[name] {
			t.Errorf("%s: kept are %d bytes, %v; want %d", name, len(data), err, len(want[name]))
		}
		if sum := sha256.Sum256(data); kept.SHA256 != hex.EncodeToString(sum[:]) || kept.Bytes != int64(len(data)) {
			t.Errorf("%s: told as %+v", name, kept)
		}
	}
	for name, text := range map[string]string{"stdout": result.Stdout, "stderr": result.Stderr} {
		head, rest, _ := strings.Cut(text, "\n[… ")
		number, tail, found := strings.Cut(rest, " bytes left out …]\n")
		if !found || !strings.HasPrefix(want[name], head) || !strings.HasSuffix(want[name], tail) || !utf8.ValidString(text) {
			t.Errorf("%s: got %.60q … %q", name, text, text[max(0, len(text)-60):])
		}
		if left := fmt.Sprint(len(want[name]) - len(head) - len(tail)); number != left || len(head)+len(tail) > tool.DefaultKeep {
			t.Errorf("%s: %s bytes are said to be left out of %d, and %s are", name, number, len(want[name]), left)
		}
	}
	byHand := h.call(`{}`)
	byHand.Origin = tool.Origin{Door: tool.DoorCLI}
	if result := h.executor.Execute(t.Context(), byHand, person{h}); len(result.Stdout) < spoolMemory-10 || !strings.HasSuffix(result.Stdout, "\nlast\n") || !utf8.ValidString(result.Stdout) {
		t.Errorf("a person got %d bytes", len(result.Stdout))
	}
	if left := h.left(); len(left) != 2 {
		t.Errorf("beside the two there lie %v", left)
	}
}

// TestSpoolMemory checks that 24 MB on one stream and 4 MB on the other cost half of that at most, whatever is looked for
// in them.
func TestSpoolMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("so many megabytes take seconds")
	}
	const stdout, stderr = 24, 4 // MB
	h, _ := spilling(t, fmt.Sprintf(`echo "$API_KEY"; head -c %dM /dev/zero | tr '\0' x; head -c %dM /dev/zero | tr '\0' y >&2`, stdout, stderr))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	result := h.execute(t.Context(), `{}`)
	runtime.ReadMemStats(&after)
	kept := blobsOf(result)
	if n := int64(stdout<<20 + len(secret.Mark) + 1); kept["stdout"].Bytes != n || kept["stderr"].Bytes != int64(stderr<<20) || result.OutputLength < n {
		t.Errorf("kept %+v; %v", kept, result.Metadata.Diagnostics)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > (stdout+stderr)<<20/2 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// TestSpoolBound is about a call that never stops: it is ended at spill_mb, what came before is kept, and
// the cure is told.
func TestSpoolBound(t *testing.T) {
	t.Parallel()
	h, work := spilling(t, `while :; do echo "$API_KEY"; done`)
	work.Output.SpillMost = 3 << 20
	h.has(work)
	result := h.execute(t.Context(), `{}`)
	if result.Error == nil || result.Error.Code != tool.FailOutput || !strings.Contains(result.Error.Message, "spill_mb under output in the tool's entry (tools.yaml:7)") {
		t.Fatalf("got %+v", result.Error)
	}
	data, err := os.ReadFile(blobsOf(result)["stdout"].Path)
	if err != nil || len(data) < 900_000 || strings.ReplaceAll(string(data)+"\n", secret.Mark+"\n", "") != "" {
		t.Errorf("kept are %d bytes, %v, %.40q", len(data), err, data)
	}
}

// fullStore is a place that takes so many bytes, and then no more.
type fullStore struct{ *blob.Store }

func (s fullStore) Begin() (*blob.Writer, error) {
	if s.Most == 0 {
		return nil, errors.New("no space left on device")
	}
	return s.Store.Begin()
}

// TestSpoolFull is about a disk that is full, at once or after a while: the call goes on and ends as it
// would have, the caller gets the beginning and the end and the reason, and no part of a file is left.
func TestSpoolFull(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{0, 1 << 20} {
		h, _ := spilling(t, `echo first; yes | head -c 2000000; echo last; echo done > effect; exit 3`)
		store := h.executor.blobs.(*blob.Store)
		store.Most = most
		h.executor.blobs = fullStore{store}
		result := h.execute(t.Context(), `{}`)
		h.executor.blobs = store
		if result.ExitCode != 3 || result.Error != nil || !strings.HasPrefix(result.Stdout, "first\n") || !strings.HasSuffix(result.Stdout, "last\n") {
			t.Errorf("%d: got %d, %v, %.20q", most, result.ExitCode, result.Error, result.Stdout)
		}
		why, _ := result.Metadata.Diagnostics[tool.BlobErrorKey].(string)
		if !strings.HasPrefix(why, "the whole of stdout could not be kept: no ") || len(blobsOf(result)) != 0 {
			t.Errorf("%d: told %q, %v", most, why, blobsOf(result))
		}
		if recorded := h.of(events.ToolEnded)[0].Outcome.Diagnostics; !strings.Contains(fmt.Sprint(recorded), "could not be kept") {
			t.Errorf("%d: the record does not say so: %v", most, recorded)
		}
		if left := h.left(); len(left) != 0 {
			t.Errorf("%d: left behind: %v", most, left)
		}
	}
}

// TestSpoolRetry checks that nothing stays of what an attempt has put out that was not the last.
func TestSpoolRetry(t *testing.T) {
	t.Parallel()
	h, work := spilling(t, `n=$(cat n); echo "x$n" > n; yes "attempt $n" | head -c 3000000; [[ $n == xx ]]`)
	work.Retry = tool.Retry{Attempts: 5, Backoff: tool.BackoffConstant}
	h.has(work)
	if err := os.WriteFile(filepath.Join(h.dir, "n"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	result := h.execute(t.Context(), `{}`)
	kept := blobsOf(result)["stdout"]
	data, err := os.ReadFile(kept.Path)
	if err != nil || len(h.left()) != 1 || kept.Bytes != 3_000_000 || !strings.HasPrefix(string(data), "attempt xx\n") {
		t.Errorf("got %+v, %v, %.20q; left %v; %v", kept, err, data, h.left(), result.Metadata.Diagnostics)
	}
}

// TestSpoolGovernors is about output that governors look at: all of it is shown to them before any of it
// stands in a file, so that it can be no more than max_output_mb. Where they come while a call runs, what
// is in its file is given up.
func TestSpoolGovernors(t *testing.T) {
	t.Parallel()
	h, _ := spilling(t, `yes token | head -c 900000`)
	c := &council{h: h, ruling: permissions.Ruling{Silent: true}, screened: permissions.Screened{Stdout: "clean", Governor: "g"}}
	h.council = c
	result := h.execute(t.Context(), `{}`)
	if result.Stdout != "clean" || len(c.seen) != 1 || len(c.seen[0].Result.Stdout) != 900000 || len(h.left()) != 0 {
		t.Errorf("got %.20q; governors saw %d bytes; left %v", result.Stdout, len(c.seen[0].Result.Stdout), h.left())
	}

	long, _ := spilling(t, `yes token | head -c 3000000`)
	c = &council{h: long, ruling: permissions.Ruling{Silent: true}, screened: permissions.Screened{Silent: true}}
	long.council = c
	if result = long.execute(t.Context(), `{}`); result.Error == nil || result.Error.Code != tool.FailOutput || len(c.seen[0].Result.Stdout) != 1<<20 {
		t.Errorf("more than governors may see: %v; they saw %d bytes", result.Error, len(c.seen[0].Result.Stdout))
	}

	seen := long.left() // they let it pass

	// They look at nothing when the call begins, and at everything when it ends.
	c.blind, c.seen = true, nil
	long.runsIn(meanwhile{long.host(), func() { c.blind = false }})
	result = long.execute(t.Context(), `{}`)
	why, _ := result.Metadata.Diagnostics[tool.BlobErrorKey].(string)
	if !strings.Contains(why, "an output governor has to see it first") || len(blobsOf(result)) != 0 || !result.Truncated || result.Error != nil {
		t.Errorf("got %q, %v, %v", why, blobsOf(result), result.Error)
	}
	if shown := c.seen[0].Result.Stdout; !strings.Contains(shown, "bytes left out") {
		t.Errorf("they were shown %d bytes as if there were no more", len(shown))
	}
	c.screened = permissions.Screened{Withheld: "no", Governor: "g"}
	c.blind = true
	if result = long.execute(t.Context(), `{}`); strings.Contains(result.Stdout+result.Stderr, "token") {
		t.Errorf("what was withheld is told: %.80q", result.Stdout)
	}
	if left := long.left(); !slices.Equal(left, seen) {
		t.Errorf("left behind: %v", left)
	}
}

// meanwhile is a host where something happens at the end of a run.
type meanwhile struct {
	Host
	then func()
}

func (m meanwhile) Run(ctx context.Context, plan sandbox.Plan, p sandbox.Process) (sandbox.Outcome, error) {
	defer m.then()
	return m.Host.Run(ctx, plan, p)
}

// TestSpoolBinary is about bytes that are no text, which only shows when the beginning has long been read.
func TestSpoolBinary(t *testing.T) {
	t.Parallel()
	h, _ := spilling(t, `printf '%%PDF-1.7\n'; yes | head -c 2000000; printf 'a\0b'; yes | head -c 2000000`)
	result := h.execute(t.Context(), `{}`)
	binary, _ := result.Metadata.Diagnostics[tool.BinaryKey].(map[string]tool.Binary)
	kept := blobsOf(result)["stdout"]
	if b := binary["stdout"]; b.Type != "application/pdf" || b.Bytes != 4_000_012 || b.SHA256 != kept.SHA256 || kept.Bytes != b.Bytes {
		t.Errorf("got %+v, %+v", binary, kept)
	}
	if text := result.InText().Stdout; !strings.HasPrefix(text, "[binary data, not shown: application/pdf, 4000012 bytes, sha256 ") {
		t.Errorf("told as %.100q", text)
	}
}

// TestTextScan checks that a text is one, wherever it is divided.
func TestTextScan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{strings.Repeat("€🙂ä", 5): false, "": false, "a\x00": true, "\xff\xfe\xfd\xfcab": true, "gr\xfc\xdfe aus einer alten Welt, lang genug": false} {
		for size := 1; size < 6; size++ {
			scan := &textScan{}
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				scan.add(append([]byte{}, rest[:min(size, len(rest))]...))
			}
			if scan.binary() != want {
				t.Errorf("%q in parts of %d: binary %t", text, size, scan.binary())
			}
		}
	}
}

// looksBinary reports whether a text would be taken for none.
func looksBinary(text string) bool {
	scan := &textScan{}
	_, _ = io.WriteString(sink(scan.add), text)
	return scan.binary()
}
