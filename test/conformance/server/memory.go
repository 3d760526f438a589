package main

import (
	"context"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// memory keeps tasks as long as the program runs.
type memory struct {
	mu    sync.Mutex
	tasks map[string]mcpserver.Task
}

// mostKept is how many tasks are kept in memory; the oldest go first.
const mostKept = 10_000

// Keep implements mcpserver.TaskLog.
func (m *memory) Keep(_ context.Context, task mcpserver.Task) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tasks == nil {
		m.tasks = map[string]mcpserver.Task{}
	}
	if _, known := m.tasks[task.ID]; !known && len(m.tasks) >= mostKept {
		oldest := ""
		for id, other := range m.tasks {
			if oldest == "" || other.Created.Before(m.tasks[oldest].Created) {
				oldest = id
			}
		}
		delete(m.tasks, oldest)
	}
	m.tasks[task.ID] = task
	return nil
}

// Get implements mcpserver.TaskLog.
func (m *memory) Get(_ context.Context, principal, id string) (mcpserver.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	task, ok := m.tasks[id]
	if !ok || task.Principal != principal {
		return mcpserver.Task{}, mcpserver.ErrNoTask
	}
	return task, nil
}
