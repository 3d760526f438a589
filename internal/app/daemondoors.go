package app

import "github.com/a2a-acp/a2a-acp/internal/serve"

// daemonDoors makes the doors of the daemon, each a line here and a file of its own: it opens a Door of the
// App, and its Drain closes that. What a failed one has opened is closed with the App.
func (a *App) daemonDoors() (doors []serve.Door, err error) {
	for _, open := range []func() (serve.Door, error){
		a.mcpDoor,
	} {
		door, err := open()
		if err != nil {
			return nil, err
		}
		doors = append(doors, door)
	}
	return doors, nil
}
