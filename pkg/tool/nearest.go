package tool

import "strings"

// nearest gives the name that was probably meant: the one with the fewest letters to insert, take out or change, when
// those are few enough for its length; "" when nothing is near. Letter case and the sign between words do not count.
func nearest(name string, known []string) string {
	best, fewest := "", 1+min(len(name), 12)/3
	for _, candidate := range known {
		if d := distance(foldName(name), foldName(candidate)); d < fewest {
			best, fewest = candidate, d
		}
	}
	return best
}

// distance is Levenshtein's, for names of at most 64 bytes; longer ones are far from everything.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}

func foldName(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}
