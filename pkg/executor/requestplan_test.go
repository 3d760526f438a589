package executor

import (
	"fmt"
	"net/netip"
	"reflect"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestRequestPlanCoversAll: whatever else is said of where a request goes, with what, and of its answer is another plan.
// A field that the digest does not name fails here.
func TestRequestPlanCoversAll(t *testing.T) {
	t.Parallel()
	type settled struct {
		API    tool.API
		Answer tool.Answer
		Limits httptool.Limits
	}
	var s settled
	sum := func() string { return sumOfPlan(&s.API, &s.Answer, s.Limits) }
	known := map[string]string{sum(): "nothing"}
	is := func(what string) {
		t.Helper()
		if other, again := known[sum()]; again {
			t.Errorf("%s is the plan of %s, too", what, other)
		}
		known[sum()] = what
	}
	var vary func(v reflect.Value, where string)
	vary = func(v reflect.Value, where string) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		defer v.Set(before)
		if _, is := v.Interface().(netip.Prefix); is {
			return // in its list
		}
		switch v.Kind() {
		case reflect.Struct:
			for field, value := range v.Fields() {
				vary(value, where+"."+field.Name)
			}
			return
		case reflect.Slice:
			for _, n := range []int{1, 2} {
				v.Set(reflect.MakeSlice(v.Type(), n, n))
				is(fmt.Sprintf("%s of %d", where, n))
				if addresses, ok := v.Interface().([]netip.Prefix); ok {
					addresses[n-1] = netip.MustParsePrefix("10.1.2.3/32")
					is(fmt.Sprintf("%s with an address at %d", where, n))
					continue
				}
				vary(v.Index(n-1), fmt.Sprintf("%s[%d] of %d", where, n-1, n))
			}
			return
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Float64:
			v.SetFloat(1.5)
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		default:
			t.Fatalf("%s is a %s, of which this test knows nothing", where, v.Kind())
		}
		is(where)
	}
	vary(reflect.ValueOf(&s).Elem(), "the plan")
	if len(known) < 60 {
		t.Errorf("only %d plans were tried", len(known))
	}
}
