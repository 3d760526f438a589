package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/a2alegacy"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// pushSource is the name of the tasks as a source of deliveries.
const pushSource = "a2a"

// pushes are the push notifications that are delivered.
type pushes struct {
	wanted atomic.Int64 // how often something of what is wanted has changed

	mu      sync.Mutex
	set     int64                  // how often it had, when it was read for the deliverer last
	streams map[string]*pushStream // by the key of their subscription
}

// deliver has the deliverer deliver what is wanted now, and nothing else.
func (s *Server) deliver(ctx context.Context) {
	if s.o.Deliverer == nil {
		return
	}
	p := &s.pushes
	change := p.wanted.Add(1)
	p.mu.Lock() // so that what was read first is not set last
	defer p.mu.Unlock()
	if p.set >= change { // somebody has read it since
		return
	}
	now := p.wanted.Load()
	var list []webhook.Subscription
	streams := map[string]*pushStream{}
	for _, at := range s.all() {
		wanted, err := s.o.Log.Wanted(context.WithoutCancel(ctx), at.door)
		if err != nil {
			s.o.Say(fmt.Sprintf("push notifications are delivered as they were before: %v", err))
			return
		}
		for _, c := range wanted {
			config, err := readPush(c)
			if err != nil {
				s.o.Say(fmt.Sprintf("the push notification config %s of task %s cannot be read: %v", c.ID, c.Task, err))
				continue
			}
			id := c.Task + "/" + c.ID
			stream := p.streams[id]
			if stream == nil || stream.config.Since != c.Since || stream.version != config.Version {
				stream = &pushStream{server: s, config: c, version: config.Version}
			}
			streams[id] = stream
			list = append(list, webhook.Subscription{
				Source: pushSource, ID: id, Begin: webhook.BeginBeginning,
				Called: fmt.Sprintf("push notifications of task %s (%s)", c.Task, c.ID),
				Stream: stream, Target: *s.target(&config.PushConfig),
			})
		}
	}
	p.set, p.streams = now, streams
	s.o.Deliverer.Set(pushSource, list)
}

// forgetPushes has forgotten what is known of configs that are gone, or have nothing more to tell.
func (s *Server) forgetPushes() {
	if s.o.Deliverer == nil {
		return
	}
	s.o.Deliverer.Forget(pushSource, func(ctx context.Context, id string) (bool, error) {
		task, config, _ := strings.Cut(id, "/")
		wanted, err := s.o.Log.IsWanted(ctx, task, config)
		return !wanted, err
	})
}

// target returns where a config wants things to be told. The protocol names no header for the token any more; its
// modules use these two.
func (s *Server) target(config *wire.PushConfig) *webhook.Target {
	t := &webhook.Target{URL: webhook.Value{Literal: config.URL}, Allow: s.o.PushAllow(),
		Signing: webhook.Signing{Ed25519: true}}
	if config.Token != "" {
		t.Header = map[string]string{"X-A2A-Notification-Token": config.Token, "A2A-Notification-Token": config.Token}
	}
	if auth := config.Auth; auth != nil {
		value := auth.Scheme
		if auth.Credentials != "" {
			value += " " + auth.Credentials
		}
		t.Auth = webhook.Auth{Kind: webhook.AuthHeader, Name: "Authorization", Value: webhook.Value{Literal: value}}
	}
	return t
}

// pushStream is what one config wants to be told. It implements webhook.Stream.
type pushStream struct {
	server  *Server
	config  tasklog.Config
	version string // that the client spoke when it asked: it is told in the same
}

// Next implements webhook.Stream. Once all is told, that is noted, and the config is no more to be delivered to.
func (p *pushStream) Next(ctx context.Context, after webhook.Position) (*webhook.Item, webhook.Position, error) {
	log := p.server.o.Log
	after.Number = max(after.Number, p.config.Since)
	t, err := log.Get(ctx, p.config.Task)
	if errors.Is(err, tasklog.ErrNotFound) { // it was removed
		p.server.deliver(ctx)
		return nil, after, io.EOF
	}
	if err != nil {
		return nil, after, err
	}
	if !p.server.o.Follows(t.Owner) { // it is told on, should it be let in again
		return nil, after, nil
	}
	for after.Number < t.Seq {
		events, err := log.Events(ctx, t, after.Number, 1)
		if err != nil || len(events) == 0 {
			return nil, after, err
		}
		item, err := p.item(ctx, t, events[0])
		if item != nil || err != nil {
			return item, after, err
		}
		after.Number = events[0].Seq
	}
	if !t.State.Ended() {
		return nil, after, nil
	}
	if err := log.Told(ctx, t.ID, p.config.ID); err != nil && !errors.Is(err, tasklog.ErrNotFound) {
		return nil, after, err
	}
	p.server.deliver(ctx)
	return nil, after, io.EOF
}

// At implements webhook.Stream.
func (p *pushStream) At(ctx context.Context, number int64) (*webhook.Item, error) {
	t, err := p.server.o.Log.Get(ctx, p.config.Task)
	if errors.Is(err, tasklog.ErrNotFound) || err == nil && !p.server.o.Follows(t.Owner) {
		return nil, webhook.ErrNoItem
	}
	if err != nil {
		return nil, err
	}
	events, err := p.server.o.Log.Events(ctx, t, number-1, 1)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 || events[0].Seq != number {
		return nil, webhook.ErrNoItem
	}
	item, err := p.item(ctx, t, events[0])
	if item == nil && err == nil {
		err = webhook.ErrNoItem
	}
	return item, err
}

// End implements webhook.Stream.
func (p *pushStream) End(ctx context.Context) (webhook.Position, error) {
	t, err := p.server.o.Log.Get(ctx, p.config.Task)
	return webhook.Position{Number: t.Seq}, err
}

// News implements webhook.Stream.
func (p *pushStream) News() <-chan struct{} { return p.server.o.Log.News() }

// item returns what the receiver is told of an event: in 1.0 the event, in 0.3 the task as it is then, and of
// artifacts nothing by itself. It is nil for an event that is not told.
func (p *pushStream) item(ctx context.Context, t tasklog.Task, e tasklog.Event) (*webhook.Item, error) {
	item := &webhook.Item{Position: webhook.Position{Number: e.Seq}, ID: fmt.Sprintf("a2a_%s_%d", t.ID, e.Seq),
		Event: "a2a." + string(e.Kind), Body: e.Body, ContentType: "application/a2a+json"}
	if p.version != version03 {
		return item, nil
	}
	if e.Kind == tasklog.Artifact {
		return nil, nil
	}
	t.Seq = e.Seq
	task, err := p.server.read(ctx, t)
	if err != nil {
		return nil, err
	}
	item.ContentType = "application/json"
	item.Body, err = json.Marshal(a2alegacy.OfTask(told(task)))
	return item, err
}
