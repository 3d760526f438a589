//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestInputSealed checks that nothing that a call can do changes an input, which other processes of it
// still have to read.
func TestInputSealed(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		out := script{text: `
			try() { if "$@" 2>/dev/null; then echo "did: $*"; fi; }
			try bash -c 'echo x >&3'
			try bash -c 'echo x > /proc/self/fd/3'
			try bash -c 'echo x >> /dev/fd/3'
			try bash -c 'echo x 1<> /proc/self/fd/3 >&0'
			try truncate -s 0 /proc/self/fd/3
			try truncate -s 100 /proc/self/fd/3
			try dd if=/dev/zero of=/proc/self/fd/3 bs=1 count=1 conv=notrunc
			try bash -c 'cp /bin/true /proc/self/fd/3 && /proc/self/fd/3'
			cat <&3`}.run(t.Context(), t, host)
		if got := string(out.Stdout); got != "values\n" {
			t.Errorf("got %q, want the input as it was and no attempt that worked\n%s", got, out.Stderr)
		}
	})
}

// TestInputBig checks that inputs of any size arrive whole, and from their beginning for whoever opens them
// again.
func TestInputBig(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		data := bytes.Repeat([]byte("0123456789abcde\n"), 6<<20/16)
		outcome, err := host.Run(t.Context(), planFor(t, host, tool.DefaultLimits(), false), Process{
			Argv:   []string{bash, "-c", "sha256sum <&3; sha256sum /dev/fd/3; wc -c < /dev/fd/4"},
			Inputs: []Input{{Name: "big", Data: data}, {Name: "empty"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		want := sum + "  -\n" + sum + "  /dev/fd/3\n0\n"
		if got := string(outcome.Stdout); got != want {
			t.Errorf("got %q, want %q; stderr %q", got, want, outcome.Stderr)
		}
	})
}

func TestInputRefused(t *testing.T) {
	t.Parallel()
	host := openHost(t)
	_, err := host.Run(t.Context(), planFor(t, host, tool.DefaultLimits(), true), Process{
		Argv: []string{"/bin/true"}, Inputs: []Input{{Name: "good"}, {Name: strings.Repeat("x", 300)}},
	})
	if err == nil || !strings.Contains(err.Error(), "make input") {
		t.Errorf("got %v, want an error about the input", err)
	}
}
