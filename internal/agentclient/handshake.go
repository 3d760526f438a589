package agentclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The versions of ACP that are spoken here.
const (
	stable = 1
	draft  = 2
)

// abilities is what an agent says that it can.
type abilities struct {
	version                int // of ACP
	name, agentVersion     string
	image, audio, embedded bool
	load, resume           bool
	logout                 bool
	logins                 []Login
}

// initializeResult is an agent's answer to initialize, of either version.
type initializeResult struct {
	ProtocolVersion int `json:"protocolVersion"`

	// Of version 1.
	AgentCapabilities struct {
		LoadSession        bool `json:"loadSession"`
		PromptCapabilities struct {
			Image, Audio, EmbeddedContext bool
		} `json:"promptCapabilities"`
		SessionCapabilities struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
		Auth struct {
			Logout json.RawMessage `json:"logout"`
		} `json:"auth"`
	} `json:"agentCapabilities"`
	AgentInfo implementation `json:"agentInfo"`

	// Of version 2.
	Capabilities struct {
		Session struct {
			Prompt struct {
				Image, Audio, EmbeddedContext json.RawMessage
			} `json:"prompt"`
		} `json:"session"`
	} `json:"capabilities"`
	Info implementation `json:"info"`

	AuthMethods []authMethod `json:"authMethods"`
}

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type authMethod struct {
	ID          string   `json:"id"`       // version 1
	MethodID    string   `json:"methodId"` // version 2
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Type        string   `json:"type"`
	Args        []string `json:"args"`
}

// given reports whether a member that marks an ability by being there is.
func given(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != "false"
}

// elicitation says that forms are filled in, and no pages opened: whoever talks to the agent may sit elsewhere.
var elicitation = map[string]any{"form": struct{}{}}

// initialize introduces us, and learns what the agent can.
func (r *running) initialize(ctx context.Context) error {
	us := implementation{Name: "a2a-acp", Title: "a2a-acp", Version: cmp.Or(r.o.Version, "0")}
	params := map[string]any{"protocolVersion": stable, "clientInfo": us, "clientCapabilities": map[string]any{
		"fs":          map[string]bool{"readTextFile": true, "writeTextFile": true},
		"terminal":    r.process.Run != nil,
		"auth":        map[string]bool{"terminal": true},
		"elicitation": elicitation,
	}}
	if r.agent.Protocol == draft {
		params = map[string]any{"protocolVersion": draft, "info": us, "capabilities": map[string]any{"elicitation": elicitation}}
	}
	raw, err := r.connection.call(ctx, "initialize", params)
	if err != nil {
		return err
	}
	var result initializeResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the agent's answer to initialize cannot be read: %w", err)
	}
	can := abilities{version: result.ProtocolVersion}
	switch can.version {
	case stable:
		of := result.AgentCapabilities
		can.name, can.agentVersion = result.AgentInfo.Name, result.AgentInfo.Version
		can.image, can.audio, can.embedded =
			of.PromptCapabilities.Image, of.PromptCapabilities.Audio, of.PromptCapabilities.EmbeddedContext
		can.load, can.resume, can.logout = of.LoadSession, given(of.SessionCapabilities.Resume), given(of.Auth.Logout)
	case draft:
		of := result.Capabilities.Session.Prompt
		can.name, can.agentVersion = result.Info.Name, result.Info.Version
		can.image, can.audio, can.embedded = given(of.Image), given(of.Audio), given(of.EmbeddedContext)
		can.resume, can.logout = true, len(result.AuthMethods) > 0 // both are in the baseline
	default:
		return fmt.Errorf("the agent speaks version %d of ACP, and a2a-acp speaks 1 and 2", can.version)
	}
	for _, method := range result.AuthMethods {
		login := Login{ID: cmp.Or(method.MethodID, method.ID), Name: method.Name, Description: method.Description}
		if method.Type == "terminal" {
			login.Terminal = append(append([]string{}, r.agent.Command...), method.Args...)
		}
		can.logins = append(can.logins, login)
	}
	r.can = can
	return nil
}

// openSession gets the conversation a session: the one that it had, where the agent can go on with it, or a new
// one.
func (r *running) openSession(ctx context.Context, kept Kept) (Began, error) {
	began := Began{Agent: r.can.name, Version: r.can.agentVersion, How: OpenedNew}
	params := map[string]any{"cwd": r.agent.Workspace, "mcpServers": []any{},
		"_meta": map[string]any{"a2a": map[string]string{"contextId": r.of.Context}}}
	if kept.Session != "" {
		method, why := r.reopening(kept)
		if why == "" {
			params["sessionId"] = kept.Session
			r.loading.Store(true) // what it tells of the past was told when it happened
			_, err := r.connection.call(ctx, method, params)
			if err == nil && method == "session/load" {
				r.settle(ctx)
			}
			r.loading.Store(false)
			var refused *RefusedError
			switch {
			case err == nil:
				began.Session, began.How = kept.Session, OpenedResumed
				return began, nil
			case !errors.As(err, &refused) || refused.Code == codeLogin:
				return began, err
			}
			delete(params, "sessionId")
			why = "the agent does not go on with the session: " + refused.words()
		}
		began.How, began.Why = OpenedAnew, why
	}
	raw, err := r.connection.call(ctx, "session/new", params)
	if err != nil {
		return began, err
	}
	var result struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || result.SessionID == "" {
		return began, errors.New("the agent's answer to session/new names no session")
	}
	began.Session = result.SessionID
	return began, nil
}

// settle waits until an agent has told the past of a session: Gemini answers before it has. What it is asked
// for, nobody knows there, and it answers so once it has read it, behind all that.
func (r *running) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.o.CancelGrace)
	defer cancel()
	_, _ = r.connection.call(ctx, "_a2a-acp/settled", struct{}{}) // its answer is that there is no such method
}

// reopening returns the method by which the agent goes on with a session, or why it cannot.
func (r *running) reopening(kept Kept) (method, why string) {
	switch {
	case kept.Workspace != r.agent.Workspace:
		return "", "the agent works in another directory by now"
	case r.can.resume:
		return "session/resume", "" // which tells nothing of the past, as session/load does
	case r.can.load:
		return "session/load", ""
	}
	return "", "the agent cannot go on with sessions of an earlier process"
}

// login logs in by a method.
func (r *running) login(ctx context.Context, id string) error {
	method := "authenticate"
	if r.can.version == draft {
		method = "auth/login"
	}
	_, err := r.connection.call(ctx, method, map[string]string{"methodId": id})
	return err
}

func (r *running) logout(ctx context.Context) error {
	if !r.can.logout {
		return ErrNoLogout
	}
	method := "logout"
	if r.can.version == draft {
		method = "auth/logout"
	}
	_, err := r.connection.call(ctx, method, struct{}{})
	return err
}

// loginError is what an agent's refusal comes to where it says that it has no login.
func (r *running) loginError(err error) error {
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Code != codeLogin {
		return err
	}
	return &LoginError{Message: strings.TrimSpace(refused.Message), Logins: r.can.logins}
}
