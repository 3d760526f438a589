// Package request makes HTTP requests out of templates and values, each value in its place: a value never decides
// which request is sent.
//
// A template is taken apart when it is read: segments of a path, fields of a query, headers, and bodies as trees of
// JSON, fields or parts. A value is put into its place as that place is written, so there is nothing that it could
// break out of; what servers are known to read as something else (dot segments, and whatever becomes one after decoding
// it once more) is refused. The finished request is then read back by other code, Go's own, and must have the shape
// of the template and hold the very values, or it is not handed out.
//
// Rendering has no effect and looks at nothing: the same values and the same seed give the same bytes, those of
// uuid() and of multipart boundaries included.
package request
