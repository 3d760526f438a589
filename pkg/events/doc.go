// Package events defines the events that the program records and tells others about.
//
// The Recorder gets an Event first, and must succeed: a decision is on disk before its effect, and if it
// cannot be written, there is no effect. Other listeners (webhooks, metrics, a console) may lag or lose
// events.
//
// Events of one session are recorded in the order in which they happened. An Event never holds the value of
// a secret parameter: whoever makes the Event leaves it out (see Arguments).
package events
