package display

import "fmt"

// Count says how many there are of what has a name for one of it, and one for many: "1 tool is", "3 tools are".
func Count[N int | int64 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
