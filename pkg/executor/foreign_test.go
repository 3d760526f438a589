package executor

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestOtherInterpreters: a script that bash does not run reads its parameters from the file and from the
// environment, its exit code is the call's, and what a person approves covers the parameters.
func TestOtherInterpreters(t *testing.T) {
	t.Parallel()
	for interpreter, script := range map[string]string{
		"python3": `import json, os, sys
word = json.load(open(os.environ["A2A_PARAMS_FILE"]))["word"]
print("did", word, end="") if word == os.environ["A2A_PARAM_WORD"] else sys.exit("two values")
`,
		"node":    `process.stdout.write("did " + JSON.parse(require("fs").readFileSync(process.env.A2A_PARAMS_FILE)).word)`,
		"perl":    `print "did $ENV{A2A_PARAM_WORD}"`,
		"sqlite3": `.mode list` + "\n.separator '' ''\n" + `select 'did ' || json_extract(CAST(readfile('/dev/fd/3') AS TEXT), '$.word');`,
	} {
		t.Run(interpreter, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("/usr/bin/" + interpreter); err != nil {
				t.Skip(err)
			}
			h := newHouse(t, rule(permissions.Approve))
			h.has(foreign(interpreter, script))
			result := h.execute(t.Context(), `{"word":"it's $(id)\n\"x\" \u2028"}`)
			if want := "did it's $(id)\n\"x\" \u2028"; result.Status != tool.StatusCompleted || result.Stdout != want {
				t.Errorf("got %s, %v, stdout %q, stderr %q; want %q", result.Status, result.Error, result.Stdout, result.Stderr, want)
			}
		})
	}
}

func foreign(interpreter, text string) *tool.Tool {
	return script("#!/usr/bin/env " + interpreter + "\n" + text)
}

func TestOtherInterpretersFail(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(foreign("there-is-no-such-interpreter", ""))
	if result := h.execute(t.Context(), `{}`); result.Status != tool.StatusFailed || result.ExitCode != 127 {
		t.Errorf("got %s with %d, %q", result.Status, result.ExitCode, result.Stderr)
	}
	h.has(script("#!/there/is/none\n"))
	if result := h.execute(t.Context(), `{}`); codeOf(result) != tool.FailSandbox {
		t.Errorf("got %s, %v", result.Status, result.Error)
	}
}

// TestParametersAreCovered: two calls that differ in a parameter alone are two acts.
func TestParametersAreCovered(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	one := script("#!/usr/bin/env python3\n")
	one.Parameters[0].Secret = true // only in the file, so no variable differs
	h.has(one)
	digests := map[tool.Digest]bool{}
	for _, word := range []string{"a", "b", "a"} {
		a, failure := h.executor.prepare(h.call(fmt.Sprintf(`{"word":%q}`, word)))
		if failure != nil {
			t.Fatal(failure)
		}
		digests[a.invocation.Digest()] = true
	}
	if len(digests) != 2 {
		t.Errorf("%d digests for two parameters", len(digests))
	}
	preview, failure := h.executor.Preview(h.call(`{"word":"hunter2"}`))
	if failure != nil || preview.Parameters != nil {
		t.Errorf("a preview shows the secret: %s, %v", preview.Parameters, failure)
	}
	one.Parameters[0].Secret = false
	h.has(one)
	preview, _ = h.executor.Preview(h.call(`{"word":"x"}`))
	if diff := cmp.Diff(`{"word":"x"}`, string(preview.Parameters)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
