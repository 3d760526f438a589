package taint

import "mvdan.cc/sh/v3/syntax"

// Finding is one thing that is wrong with where a value goes, or with a script in which that cannot be told.
type Finding struct {
	Warning bool   // the script may run all the same
	Offset  int    // in the text of the script; negative for the script as a whole
	Source  string // the value, or what reads one; "" when the finding is about none
	Context string // where the value stands, or by which way it came: "double quotes, argument of curl"
	Message string // what is wrong
	Fix     string // what to write instead, "" when there is no general answer
}

// refuse adds a finding about a node of a script that must not run.
func (a *analysis) refuse(s *script, n syntax.Node, source, context, message, fix string) {
	a.report(Finding{Offset: a.offset(s, n), Source: source, Context: context, Message: message, Fix: fix})
}

// warn adds a finding about a node of a script that may run.
func (a *analysis) warn(s *script, n syntax.Node, source, context, message, fix string) {
	a.report(Finding{Warning: true, Offset: a.offset(s, n), Source: source, Context: context, Message: message,
		Fix: fix})
}

// report adds a finding, once.
func (a *analysis) report(f Finding) {
	if a.reported == nil { // most scripts have none
		a.reported = map[Finding]bool{}
	}
	if !a.reported[f] {
		a.reported[f] = true
		a.findings = append(a.findings, f)
	}
}

// Findings returns what was found about a place: why no value can stand there, then the warnings.
func (p *Slot) Findings() []Finding {
	var found []Finding
	if p.refusal != nil {
		found = append(found, p.finding(false, *p.refusal))
	}
	for _, r := range p.remarks {
		found = append(found, p.finding(true, r))
	}
	return found
}

func (p *Slot) finding(warning bool, r remark) Finding {
	return Finding{Warning: warning, Offset: p.From, Source: p.Value.Source, Context: p.Context(),
		Message: r.message, Fix: r.fix}
}
