package serve

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestManager has the service manager told what it wants to hear, and a watchdog only while the daemon gets on.
func TestManager(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	heard := func() string {
		t.Helper()
		text := make([]byte, 1024)
		n, err := socket.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(text[:n])
	}
	env := map[string]string{"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": strconv.Itoa(os.Getpid())}
	m := ManagerOf(func(name string) string { return env[name] })
	m.Tell("READY=1")
	if got := heard(); got != "READY=1" {
		t.Errorf("heard %q", got)
	}
	m.Reloading()
	if got := heard(); !strings.HasPrefix(got, "RELOADING=1\nMONOTONIC_USEC=") {
		t.Errorf("heard %q", got)
	}
	over, done := make(chan struct{}), make(chan struct{})
	var asked atomic.Int64
	go func() { // ends with over
		defer close(done)
		m.Beat(over, func() bool { return asked.Add(1) > 2 }) // it gets on from the third time on
	}()
	if got := heard(); got != "WATCHDOG=1" || asked.Load() < 3 {
		t.Errorf("heard %q when asked %d times", got, asked.Load())
	}
	close(over)
	<-done

	env["WATCHDOG_PID"] = "1"
	if m := ManagerOf(func(name string) string { return env[name] }); m.watchdog != 0 {
		t.Errorf("the watchdog of another process: %s", m.watchdog)
	}
	env["WATCHDOG_PID"], env["WATCHDOG_USEC"] = "", "-1"
	if m := ManagerOf(func(name string) string { return env[name] }); m.watchdog != 0 {
		t.Errorf("no time: %s", m.watchdog)
	}
	none := ManagerOf(func(string) string { return "" })
	none.Tell("READY=1") // nobody hears
	none.Beat(make(chan struct{}), func() bool { return true })
	gone := Manager{socket: filepath.Join(dir, "gone"), watchdog: time.Hour}
	gone.Tell("READY=1")
}
