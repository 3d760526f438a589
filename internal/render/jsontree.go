package render

// Tree is a JSON value whose texts are templates: the detail of an error. Exactly one field is set, or only
// Literal. It never changes and is safe for concurrent use.
type Tree struct {
	Text    *Text
	Object  map[string]*Tree
	List    []*Tree
	Literal any // a number, true, false or nil
}

// Render fills the texts in.
func (t *Tree) Render(arguments map[string]any) (any, error) {
	switch {
	case t.Text != nil:
		return t.Text.Render(arguments)
	case t.Object != nil:
		object := make(map[string]any, len(t.Object))
		for name, member := range t.Object {
			value, err := member.Render(arguments)
			if err != nil {
				return nil, err
			}
			object[name] = value
		}
		return object, nil
	case t.List != nil:
		list := make([]any, len(t.List))
		for i, item := range t.List {
			value, err := item.Render(arguments)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	}
	return t.Literal, nil
}
