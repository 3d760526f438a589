package ndjson

// member is one member of a JSON-RPC envelope.
type member uint8

const (
	noMember member = iota
	idMember
	methodMember
	paramsMember
	resultMember
	errorMember
	versionMember
	memberCount
)

var memberNames = [memberCount]string{
	idMember: "id", methodMember: "method", paramsMember: "params", resultMember: "result", errorMember: "error",
	versionMember: "jsonrpc",
}

// envelope gathers the members of a frame's envelope.
type envelope struct {
	frame *Frame
	seen  [memberCount]bool
}

// member notes one member. It always goes on.
func (e *envelope) member(key, value []byte) bool {
	m, exact := exactMember(key)
	if !exact {
		m = e.otherMember(key)
	}
	f := e.frame
	f.Ambiguous = f.Ambiguous || m != noMember && e.seen[m]
	e.seen[m] = true
	switch m {
	case idMember:
		if f.ID == nil {
			f.ID = value
			f.LossyID = lossyID(value)
			f.Ambiguous = f.Ambiguous || value[0] != 'n' && !isNumber(value) && !sameText(value)
		}
	case methodMember:
		keepFirst(&f.Method, value)
		f.Ambiguous = f.Ambiguous || !sameText(value)
	case paramsMember:
		keepFirst(&f.Params, value)
	case resultMember:
		keepFirst(&f.Result, value)
	case errorMember:
		keepFirst(&f.Error, value)
	}
	return true
}

func keepFirst(part *[]byte, value []byte) {
	if *part == nil {
		*part = value
	}
}

// exactMember knows the keys as the protocol spells them.
func exactMember(key []byte) (m member, ok bool) {
	switch string(key) {
	case "id":
		return idMember, true
	case "method":
		return methodMember, true
	case "params":
		return paramsMember, true
	case "result":
		return resultMember, true
	case "error":
		return errorMember, true
	case "jsonrpc":
		return versionMember, true
	}
	return noMember, false
}

// otherMember looks at a key in another spelling. It gives the member that it is once escapes are resolved,
// and notes when some reader could take it for one, if for another one than others do.
func (e *envelope) otherMember(key []byte) member {
	text, same := decode(key)
	m := foldedMember(text)
	// A key with doubtful characters can be any key to somebody. A JavaScript program that copies a frame
	// member by member makes the value of __proto__ the frame's prototype, in which it then finds a method.
	if !same || m != noMember || text == "__proto__" {
		e.frame.Ambiguous = true
	}
	if m != noMember && text != memberNames[m] {
		return noMember
	}
	return m
}

func foldedMember(key string) member {
	for m := idMember; m < memberCount; m++ {
		if EqualFold(key, memberNames[m]) {
			return m
		}
	}
	return noMember
}
