package acp

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// object is a JSON object that every reader reads alike: no key stands there twice, and no two keys differ
// only in case.
type object map[string][]byte

// opaque are the members that we neither decide by nor rewrite as part of a frame: what an agent says of
// its own tools' input and output may hold any keys. Whoever reads them does so with exactObject again.
var opaque = map[string]bool{"rawInput": true, "rawOutput": true, "_meta": true}

// exactObject reads an object whose keys must be the protocol's own spelling, or are not seen.
func exactObject(raw []byte) (object, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("an object is missing")
	}
	if err := exact(raw, deepest); err != nil {
		return nil, err
	}
	o := object{}
	for key, value := range ndjson.Members(raw) {
		o[key] = value
	}
	if len(o) == 0 && raw[0] != '{' {
		return nil, fmt.Errorf("it is no object")
	}
	return o, nil
}

// deepest is how deep objects and lists may lie in each other: what lies in many is read once for each of
// them, and no frame of the protocol needs a tenth of that.
const deepest = 100

var errTooDeep = fmt.Errorf("it has objects and lists in each other more than %d deep", deepest)

// exact is ndjson.Strict for all that is not opaque. depth is how much deeper raw may go.
func exact(raw []byte, depth int) error {
	switch {
	case depth < 0:
		return errTooDeep
	case len(raw) > 0 && raw[0] == '{':
		if err := ndjson.StrictKeys(raw); err != nil {
			return err
		}
		for key, value := range ndjson.Members(raw) {
			if opaque[key] {
				continue
			}
			if err := exact(value, depth-1); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	case len(raw) > 0 && raw[0] == '[':
		for value := range ndjson.Elements(raw) {
			if err := exact(value, depth-1); err != nil {
				return err
			}
		}
	default:
		return ndjson.Strict(raw)
	}
	return nil
}

// text returns a string member; "" when it is not there or is none.
func (o object) text(key string) string {
	s, err := ndjson.String(o[key])
	if err != nil {
		return ""
	}
	return s
}

// texts returns a member that is a list of strings; what is none is left out.
func (o object) texts(key string) []string {
	var list []string
	for value := range ndjson.Elements(o[key]) {
		if s, err := ndjson.String(value); err == nil {
			list = append(list, s)
		}
	}
	return list
}

// object returns a member that is an object; nil when it is not there or cannot be read in one way only.
func (o object) object(key string) object {
	inner, err := exactObject(o[key])
	if err != nil {
		return nil
	}
	return inner
}

// objects returns a member that is a list of objects; what is none, or cannot be read in one way only, is
// left out and reported.
func (o object) objects(key string) (list []object, complete bool) {
	complete = true
	for value := range ndjson.Elements(o[key]) {
		inner, err := exactObject(value)
		if err != nil {
			complete = false
			continue
		}
		list = append(list, inner)
	}
	return list, complete
}
