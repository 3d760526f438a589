package main

import (
	"fmt"
	"strings"
)

// request makes a frame of that many bytes with a method that no bridge knows. Its payload is source code,
// which has an escape every 40 bytes.
func request(id, size int) []byte {
	return fill(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"_bench/echo","params":{"text":"`, id), size)
}

// notification makes such a frame without an id.
func notification(size int) []byte {
	return fill(`{"jsonrpc":"2.0","method":"_bench/echo","params":{"text":"`, size)
}

func fill(head string, size int) []byte {
	const source, tail = `    return b.toAgent.Relay(line) // as is\n`, "\"}}\n"
	room := max(0, size-len(head)-len(tail))
	text := strings.Repeat(source, room/len(source)) + strings.Repeat("x", room%len(source))
	return []byte(head + text + tail)
}
