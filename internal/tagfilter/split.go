// Package tagfilter takes apart what stands in a tag of a template: {{name|filter|filter('x')}}.
package tagfilter

// Split splits what stands in a tag at the bars outside of quotes: the name, and then its filters.
func Split(inner string) []string {
	var parts []string
	var quote byte
	start := 0
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '|':
			parts = append(parts, inner[start:i])
			start = i + 1
		}
	}
	return append(parts, inner[start:])
}
