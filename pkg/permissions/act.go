package permissions

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"sync"
)

// Act is one thing that is done, told so exactly that two doors can tell that they speak of the same: what a person said
// to the agent's question about it then stands for the frame in which the agent carries it out.
type Act struct {
	Kind Action
	// Path is the file that is read or written, resolved (see Resolve), and Content the ContentDigest of what is written.
	Path, Content string
	// Command is the shell text that runs, or Argv the words of the one command that does: the same words joined by blanks
	// are another act. Dir is the directory that it runs in, and Env what is set for it, in that order.
	Command string
	Argv    []string
	Dir     string
	Env     []Variable
	// More names everything else that is handed on with the act; "" for nothing.
	More string
	// Tool is the id of a tool of ours, and Arguments its arguments, as JSON decodes them (numbers as json.Number).
	Tool      string
	Arguments map[string]any
}

// ContentDigest names the content of a file.
func ContentDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// key names the act by everything that is handed on when it is carried out: a write by its path and its whole content, a read by
// its path, a command by its text or its words, its directory and its variables, a call by its tool and arguments. It is false
// for an act that is not told in full, and for every other kind: nothing stands for those.
func (a Act) key() (string, bool) {
	switch a.Kind {
	case ActionWrite:
		return joinKey("write", a.Path, a.Content, a.More), filepath.IsAbs(a.Path) && len(a.Content) == 2*sha256.Size
	case ActionRead:
		return joinKey("read", a.Path, a.More), filepath.IsAbs(a.Path)
	case ActionExecute:
		one := (a.Command != "") != (len(a.Argv) > 0)
		return joinKey("execute", commandKey(a.Command, a.Argv, a.Env), a.Dir, a.More), one && filepath.IsAbs(a.Dir)
	case ActionCall:
		arguments := a.Arguments
		if arguments == nil {
			arguments = map[string]any{}
		}
		text, err := canonical(arguments)
		return joinKey("call", a.Tool, text), a.Tool != "" && err == nil
	}
	return "", false
}

// commandKey names a command with its variables. A text and words that read the same are told apart.
func commandKey(text string, argv []string, env []Variable) string {
	parts := []string{"text", text}
	if len(argv) > 0 {
		parts = append([]string{"words"}, argv...)
	}
	key := joinKey(parts...)
	parts = nil
	for _, v := range env {
		parts = append(parts, v.Name, v.Value)
	}
	return key + joinKey(parts...)
}

// Digest names the act; "" for one that nothing stands for.
func (a Act) Digest() string {
	key, ok := a.key()
	if !ok {
		return ""
	}
	return hex.EncodeToString([]byte(key))
}

// joinKey puts each part behind its length, so that no two ways of splitting the same bytes agree.
func joinKey(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return string(h.Sum(nil))
}

// The bounds of Acts. What goes beyond them is not kept, and so it is decided, or asked, anew.
const (
	mostActSessions = 1024
	mostActs        = 256 // of one session
)

// Acts keeps answers for the acts that they are about, each for one time and no longer than the turn in which it was
// given. The zero Acts is empty and ready. It is safe for concurrent use.
type Acts struct {
	mu       sync.Mutex
	sessions map[string]*spoken
}

// spoken is what was said in one turn of one session.
type spoken struct {
	count   int
	answers map[string][]Decision // by Act.key, the oldest first; all of them of one verdict
}

// NewActs makes an empty Acts.
func NewActs() *Acts { return &Acts{} }

// Allow lets the act happen once. The Decision says who allowed it. What was said last of an act holds: refusals of the
// same act are forgotten.
func (s *Acts) Allow(session string, a Act, d Decision) { s.put(session, a, d, Approve) }

// Refuse has the act refused once, without asking again. Permissions of the same act are forgotten.
func (s *Acts) Refuse(session string, a Act, d Decision) { s.put(session, a, d, Reject) }

func (s *Acts) put(session string, a Act, d Decision, verdict Verdict) {
	key, ok := a.key()
	if !ok || session == "" {
		return
	}
	d.Verdict, d.Source, d.First = verdict, SourceAct, d.Source
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.sessions[session]
	if said == nil {
		if len(s.sessions) >= mostActSessions {
			return
		}
		if s.sessions == nil {
			s.sessions = map[string]*spoken{}
		}
		said = &spoken{answers: map[string][]Decision{}}
		s.sessions[session] = said
	}
	if before := said.answers[key]; len(before) > 0 && before[0].Verdict != verdict {
		said.count -= len(before)
		delete(said.answers, key)
	}
	if said.count >= mostActs {
		return
	}
	said.count++
	said.answers[key] = append(said.answers[key], d)
}

// After gives the decision about an act of which something was said a moment ago: earlier, as Take gave it. A yes answers a
// question and does nothing else: what rules reject stays rejected. A person's yes answers every question, but for one that the
// tool's author wants put each time and for a change of mode; a yes that no person gave answers where nothing but the default
// asks, or where the very rule asks that gave it and has reached its limit with it. A no holds whatever the rules say by now.
func (d Decision) After(earlier Decision) Decision {
	person := earlier.First == SourcePerson
	switch {
	case d.Verdict == Reject:
		return d
	case earlier.Verdict == Reject:
	case d.Verdict == Approve:
	case d.Source == SourceTool:
		return d
	case !person && !d.Open && (earlier.Rule == "" || d.Source != SourcePolicy || d.Rule != earlier.Rule || d.At != earlier.At):
		return d
	}
	earlier.Policy, earlier.Reasons, earlier.Obligation = d.Policy, d.Reasons, d.Obligation
	return earlier
}

// Take finds what was said of the act and uses it up. The Decision has SourceAct and the rule and reason of the one that
// was given. It is false when nothing was said.
func (s *Acts) Take(session string, a Act) (Decision, bool) {
	key, ok := a.key()
	if !ok {
		return Decision{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.sessions[session]
	if said == nil || len(said.answers[key]) == 0 {
		return Decision{}, false
	}
	waiting := said.answers[key]
	said.count--
	if said.answers[key] = waiting[1:]; len(waiting) == 1 {
		delete(said.answers, key)
	}
	return waiting[0], true
}

// EndTurn forgets what was said in the session: it was said for one turn.
func (s *Acts) EndTurn(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session)
}
