package approval

import "fmt"

// LastingID returns the id of the option that allows the question's Lasting of this number, counted from 1. first is that
// of the narrowest.
func LastingID(first string, number int) string {
	if number == 1 {
		return first
	}
	return fmt.Sprintf("%s-%d", first, number)
}

// LastingOf returns which of the question's Lasting an option allows by its id, counted from 1; 0 for none.
func (q Question) LastingOf(first, id string) (number int) {
	for i := range q.Lasting {
		if !q.Once && id == LastingID(first, i+1) {
			return i + 1
		}
	}
	return 0
}
