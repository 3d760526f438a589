package config

import (
	"strings"
	"testing"
)

// TestAccessOfSeveralIssuers checks that a rule of access which lets nobody in is told once the settings say whose tokens
// count: where there are several issuers, one that says none is meant for no issuer.
func TestAccessOfSeveralIssuers(t *testing.T) {
	t.Parallel()
	const issuer = "{issuer: 'https://%.example', audience: a2a-acp}"
	issuers := func(names ...string) string {
		text := "serve:\n  oidc:\n"
		for _, name := range names {
			text += "    " + name + ": " + strings.Replace(issuer, "%", name, 1) + "\n"
		}
		return text
	}
	rule := func(issuer string) string {
		return "version: 2\ngroups: {all: {selectors: [{name_pattern: '*'}]}}\naccess:\n  - {" + issuer +
			"claim_matchers: [{json_path: role, operator: equals, value: staff}], allowed_group_ids: [all]}\n" +
			"tools: {a: {script: echo}, b: {script: echo}}\n"
	}
	for name, test := range map[string]struct{ settings, tools, want string }{
		"one issuer":            {issuers("corp"), rule(""), ""},
		"two, and none named":   {issuers("corp", "other"), rule(""), "tools.yaml:4:5: warning: the rule lets nobody in: tokens of several issuers count (corp, other), and it says not whose claims are meant [access]\n  hint: issuer: corp"},
		"two, and one named":    {issuers("corp", "other"), rule("issuer: other, "), ""},
		"one that is not there": {issuers("corp", "other"), rule("issuer: otter, "), `the rule lets nobody in: there is no issuer "otter" under serve: oidc [access]` + "\n  hint: did you mean other?"},
		"no issuer at all":      {"{}\n", rule(""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			write(t, dir+"/home/a2a-acp/tools.yaml", test.tools)
			write(t, dir+"/home/a2a-acp/a2a-acp.yaml", test.settings)
			set, err := Load(Sources{ConfigHome: dir + "/home", Home: dir, Dir: dir, Env: env(), SystemDir: dir + "/etc"})
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for i := range set.Warnings {
				if set.Warnings[i].Rule == "access" {
					set.Warnings[i].Excerpt = nil
					told = append(told, set.Warnings[i].Error())
				}
			}
			if test.want == "" && len(told) > 0 || test.want != "" && (len(told) != 1 || !strings.Contains(told[0], test.want)) {
				t.Errorf("%q, want %q once", told, test.want)
			}
		})
	}
}
