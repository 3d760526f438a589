package a2a

import (
	"strings"
	"testing"
)

// TestMemory has clients say much: what they have said is not kept in memory with tasks that have ended, and of those that
// go on so much is that one principal takes no more than its share.
func TestMemory(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	much := strings.Repeat("x", mostKept)
	for where, params := range map[string]string{
		"a text":            message("do "+much, ""),
		"a message's data":  message("do it", `,"metadata":{"a":"`+much+`"}`),
		"many empty values": message("do it", `,"metadata":{"a":[`+strings.Repeat("[],", mostKept/32)+`[]]}`),
		"many parts":        strings.Replace(message("do it", ""), `"parts":[`, `"parts":[{"text":"do it"},`+strings.Repeat(`{"text":""},`, mostKept/sizeOfPart), 1),
	} {
		result, failure := h.rpc("anna", "SendMessage", params)
		if failure != nil {
			t.Fatalf("%s: %v", where, failure)
		}
		if id, _ := at(result, "task.id").(string); id == "" || h.door.snapshots.Contains(id) {
			t.Errorf("%s is kept", where)
		}
	}
	if task := h.send("anna", "do it"); !h.door.snapshots.Contains(task["id"].(string)) {
		t.Error("a small one is not kept")
	}
	held, _ := h.rpc("anna", "SendMessage", strings.TrimSuffix(message("hold it", `,"metadata":{"a":"`+much+`"}`), "}")+
		`,"configuration":{"returnImmediately":true}}`)
	h.door.mu.Lock()
	one := h.door.underWay["anna"]
	h.door.underWay["anna"] = one.plus(0, mostBytesUnderWay-one.bytes) // as if there were more like it
	h.door.mu.Unlock()
	if one.tasks != 1 || one.bytes < mostKept {
		t.Errorf("under way: %+v", one)
	}
	if _, failure := h.rpc("anna", "SendMessage", message("do it", "")); failure["code"] != -32033.0 {
		t.Errorf("one more: %v", failure)
	}
	h.send("bob", "do it")
	h.door.mu.Lock()
	h.door.underWay["anna"] = one
	h.door.mu.Unlock()
	r := h.door.of(at(held, "task.id").(string))
	close(h.actor.gate("it"))
	<-r.over
	h.send("anna", "do it")
	question := h.send("anna", "ask")
	if _, failure := h.rpc("anna", "SendMessage", message("yes", `,"taskId":"`+question["id"].(string)+`","metadata":{"a":"`+
		strings.Repeat("x", mostAnswer)+`"}`)); failure["code"] != -32602.0 {
		t.Errorf("an answer that is as long as a book: %v", failure)
	}
	if _, failure := h.rpc("anna", "SendMessage", message("do it", `,"metadata":{"a":[`+strings.Repeat("[],", mostValues)+`[]]}`)); failure["code"] != -32602.0 {
		t.Errorf("a million values: %v", failure)
	}
}
