package ocsf

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// schema is a checkout of github.com/ocsf/ocsf-schema, as far as it matters to us.
type schema struct {
	dir   string
	attrs map[string]attribute // dictionary.json
	types map[string]struct {
		Type string `json:"type"`
	}
}

type attribute struct {
	Type        string                     `json:"type"`
	IsArray     bool                       `json:"is_array"`
	Requirement string                     `json:"requirement"`
	Profile     *string                    `json:"profile"`
	Enum        map[string]json.RawMessage `json:"enum"`
	Deprecated  json.RawMessage            `json:"@deprecated"`
}

// definition is a class of events, an object or a profile.
type definition struct {
	UID         int                        `json:"uid"`
	Extends     string                     `json:"extends"`
	Attributes  map[string]json.RawMessage `json:"attributes"`
	Constraints struct {
		AtLeastOne []string `json:"at_least_one"`
		JustOne    []string `json:"just_one"`
	} `json:"constraints"`
}

// resolved is a definition with all that it extends and includes.
type resolved struct {
	attrs               map[string]attribute
	atLeastOne, justOne []string
}

// openSchema returns the schema that A2A_OCSF_SCHEMA names; the test is skipped where that is not set.
func openSchema(t *testing.T) *schema {
	t.Helper()
	dir := os.Getenv("A2A_OCSF_SCHEMA")
	if dir == "" {
		t.Skip("A2A_OCSF_SCHEMA names no checkout of github.com/ocsf/ocsf-schema at tag " + Version)
	}
	var version struct {
		Version string `json:"version"`
	}
	s := &schema{dir: dir}
	s.load(t, "version.json", &version)
	if version.Version != Version {
		t.Fatalf("the schema in %s is %s; want %s", dir, version.Version, Version)
	}
	var dictionary struct {
		Attributes map[string]attribute `json:"attributes"`
		Types      struct {
			Attributes map[string]struct {
				Type string `json:"type"`
			} `json:"attributes"`
		} `json:"types"`
	}
	s.load(t, "dictionary.json", &dictionary)
	s.attrs, s.types = dictionary.Attributes, dictionary.Types.Attributes
	return s
}

func (s *schema) load(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, path))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(path, err)
	}
}

// resolve reads a definition from a file, and what it extends from one of the same name beside it.
func (s *schema) resolve(t *testing.T, path string) (definition, resolved) {
	t.Helper()
	var d definition
	s.load(t, path, &d)
	out := resolved{attrs: map[string]attribute{}}
	switch {
	case d.Extends == "base_event":
		_, out = s.resolve(t, "events/base_event.json")
	case d.Extends == "system" || d.Extends == "application":
		_, out = s.resolve(t, "events/"+d.Extends+"/"+d.Extends+".json")
	case d.Extends != "" && d.Extends != "object":
		_, out = s.resolve(t, filepath.Join(filepath.Dir(path), d.Extends+".json"))
	}
	s.include(t, d, "", &out)
	if c := d.Constraints; c.AtLeastOne != nil || c.JustOne != nil {
		out.atLeastOne, out.justOne = c.AtLeastOne, c.JustOne
	}
	return d, out
}

// include puts attributes over those that are there. Those of a profile count only where an event names it.
func (s *schema) include(t *testing.T, d definition, profile string, out *resolved) {
	t.Helper()
	if paths, is := d.Attributes["$include"]; is {
		var list []string
		if err := json.Unmarshal(paths, &list); err != nil {
			t.Fatal(err)
		}
		for _, path := range list {
			var included definition
			s.load(t, path, &included)
			s.include(t, included, strings.TrimSuffix(filepath.Base(path), ".json"), out)
		}
	}
	for name, raw := range d.Attributes {
		if name == "$include" {
			continue
		}
		a, known := out.attrs[name]
		if !known {
			a = s.attrs[name]
		}
		enum, none := maps.Clone(a.Enum), ""
		if profile != "" && !known {
			a.Profile = &profile
		}
		if strings.Contains(string(raw), `"profile": null`) {
			a.Profile = &none
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Fatal(name, err)
		}
		if enum == nil {
			enum = map[string]json.RawMessage{}
		}
		maps.Copy(enum, a.Enum)
		a.Enum = enum
		out.attrs[name] = a
	}
}

// check holds an event against the class that it says it has.
func (s *schema) check(t *testing.T, encoded []byte) {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal(encoded, &e); err != nil {
		t.Fatal(err)
	}
	path, category := "events/system/process_activity.json", "system"
	if e["class_name"] == "API Activity" {
		path, category = "events/application/api_activity.json", "application"
	}
	class, all := s.resolve(t, path)
	var categories struct {
		Attributes map[string]struct {
			UID int `json:"uid"`
		} `json:"attributes"`
	}
	s.load(t, "categories.json", &categories)
	of := categories.Attributes[category].UID
	for member, want := range map[string]int{"category_uid": of, "class_uid": of*1000 + class.UID,
		"type_uid": (of*1000+class.UID)*100 + int(number(e["activity_id"]))} {
		if number(e[member]) != float64(want) {
			t.Errorf("%s is %v; want %d", member, e[member], want)
		}
		a := all.attrs[member]
		a.Enum = nil // the compiler of the schema makes them
		all.attrs[member] = a
	}
	profiles := []string{""}
	if m, is := e["metadata"].(map[string]any); is {
		if list, is := m["profiles"].([]any); is {
			for _, p := range list {
				profiles = append(profiles, fmt.Sprint(p))
			}
		}
	}
	s.object(t, "", e, all, profiles)
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

func (s *schema) object(t *testing.T, at string, values map[string]any, d resolved, profiles []string) {
	t.Helper()
	for name, value := range values {
		a, known := d.attrs[name]
		switch {
		case !known:
			t.Errorf("%s%s: there is no such attribute", at, name)
			continue
		case a.Profile != nil && !slices.Contains(profiles, *a.Profile):
			t.Errorf("%s%s: it is only there with the profile %s", at, name, *a.Profile)
		case a.Deprecated != nil:
			t.Errorf("%s%s is deprecated", at, name)
		}
		list, is := value.([]any)
		if is != a.IsArray && a.Type != "json_t" {
			t.Errorf("%s%s is %v", at, name, value)
			continue
		}
		if !a.IsArray {
			list = []any{value}
		}
		for _, v := range list {
			s.value(t, at+name, v, a, profiles)
		}
	}
	for name, a := range d.attrs {
		if _, is := values[name]; !is && a.Requirement == "required" && (a.Profile == nil || slices.Contains(profiles, *a.Profile)) {
			t.Errorf("%s%s is required", at, name)
		}
	}
	is := func(name string) bool { return values[name] != nil }
	if d.atLeastOne != nil && !slices.ContainsFunc(d.atLeastOne, is) {
		t.Errorf("%s: want one of %q", at, d.atLeastOne)
	}
}

func (s *schema) value(t *testing.T, at string, v any, a attribute, profiles []string) {
	t.Helper()
	kind := a.Type
	if base := s.types[kind].Type; base != "" {
		kind = base
	}
	ok := true
	switch kind {
	case "string_t":
		_, ok = v.(string)
	case "integer_t", "long_t":
		var n float64
		n, ok = v.(float64)
		ok = ok && n == float64(int64(n))
	case "boolean_t":
		_, ok = v.(bool)
	case "json_t":
	case "object":
		_, ok = v.(map[string]any)
	default:
		var members map[string]any
		if members, ok = v.(map[string]any); ok {
			_, of := s.resolve(t, "objects/"+kind+".json")
			s.object(t, at+".", members, of, profiles)
		}
	}
	if a.Type == "ip_t" && ok {
		_, err := netip.ParseAddr(v.(string))
		ok = err == nil
	}
	if n, is := v.(float64); is && len(a.Enum) > 0 {
		_, ok = a.Enum[strconv.Itoa(int(n))]
	}
	if !ok {
		t.Errorf("%s is %v; want %s", at, v, a.Type)
	}
}
