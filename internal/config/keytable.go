package config

import (
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// keyTable is a table of keys that is made once: each tool, each parameter and each value in it is read by one.
type keyTable[T any] struct {
	once  sync.Once
	table yamldoc.Mapping[T]
}

// get returns the table. What makes it is named by who reads with it, since what reads a parameter reads those in it.
func (t *keyTable[T]) get(made func() yamldoc.Mapping[T]) yamldoc.Mapping[T] {
	t.once.Do(func() { t.table = made() })
	return t.table
}
