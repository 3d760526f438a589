package outputschema

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}`
	for _, row := range []struct {
		name, schema, text string
		isObject, fits     bool
	}{
		{"fits", object, ` {"n": 3} `, true, true},
		{"too small", object, `{"n": 0}`, true, false},
		{"lacks a member", object, `{}`, true, false},
		{"one too many", object, `{"n": 1, "m": 2}`, true, false},
		{"no object", object, `[1]`, false, false},
		{"a list", `{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"number"}}}`, `[1, 2.5]`, false, true},
		{"a list with another item", `{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"number"}}}`, `[1, "2"]`, false, false},
		{"two values", object, `{"n": 1} {"n": 2}`, false, false},
		{"no JSON", object, `n: 1`, false, false},
		{"nothing", object, ``, false, false},
	} {
		schema, err := Compile(row.schema)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		isObject, err := schema.Check([]byte(row.text))
		if isObject != row.isObject || (err == nil) != row.fits {
			t.Errorf("%s: %t, %v", row.name, isObject, err)
		}
	}
	var none *Schema
	if isObject, err := none.Check([]byte(`{"any": null}`)); !isObject || err != nil {
		t.Errorf("%t, %v", isObject, err)
	}
	if _, err := none.Check([]byte("x")); !errors.Is(err, ErrNoJSON) {
		t.Errorf("got %v", err)
	}
}

// A schema of a repository's makes nobody fetch anything.
func TestNothingIsFetched(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was fetched") }))
	defer server.Close()
	for _, wrong := range []string{
		`{"$ref":"` + server.URL + `/x.json"}`, `{"$ref":"file:///etc/passwd"}`, `{"type":"texts"}`, `{"pattern":"("}`, `[]`, `{"$ref":"#/$defs/none"}`,
	} {
		if _, err := Compile(wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
