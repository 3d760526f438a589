package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// meantBy is the place in a tool's error_mapping of the condition with this number.
func meantBy(condition int) int { return -1 - condition }

// read makes an answer what its author says that it is: its meaning, its further pages, and the part of it that is the
// result.
func (r requests) read(ctx context.Context, a *act, x httptool.Exchange, out *outcome, first *httptool.Answer) {
	reading := a.entry.Answer
	got := answer.Answer{Status: first.Status, Header: first.Header, Body: out.Stdout}
	if out.means(reading.Meaning(got)) || out.ExitCode != 0 {
		return
	}
	if reading.Begins() {
		r.follow(ctx, a, x, out, got)
		return
	}
	if reading.Pages() {
		whole, ok := r.pages(ctx, a, x, out, got)
		if !ok {
			return
		}
		got.Body = whole
	}
	result, err := reading.Result(got)
	if err != nil {
		out.Ended = tool.Failf(tool.FailNoJSON, "the request was answered, and %v (%s)", err, a.tool.Source)
		return
	}
	out.Stdout, out.OutputBytes = result, int64(len(result))
}

// means notes that an answer has a meaning of its own, whatever its status; -1 for none.
func (o *outcome) means(condition int) bool {
	if condition < 0 {
		return false
	}
	if o.Meant = meantBy(condition); o.ExitCode == 0 {
		o.ExitCode = o.HTTP.Status
	}
	return true
}

// meant is the key in a tool's error_mapping of what became of it.
func (o *outcome) meant() int {
	if o.Meant != 0 {
		return o.Meant
	}
	return o.ExitCode
}

// noPage has the call fail, since there is no answer about a page.
func (o *outcome) noPage(n int, failure *tool.Failure) {
	failure.Message = fmt.Sprintf("page %d: %s", n, failure.Message)
	o.Ended, o.Stdout, o.OutputBytes = failure, nil, 0
}

// pages asks for the further pages of an answer, one after the other, and returns the items of all of them as one list.
// The whole of them has the bounds of one answer. Where a page fails, the call has failed as that page has.
func (r requests) pages(ctx context.Context, a *act, x httptool.Exchange, out *outcome, page answer.Answer) ([]byte, bool) {
	reading, most := a.entry.Answer, a.tool.HTTP.Answer.Pages.Most
	deadline := time.Now().Add(x.Limits.Time)
	first := x.Request.URL
	at, seen := first, map[string]bool{first: true}
	var items []json.RawMessage
	for n := 1; ; n++ {
		more, err := reading.Items(page)
		if err != nil {
			out.Ended = tool.Failf(tool.FailNoJSON, "page %d was answered, and %v (%s)", n, err, a.tool.Source)
			return nil, false
		}
		items = append(items, more...)
		next := reading.Next(page, at, first)
		switch {
		case next == "":
			return joined(items), true
		case seen[next]:
			out.Notes = append(out.Notes, fmt.Sprintf("page %d names one as the next that was read already: nothing behind it was", n))
			return joined(items), true
		case n == most:
			out.Notes = append(out.Notes, fmt.Sprintf("there are more pages than the %d that were read (paginate: max_pages)", most))
			return joined(items), true
		}
		seen[next], at = true, next
		began := time.Now()
		if failure := r.turns.wait(ctx, a); failure != nil {
			out.noPage(n+1, failure)
			return nil, false
		}
		deadline = deadline.Add(time.Since(began)) // waiting is no time of the answer's
		x.To, x.Limits.Time = next, max(time.Until(deadline), time.Millisecond)
		x.Limits.Bytes -= int64(len(page.Body))
		body := &httptool.Body{Keep: true}
		answered, err := r.client.Do(ctx, x, body)
		out.Elapsed += answered.Elapsed
		if err != nil {
			out.noPage(n+1, asFailure(err, tool.FailInternal))
			return nil, false
		}
		if body.Truncated {
			out.Ended = tool.Failf(tool.FailOutput, "the first %d pages have more than %d bytes together; %s in the tool's entry (%s) "+
				"sets that limit, and max_pages under paginate how many are read", n+1, limitsOf(a.tool, false).Bytes,
				limitKey(false), a.tool.Source)
			out.LimitsHit, out.Stdout, out.OutputBytes = []string{"output"}, nil, 0
			return nil, false
		}
		page = answer.Answer{Status: answered.Status, Header: answered.Header, Body: body.Data}
		failed := !httptool.Succeeded(answered.Status)
		if condition := reading.Meaning(page); failed || condition >= 0 {
			out.answered(answered, now(r.now))
			out.HTTP.Status, out.Stdout, out.OutputBytes = answered.Status, body.Data, body.Bytes
			out.Notes = append(out.Notes, fmt.Sprintf("this is what page %d was answered with", n+1))
			out.means(condition)
			return nil, false
		}
	}
}

// joined writes items as one list.
func joined(items []json.RawMessage) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(item)
	}
	b.WriteByte(']')
	return b.Bytes()
}
