package governor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// usageFile is what rates and budgets have counted: a small file in the state directory, written anew with
// each change and locked against all other programs. A file that cannot be read is an error, never an empty
// one: whoever could break it could spend everything again.
type usageFile struct {
	dir string
	now func() time.Time
}

// The names of its files.
const (
	usageName = "governors.json"
	usageLock = "governors.lock"
)

// mostAccounts bounds the file. Agents name themselves, so there could be any number; beyond it, what is
// not counted yet is an error.
const mostAccounts = 10_000

// largestUsage is the number of bytes that the file may have.
const largestUsage = 8 << 20

// account is what was spent in one window of time, which begins with its first act.
type account struct {
	Since time.Time     `json:"since"`
	Per   time.Duration `json:"per"`
	Calls int64         `json:"calls,omitempty"`
	Bytes int64         `json:"bytes,omitempty"`
	Ran   time.Duration `json:"ran,omitempty"`
}

func newUsageFile(dir string, now func() time.Time) *usageFile { return &usageFile{dir: dir, now: now} }

// spend counts one call, unless the limit is reached: then it says what of, and how long until there is
// room. Without count it only looks.
func (l *usageFile) spend(ctx context.Context, name string, limit Limit, count bool) (wait time.Duration,
	what string, err error) {
	err = l.change(ctx, func(accounts map[string]account) (bool, error) {
		now := l.now()
		a, known := accounts[name]
		if !known && len(accounts) >= mostAccounts {
			return false, fmt.Errorf("there are %d accounts already", mostAccounts)
		}
		a = a.at(now, limit.Per)
		if what = a.reached(limit, count); what != "" {
			wait = max(a.Since.Add(limit.Per).Sub(now), 0)
			return false, nil
		}
		if !count {
			return false, nil
		}
		a.Calls++
		accounts[name] = a
		return true, nil
	})
	return wait, what, err
}

// add counts what a call has used once it has ended.
func (l *usageFile) add(ctx context.Context, name string, limit Limit, bytes int64, ran time.Duration) error {
	return l.change(ctx, func(accounts map[string]account) (bool, error) {
		a := accounts[name].at(l.now(), limit.Per)
		a.Bytes, a.Ran = a.Bytes+bytes, a.Ran+ran
		accounts[name] = a
		return true, nil
	})
}

// at returns the account as it is now: a window that is over begins anew. One that begins in the future,
// since the clock was put back, is kept from now on: nothing is forgotten for it.
func (a account) at(now time.Time, per time.Duration) account {
	switch {
	case a.Since.IsZero(), !now.Before(a.Since.Add(per)):
		return account{Since: now.UTC(), Per: per}
	case a.Since.After(now):
		a.Since = now.UTC()
	}
	a.Per = per
	return a
}

// reached says what of a limit is used up; "" when there is room. An act that was counted before, as its
// last, has its room.
func (a account) reached(l Limit, count bool) string {
	calls := a.Calls
	if !count {
		calls--
	}
	switch {
	case l.Calls > 0 && calls >= l.Calls:
		return display.Count(l.Calls, "call", "calls")
	case l.Bytes > 0 && a.Bytes >= l.Bytes:
		return fmt.Sprintf("%d bytes of output", l.Bytes)
	case l.Running > 0 && a.Ran >= l.Running:
		return fmt.Sprintf("%s of running", inWords(l.Running))
	}
	return ""
}

// change reads the file, has it changed, and writes it, with everybody else kept out.
func (l *usageFile) change(ctx context.Context, change func(map[string]account) (changed bool, err error)) error {
	if l.dir == "" {
		return errors.New("there is no state directory to count in")
	}
	lock, err := os.OpenFile(filepath.Join(l.dir, usageLock),
		os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := filelock.Take(ctx, lock); err != nil {
		return err
	}
	defer filelock.Release(lock) //nolint:errcheck // closing lets go as well
	accounts, err := l.read()
	if err != nil {
		return err
	}
	changed, err := change(accounts)
	if err != nil || !changed {
		return err
	}
	now := l.now()
	for name, a := range accounts {
		if now.After(a.Since.Add(a.Per)) {
			delete(accounts, name)
		}
	}
	return l.write(accounts)
}

func (l *usageFile) read() (map[string]account, error) {
	path := filepath.Join(l.dir, usageName)
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]account{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > largestUsage {
		return nil, fmt.Errorf("%s is none of ours; remove it to begin counting anew", path)
	}
	accounts := map[string]account{}
	if err := json.NewDecoder(f).Decode(&accounts); err != nil || accounts == nil {
		return nil, fmt.Errorf("%s is damaged; remove it to begin counting anew", path)
	}
	return accounts, nil
}

// write replaces the file: whoever ends in between leaves the one that was there.
func (l *usageFile) write(accounts map[string]account) error {
	data, err := json.Marshal(accounts)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(l.dir, usageName), data, 0o600)
}
