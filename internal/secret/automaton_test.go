package secret

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestReading holds what is found of many texts that begin, go on and end alike against what strings finds.
func TestReading(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	word := func(length int) string {
		word := make([]byte, length)
		for i := range word {
			word[i] = "aab"[random.IntN(3)]
		}
		return string(word)
	}
	for range 300 {
		var texts []string
		for range 1 + random.IntN(12) {
			texts = append(texts, word(head+random.IntN(9)))
		}
		stream := word(400)
		var found []span
		r := newReading(seek(texts, head), &found)
		r.asIs = true
		for i := range len(stream) {
			r.addBytes([]byte{stream[i]}, int64(i))
			come, longest, begun := stream[:i+1], 0, 0
			for _, text := range texts {
				if strings.HasSuffix(come, text) {
					longest = max(longest, len(text))
				}
				for n := head; n <= len(text); n++ {
					if strings.HasSuffix(come, text[:n]) {
						begun = max(begun, n)
					}
				}
			}
			end := int64(i + 1)
			if want := (span{end - int64(longest), end}); longest > 0 && !slices.Contains(found, want) || longest == 0 && len(found) > 0 {
				t.Fatalf("%q in %q: found %v, want %v", texts, come, found, want)
			}
			if from, ok := r.cut(); ok != (begun > 0) || ok && from != end-int64(begun) {
				t.Fatalf("%q in %q: cut at %d, %t; want %d bytes", texts, come, from, ok, begun)
			}
			found = found[:0]
		}
	}
}
