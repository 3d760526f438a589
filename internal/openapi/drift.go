package openapi

import (
	"reflect"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Drift tells, a line each, what is other in a tools file than in the one that is made: + for a tool that is missing there,
// - for one that an import has made for the same sources, of which the document has no operation any more, or none that a
// tool can be made of, and that is not switched off, ~ for one that is another. What a person has added beside the request,
// its parameters and its description is no drift, and neither are tools of operations that are not selected now.
func (m *Made) Drift(file config.File) (lines []string, err error) {
	made, err := m.File()
	if err != nil {
		return nil, err
	}
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, err
	}
	newer := file
	newer.Data = made
	now, err := config.ReadTools(newer)
	if err != nil {
		return nil, err
	}
	sources := map[string]bool{}
	for _, name := range m.by.names {
		sources[name] = true
	}
	for i := range now {
		switch old := find(before, now[i].Tool.ID); {
		case old == nil:
			lines = append(lines, "+ "+now[i].Tool.ID)
		case !same(old, &now[i]):
			lines = append(lines, "~ "+now[i].Tool.ID)
		}
	}
	for i := range before {
		t := &before[i].Tool
		if t.HTTP == nil || t.Disabled || !sources[t.HTTP.API.Name] || find(now, t.ID) != nil || m.by.passedOver[t.ID] {
			continue
		}
		x, err := removing(file.Data)
		if err != nil {
			return nil, err
		}
		if x.isMade(t.ID) {
			lines = append(lines, "- "+t.ID)
		}
	}
	return lines, nil
}

func find(list []config.Loaded, id string) *config.Loaded {
	if i := slices.IndexFunc(list, func(l config.Loaded) bool { return l.Tool.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// same reports whether two tools send the same requests and tell agents the same.
func same(a, b *config.Loaded) bool {
	return a.Request != nil && b.Request != nil && a.Request.Definition() == b.Request.Definition() &&
		slices.EqualFunc(a.Tool.HTTP.API.Credentials(), b.Tool.HTTP.API.Credentials(), sameKind) &&
		a.Tool.Description == b.Tool.Description && reflect.DeepEqual(a.Tool.Parameters, b.Tool.Parameters)
}

func sameKind(a, b tool.NamedAuth) bool { return a.Kind == b.Kind }
