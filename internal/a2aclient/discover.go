package a2aclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// The places of cards: of 1.0 and 0.3, and of what came before.
var cardPaths = []string{"/.well-known/agent-card.json", "/.well-known/agent.json"}

// Discover reads the card of a server by its URL, or by that of the card itself. The server learns who asks only
// where it gives nobody its card who does not say so.
func Discover(ctx context.Context, at *url.URL, o Options) (*Card, error) {
	x := newExchanger(o)
	var places []*url.URL
	if strings.HasSuffix(at.Path, ".json") {
		places = []*url.URL{at}
	} else {
		for _, path := range cardPaths {
			places = append(places, at.JoinPath(path))
		}
	}
	var missing error
	for _, place := range places {
		place.RawQuery = at.RawQuery
		card, err := x.card(ctx, place)
		var refused *Error
		if errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed) {
			missing = errors.Join(missing, fmt.Errorf("%s: %w", place, err))
			continue
		}
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return nil, fmt.Errorf("the card at %s: %w; no server listens there: a2a-acp serve starts one of your own", place, err)
		case err != nil:
			return nil, fmt.Errorf("the card at %s: %w", place, err)
		}
		return card, nil
	}
	return nil, fmt.Errorf("there is no agent card:\n%w", missing)
}

func (x exchanger) card(ctx context.Context, place *url.URL) (*Card, error) {
	header := http.Header{"Accept": {"application/json"}, "A2a-Version": {Version10}}
	body, err := x.read(ctx, http.MethodGet, place, header, nil, mostCard)
	var refused *Error
	if errors.As(err, &refused) && refused.Denied() && !x.o.Credential.IsZero() {
		name, value, wrong := x.o.Credential.header(nil)
		if wrong != nil {
			return nil, wrong
		}
		header.Set(name, value)
		body, err = x.read(ctx, http.MethodGet, place, header, nil, mostCard)
	}
	if err != nil {
		return nil, err
	}
	card, err := ParseCard(body, place)
	if err != nil {
		return nil, err
	}
	return card, x.verify(ctx, card)
}
