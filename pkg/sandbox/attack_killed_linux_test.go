//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What is left of a call when the program that runs it is killed can only be seen from another program. So
// those rows have their calls run by one that is then killed, as soon as the attempt says "ready".

// killedCall is what that program is told, in its environment.
type killedCall struct {
	Level   Level // "" for no sandbox
	Temp    string
	Profile Profile
	Script  string
}

const killedVariable = "ATTACK_KILLED_CALL"

// patienceWithDead is how long the kernel may take to end what dies with the program.
const patienceWithDead = 10 * time.Second

// playKilled is that program.
func playKilled() error {
	var call killedCall
	if err := json.Unmarshal([]byte(os.Getenv(killedVariable)), &call); err != nil {
		return err
	}
	if call.Level == "" {
		cmd := exec.Command(bash, "--noprofile", "--norc", "-c", call.Script)
		cmd.Dir = call.Profile.Dir
		cmd.Env = append(os.Environ(), "TMPDIR="+call.Temp, roleVariable+"=", killedVariable+"=")
		for name, value := range call.Profile.Environment {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if uid, owned := callerUser(); owned {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
		}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	host, err := Open(Options{Level: call.Level, AllowWeak: true, TempDir: call.Temp})
	if err != nil {
		return err
	}
	plan, err := host.Plan(call.Profile)
	if err != nil {
		return err
	}
	_, err = host.Run(context.Background(), plan, Process{
		Argv:   []string{bash, "--noprofile", "--norc", "/dev/fd/3"},
		Inputs: []Input{{Name: "script", Data: []byte(call.Script)}}, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	return err
}

// runKilled has a text run by that program, kills it, and clears away behind it as the next one does when
// it starts.
func (s *stage) runKilled(t *testing.T, level Level, text string) string {
	t.Helper()
	call := killedCall{Level: level, Temp: filepath.Join(s.base, "tmp"), Profile: s.profile(), Script: s.script(text)}
	told, err := json.Marshal(call)
	mustDo(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PATH="+searchPath, roleVariable+"=attack-killed", killedVariable+"="+string(told))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	cmd.WaitDelay = time.Second
	output, err := cmd.StdoutPipe()
	mustDo(t, err)
	mustDo(t, cmd.Start())
	reader := bufio.NewReader(output)
	var said, line string
	for line != "ready\n" && err == nil {
		line, err = reader.ReadString('\n')
		said += line
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil {
		t.Fatalf("the attempt did not get ready: %v\n%s%s", err, said, complaints.Bytes())
	}
	for begun := time.Now(); level != "" && time.Since(begun) < patienceWithDead && len(survivors(t, "MARKER", s.marker)) > 0; {
		time.Sleep(time.Millisecond)
	}
	if level != "" {
		next, err := Open(Options{TempDir: call.Temp, Level: LevelRlimits})
		mustDo(t, err)
		mustDo(t, next.Close())
	}
	return said + "[killed]"
}
