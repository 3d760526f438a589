package permissions

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestShadows(t *testing.T) {
	t.Parallel()
	reject, approve, ask := rule("no", Reject), rule("yes", Approve, include("docs/**")), rule("look", Ask, about("functions.*"))
	workspace := File{Version: Version2, TightenOnly: true, Rules: []Rule{reject}}
	for _, row := range []struct {
		name  string
		files []File
		want  []string // rule < by
	}{
		{"nothing", []File{v2(approve)}, nil},
		{"a stronger rule about everything", []File{v2(approve, reject)}, []string{"yes < no"}},
		{"in another file", []File{v2(approve, ask), v2(reject)}, []string{"yes < no", "look < no"}},
		{"a weaker one", []File{v2(reject, rule("also", Ask))}, []string{"also < no"}},
		{"equally strong", []File{v2(reject, rule("also", Reject, include("x")))}, nil},
		{"the same paths", []File{v2(approve, rule("no", Reject, include("src/**", "docs/**")))}, []string{"yes < no"}},
		{"the same paths in another file", []File{v2(rule("no", Ask, include("docs/**"))), v2(approve)}, []string{"yes < no"}},
		{"fewer paths", []File{v2(rule("yes", Approve, include("docs/**", "a")), rule("no", Reject, include("docs/**")))}, nil},
		{"the same paths, and a condition", []File{v2(approve, rule("no", Reject, include("docs/**"), principals("ci")))}, nil},
		{"the same paths, and not all of them", []File{v2(approve, rule("no", Reject, include("docs/**"), exclude("docs/a")))}, nil},
		{"the same paths of a rule that asks", []File{v2(rule("look", Ask, include("docs/**")), rule("no", Reject, include("docs/**")))}, nil},
		{"the same paths of the original format", []File{v1(approve), v1(rule("no", Reject, include("docs/**")))}, nil},
		{"a condition", []File{v2(approve, rule("no", Reject, include("doc/**")))}, nil},
		{"about some callers", []File{v2(approve, rule("no", Reject, principals("ci")))}, nil},
		{"about other tools", []File{v2(approve, ask)}, nil},
		{"about the same tools", []File{v2(rule("yes", Approve, about("functions.*")), ask)}, []string{"yes < look"}},
		{"original: the first", []File{v1(ask, rule("later", Reject, about("functions.*")))}, []string{"later < look"}},
		{"original: the last", []File{v1(approve, reject)}, nil},
		{"original: behind a first that may match", []File{v2(approve), v1(rule("one", Approve, about("x")), reject)}, nil},
		{"a workspace's own", []File{v2(approve), workspace}, nil},
		{"a mistake", []File{v2(approve, rule("no", Reject, include("[")))}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range Shadows(row.files) {
				got = append(got, s.Rule.ID+" < "+s.By.ID)
				if !strings.Contains(s.Why, s.By.ID) {
					t.Errorf("%q does not name the rule", s.Why)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A rule that is shadowed never decides, whatever is asked.
func TestShadowedRulesNeverDecide(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	rules := []Rule{
		rule("a", Approve, include("docs/**")), rule("b", Ask), rule("c", Reject, about("x")), rule("d", Reject, include("src/**")), rule("e", Approve, commands("", "ls")),
		rule("f", Ask, about("x")), rule("g", Reject, about("functions.shell")),
		rule("h", Reject, include("docs/**")),
	}
	requests := []Request{b.write("docs/a.md"), b.write("src/a.go"), b.call("x", nil, "docs/a.md"), b.run("ls"), b.run("rm x"), b.read("docs/a.md")}
	for mask := range 1 << len(rules) {
		var chosen []Rule
		for i, r := range rules {
			if mask&(1<<i) != 0 {
				chosen = append(chosen, r)
			}
		}
		half := len(chosen) / 2
		for _, files := range [][]File{{v2(chosen...)}, {v1(chosen...)}, {v1(chosen[:half]...), v2(chosen[half:]...)}, {v2(chosen[:half]...), v1(chosen[half:]...)}} {
			shadowed := map[string]bool{}
			for _, s := range Shadows(files) {
				shadowed[s.Rule.ID] = true
			}
			a := b.authority(files...)
			for _, request := range requests {
				if d := a.Decide(request); d.Source == SourcePolicy && shadowed[d.Rule] {
					t.Fatalf("rules %07b: %s is said to be shadowed, and decides: %s", mask, d.Rule, d.Reason)
				}
			}
		}
	}
}

// TestUnconditional sets every field of a rule: one that narrows what the rule is about makes it
// conditional, so that no other rule is called idle because of it.
func TestUnconditional(t *testing.T) {
	t.Parallel()
	narrowsNothing := []string{"ID", "Source", "AppliesTo", "Option", "Reason", "Limit", "SkipGovernors", "AtTerminal", "Match", "NotMatch"}
	fields := reflect.TypeFor[Rule]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		if name == "Verdict" || slices.Contains(narrowsNothing, name) {
			continue
		}
		rule := Rule{ID: "r", AppliesTo: []string{"*"}, Verdict: Reject}
		if !rule.unconditional() {
			t.Fatalf("a rule without conditions is none: %v", rule.Check())
		}
		fill(t, reflect.ValueOf(&rule).Elem().Field(i))
		if rule.unconditional() {
			t.Errorf("a rule with %s is taken for one without conditions", name)
		}
	}
}

// fill gives a field a value that is not the zero value.
func fill(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Interface().(type) {
	case time.Time:
		field.Set(reflect.ValueOf(time.Unix(1, 0)))
		return
	}
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(true)
	case reflect.String:
		field.SetString("x")
	case reflect.Int:
		field.SetInt(1)
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.Map:
		field.Set(reflect.MakeMap(field.Type()))
		field.SetMapIndex(reflect.New(field.Type().Key()).Elem(), reflect.New(field.Type().Elem()).Elem())
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	default:
		t.Fatalf("a field of kind %s", field.Kind())
	}
}
