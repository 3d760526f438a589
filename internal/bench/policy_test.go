package main

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func BenchmarkDecide(b *testing.B) {
	dir := b.TempDir()
	for _, n := range []int{10, 1000} {
		file, err := config.ReadPolicies(config.File{Name: "bench.yaml", Layer: tool.LayerUser, Data: policyFile(n)})
		if err != nil {
			b.Fatal(err)
		}
		authority := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{file})})
		acts := policyActs(dir)
		b.Run(map[bool]string{true: "few", false: "many"}[n == 10], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				authority.Decide(acts[i%len(acts)])
			}
		})
	}
}
