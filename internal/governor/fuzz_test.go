package governor

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzReply checks that no bytes are an approval but one JSON object that says so in one of the known ways,
// and in no other.
func FuzzReply(f *testing.F) {
	for _, text := range []string{
		`{"status":"approve"}`, `{"status":"reject","messages":["x"],"score":0.5}`, `{"hookSpecificOutput":{"permissionDecision":"allow"}}`,
		`{"decision":"approve"}`, `{"status":"approve","Status":"reject"}`, `{"status":"approve"}{}`, `[{"status":"approve"}]`, "\ufeff{\"status\":\"approve\"}",
		`{"status":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}`, `{"status":null,"decision":"approve"}`, `{"statuſ":"approve"}`, `{"status":"reject","statuſ":"approve"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parseReply(data)
		if err != nil {
			return
		}
		switch a.status {
		case statusApprove, statusReject, statusAttention, statusAbstain, statusError:
		default:
			t.Fatalf("got the status %q", a.status)
		}
		if a.status != statusApprove {
			return
		}
		var plain map[string]any
		dec := json.NewDecoder(bytes.NewReader(data))
		if err := dec.Decode(&plain); err != nil || dec.More() {
			t.Fatalf("approved by what is not one object: %q", data)
		}
		hook, _ := plain["hookSpecificOutput"].(map[string]any)
		if plain["status"] != "approve" && plain["decision"] != "approve" && hook["permissionDecision"] != "allow" {
			t.Fatalf("approved by %q", data)
		}
		if plain["status"] == "reject" || hook["permissionDecision"] == "deny" || plain["status"] == nil && plain["decision"] == "block" {
			t.Fatalf("approved although it also rejects: %q", data)
		}
	})
}
