// Package replay decides what is on record again: by other rules, to see what would have come of them, and
// to find the rules that would have answered in a person's place.
package replay
