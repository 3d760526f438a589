package person

import (
	"errors"
	"testing"
)

func TestWhoMay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		f                           Finding
		loosen, tighten, agentsAct  bool
		vouchedLoosens, saysUnknown bool
	}{
		{f: Finding{}, agentsAct: true, saysUnknown: true}, // nothing was found out
		{f: unknown("", "x"), agentsAct: true, saysUnknown: true},
		{f: agent("x"), agentsAct: true},
		{f: Finding{Caller: Doubtful}, tighten: true, saysUnknown: true},
		{f: Finding{Caller: Doubtful, Vouchable: true}, tighten: true, saysUnknown: true, vouchedLoosens: true},
		{f: Finding{Caller: Person}, loosen: true, tighten: true, vouchedLoosens: true},
	} {
		err := test.f.Err()
		if got := err == nil; got != test.loosen {
			t.Errorf("%+v: may loosen %t, want %t", test.f, got, test.loosen)
		}
		if got := test.f.ErrToTighten() == nil; got != test.tighten {
			t.Errorf("%+v: may tighten %t, want %t", test.f, got, test.tighten)
		}
		if got := test.f.AgentsAct(); got != test.agentsAct {
			t.Errorf("%+v: an agent's act %t, want %t", test.f, got, test.agentsAct)
		}
		if got := test.f.Vouched().Err() == nil; got != test.vouchedLoosens {
			t.Errorf("%+v: may loosen with root's word %t, want %t", test.f, got, test.vouchedLoosens)
		}
		if got := errors.Is(err, ErrUnknown); got != test.saysUnknown {
			t.Errorf("%+v: %v, and want it said to be unknown: %t", test.f, err, test.saysUnknown)
		}
	}
}
