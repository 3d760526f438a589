package permissions

import "testing"

// What agents offer, as seen in November 2026.
var (
	gemini   = []Option{{"proceed_always", "Always", "allow_always"}, {"proceed_once", "Once", "allow_once"}, {"cancel", "No", "reject_once"}}
	codex    = []Option{{"allow_once", "", "allow_once"}, {"allow_for_session", "", "allow_always"}, {"cancel", "", "reject_once"}}
	codexRun = []Option{{"approved", "", "allow_once"}, {"decline", "", "reject_once"}, {"cancel", "", "reject_once"}}
	claude   = []Option{{"allow_always", "", "allow_always"}, {"allow", "", "allow_once"}, {"reject", "", "reject_once"}}
)

func TestChooseOption(t *testing.T) {
	t.Parallel()
	always := []Option{{"proceed_always", "", "allow_always"}, {"cancel", "", "reject_once"}}
	tests := []struct {
		name    string
		verdict Verdict
		option  string
		offered []Option
		want    string // "" for none
	}{
		{"approve without a wish", Approve, "", gemini, "proceed_once"},
		{"reject without a wish", Reject, "", gemini, "cancel"},
		{"ask chooses nothing", Ask, "proceed_once", gemini, ""},
		{"an unknown verdict chooses nothing", Verdict(9), "proceed_once", gemini, ""},
		{"by id", Approve, "proceed_once", gemini, "proceed_once"},
		{"always when it is named", Approve, "proceed_always", gemini, "proceed_always"},
		{"never always by itself", Approve, "", always, ""},
		{"never always for allow", Approve, "allow", always, ""},
		{"allow_always is not once", Approve, "allow_always", gemini, "proceed_always"},
		{"allow_once is not always", Approve, "allow_once", always, ""},
		{"the wish does not fit an approval", Approve, "cancel", gemini, "proceed_once"},
		{"the wish does not fit a rejection", Reject, "proceed_once", gemini, "cancel"},
		{"unknown wish: an arbitrary option was the original's answer", Approve, "whatever", gemini, "proceed_once"},
		{"unknown wish of a rejection never allows", Reject, "whatever", []Option{{"proceed_once", "", "allow_once"}}, ""},
		{"alias approved", Approve, "approved", gemini, "proceed_once"},
		{"alias allow", Approve, "allow", codex, "allow_once"},
		{"alias abort", Reject, "abort", gemini, "cancel"},
		{"alias reject", Reject, "reject", claude, "reject"},
		{"an ambiguous alias falls back to the first", Reject, "reject", codexRun, "decline"},
		{"an ambiguous always is once", Approve, "allow_always", []Option{{"always", "", "allow_always"}, {"proceed_always", "", "allow_always"}, {"yes", "", "allow_once"}}, "yes"},
		{"an alias of two options of one id", Reject, "reject", []Option{{"cancel", "", "reject_once"}, {"cancel", "", "allow_once"}, {"no", "", "reject_once"}}, "no"},
		{"the id goes before its aliases", Approve, "allow", claude, "allow"},
		{"nothing offered", Approve, "", nil, ""},
		{"no rejection offered", Reject, "", []Option{{"a", "", "allow_once"}}, ""},
		{"reject_always where nothing less is offered", Reject, "", []Option{{"never", "", "reject_always"}}, "never"},
		{"reject_always by name", Reject, "never", []Option{{"never", "", "reject_always"}}, "never"},
		{"an unknown kind never approves", Approve, "x", []Option{{"x", "", "allow_forever"}}, ""},
		{"an unknown kind never rejects", Reject, "x", []Option{{"x", "", "reject_later"}}, ""},
		{"no kind", Approve, "x", []Option{{"x", "", ""}}, ""},
		{"two options of one id cannot be told apart", Approve, "x", []Option{{"x", "", "allow_once"}, {"x", "", "reject_once"}}, ""},
		{"an option without id cannot be answered", Approve, "", []Option{{"", "", "allow_once"}}, ""},
		{"letter case counts", Approve, "Proceed_Always", gemini, "proceed_once"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ChooseOption(Decision{Verdict: test.verdict, Option: test.option}, test.offered)
			if ok != (test.want != "") || ok && got.ID != test.want {
				t.Errorf("got %q, %t; want %q", got.ID, ok, test.want)
			}
		})
	}
}
