package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestLimitFlags(t *testing.T) {
	t.Parallel()
	before := tool.DefaultLimits()
	with := func(change func(*tool.Limits)) *tool.Limits {
		l := before
		change(&l)
		return &l
	}
	tests := []struct {
		flag string
		want *tool.Limits // nil: refused
	}{
		{"--timeout=90", with(func(l *tool.Limits) { l.Timeout = 90 * time.Second })},
		{"--timeout=2m30s", with(func(l *tool.Limits) { l.Timeout = 150 * time.Second })},
		{"--timeout=0", with(func(l *tool.Limits) { l.Timeout = 0 })},
		{"--timeout=-1s", nil},
		{"--timeout=soon", nil},
		{"--cpu=3", with(func(l *tool.Limits) { l.CPU = 3 * time.Second })},
		{"--cpu=1500ms", nil},
		{"--memory=512M", with(func(l *tool.Limits) { l.Memory = 512 << 20 })},
		{"--memory=2GiB", with(func(l *tool.Limits) { l.Memory = 2 << 30 })},
		{"--memory=4kb", with(func(l *tool.Limits) { l.Memory = 4 << 10 })},
		{"--memory=4096", with(func(l *tool.Limits) { l.Memory = 4096 })},
		{"--memory=9999999999T", nil},
		{"--memory=1.5G", nil},
		{"--memory=-1", nil},
		{"--memory=M", nil},
		{"--file-size=0", with(func(l *tool.Limits) { l.FileSize = 0 })},
		{"--temp-size=1g", with(func(l *tool.Limits) { l.TempSize = 1 << 30 })},
		{"--processes=10", with(func(l *tool.Limits) { l.Processes = 10 })},
		{"--processes=99999999999", nil},
		{"--open-files=64", with(func(l *tool.Limits) { l.OpenFiles = 64 })},
	}
	for _, test := range tests {
		t.Run(test.flag, func(t *testing.T) {
			t.Parallel()
			var list []func(*tool.Limits)
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			AddLimits(flags, &list)
			err := flags.Parse([]string{test.flag})
			if (err == nil) != (test.want != nil) {
				t.Fatalf("got %v", err)
			}
			got := before
			for _, set := range list {
				set(&got)
			}
			if test.want == nil {
				test.want = &before
			}
			if diff := cmp.Diff(*test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
