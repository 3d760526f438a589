package upgrade

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func list(version string) string {
	return sum + "  a2a-acp_" + version + "_linux_amd64.tar.gz\n" + sum + "  a2a-acp_" + version + "_darwin_arm64.tar.gz\n" +
		sum + "  a2a-acp_" + version + "_amd64.deb\n"
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ current, list, want string }{
		{"1.2.0", list("1.3.0"), "there is 1.3.0; this is 1.2.0"},
		{"v1.9.0", list("1.10.0"), "there is 1.10.0; this is v1.9.0"},
		{"1.3.0-rc.1", list("1.3.0"), "there is 1.3.0"},
		{"1.3.0", list("1.3.0-rc.1"), "1.3.0 is the newest"},
		{"1.3.0", list("1.3.0"), "1.3.0 is the newest"},
		{"2.0.0", list("1.3.0"), "2.0.0 is the newest"},
		{"dev", list("1.3.0"), "this is dev, which is no release; there is release 1.3.0"},
		{"v1.2.0-5-gabcdef1", list("1.3.0"), "which is no release"},
		{"abcdef1-dirty", list("1.3.0"), "which is no release"},
		{"1.2.0", list("1.3.0") + list("1.4.0"), "more than one release"},
		{"1.2.0", "<html>a2a-acp_1.3.0_linux_amd64.tar.gz</html>", "no checksums.txt"},
		{"1.2.0", "abc  a2a-acp_1.3.0_linux_amd64.tar.gz\n", "no checksums.txt"},
		{"1.2.0", list("1.3.0\x1b[2J"), "no checksums.txt"},
	} {
		found, err := compare(tt.current, tt.list, "linux", "amd64")
		got := found.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s with %.40q: got %s, want %s", tt.current, tt.list, got, tt.want)
		}
		newer := err == nil && (found.Newer == nil || *found.Newer)
		if strings.Contains(got, "not signed") != newer || newer && !strings.Contains(got, sum+"  a2a-acp_") {
			t.Errorf("%s: what is said of the archive is %s", tt.current, got)
		}
	}
}

// Only the place that was named is asked, and on no way on which others could answer.
func TestRead(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/checksums.txt":
			_, _ = w.Write([]byte(list("1.3.0")))
		case "/long":
			_, _ = w.Write(make([]byte, longestList+1))
		case "/away":
			http.Redirect(w, r, "http://203.0.113.1/checksums.txt", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "checksums.txt")
	if err := os.WriteFile(file, []byte(list("1.3.0")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, want string }{
		{file, ""},
		{server.URL + "/checksums.txt", ""},
		{server.URL + "/long", "too long"},
		{server.URL + "/away", "want an https address"},
		{server.URL + "/nothing", "404"},
		{"http://203.0.113.1/checksums.txt", "want an https address"},
		{"ftp://user:secret@203.0.113.1/checksums.txt", "want an https address"},
		{file + ".none", "no such file"},
	} {
		data, err := read(t.Context(), tt.from)
		switch {
		case tt.want == "" && (err != nil || string(data) != list("1.3.0")):
			t.Errorf("%s: got %q, %v", tt.from, data, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: got %v, want %s", tt.from, err, tt.want)
		}
	}
	if asked != 4 {
		t.Errorf("the server was asked %d times", asked)
	}
}
