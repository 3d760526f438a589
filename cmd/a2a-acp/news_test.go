package main

import "time"

// news wakes who waits for what others do in this process. It is made with room for one.
type news chan struct{}

// tell says that something has happened.
func (n news) tell() {
	select {
	case n <- struct{}{}:
	default:
	}
}

// until looks whether something is so with each piece of news, and reports whether it came to be in time.
func (n news) until(longest time.Duration, so func() bool) bool {
	for late := time.After(longest); !so(); {
		select {
		case <-n:
		case <-late:
			return so()
		}
	}
	return true
}
