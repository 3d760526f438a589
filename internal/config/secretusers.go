package config

import (
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// SecretUser is what is given a secret of the program's store.
type SecretUser struct {
	Secret string
	Kind   string // "tool", or what else the files have names for
	Name   string
}

// SecretUsers lists what refers to secrets of the program's store: tools first, and each once.
func (s *Set) SecretUsers() []SecretUser {
	var list []SecretUser
	add := func(kind, name string, r *tool.Reference) {
		if r != nil && r.Secret != "" && !slices.Contains(list, SecretUser{r.Secret, kind, name}) {
			list = append(list, SecretUser{r.Secret, kind, name})
		}
	}
	all := func(kind, name string, references map[string]tool.Reference) {
		for _, variable := range slices.Sorted(maps.Keys(references)) {
			r := references[variable]
			add(kind, name, &r)
		}
	}
	for i := range s.Tools {
		all("tool", s.Tools[i].Tool.ID, s.Tools[i].Tool.Sandbox.References)
	}
	for i := range s.Settings.Webhooks {
		w := &s.Settings.Webhooks[i]
		add("webhook", w.ID, w.Target.URL.Reference)
		add("webhook", w.ID, w.Target.Auth.Value.Reference)
		for _, key := range w.Target.Signing.Secrets {
			add("webhook", w.ID, key.Reference)
		}
	}
	for _, file := range s.Governors {
		for _, g := range slices.Concat(file.Permission, file.Output) {
			all("governor", g.ID, g.Script.Secrets)
			add("governor", g.ID, g.HTTP.Secret)
		}
	}
	for i := range s.Settings.Agents {
		all("agent", s.Settings.Agents[i].Name, s.Settings.Agents[i].References)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Settings.Serve.Principals)) {
		token := s.Settings.Serve.Principals[name].Token
		add("principal", name, &token)
	}
	return list
}
