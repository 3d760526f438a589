package tool

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"
)

// claimsOf reads the claims of a token as the daemon does.
func claimsOf(t *testing.T, text string) Claims {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return NewClaims(VerifiedClaims{Issuer: "corp", Only: true, All: all}, nil)
}

// TestClaimMatchers holds odd claims against each operator: what is not there, or of another kind, fits none of them.
func TestClaimMatchers(t *testing.T) {
	t.Parallel()
	roles := []string{"realm_access", "roles"}
	long := `["` + strings.Repeat(`x","`, 5000) + `admin"]`
	is := func(path []string, operator ClaimOperator, value any) ClaimMatcher {
		m := ClaimMatcher{Path: path, Operator: operator, Value: value}
		switch operator {
		case ClaimIn, ClaimNotIn:
			m.Value, m.Values = nil, value.([]string)
		case ClaimMatches:
			m.Value, m.Pattern = nil, regexp.MustCompile(`\A(?:`+value.(string)+`)\z`)
		case ClaimEquals, ClaimNotEquals, ClaimContains, ClaimNotContains, ClaimExists:
		}
		return m
	}
	for _, row := range []struct {
		matcher ClaimMatcher
		fit     []string
		not     []string
	}{
		{is(roles, ClaimContains, "admin"),
			[]string{`{"realm_access":{"roles":["user","admin"]}}`, `{"realm_access":{"roles":"user admin"}}`, `{"realm_access":{"roles":"admin"}}`,
				`{"realm_access":{"roles":` + long + `}}`},
			[]string{`{}`, `null`, `{"realm_access.roles":["admin"]}`, `{"realm_access":{"roles.admin":true}}`, `{"realm_access":["admin"]}`,
				`{"realm_access":{"roles":["administrator","Admin","ADMIN"," admin","admin "]}}`, `{"realm_access":{"roles":"not-admin,admin"}}`,
				`{"realm_access":{"roles":"user\tadmin"}}`, `{"realm_access":{"roles":"user\u2003admin"}}`, `{"realm_access":{"roles":["\u0430dmin"]}}`,
				`{"realm_access":{"roles":["admi\u006e\u0301"]}}`, `{"realm_access":{"roles":["admin\u200b"]}}`,
				`{"realm_access":{"roles":["admin",1]}}`, `{"realm_access":{"roles":[["admin"]]}}`, `{"realm_access":{"roles":{"admin":true}}}`,
				`{"realm_access":{"roles":{"0":"admin"}}}`, `{"realm_access":{"roles":null}}`, `{"realm_access":{"roles":true}}`,
				`{"Realm_Access":{"roles":["admin"]}}`, `{"roles":["admin"]}`, `{"realm_access":{"roles":[]}}`}},
		{is(roles, ClaimNotContains, "blocked"),
			[]string{`{"realm_access":{"roles":["user"]}}`, `{"realm_access":{"roles":"user"}}`, `{"realm_access":{"roles":[]}}`},
			[]string{`{}`, `{"realm_access":{"roles":["user","blocked"]}}`, `{"realm_access":{"roles":"user blocked"}}`, `{"realm_access":{"roles":1}}`,
				`{"realm_access":{"roles":null}}`, `{"realm_access":{"roles":["user",{"blocked":1}]}}`, `{"realm_access":{"roles":{}}}`}},
		{is([]string{"level"}, ClaimEquals, "1"), []string{`{"level":"1"}`},
			[]string{`{"level":1}`, `{"level":1.0}`, `{"level":true}`, `{"level":["1"]}`, `{"level":" 1"}`, `{"level":"\uff11"}`, `{"level":null}`, `{}`}},
		{is([]string{"verified"}, ClaimEquals, true), []string{`{"verified":true}`},
			[]string{`{"verified":"true"}`, `{"verified":1}`, `{"verified":false}`, `{"verified":null}`, `{"verified":[true]}`, `{}`}},
		{is([]string{"status"}, ClaimNotEquals, "disabled"), []string{`{"status":"on"}`},
			[]string{`{"status":"disabled"}`, `{"status":null}`, `{"status":["on"]}`, `{"status":0}`, `{}`}},
		{is([]string{"https://example.com/role", "a.b"}, ClaimEquals, "x"), []string{`{"https://example.com/role":{"a.b":"x"}}`},
			[]string{`{"https://example":{"com/role":{"a":{"b":"x"}}}}`}},
		{is([]string{"email"}, ClaimMatches, `.*@example\.com`), []string{`{"email":"anna@example.com"}`},
			[]string{`{"email":"anna@example.com.evil.net"}`, `{"email":"anna@exampleXcom"}`, `{"email":"anna@example.com\n"}`,
				`{"email":["anna@example.com"]}`, `{"email":{"x":"anna@example.com"}}`, `{}`}},
		{is([]string{"tenant"}, ClaimIn, []string{"acme", "globex"}), []string{`{"tenant":"globex"}`},
			[]string{`{"tenant":"acme,globex"}`, `{"tenant":["acme"]}`, `{"tenant":"ACME"}`, `{"tenant":""}`, `{}`}},
		{is([]string{"tenant"}, ClaimNotIn, []string{"banned"}), []string{`{"tenant":"acme"}`},
			[]string{`{"tenant":"banned"}`, `{"tenant":["acme"]}`, `{"tenant":1}`, `{"tenant":null}`, `{}`}},
		{is([]string{"tier"}, ClaimExists, nil), []string{`{"tier":"gold"}`, `{"tier":0}`, `{"tier":["a"]}`, `{"tier":{"a":1}}`},
			[]string{`{"tier":null}`, `{"tier":""}`, `{"tier":[]}`, `{"tier":{}}`, `{}`, `{"Tier":"gold"}`}},
		{is([]string{"tier"}, "", "gold"), nil, []string{`{"tier":"gold"}`}},
		{is(nil, ClaimContains, "gold"), nil, []string{`{"tier":"gold"}`}},
	} {
		access := &Access{Rules: []AccessRule{{Matchers: []ClaimMatcher{row.matcher}}}}
		for _, text := range row.fit {
			if !access.Lets(claimsOf(t, text)) {
				t.Errorf("%s: not let in by %.100s", row.matcher, text)
			}
		}
		for _, text := range row.not {
			if access.Lets(claimsOf(t, text)) {
				t.Errorf("%s: let in by %.100s", row.matcher, text)
			}
		}
	}
}

// TestAccess lets in whom one of the rules lets in, by all of its matchers and of the issuer that is meant.
func TestAccess(t *testing.T) {
	t.Parallel()
	has := func(role string) ClaimMatcher {
		return ClaimMatcher{Path: []string{"roles"}, Operator: ClaimContains, Value: role}
	}
	of := func(issuer string, only bool, roles ...any) Claims {
		return NewClaims(VerifiedClaims{Issuer: issuer, Only: only, All: map[string]any{"roles": roles}}, nil)
	}
	var open *Access
	for name, row := range map[string]struct {
		access *Access
		claims Claims
		want   bool
	}{
		"open to everybody":          {open, Claims{}, true},
		"nobody":                     {&Access{}, of("corp", true, "a"), false},
		"nothing verified":           {&Access{Rules: []AccessRule{{Matchers: []ClaimMatcher{has("a")}}}}, Claims{}, false},
		"a rule without matchers":    {&Access{Rules: []AccessRule{{}}}, of("corp", true, "a"), false},
		"one of two rules":           {&Access{Rules: []AccessRule{{Matchers: []ClaimMatcher{has("b")}}, {Matchers: []ClaimMatcher{has("a")}}}}, of("corp", true, "a"), true},
		"one of two matchers":        {&Access{Rules: []AccessRule{{Matchers: []ClaimMatcher{has("a"), has("b")}}}}, of("corp", true, "a"), false},
		"both matchers":              {&Access{Rules: []AccessRule{{Matchers: []ClaimMatcher{has("a"), has("b")}}}}, of("corp", true, "a", "b"), true},
		"its issuer":                 {&Access{Rules: []AccessRule{{Issuer: "corp", Matchers: []ClaimMatcher{has("a")}}}}, of("corp", false, "a"), true},
		"another issuer":             {&Access{Rules: []AccessRule{{Issuer: "corp", Matchers: []ClaimMatcher{has("a")}}}}, of("github", false, "a"), false},
		"several, and none is meant": {&Access{Rules: []AccessRule{{Matchers: []ClaimMatcher{has("a")}}}}, of("corp", false, "a"), false},
	} {
		if got := row.access.Lets(row.claims); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestClaimsAreHidden prints claims in every way, and compares what counts now with what was shown.
func TestClaimsAreHidden(t *testing.T) {
	t.Parallel()
	var shown ShownClaims
	at := time.Now()
	claims := func(role string, issued time.Time) Claims {
		return NewClaims(VerifiedClaims{Issuer: "corp", Only: true, Issued: issued, All: map[string]any{"roles": []any{role}}}, &shown)
	}
	first := claims("canary", at)
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("%s %v %+v %#v %d %s %s", first, first, Origin{Claims: first}, first, first, text, slog.AnyValue(first).Resolve())
	if strings.Contains(said, "canary") {
		t.Error(said)
	}
	second := claims("other", at.Add(time.Second))
	if first.Now() != second || second.Now() != second {
		t.Error("what was shown later does not count")
	}
	older := claims("canary", at)
	if first.Now() != second {
		t.Error("a token counts again that was issued before another")
	}
	if older.Now() != older {
		t.Error("a token does not count by itself any more since another was shown before")
	}
	if undated := claims("third", time.Time{}); first.Now() != undated {
		t.Error("of tokens that do not say when they were issued the one counts that was shown last")
	}
	if (Claims{}).Now() != (Claims{}) {
		t.Error("who shows nothing has claims")
	}
}
