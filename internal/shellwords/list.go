package shellwords

import "strings"

func listed(list, name string) bool {
	for entry := range strings.FieldsSeq(list) {
		if entry == name {
			return true
		}
	}
	return false
}
