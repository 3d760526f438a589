// Package spelling finds the name that somebody meant who mistyped one.
package spelling

// Nearest returns the name that was probably meant: the one with the fewest typing mistakes between, when
// those are few enough for its length. It gives "" when nothing is near.
func Nearest(name string, known []string) string {
	best, bestDistance := "", 1+len([]rune(name))/3
	if bestDistance > 4 {
		bestDistance = 4
	}
	for _, candidate := range known {
		if d := distance(name, candidate); d < bestDistance || (d == bestDistance && best == "") {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance counts the letters to insert, take out, change or swap with the next one (optimal string
// alignment). Letter case and the sign between words do not count: allowedPaths is allowed_paths to a
// person.
func distance(from, to string) int {
	a, b := []rune(foldName(from)), []rune(foldName(to))
	if len(a) > 64 || len(b) > 64 {
		return 65
	}
	previous, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := previous
		previous, row = row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// foldName takes out what people write differently for the same word: letter case, and - or _ between its
// parts.
func foldName(name string) string {
	folded := make([]rune, 0, len(name))
	for _, r := range name {
		switch {
		case r == '-' || r == '_':
		case r >= 'A' && r <= 'Z':
			folded = append(folded, r+'a'-'A')
		default:
			folded = append(folded, r)
		}
	}
	return string(folded)
}
