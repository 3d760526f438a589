package webhook

import (
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Spec is a webhook as a person has configured it.
type Spec struct {
	ID     string
	Target Target
	Filter Filter
	Format Format
	Begin  Begin
	Retry  Retry
	Quiet  *Quiet
	// Checkpoints wants the record's signed checkpoints, beside its entries or alone.
	Checkpoints, OnlyCheckpoints bool
	Source                       tool.Source
}

// Subscriptions are what webhooks want of a record and of its checkpoints.
func Subscriptions(specs []Spec, r *Record) (record, checkpoints []Subscription) {
	for _, s := range specs {
		sub := Subscription{ID: s.ID, Begin: s.Begin, Target: s.Target, Retry: s.Retry, Quiet: s.Quiet}
		if !s.OnlyCheckpoints {
			entries := sub
			entries.Source, entries.Stream = RecordSource, r.Stream(s.Filter, s.Format)
			record = append(record, entries)
		}
		if s.Checkpoints {
			sub.Source, sub.Stream = CheckpointSource, r.Checkpoints(s.Format)
			checkpoints = append(checkpoints, sub)
		}
	}
	return record, checkpoints
}

// WantEvents has the spec want events by their names, as EventNames returns them.
func (s *Spec) WantEvents(names []string) {
	s.Checkpoints = slices.Contains(names, CheckpointEvent)
	s.Filter.Events = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == CheckpointEvent })
	s.OnlyCheckpoints = s.Checkpoints && len(s.Filter.Events) == 0
}
