// Package telemetry tells OpenTelemetry and Prometheus what the record says: spans of calls and numbers. And it
// writes what the program says and records as a log (see Log).
//
// It follows the record, and nothing reports to it: no call waits for it, and what other processes do with the
// same state directory is seen as well. An Exporter sends spans and numbers over OTLP. Of all processes that are
// told to send to the same place one does, for everything that any of them records; when it ends, another goes on
// where it was (a lock and a place in the record, in the state directory). So nothing is told twice, but for what
// was under way as a process was killed; and that has the same ids both times. Counters are what a daemon shows at
// /metrics: everything that was recorded since it started.
//
// A collector that is slow or gone costs nothing but a goroutine that waits: what is to be sent is on record
// already.
//
// Of what people and agents do, only names that the configuration has, fixed words, numbers and ids leave: no
// arguments, commands, outputs, paths of the workspace, reasons or texts of errors.
package telemetry
