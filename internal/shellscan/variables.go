package shellscan

import "strings"

func set(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = true
		}
	}
	return all
}
