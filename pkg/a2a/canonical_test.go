package a2a

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// TestCanonical is about each thing that ProtoJSON says in several ways, and each that readers disagree on.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{`{"message_id":"a"}`, `{"messageId":"a"}`},
		{`{"messageId":"a","unknown":{"deep":[1,2,{"x":null}]},"MessageId":"b"}`, `{"messageId":"a"}`},
		{`{"taskId":null,"id":"x"}`, `{"id":"x"}`},
		{`{"historyLength":"5","pageSize":10}`, `{"historyLength":5,"pageSize":10}`},
		{`{"role":1,"status":3}`, `{"role":"ROLE_USER","status":"TASK_STATE_COMPLETED"}`},
		{`{"parts":[{"data":{"message_id":null,"n":9007199254740992,"f":0.1}}]}`, `{"parts":[{"data":{"message_id":null,"n":9007199254740992,"f":0.1}}]}`},
		{`{"metadata":{"a_b":{"c_d":[true]}}}`, `{"metadata":{"a_b":{"c_d":[true]}}}`},
		{" { \"id\" : \"\\u00e9\\ud83d\\ude00\" } ", `{"id":"\u00e9\ud83d\ude00"}`},
		{`{}`, `{}`},
		// What is refused.
		{`{"id":"a","id":"b"}`, ``},
		{`{"messageId":"a","message_id":"b"}`, ``},
		{`{"data":{"a":1,"\u0061":2}}`, ``},
		{`{"data":{"n":9007199254740993}}`, ``},
		{`{"data":{"n":123456789012345678901234567890}}`, ``},
		{`{"data":{"n":1e999}}`, ``},
		{`{"data":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, ``},
		{strings.Repeat("[", 100000), ``},
		{"{\"id\":\"\xff\"}", ``},
		{`{"id":"\ud800"}`, ``},
		{`{"id":"\ud800\u0041"}`, ``},
		{`{"id":"a"}{"id":"b"}`, ``},
		{`{"id":"a",}`, ``}, {`{"id":01}`, ``}, {`{"id":+1}`, ``}, {`{"id":.5}`, ``}, {`{'id':1}`, ``}, {`{"id"}`, ``}, {`{"id":}`, ``},
		{`[1,]`, ``}, {`[,1]`, ``}, {`[1 2]`, ``}, {`nul`, ``}, {``, ``}, {`{"id":"a`, ``}, {"{\"id\":\"a\nb\"}", ``}, {`{"id":"\x"}`, ``},
		{`{"a":{"b":1}`, ``}, {`{"a":tru}`, ``}, {"\ufeff{}", ``},
	} {
		got, failed := canonical([]byte(test.in))
		if (failed != nil) != (test.want == "") || failed == nil && string(got) != test.want {
			t.Errorf("%.80s: %s, %v; want %s", test.in, got, failed, test.want)
		}
	}
}

// A message of 0.3 is read into a struct, by names of any case: none stands there twice in another case. What may be any
// JSON may.
func TestCheckedNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in string
		ok bool
	}{
		{`{"message":{"parts":[{"kind":"data","data":{"id":1,"ID":2}}],"metadata":{"a":{"b":1,"B":2}}},"configuration":{}}`, true},
		{`{"message":{"taskId":"a"},"Message":{"taskId":"b"}}`, false},
		{`{"message":{"taskId":"a","taskid":"b"}}`, false},
		{`{"message":{"parts":[{"kind":"text","text":"a","Text":"b"}]}}`, false},
		{`{"message":{"parts":[{"data":{}, "file":{"uri":"a","URI":"b"}}]}}`, false},
		{`{"task":"a","ta\u017fk":"b"}`, false},
		{`{"task":"a","tas\u212a":"b"}`, false},
	} {
		_, failed := legacyParams(&operation{name: "GetTask"}, []byte(test.in))
		if (failed == nil) != test.ok {
			t.Errorf("%s: %v", test.in, failed)
		}
	}
}

// FuzzCanonical holds what is read against the protobuf module's reader: what both take means the same, and what
// canonical takes is JSON.
func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"message":{"message_id":"m","role":1,"parts":[{"text":"x"},{"data":{"a":[1,"b",null]}}],"metadata":{"k":1.5}}}`))
	f.Add([]byte(`{"configuration":{"history_length":"3","returnImmediately":true},"tenant":"t","message":null}`))
	f.Add([]byte(`{"message":{"parts":[{"raw":"AAA=","media_type":"image/png","filename":"f"}],"reference_task_ids":["a"]}}`))
	var g a2agrpc.Service
	method, err := g.Method("SendMessage")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, failed := canonical(in)
		if failed != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q", in, got)
		}
		again, failed := canonical(got)
		if failed != nil || string(again) != string(got) {
			t.Fatalf("%q became %q, and that %q, %v", in, got, again, failed)
		}
		before, after := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Input())
		read := protojson.UnmarshalOptions{DiscardUnknown: true}
		if read.Unmarshal(in, before) != nil {
			return
		}
		if err := read.Unmarshal(got, after); err != nil || !proto.Equal(before, after) {
			t.Fatalf("%q is %v, and as %q %v, %v", in, before, got, after, err)
		}
	})
}

// FuzzRequest sends what strangers might to the readers of each binding: whatever it is, there is an answer.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","method":"message/send","params":{"message":{"kind":"message","role":"user","parts":[{"kind":"file","file":{"bytes":"!"}}]}}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0"}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var request rpcRequest
		if failed := readRPC(body, &request); failed != nil {
			_ = rpcErrorBody(request.ID, failed)
			return
		}
		if !json.Valid(rpcResult(request.ID, []byte("null"))) {
			t.Fatalf("%q: the answer to the id %q is no JSON", body, request.ID)
		}
		for _, version := range []string{version10, version03} {
			for _, op := range operations {
				params, failed := paramsOf(op, version, request.Params)
				if failed == nil && !json.Valid(params) {
					t.Fatalf("%s %q: the parameters are %q", op.name, body, params)
				}
			}
		}
	})
}
