package jcs

import "slices"

// WithoutEmpty returns a value without texts, lists and objects that are empty, and without null, but for members of
// these names; nil for such a value. Some sign cards so (A2A 1.0.1, 8.4): in ProtoJSON what is empty is not there.
func WithoutEmpty(value any, keep ...string) any {
	switch value := value.(type) {
	case string:
		if value == "" {
			return nil
		}
	case []any:
		var list []any
		for _, item := range value {
			if item = WithoutEmpty(item, keep...); item != nil {
				list = append(list, item)
			}
		}
		if list == nil {
			return nil
		}
		return list
	case map[string]any:
		members := map[string]any{}
		for name, item := range value {
			left := WithoutEmpty(item, keep...)
			if left == nil && slices.Contains(keep, name) {
				left = item
			}
			if left != nil {
				members[name] = left
			}
		}
		if len(members) == 0 {
			return nil
		}
		return members
	}
	return value
}
