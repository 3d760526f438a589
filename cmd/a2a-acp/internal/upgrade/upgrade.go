// Package upgrade is the verb upgrade: it says whether there is a newer release, and installs nothing.
package upgrade

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The bounds of a release's list.
const (
	longestList = 1 << 20
	patience    = 15 * time.Second
)

// Command returns the verb upgrade.
func Command(env *cli.Environment) *cobra.Command {
	var check bool
	var from string
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Say whether there is a newer release",
		Long: `upgrade --check compares this version with a release, by the list of its
files (checksums.txt), and prints the archive for this machine with its
SHA-256. It asks no server but the one that --from names, and installs
nothing: use what has installed this version (apt, dnf, brew, npm, nix).

The list is not signed. It shows that an archive is the one in the list, and
is worth as much as the place that it came from.`,
		Example: `  a2a-acp upgrade --check --from ./checksums.txt
  a2a-acp upgrade --check --from https://example.com/v1.2.0/checksums.txt`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().BoolVar(&check, "check", false, "compare; nothing else can be done")
	cmd.Flags().StringVar(&from, "from", "", "checksums.txt of a release: a file, or its address")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case !check:
			return cli.Fail(exit.Usage, errors.New("upgrade installs nothing: use what has installed this one, or upgrade --check"))
		case from == "":
			return cli.Fail(exit.Usage, fmt.Errorf("this is %s; no server is asked unless --from names a release's checksums.txt, "+
				"as a file or an address", env.Version))
		}
		data, err := read(cmd.Context(), from)
		if err != nil {
			return cli.Fail(exit.Host, fmt.Errorf("read the release's list: %w", err))
		}
		found, err := compare(env.Version, string(data), runtime.GOOS, runtime.GOARCH)
		if err != nil {
			return cli.Fail(exit.Usage, fmt.Errorf("%s: %w", display.Line(from), err))
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, found)
		}
		_, err = fmt.Fprintln(env.Stdout, found)
		return err
	}
	return cmd
}

// finding is how a release compares with this program.
type finding struct {
	Current string `json:"current"`
	Release string `json:"release"`
	// Newer is null where this is no release, so that nobody can tell.
	Newer   *bool  `json:"newer"`
	Archive string `json:"archive,omitempty"` // for this machine
	SHA256  string `json:"sha256,omitempty"`
	Signed  bool   `json:"signed"` // whether anybody has signed the list: nobody does yet
}

func (f finding) String() string {
	text := fmt.Sprintf("%s is the newest", f.Current)
	switch {
	case f.Newer == nil:
		text = fmt.Sprintf("this is %s, which is no release; there is release %s", f.Current, f.Release)
	case *f.Newer:
		text = fmt.Sprintf("there is %s; this is %s", f.Release, f.Current)
	}
	if f.Archive != "" && (f.Newer == nil || *f.Newer) {
		text += fmt.Sprintf("\n%s  %s\nThe list is not signed: it is worth as much as the place that it came from.",
			f.SHA256, f.Archive)
	}
	return text
}

// A line of checksums.txt that names an archive: a2a-acp_1.2.0_linux_amd64.tar.gz.
var archive = lazyregexp.New(
	`(?m)^([0-9a-f]{64})[ \t]+\*?(a2a-acp_([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?)_([a-z0-9]+)_([a-z0-9]+)\.tar\.gz)\r?$`)

// compare looks the release up in its list.
func compare(current, list, goos, goarch string) (finding, error) {
	f := finding{Current: current}
	for _, m := range archive.FindAllStringSubmatch(list, -1) {
		if f.Release != "" && m[3] != f.Release {
			return f, fmt.Errorf("the list is of more than one release (%s and %s)", f.Release, m[3])
		}
		f.Release = m[3]
		if m[4] == goos && m[5] == goarch {
			f.SHA256, f.Archive = m[1], m[2]
		}
	}
	if f.Release == "" {
		return f, errors.New("this is no checksums.txt of a release: no line of it names an archive of a2a-acp")
	}
	if mine, ok := parse(current); ok {
		theirs, _ := parse(f.Release)
		newer := mine.before(theirs)
		f.Newer = &newer
	}
	return f, nil
}

// release is a version: its numbers, and and what follows for one that comes before the release itself.
type release struct {
	numbers [3]int
	pre     string
}

var plainVersion = lazyregexp.New(`^v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:-([0-9A-Za-z.-]+))?$`)

// described is what git describe adds to a version for commits behind it: such a build is no release.
var described = lazyregexp.New(`(^|-)[0-9]+-g[0-9a-f]{4,}(-dirty)?$|-dirty$`)

func parse(s string) (r release, ok bool) {
	m := plainVersion.FindStringSubmatch(s)
	if m == nil || described.MatchString(s) {
		return r, false
	}
	for i := range r.numbers {
		_, _ = fmt.Sscan(m[i+1], &r.numbers[i]) // up to nine digits
	}
	r.pre = m[4]
	return r, true
}

// before reports whether r comes before other. Of two that come before the same release nobody needs to know
// more than that they differ in the order of their letters.
func (r release) before(other release) bool {
	for i := range r.numbers {
		if r.numbers[i] != other.numbers[i] {
			return r.numbers[i] < other.numbers[i]
		}
	}
	switch {
	case r.pre == other.pre, r.pre == "":
		return false
	case other.pre == "":
		return true
	}
	return r.pre < other.pre
}

// read reads a list from a file or an address.
func read(ctx context.Context, from string) ([]byte, error) {
	if !strings.Contains(from, "://") {
		file, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return bounded(file)
	}
	address, err := url.Parse(from)
	if err == nil {
		err = private(address)
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "a2a-acp") // and no more of this machine
	client := http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) >= 5 {
			return errors.New("it leads from place to place")
		}
		return private(next.URL)
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server says %s", display.Line(response.Status))
	}
	return bounded(response.Body)
}

// private returns an error for an address on whose way others could change the list.
func private(address *url.URL) error {
	host := address.Hostname()
	ip := net.ParseIP(host)
	if address.Scheme == "https" || address.Scheme == "http" && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("want an https address, found %s", display.Line(address.Redacted()))
}

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, longestList+1))
	if len(data) > longestList {
		err = errors.New("it is too long for a list of files")
	}
	return data, err
}
