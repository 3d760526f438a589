package ndjson

// nesting remembers which brackets are open, one bit each, so that a hostile depth costs a kilobyte and not
// a stack.
type nesting struct {
	depth int
	// The innermost brackets since depth was last a multiple of 64, the innermost lowest; 1 is an object.
	inner uint64
	outer []uint64 // what inner was each time depth was one; nil for ordinary frames
}

// push opens a bracket; it returns false when that would be one too many.
func (n *nesting) push(object bool) bool {
	if n.depth == MaxDepth {
		return false
	}
	if n.depth%64 == 0 && n.depth > 0 {
		n.outer = append(n.outer, n.inner)
	}
	n.depth++
	n.inner <<= 1
	if object {
		n.inner |= 1
	}
	return true
}

func (n *nesting) pop() {
	n.depth--
	n.inner >>= 1
	if n.depth%64 == 0 && n.depth > 0 {
		last := len(n.outer) - 1
		n.inner, n.outer = n.outer[last], n.outer[:last]
	}
}

func (n *nesting) inObject() bool { return n.inner&1 == 1 }

// closing is the bracket that closes the innermost one.
func (n *nesting) closing() byte {
	if n.inObject() {
		return '}'
	}
	return ']'
}
