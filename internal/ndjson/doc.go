// Package ndjson is the raw line relay of the bridge: bytes in, the same bytes out, in order.
//
// A [Reader] gives the lines of a stream with the bytes they came with, a [Writer] writes whole lines.
// [Scan] says of a line what JSON-RPC frame it is, in place and in one pass, without decoding it. It reads
// an envelope as the strictest and the most lenient reader would: it finds the members under their exact
// keys, and says so when another reader could find others ([Frame.Ambiguous], [Frame.CouldBe]). The bridge
// needs both. What it decides by must be what the other side will act on, and the other side may be written
// in a language whose JSON folds case (Go), keeps the last of two equal keys (JavaScript), drops what is
// not UTF-8, or ends a string at a NUL (C). See Bishop Fox, "An Exploration of JSON Interoperability
// Vulnerabilities" (2021).
//
// [Members], [Elements], [Get], [String], [Strict] and [ID] read the values of a frame that is owned,
// exactly and in place. [Replace], [AppendMember] and [AppendElement] make a line from an old one and leave
// every other byte as it was.
//
// [Prepare] makes the streams of a relay fit for it.
//
// encoding/json is used for nothing here: it is too lenient to decide by, and reads every line several times.
package ndjson
