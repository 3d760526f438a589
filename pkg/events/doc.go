// Package events defines the events that the program records and tells others about.
//
// The Recorder gets an Event first, and must succeed: a decision is on disk before its effect, and if it
// cannot be written, there is no effect. Everybody else follows the record: webhooks, metrics, a console.
//
// # What is promised about order
//
// The record gives each event a number, without gaps, and whoever records one event after another finds them
// in that order. So the events of a call, of a session and of a task have the order in which they happened,
// whichever processes record them: a call is decided, then starts, then ends. Of events of different sessions
// the numbers say which was recorded first, and no more. Followers read by number, and so tell of events in
// that order, each at least once, and always with the same id (Recorded).
//
// # How others are told
//
// A Notification is an event as the original system tells it, a CloudEvent one in the form of CloudEvents 1.0.
// The table in kinds.go says for each type which it is, and by which names filters know it.
//
// An Event never holds the value of a secret parameter: whoever makes the Event leaves it out (see Arguments).
package events
