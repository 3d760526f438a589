package executor

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTwoReaders: what our own check accepts has to fit the schema that agents are shown.
func TestTwoReaders(t *testing.T) {
	t.Parallel()
	entry := func(most string) *Entry {
		return &Entry{Tool: &tool.Tool{ID: "t", Parameters: []tool.Parameter{
			{Name: "n", Type: tool.TypeInteger, Maximum: most, Default: json.Number("3")},
			{Name: "key", Type: tool.TypeString, Secret: true},
		}}}
	}
	loose, strict := entry("10"), entry("5")
	arguments, failure := loose.validate(json.RawMessage(`{"key":"swordfish"}`))
	if failure != nil || arguments["n"] != json.Number("3") {
		t.Fatalf("got %v, %v", arguments, failure)
	}
	if _, failure := loose.validate(json.RawMessage(`{"n":11}`)); !errors.Is(failure, &tool.Failure{Code: tool.FailValidation}) {
		t.Errorf("the first reader: got %v", failure)
	}

	// A tool whose own check is looser than what agents were told stands for a mistake of ours.
	loose.schema, loose.schemaErr = strict.shown()
	_, failure = loose.validate(json.RawMessage(`{"n":7,"key":"swordfish"}`))
	if !errors.Is(failure, &tool.Failure{Code: tool.FailInternal}) {
		t.Fatalf("the second reader: got %v", failure)
	}
	if strings.Contains(failure.Message, "swordfish") {
		t.Errorf("the message holds a secret: %s", failure.Message)
	}

	broken := entry("10")
	broken.Tool.Parameters[0].Type = "whole"
	if _, err := broken.shown(); err == nil {
		t.Error("a schema that is none is compiled")
	}
	if _, failure := broken.validate(json.RawMessage(`{}`)); !errors.Is(failure, &tool.Failure{Code: tool.FailInternal}) {
		t.Errorf("without a schema: got %v", failure)
	}
}

// TestHugeNumbers: no reader of a number makes a billion digits of its exponent.
func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	entry := &Entry{Tool: &tool.Tool{ID: "t", Parameters: []tool.Parameter{
		{Name: "n", Type: tool.TypeNumber, Minimum: "0"},
		{Name: "any", Type: tool.TypeArray},
		{Name: "map", Type: tool.TypeObject, Enum: []any{map[string]any{"a": json.Number("1")}}},
	}}}
	for _, raw := range []string{`{"n":1e999999999}`, `{"n":1e-999999999}`, `{"any":[1e999999999]}`, `{"map":{"a":1e999999999}}`, `{"map":{"a":1e-999999999}}`} {
		if arguments, failure := entry.validate(json.RawMessage(raw)); failure == nil && !strings.Contains(raw, "any") {
			t.Errorf("%s: accepted as %v", raw, arguments)
		}
	}
}
