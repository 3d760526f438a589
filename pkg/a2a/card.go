package a2a

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// KeySetPath is where the public key is that cards are signed with.
const KeySetPath = "/.well-known/a2a-acp/card-keys"

// cards keeps the cards as they were last told. The zero cards is ready to use.
type cards struct {
	mu    sync.Mutex
	known map[cardKey]*shownCard
}

// cardKey says which card it is.
type cardKey struct {
	endpoint, base string
	as             cardForm
}

// cardForm is how a card is written.
type cardForm struct {
	version string // of the protocol; "" for one that both versions read
	bare    bool   // scopes as the protocol's module for Go reads them; see goClient
}

// shownCard is a card as clients get it.
type shownCard struct {
	of   *wire.AgentCard
	body []byte
	tag  string
	made time.Time // when it was first like this
}

// mostCards bounds how many are kept: who asks chooses the URL.
const mostCards = 256

// publicCard returns the public card of an endpoint.
func (s *Server) publicCard(at *endpoint, base string, as cardForm) (*shownCard, error) {
	card := at.agent.Card(Caller{})
	key := cardKey{at.name, base, as}
	s.cards.mu.Lock()
	defer s.cards.mu.Unlock()
	before := s.cards.known[key]
	if before != nil && before.of == card {
		return before, nil
	}
	body, err := s.encodeCard(card, at, base, as)
	if err != nil {
		return nil, err
	}
	unsigned, err := json.Marshal(card)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Append(unsigned, base, as)) // no signature is like another one
	shown := &shownCard{of: card, body: body, tag: `"` + hex.EncodeToString(sum[:16]) + `"`, made: s.o.Now()}
	if before != nil && before.tag == shown.tag {
		shown.body, shown.made = before.body, before.made
	}
	if s.cards.known == nil || len(s.cards.known) >= mostCards {
		s.cards.known = map[cardKey]*shownCard{}
	}
	s.cards.known[key] = shown
	return shown, nil
}

// interfaces says where an endpoint is, in each binding.
func interfaces(at *endpoint, base string) []*wire.AgentInterface {
	here := base + at.path
	list := []*wire.AgentInterface{
		wire.NewAgentInterface(here, wire.TransportProtocolJSONRPC),
		wire.NewAgentInterface(here, wire.TransportProtocolHTTPJSON),
	}
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		grpc := wire.NewAgentInterface(u.Host, wire.TransportProtocolGRPC)
		grpc.Tenant = at.name
		list = append(list, grpc)
	}
	for _, binding := range []wire.TransportProtocol{wire.TransportProtocolJSONRPC, wire.TransportProtocolHTTPJSON} {
		list = append(list, &wire.AgentInterface{URL: here, ProtocolBinding: binding, ProtocolVersion: version03})
	}
	return list
}

// encodeCard returns a card as JSON, with its interfaces and signatures.
func (s *Server) encodeCard(card *wire.AgentCard, at *endpoint, base string, as cardForm) ([]byte, error) {
	full := *card
	full.Capabilities.PushNotifications = s.o.Deliverer != nil
	full.SupportedInterfaces = interfaces(at, base)
	document, err := object(full)
	if err != nil {
		return nil, err
	}
	if !as.bare {
		nameScopes(document)
	}
	signatures, err := s.sign(document, base)
	if err != nil {
		return nil, err
	}
	if as.version != version10 {
		if err := addLegacy(document, &full, as.version == ""); err != nil {
			return nil, err
		}
		again, err := s.sign(document, base)
		if err != nil {
			return nil, err
		}
		if as.version == "" { // who knows 1.0 only may have dropped the rest before he looks at the signature
			signatures = append(signatures, again...)
		} else {
			signatures = again
		}
	}
	if len(signatures) > 0 {
		document["signatures"] = signatures
	}
	return json.Marshal(document)
}

// nameScopes writes the scopes of requirements as the protocol does, {"list": […]}. The protocol's module for
// Go writes them as a bare list, which nothing else reads.
func nameScopes(document map[string]any) {
	requirements, _ := document["securityRequirements"].([]any)
	for _, requirement := range requirements {
		one, _ := requirement.(map[string]any)
		schemes, _ := one["schemes"].(map[string]any)
		for name, scopes := range schemes {
			schemes[name] = map[string]any{"list": scopes}
		}
	}
}

// sign returns the signatures of a card without any; none if there is no signer.
func (s *Server) sign(document map[string]any, base string) ([]any, error) {
	if s.o.Signer == nil {
		return nil, nil
	}
	plain, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return s.o.Signer.sign(plain, base+KeySetPath)
}

// serveCard answers with the card of an endpoint.
func (s *Server) serveCard(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.notAllowed(w, http.MethodGet)
		return
	}
	as := cardForm{bare: goClient(r)}
	if s.o.PlainCard {
		as.version = version10
	}
	if said := saidVersion(r); said != "" {
		var err *Error
		if as.version, err = versionOf(said); err != nil {
			writeREST(w, r, err)
			return
		}
	}
	card, err := s.publicCard(at, s.o.Base(r), as)
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	s.writeCacheable(w, r, card.body, card.tag, card.made)
}

// writeCacheable writes what changes with the configuration only.
func (s *Server) writeCacheable(w http.ResponseWriter, r *http.Request, body []byte, tag string, made time.Time) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "public, max-age=60")
	header.Set("ETag", tag)
	header.Set("Vary", "A2A-Version, User-Agent, Accept-Encoding")
	http.ServeContent(w, r, "", made, newReader(body))
}

// serveKeys answers with the key that cards are signed with.
func (s *Server) serveKeys(w http.ResponseWriter, r *http.Request) {
	if s.o.Signer == nil {
		http.NotFound(w, r)
		return
	}
	body, err := s.o.Signer.keys()
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(body)
}

// getExtendedAgentCard answers with the card as the caller gets it. Who has no principal has been refused
// before, or is everybody.
func (s *Server) getExtendedAgentCard(_ context.Context, q *query) (json.RawMessage, error) {
	public := q.at.agent.Card(Caller{})
	if !public.Capabilities.ExtendedAgentCard {
		return nil, failf(errUnsupported, "there is no extended card; the public one says all")
	}
	if q.caller.Name == "" {
		return nil, failf(errUnknownCaller, "the extended card is for known callers; say who you are")
	}
	return s.encodeCard(q.at.agent.Card(q.caller), q.at, q.base, cardForm{q.version, q.bareScopes})
}
