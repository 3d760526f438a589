package spelling

import (
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"description", "script", "parameters", "sandbox", "timeout", "max_memory_mb", "use_temp_isolation", "id"}
	tests := []struct{ name, want string }{
		{"scirpt", "script"},
		{"Script", "script"},
		{"scripts", "script"},
		{"param", ""},
		{"paramters", "parameters"},
		{"timeot", "timeout"},
		{"timeoutt", "timeout"},
		{"max_memory", "max_memory_mb"},
		{"maxMemoryMB", "max_memory_mb"},
		{"use-temp-isolation", "use_temp_isolation"},
		{"identity", ""},
		{"di", "id"},
		{"x", ""},
		{"", ""},
		{"completely_different", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Nearest(test.name, known); got != test.want {
				t.Errorf("Nearest(%q) = %q, want %q", test.name, got, test.want)
			}
		})
	}
}
