package tool

// MapLeaves copies a JSON value with each of its texts, numbers, truth values and nulls as leaf gives them.
// Lists and objects are copied, so the value itself is never changed; keys stay.
func MapLeaves(value any, leaf func(any) any) any {
	switch v := value.(type) {
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = MapLeaves(item, leaf)
		}
		return items
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, member := range v {
			members[name] = MapLeaves(member, leaf)
		}
		return members
	}
	return leaf(value)
}
