package executor

import (
	"strconv"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// planParts are the parts of a plan's digest, one behind the other. It names each field, since each call is held to it
// (TestRequestPlanCoversAll).
type planParts []string

// sumOfPlan is the digest of where a request goes, with what, and what becomes of its answer.
func sumOfPlan(api *tool.API, answer *tool.Answer, limits httptool.Limits) string {
	p := make(planParts, 0, 80)
	p.put("a2a-acp request plan v2")
	p.api(api)
	p.answer(answer)
	p.times(limits.Time)
	p.numbers(limits.Bytes)
	return digest.Hex(p...)
}

func (p *planParts) api(a *tool.API) {
	p.put(a.Name, a.Origin, a.CA)
	p.auth(&a.Auth)
	p.numbers(int64(len(a.Also)))
	for i := range a.Also {
		p.auth(&a.Also[i])
	}
	p.numbers(int64(len(a.Addresses)))
	for _, address := range a.Addresses {
		p.put(address.String())
	}
	p.numbers(int64(a.Redirects))
	p.times(a.Timeout)
	p.numbers(int64(a.Breaker.Failures), int64(a.Breaker.HalfOpenCalls))
	p.times(a.Breaker.Period, a.Breaker.Recovery)
	p.numbers(int64(a.Rate.Requests))
	p.times(a.Rate.Per, a.Rate.Wait)
}

func (p *planParts) auth(a *tool.Auth) {
	p.put(string(a.Kind), a.User, string(a.In), a.Name)
	t := &a.Token
	p.put(t.URL, t.ClientID, string(t.ClientAuth), strconv.FormatBool(t.Caller), t.Audience, t.Resource)
	p.list(t.Scopes)
}

func (p *planParts) answer(a *tool.Answer) {
	p.put(a.Pick, a.Shape, string(a.Stream))
	p.put(string(a.Pages.Next), a.Pages.At, a.Pages.Parameter, a.Pages.Items)
	p.numbers(int64(a.Pages.Most))
	j := &a.Job
	p.put(j.Look, j.From, j.Status, j.Result, j.Cancel, strconv.FormatFloat(j.Factor, 'g', -1, 64))
	p.list(j.Completed)
	p.list(j.Failed)
	p.times(j.Interval, j.MaxInterval, j.Deadline)
	p.numbers(int64(j.Most))
}

func (p *planParts) put(parts ...string) { *p = append(*p, parts...) }

func (p *planParts) list(parts []string) {
	p.numbers(int64(len(parts)))
	p.put(parts...)
}

func (p *planParts) numbers(list ...int64) {
	for _, n := range list {
		p.put(strconv.FormatInt(n, 10))
	}
}

func (p *planParts) times(list ...time.Duration) {
	for _, d := range list {
		p.numbers(int64(d))
	}
}
