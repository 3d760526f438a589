package cliimport

import (
	"context"
	"strconv"
	"strings"
)

// What a shell is to do with the words that are offered (cobra.ShellCompDirective).
const (
	directiveError   = 1
	directiveNoSpace = 2
	directiveNoFile  = 4
)

// mostOffers is how many words one answer can offer.
const mostOffers = 1000

// offer is a word that a program completes with.
type offer struct{ word, about string }

// offers is the answer to __complete.
type offers struct {
	list      []offer
	directive int
	said      string // on standard error: what was wrong with the words before
	ok        bool   // it is such an answer
	why       string // why it is none
	ended     bool   // it was ended before it had answered
}

// has reports whether a word is offered.
func (o offers) has(word string) bool {
	for _, one := range o.list {
		if one.word == word {
			return true
		}
	}
	return false
}

// complete asks what could follow the words before the last one, which is what has been typed of it.
func complete(ctx context.Context, a Asker, words ...string) (offers, error) {
	answer, err := a.Ask(ctx, append([]string{"__complete"}, words...)...)
	if err != nil {
		return offers{}, err
	}
	return readOffers(answer), nil
}

// readOffers reads what Cobra's __complete prints: a line for each word with a tab before its description, and
// ":N" in the end. Lines of active help are for people.
func readOffers(a Answer) offers {
	o := offers{said: a.Stderr, why: a.Ended}
	if o.ended = a.Ended != ""; o.ended {
		return o
	}
	lines := strings.Split(strings.TrimRight(a.Stdout, "\n"), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	number, isDirective := strings.CutPrefix(last, ":")
	directive, err := strconv.Atoi(number)
	if !isDirective || err != nil || directive < 0 || a.Code != 0 {
		o.why = "it does not answer __complete as Cobra's programs do"
		return o
	}
	o.directive, o.ok = directive, true
	for _, line := range lines[:len(lines)-1] {
		word, about, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(word, "_activeHelp_") || word == "" {
			continue
		}
		if o.list = append(o.list, offer{word, about}); len(o.list) >= mostOffers {
			break
		}
	}
	return o
}
