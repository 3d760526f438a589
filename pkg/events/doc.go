// Package events says what happens, in words that every listener shares.
//
// One thing happens, one Event says so, and the Recorder hears of it first: it is the listener that must
// succeed. A decision is on disk before its effect; where it cannot be written, there is no effect.
// Everything else an event is good for (webhooks, metrics, a console) may lag or be lost without anything
// going wrong.
//
// Events of one session are recorded in the order in which they happened. Values of secret parameters never
// enter an Event: whoever makes one leaves them out (see Arguments).
package events
