//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// step is one system call between clone and execve. All that a new process does there is a list of steps
// that was made before: what runs in the window in which nothing can be allocated is a loop over it
// (launch.run).
type step struct {
	number uintptr
	args   [6]uintptr // pointers among them lead to what launch.kept holds
	result result

	upTo uintptr // taken again with the first argument one higher, until it is this; 0: taken once

	from *int32 // where an argument is that an earlier step found out, and
	slot uint8  // which argument it is
	into *int32 // where the result goes; nil: nowhere

	name string // for people; seen by the parent only
	path string // that it is about; may be ""
	cure string // what a reader can do when it fails; may be ""
}

// result says what may come of a step.
type result uint8

const (
	mustWork result = iota
	mayFail         // it changes nothing that anything depends on
	orEnd           // anything but 0 ends the new process without a word: nobody is left to tell
)

// steps is a list of steps in the making.
type steps struct {
	list []step
	kept []any  // what the steps' pointers lead to: a uintptr alone keeps nothing alive
	room []byte // for further texts, a part of something in kept
}

// usualSteps is room for what most calls take, made at once: a list that grows is copied again and again.
const usualSteps = 96

// do adds a step, and gives it back to be said more of.
func (s *steps) do(name string, number uintptr, args ...uintptr) *step {
	if s.list == nil {
		s.list, s.kept = make([]step, 0, usualSteps), make([]any, 0, usualSteps)
	}
	s.list = append(s.list, step{number: number, name: name})
	at := &s.list[len(s.list)-1]
	copy(at.args[:], args)
	return at
}

// about names the file that a step is about, and the cure.
func (s *step) about(path, cure string) *step {
	s.path, s.cure = path, cure
	return s
}

// take fills an argument in from what an earlier step found out.
func (s *step) take(slot uint8, from *int32) *step {
	s.slot, s.from = slot, from
	return s
}

// give keeps the result.
func (s *step) give(into *int32) *step {
	s.into = into
	return s
}

// repeat has the step taken with each first argument up to one.
func (s *step) repeat(upTo uintptr) *step {
	s.upTo = upTo
	return s
}

// may says what may come of it.
func (s *step) may(r result) *step {
	s.result = r
	return s
}

// text returns the address of a text as the kernel reads it. The caller has checked that it holds no NUL,
// which would end it.
func (s *steps) text(text string) uintptr { return uintptr(unsafe.Pointer(s.bytes(text))) }

// usualTexts is how many bytes are made room for at once. Texts are short and many.
const usualTexts = 2048

// bytes copies a text, and ends it with NUL.
func (s *steps) bytes(text string) *byte {
	size := len(text) + 1
	if size > len(s.room) {
		s.room = make([]byte, max(usualTexts, size))
		s.kept = append(s.kept, s.room)
	}
	b := s.room[:size:size]
	s.room = s.room[size:]
	copy(b, text)
	return unsafe.SliceData(b)
}

// address returns the address of a value, and keeps the value where it is.
func address[T any](s *steps, value *T) uintptr {
	s.kept = append(s.kept, value)
	return uintptr(unsafe.Pointer(value))
}

// slot makes room for a result: a descriptor, as a rule.
func (s *steps) slot() *int32 {
	slot := new(int32)
	*slot = -1
	s.kept = append(s.kept, slot)
	return slot
}

// write adds the writing of a text into a file, which is opened and closed for it. Below dir, where there
// is one.
func (s *steps) write(dir *int32, path, text string) {
	const here = ^uintptr(99) // AT_FDCWD, -100
	fd := s.slot()
	open := s.do("open", unix.SYS_OPENAT, here, s.text(path), unix.O_WRONLY|unix.O_CLOEXEC).about(path, "").give(fd)
	if dir != nil {
		open.take(0, dir)
	}
	s.do("write", unix.SYS_WRITE, 0, s.text(text), uintptr(len(text))).take(0, fd).about(path, "")
	s.do("close", unix.SYS_CLOSE, 0).take(0, fd)
}

// failure makes an error of what a new process reported: the number of a step, and the system's error.
func (s *steps) failure(at int, errno unix.Errno) *StartError {
	if at < 0 || at >= len(s.list) {
		return &StartError{Step: fmt.Sprintf("step %d", at), Err: errno}
	}
	failed := s.list[at]
	return &StartError{Step: failed.name, Path: failed.path, Cure: failed.cure, Err: errno}
}

// texts returns the address of a list of texts, as execve(2) reads it.
func (s *steps) texts(list []string) uintptr {
	pointers := make([]*byte, 0, len(list)+1)
	for _, text := range list {
		pointers = append(pointers, s.bytes(text))
	}
	pointers = append(pointers, nil)
	s.kept = append(s.kept, pointers)
	return uintptr(unsafe.Pointer(unsafe.SliceData(pointers)))
}
