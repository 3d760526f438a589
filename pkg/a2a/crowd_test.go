package a2a

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// waitingTask makes a task in the log that nobody works on, and returns how an event happens to it.
func (h *house) waitingTask(owner string) (id string, happen func(wire.Event)) {
	h.t.Helper()
	task := &wire.Task{ID: wire.NewTaskID(), ContextID: wire.NewContextID(), Status: wire.TaskStatus{State: wire.TaskStateSubmitted},
		History: []*wire.Message{wire.NewMessage(wire.MessageRoleUser, wire.NewTextPart("wait"))}}
	first, err := h.door.step(tasklog.Task{}, task)
	if err != nil {
		h.t.Fatal(err)
	}
	t, err := h.log.Create(context.Background(), tasklog.Task{ID: string(task.ID), Door: "a2a", Owner: owner, Context: task.ContextID}, first)
	if err != nil {
		h.t.Fatal(err)
	}
	return t.ID, func(event wire.Event) {
		step, err := h.door.step(t, event)
		if err == nil {
			_, err = h.log.Append(context.Background(), t.ID, step)
		}
		if err != nil {
			h.t.Error(err)
		}
	}
}

// onlooker is a connection on which a task is followed, by a client that costs as little as it can.
type onlooker struct {
	net.Conn
	seen int // events
	last time.Time
}

// look begins to follow a task, and returns once the stream has begun.
func (h *house) look(who, task string) *onlooker {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err == nil {
		_, err = fmt.Fprintf(conn, "POST /tasks/%s:subscribe HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nAuthorization: %s\r\n"+
			"Content-Length: 0\r\nConnection: close\r\n\r\n", task, who)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	o := &onlooker{Conn: conn}
	for buf := make([]byte, 2<<10); o.seen == 0; {
		n, err := conn.Read(buf)
		if err != nil {
			h.t.Fatalf("the stream has not begun: %v", err)
		}
		o.seen += bytes.Count(buf[:n], []byte("\ndata: "))
	}
	return o
}

// read reads to the end of the stream.
func (o *onlooker) read() {
	buf := make([]byte, 4<<10)
	for {
		n, err := o.Read(buf)
		if more := bytes.Count(buf[:n], []byte("data: {")); more > 0 {
			o.seen, o.last = o.seen+more, time.Now()
		}
		if err != nil {
			return
		}
	}
}

// pace measures how long messages take, each a task that is done.
func (h *house) pace() (half, most time.Duration) {
	const messages = 100
	took := make([]time.Duration, messages)
	for i := range took {
		began := time.Now()
		h.send("anna", "do it")
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[messages/2], took[messages*99/100]
}

func memory() int64 {
	runtime.GC()
	runtime.GC() // what pools keep is gone with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestCrowd has many clients follow tasks, beside many tasks: everybody is told everything, what a stream
// costs is bounded, and nothing is left of it. With A2A_SOAK_STREAMS there are as many streams, and ten times
// as many tasks; then it also tells how long messages take before and meanwhile, and what that may be.
func TestCrowd(t *testing.T) {
	streams, tasks, big := 64, 128, false
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK_STREAMS")); err == nil {
		streams, tasks, big = n, 10*n, true
	}
	const (
		events   = 20
		mostCost = 96 << 10 // bytes of a stream, with its client in this process, and what the race detector adds
	)
	files := syscall.Rlimit{Cur: uint64(2*streams + 200), Max: uint64(2*streams + 200)}
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
		t.Fatal(err)
	}
	if now.Cur < files.Cur {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
			t.Fatalf("%d streams need %d files; ulimit -n: %v", streams, files.Cur, err)
		}
	}
	h := newHouse(t)
	pace := func() (half, most time.Duration) {
		if big {
			half, most = h.pace()
		}
		return half, most
	}
	pace()
	half, most := pace()
	before, running := memory(), runtime.NumGoroutine()

	var filling sync.WaitGroup
	for n := range 32 {
		filling.Go(func() { // ends with its share
			for i := n; i < tasks; i += 32 {
				_, happen := h.waitingTask("crowd")
				happen(&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateCompleted}})
			}
		})
	}
	filling.Wait()
	filled := memory()
	taskHalf, taskMost := pace()

	id, happen := h.waitingTask("crowd")
	lookers := make([]*onlooker, streams)
	for i := range lookers {
		lookers[i] = h.look("crowd", id)
	}
	open := memory()
	streamHalf, streamMost := pace()
	var reading sync.WaitGroup
	for _, o := range lookers {
		reading.Go(o.read) // ends with the stream
	}
	var told time.Time
	for i := range events {
		told = time.Now()
		happen(&wire.TaskArtifactUpdateEvent{Artifact: &wire.Artifact{ID: "a", Parts: wire.ContentParts{
			wire.NewTextPart(strings.Repeat("x", 200))}}, Append: i > 0})
	}
	happen(&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateCompleted}})
	reading.Wait()
	var last time.Time
	for i, o := range lookers {
		if want := 1 + events + 1; o.seen != want {
			t.Fatalf("onlooker %d of %d was told %d events of %d", i, streams, o.seen, want)
		}
		if o.last.After(last) {
			last = o.last
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	if cost := (open - filled) / int64(streams); cost > mostCost {
		t.Errorf("a stream costs %d bytes", cost)
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > running+8; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine()-running, streams)
		}
	}
	if !big {
		return
	}
	t.Logf("%d streams, %d tasks", streams, tasks)
	t.Logf("a message: %s, 99 of 100 within %s; with the tasks %s, %s; with the streams %s, %s", half, most, taskHalf, taskMost, streamHalf, streamMost)
	t.Logf("memory: %d kB; with the tasks %d kB; a stream %d B; after all %d kB", before>>10, filled>>10, (open-filled)/int64(streams), memory()>>10)
	t.Logf("all were told the last event %s after it began to be written", last.Sub(told))
	if streamHalf > 3*half+5*time.Millisecond {
		t.Errorf("messages take %s with the streams, and %s without", streamHalf, half)
	}
	if filled-before > 64<<20 {
		t.Errorf("%d tasks take %d bytes", tasks, filled-before)
	}
}

// TestStuck has clients follow a task and read nothing: who reads is told everything at once, and nothing is
// kept for those who do not.
func TestStuck(t *testing.T) { // not parallel: others would be measured, too
	const stuck, events, size = 4, 96, 64 << 10 // more than sockets hold
	h := newHouse(t)
	id, happen := h.waitingTask("crowd")
	for range stuck {
		o := h.look("crowd", id)
		defer o.Close()
		if tcp, ok := o.Conn.(*net.TCPConn); !ok || tcp.SetReadBuffer(8<<10) != nil {
			t.Fatal("what a socket holds cannot be bounded")
		}
	}
	reader := h.look("crowd", id)
	defer reader.Close()
	done := make(chan struct{})
	go func() { // ends with the stream
		reader.read()
		close(done)
	}()
	before := memory()
	for i := range events {
		happen(&wire.TaskArtifactUpdateEvent{Artifact: &wire.Artifact{ID: wire.ArtifactID(fmt.Sprint("a", i)), Parts: wire.ContentParts{
			wire.NewTextPart(strings.Repeat("x", size))}}})
	}
	happen(&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateCompleted}})
	<-done
	if reader.seen != 1+events+1 {
		t.Errorf("who reads was told %d events", reader.seen)
	}
	if kept := memory() - before; kept > stuck*events*size/8 {
		t.Errorf("%d bytes are kept for %d who do not read", kept, stuck)
	}
}
