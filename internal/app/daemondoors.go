package app

import (
	"context"

	"github.com/a2a-acp/a2a-acp/internal/serve"
)

// daemonDoors lists what makes the doors of the daemon: each is a line here, and a file of its own. It opens a
// Door of the App (openDoor), which its Drain closes: that is called once, however the daemon ends.
func (a *App) daemonDoors(agents AgentsOptions) []func() (serve.Door, error) {
	return []func() (serve.Door, error){
		a.mcpDoor,
		a.webhookDoor,
		func() (serve.Door, error) { return a.a2aDoor(agents) },
		a.metricsDoor,
	}
}

// openDoors makes doors. With an error none is left open.
func openDoors(makers []func() (serve.Door, error)) (doors []serve.Door, err error) {
	for _, open := range makers {
		door, err := open()
		if err != nil {
			closeDoors(doors)
			return nil, err
		}
		doors = append(doors, door)
	}
	return doors, nil
}

// closeDoors closes doors that nobody has reached.
func closeDoors(doors []serve.Door) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, door := range doors {
		if door.Drain != nil {
			door.Drain(over)
		}
	}
}
