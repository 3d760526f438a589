package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// quietEntry is what stands under quiet_hours, or in the original's three keys.
type quietEntry struct {
	at         yamldoc.Value
	start, end *webhook.Clock
	wrong      bool // one of them is no time of day
	zone       *time.Location
}

func quietMapping() yamldoc.Mapping[*quietEntry] {
	clock := func(start bool) func(*quietEntry, yamldoc.Value) {
		return func(q *quietEntry, v yamldoc.Value) {
			text, ok := v.Text()
			if !ok {
				q.wrong = true
				return
			}
			at, err := webhook.ParseClock(text)
			if err != nil {
				q.wrong = true
				v.Fail(yamldoc.RuleValue, "", "%v, found %s", err, yamldoc.Quote(text))
				return
			}
			if start {
				q.start = &at
			} else {
				q.end = &at
			}
		}
	}
	return yamldoc.Mapping[*quietEntry]{
		Name: "quiet_hours",
		Keys: []yamldoc.Key[*quietEntry]{
			yamldoc.NewKey("start", `a time of day in quotes, such as "22:00"`, clock(true)),
			yamldoc.NewKey("end", `a time of day in quotes, such as "07:00"`, clock(false)),
			yamldoc.NewKey("timezone", "a time zone, such as Europe/Berlin", func(q *quietEntry, v yamldoc.Value) {
				text, ok := v.Text()
				if !ok {
					return
				}
				zone, err := time.LoadLocation(text)
				if err != nil || text == "" {
					v.Fail(yamldoc.RuleValue, "Europe/Berlin is one, and UTC; this machine's are in /usr/share/zoneinfo",
						"no time zone is called %s", yamldoc.Quote(text))
					return
				}
				q.zone = zone
			}),
		},
	}
}

func (q *quietEntry) check() *webhook.Quiet {
	if q.at.Node == nil {
		return nil
	}
	if q.start == nil || q.end == nil {
		if !q.wrong && !q.at.IsFaulty() {
			q.at.Fail(yamldoc.RuleMissing, `start: "22:00", end: "07:00"`, "quiet hours have a start and an end")
		}
		return nil
	}
	if *q.start == *q.end {
		q.at.Fail(yamldoc.RuleValue, "a2a-acp webhooks pause stops it altogether",
			"the hours begin when they end: %s", *q.start)
		return nil
	}
	zone := q.zone
	if zone == nil {
		zone = time.Local
	}
	return &webhook.Quiet{Start: *q.start, End: *q.end, Zone: zone}
}

// retryEntry is what stands under retry.
type retryEntry struct {
	at    yamldoc.Value
	retry webhook.Retry
}

func webhookRetryMapping() yamldoc.Mapping[*retryEntry] {
	m := yamldoc.Mapping[*retryEntry]{
		Name: "retry",
		Keys: []yamldoc.Key[*retryEntry]{
			yamldoc.NewKey("attempts", "a whole number", func(r *retryEntry, v yamldoc.Value) {
				if n, ok := v.Int(1, webhook.MostAttempts); ok {
					r.retry.Attempts = int(n)
				}
			}),
			yamldoc.NewKey("initial_delay", "seconds, or a duration such as 5s", func(r *retryEntry, v yamldoc.Value) {
				v.SetDuration(&r.retry.First, webhook.LongestDelay)
			}),
			yamldoc.NewKey("max_delay", "seconds, or a duration such as 1h", func(r *retryEntry, v yamldoc.Value) {
				v.SetDuration(&r.retry.Longest, webhook.LongestDelay)
			}),
			yamldoc.NewKey("backoff_multiplier", "a number from 1 to 100", func(r *retryEntry, v yamldoc.Value) {
				number, ok := v.Number()
				factor, err := number.Float64()
				if ok && (err != nil || factor < 1 || factor > 100) {
					v.Fail(yamldoc.RuleValue, "", "want a number from 1 to 100, found %s", number)
				} else if ok {
					r.retry.Multiplier = factor
				}
			}),
			yamldoc.NewKey("jitter", "true or false", func(r *retryEntry, v yamldoc.Value) {
				var jitter bool
				v.SetBool(&jitter)
				if r.retry.Jitter = 0; jitter {
					r.retry.Jitter = webhook.Jitter
				}
			}),
		},
	}
	theirs := map[string]string{"attempts": "maxAttempts", "initial_delay": "initialDelay", "max_delay": "maxDelay",
		"backoff_multiplier": "backoffMultiplier"}
	for _, key := range m.Keys {
		if name := theirs[key.Name]; name != "" {
			m.Keys = append(m.Keys, yamldoc.NewKey(name, key.Want, key.Read))
		}
	}
	return m
}

// check fills in what the mapping does not say. Without one it is the default, over a day.
func (r *retryEntry) check() webhook.Retry {
	if r.at.Node == nil {
		return webhook.Retry{}
	}
	retry := r.retry
	if retry.Attempts == 0 {
		retry.Attempts = 8
	}
	if retry.First == 0 {
		retry.First = 5 * time.Second
	}
	if retry.Longest == 0 {
		retry.Longest = max(retry.First, 10*time.Hour)
	}
	if retry.Multiplier == 0 {
		retry.Multiplier = 5
	}
	if !r.at.Has("jitter") {
		retry.Jitter = webhook.Jitter
	}
	if retry.First > retry.Longest && !r.at.IsFaulty() {
		r.at.Fail(yamldoc.RuleValue, "", "the first delay, %s, is longer than the longest, %s", retry.First, retry.Longest)
	}
	return retry
}
