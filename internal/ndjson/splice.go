package ndjson

import "unsafe"

// The functions here make a new line from an old one. part, object and array are parts of the line as
// [Scan], [Get], [Members] and [Elements] give them; value and element are valid JSON of ours, in which
// line breaks become spaces, because a line has none. All other bytes stay as they were, the terminator
// included, and the old line is not changed. They give nil when the part is not in the line or is not what
// its name says.

// Replace puts a value in the place of another.
func Replace(line, part, value []byte) []byte {
	at := offset(line, part)
	if at < 0 {
		return nil
	}
	return splice(line, at, at+len(part), value)
}

// AppendMember puts a member at the end of an object. Whether the key is there already is not looked at.
func AppendMember(line, object []byte, key string, value []byte) []byte {
	member := append(AppendString(nil, key), ':')
	return appendInside(line, object, '{', append(member, value...))
}

// AppendElement puts an element at the end of an array.
func AppendElement(line, array, element []byte) []byte {
	return appendInside(line, array, '[', element)
}

// Offset returns the index in line at which a part of it begins, or -1 when it is none.
func Offset(line, part []byte) int { return offset(line, part) }

// appendInside puts an item before the closing bracket, after a comma unless it is the first.
func appendInside(line, part []byte, bracket byte, item []byte) []byte {
	at := offset(line, part)
	if at < 0 || len(part) < 2 || part[0] != bracket || part[len(part)-1] != bracket+2 {
		return nil
	}
	last := at + len(part) - 1
	if len(trimSpace(part[1:len(part)-1])) > 0 {
		item = append([]byte{','}, item...)
	}
	return splice(line, last, last, item)
}

// splice puts value in the place of line[from:to].
func splice(line []byte, from, to int, value []byte) []byte {
	spliced := make([]byte, 0, len(line)-(to-from)+len(value))
	spliced = append(spliced, line[:from]...)
	spliced = append(spliced, value...)
	for i, c := range spliced[from:] {
		if c == '\n' || c == '\r' {
			spliced[from+i] = ' '
		}
	}
	return append(spliced, line[to:]...)
}

// offset finds where in line a part of it lies by its address, so that a part of some other line is never
// mistaken for one.
func offset(line, part []byte) int {
	if len(part) == 0 {
		return -1
	}
	begin, at := uintptr(unsafe.Pointer(unsafe.SliceData(line))), uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	if at < begin || at-begin > uintptr(len(line)) || uintptr(len(part)) > uintptr(len(line))-(at-begin) {
		return -1
	}
	return int(at - begin)
}
