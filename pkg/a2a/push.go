package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// pushConfig is a config as the log keeps it.
type pushConfig struct {
	Version string `json:"version"` // that the client spoke: the one that it is told in
	wire.PushConfig
}

// The bounds of a config.
const (
	longestURL   = 2048
	longestToken = 4096
)

// checkPush checks a config.
func (s *Server) checkPush(config *wire.PushConfig) error {
	if s.o.Deliverer == nil {
		return failf(errNoPush, "this server sends no push notifications")
	}
	u, err := url.Parse(config.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || len(config.URL) > longestURL {
		return invalid("url", "want an http or https URL without a user, of at most %d bytes", longestURL)
	}
	if err := s.target(config).CheckURL(); err != nil {
		return invalid("url", "%v", err)
	}
	header := func(field, value string) error {
		if len(value) > longestToken || strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			return invalid(field, "want at most %d printable characters", longestToken)
		}
		return nil
	}
	if len(config.ID) > longestID {
		return invalid("id", "it is longer than %d bytes", longestID)
	}
	err = header("token", config.Token)
	if auth := config.Auth; auth != nil && err == nil {
		if auth.Scheme == "" || strings.ContainsAny(auth.Scheme, " \t") {
			return invalid("authentication.scheme", "want one word, as Bearer")
		}
		err = errors.Join(header("authentication.scheme", auth.Scheme), header("authentication.credentials", auth.Credentials))
	}
	return err
}

// putPush keeps a config for a task.
func (s *Server) putPush(ctx context.Context, q *query, t tasklog.Task, config *wire.PushConfig) (*wire.PushConfig, error) {
	kept := *config
	kept.Tenant, kept.TaskID = "", wire.TaskID(t.ID)
	if kept.ID == "" {
		kept.ID = wire.NewMessageID()
	}
	body, err := json.Marshal(pushConfig{q.version, kept})
	if err != nil {
		return nil, err
	}
	_, err = s.o.Log.PutConfig(context.WithoutCancel(ctx), tasklog.Config{Task: t.ID, ID: kept.ID, Body: body})
	switch {
	case errors.Is(err, tasklog.ErrTooMany):
		return nil, failf(errBusy, "task %s has %d push notification configs already", t.ID, tasklog.MostConfigs)
	case errors.Is(err, tasklog.ErrTooManyWanted):
		return nil, failf(errBusy, "%d of your push notification configs are of tasks that go on, or wait for a receiver; "+
			"end some of the tasks, or delete configs", tasklog.MostWanted)
	case err != nil:
		return nil, err
	}
	s.deliver(ctx)
	return &kept, nil
}

func (s *Server) createPush(ctx context.Context, q *query) (json.RawMessage, error) {
	config, err := decode[wire.PushConfig](q)
	if err != nil {
		return nil, err
	}
	t, err := s.pushTask(ctx, q, config.TaskID)
	if err != nil {
		return nil, err
	}
	if t.Owner != q.caller.Name { // it would be told on when whoever sees all tasks does so no longer
		return nil, failf(errUnsupported, "task %s is another principal's, who alone says where its news are sent", t.ID)
	}
	if err := s.checkPush(config); err != nil {
		return nil, err
	}
	kept, err := s.putPush(ctx, q, t, config)
	if err != nil {
		return nil, err
	}
	return json.Marshal(kept)
}

// pushTask returns the task whose configs are meant.
func (s *Server) pushTask(ctx context.Context, q *query, id wire.TaskID) (tasklog.Task, error) {
	if s.o.Deliverer == nil {
		return tasklog.Task{}, failf(errNoPush, "this server sends no push notifications")
	}
	return s.task(ctx, q, id)
}

func (s *Server) getPush(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[wire.GetTaskPushConfigRequest](q)
	if err != nil {
		return nil, err
	}
	t, err := s.pushTask(ctx, q, params.TaskID)
	if err != nil {
		return nil, err
	}
	if params.ID == "" && q.version == version03 { // which says that any will do
		list, err := s.o.Log.Configs(ctx, t)
		if err == nil && len(list) > 0 {
			params.ID = list[0].ID
		}
	}
	kept, err := s.o.Log.Config(ctx, t, params.ID)
	if errors.Is(err, tasklog.ErrNotFound) {
		e := failf(errTaskNotFound, "task %s has no push notification config %.60q", t.ID, params.ID)
		e.about = map[string]string{"taskId": t.ID}
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	config, err := readPush(kept)
	if err != nil {
		return nil, err
	}
	return json.Marshal(shownPush(q, t, config.PushConfig))
}

func (s *Server) listPush(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[wire.ListTaskPushConfigRequest](q)
	if err != nil {
		return nil, err
	}
	t, err := s.pushTask(ctx, q, params.TaskID)
	if err != nil {
		return nil, err
	}
	list, err := s.o.Log.Configs(ctx, t)
	if err != nil {
		return nil, err
	}
	response := wire.ListTaskPushConfigResponse{Configs: []*wire.PushConfig{}}
	for _, kept := range list {
		config, err := readPush(kept)
		if err != nil {
			return nil, err
		}
		response.Configs = append(response.Configs, shownPush(q, t, config.PushConfig))
	}
	return json.Marshal(response)
}

func (s *Server) deletePush(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[wire.DeleteTaskPushConfigRequest](q)
	if err != nil {
		return nil, err
	}
	t, err := s.pushTask(ctx, q, params.TaskID)
	if err != nil {
		return nil, err
	}
	if err := s.o.Log.RemoveConfig(context.WithoutCancel(ctx), t.ID, params.ID); err != nil {
		return nil, err
	}
	s.deliver(ctx)
	s.forgetPushes()
	return json.RawMessage("{}"), nil
}

// shownPush returns a config as a caller is shown it: what it is let in with elsewhere is its owner's.
func shownPush(q *query, t tasklog.Task, config wire.PushConfig) *wire.PushConfig {
	if t.Owner == q.caller.Name {
		return &config
	}
	config.Token = ""
	if config.Auth != nil {
		config.Auth = &wire.PushAuthInfo{Scheme: config.Auth.Scheme}
	}
	return &config
}

func readPush(kept tasklog.Config) (pushConfig, error) {
	var config pushConfig
	err := json.Unmarshal(kept.Body, &config)
	return config, err
}
