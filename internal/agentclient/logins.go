package agentclient

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// withProcess has a process of an agent's run that has no conversation, and ends it.
func (d *Driver) withProcess(ctx context.Context, name string, do func(*running) error) error {
	agent, err := d.configured(name)
	if err != nil {
		return err
	}
	r, err := d.start(ctx, agent, Conversation{Agent: name, Principal: "login", Context: "login"})
	if err != nil {
		return err
	}
	defer r.end()
	return r.because(do(r))
}

// Logins implements Agents.
func (d *Driver) Logins(ctx context.Context, agent string) (list []Login, err error) {
	err = d.withProcess(ctx, agent, func(r *running) error {
		list = r.can.logins
		return nil
	})
	return list, err
}

// Login implements Agents.
func (d *Driver) Login(ctx context.Context, agent, login string) error {
	return d.withProcess(ctx, agent, func(r *running) error {
		i := slices.IndexFunc(r.can.logins, func(l Login) bool { return l.ID == login })
		if i < 0 {
			return errors.New("the agent offers no such login")
		}
		if words := r.can.logins[i].Terminal; words != nil {
			return errors.New("this login needs a terminal on the agent's machine: " + strings.Join(words, " "))
		}
		return r.login(ctx, login)
	})
}

// LoggedIn implements Agents.
func (d *Driver) LoggedIn(ctx context.Context, agent string) (in bool, err error) {
	err = d.withProcess(ctx, agent, func(r *running) error {
		_, err := r.opened(ctx, Kept{})
		var needed *LoginError
		if errors.As(err, &needed) {
			return nil
		}
		in = err == nil
		return err
	})
	return in, err
}

// Logout implements Agents.
func (d *Driver) Logout(ctx context.Context, agent string) error {
	return d.withProcess(ctx, agent, func(r *running) error { return r.logout(ctx) })
}
