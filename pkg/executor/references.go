package executor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Vault gives the values that variables of a tool refer to. *secret.Vault is one. No error of its may hold
// a value.
type Vault interface {
	// Missing says why a value cannot be had, as far as that can be told without an effect.
	Missing(tool.Reference) error
	// Value returns the value. It may block, and may run a program, until ctx ends.
	Value(context.Context, tool.Reference) (string, error)
	// Gave has a value looked for, and hidden, as those that it returns are.
	Gave(value string)
}

// missing tells why the call could not be given what its entry refers to. It is asked before anybody is
// asked whether the call may run; nothing is read that could have an effect.
func (e *Executor) missing(a *act) *tool.Failure {
	t, invocation := a.tool, a.invocation
	if failure := a.missingCaller(); failure != nil {
		return failure
	}
	for _, name := range slices.Sorted(maps.Keys(invocation.References)) {
		if e.vault == nil {
			return tool.Failf(tool.FailNotFound,
				"%s was not run: nothing here gives values to variables, and %s needs one", t.ID, name)
		}
		if err := e.vault.Missing(invocation.References[name]); err != nil {
			return unfilled(t, name, err)
		}
	}
	return nil
}

func unfilled(t *tool.Tool, variable string, err error) *tool.Failure {
	what := "variable"
	if t.HTTP != nil {
		what = "credential"
	}
	return tool.Failf(tool.FailNotFound, "%s was not run: the %s %s (%s) has no value: %v", t.ID, what,
		variable, t.Source, err)
}

// fill returns an approved act the values that its entry refers to, and so the plan that it will run under.
// From here on the act's digest covers them, by a keyed hash: the key never leaves this process, so nobody
// can try values out on a digest. What is recorded is the digest before, which names the references.
//
// What the act puts out is kept without these values, and without those of its secret parameters.
func (e *Executor) fill(ctx context.Context, a *act) *tool.Failure {
	values := permissions.SecretValues(a.arguments, a.tool.SecretParameters())
	references := a.invocation.References
	if len(references) == 0 {
		if len(values) > 0 {
			a.redactor = secret.New(values...)
		}
		return nil
	}
	filled, fingerprints := map[string]string{}, map[string]string{}
	a.given = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(references)) {
		value, err := e.vault.Value(ctx, references[name])
		switch {
		case err != nil && ctx.Err() != nil:
			return tool.Failf(tool.FailCancelled, "the caller gave up")
		case err != nil:
			return unfilled(a.tool, name, err)
		case strings.ContainsRune(value, 0):
			return tool.Failf(tool.FailNotFound,
				"%s was not run: the value of %s holds a NUL, which no variable can", a.tool.ID, name)
		}
		filled[name], a.given[name] = value, e.hidden.Mark(value)
		mac := hmac.New(sha256.New, e.fingerprintKey)
		mac.Write([]byte(value)) // never fails
		fingerprints[name] = string(mac.Sum(nil))
		values = append(values, value)
	}
	plan, failure := a.runner.Plan(a.invocation, filled)
	if failure != nil {
		return failure
	}
	if a.exchangesCaller() { // another caller's call is another one
		mac := hmac.New(sha256.New, e.fingerprintKey)
		mac.Write([]byte(a.call.Origin.Token.Reveal()))
		fingerprints[tool.Subject] = string(mac.Sum(nil))
	}
	a.plan, a.invocation.Fingerprints, a.filledIn, a.redactor = plan, fingerprints, values, secret.New(values...)
	return nil
}

// clean takes the values that the act was given out of what became of it, before anybody sees, keeps or
// records that.
func (a *act) clean(o outcome) outcome {
	if a.redactor == nil {
		return o
	}
	text := a.redactor.String
	if o.Truncated || o.Signal != "" {
		text = a.redactor.Cut // it may have been cut within a value
	}
	o.Stdout, o.Stderr = []byte(text(string(o.Stdout))), []byte(text(string(o.Stderr)))
	clean := func(list []string) []string {
		cleaned := make([]string, len(list))
		for i, said := range list {
			cleaned[i] = a.redactor.String(said)
		}
		return cleaned
	}
	o.Notes, o.Changed = clean(o.Notes), clean(o.Changed)
	if o.Ended != nil { // it may repeat what a server said
		ended := *o.Ended
		ended.Message = text(ended.Message)
		o.Ended = &ended
	}
	return o
}

// sourcesOfValues lists for people what is filled in last, and from where.
func (a *act) sourcesOfValues() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(a.invocation.References)) {
		lines = append(lines, name+" = "+a.invocation.References[name].String())
	}
	if name, words := a.fetchedInWords(); name != "" {
		lines = append(lines, name+" = "+words)
	}
	return strings.Join(lines, "\n")
}
