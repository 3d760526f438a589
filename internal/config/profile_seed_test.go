package config

import (
	"encoding/json"
	"strings"
	"testing"
)

// The templates of the definition format, as the documents of the system that it comes from show them.
const (
	seedURL     = `https://api.pizzeria.com/orders/{{ order_id }}`
	seedHeaders = `{
  "Content-Type": "application/json",
  "X-Request-ID": "{{ request_id | default(uuid()) }}",
  "Authorization": "Bearer {{ upstream_token }}"
}`
	seedBody = `{
  "pizza_type": "{{ pizza_type }}",
  "size": "{{ size }}",
  {% if toppings is defined %}
  "toppings": {{ toppings | tojson }},
  {% endif %}
  "quantity": {{ quantity | default(1) }}
}`
	seedPoll = `{status_url_template: "https://api.pizzeria.com/jobs/{{ response.job_id }}/status", status_field_path: status,
        completed_values: [completed], failed_values: [failed], result_field_path: result, poll_interval_seconds: 1.0,
        max_interval_seconds: 30.0, backoff_multiplier: 1.5, max_poll_attempts: 60}`
)

// TestSeedTemplates loads each of those templates as it is written, and checks the request that comes of it: a value stands
// in its place, whatever it is, and the token of the source goes nowhere but into its header.
func TestSeedTemplates(t *testing.T) {
	t.Parallel()
	quoted := func(text string) string {
		data, _ := json.Marshal(text)
		return string(data)
	}
	file := `version: 2
sources:
  pizzeria:
    base_url: https://api.pizzeria.com
    auth: {token_exchange: {token_url: https://sso.pizzeria.com/token, client_id: tools, client_secret: {secret: TOOLS}, subject: caller}}
tools:
  order:
    description: d
    input_schema: {type: object, properties: {order_id: {type: string}, pizza_type: {type: string}, size: {type: string},
      toppings: {type: array, items: {type: string}}, quantity: {type: integer}}, required: [order_id]}
    execution_profile:
      mode: ASYNC_POLL
      method: PUT
      url_template: ` + quoted(seedURL) + `
      headers_template: ` + quoted(seedHeaders) + `
      body_template: ` + quoted(seedBody) + `
      content_type: application/json
      response_mapping: data.order
      required_audience: pizzeria
      required_scopes: [orders]
      timeout_seconds: 30
      poll_config: ` + seedPoll + "\n"
	tools, err := ReadTools(File{Name: "seed.yaml", Data: []byte(strings.Replace(file, "      response_mapping: data.order\n", "", 1))})
	if err != nil {
		t.Fatal(err)
	}
	loaded := tools[0]
	if token := loaded.Tool.HTTP.API.Auth.Token; token.Audience != "pizzeria" || len(token.Scopes) != 1 || loaded.Look == nil ||
		!loaded.Tool.HTTP.Answer.Job.IsJob() {
		t.Errorf("the source asks for %+v, and the job is %+v", token, loaded.Tool.HTTP.Answer.Job)
	}
	for arguments, want := range map[string]string{
		`{"order_id":"7","pizza_type":"m","size":"l","toppings":["a","b"],"quantity":2}`: `PUT https://api.pizzeria.com/orders/7 {"pizza_type":"m","size":"l","toppings":["a","b"],"quantity":2}`,
		`{"order_id":"7","pizza_type":"m","size":"l"}`:                                   `PUT https://api.pizzeria.com/orders/7 {"pizza_type":"m","size":"l","quantity":1}`,
		`{"order_id":"x?admin=1#","size":"\",\"price\":0,\"x\":\""}`:                     `PUT https://api.pizzeria.com/orders/x%3Fadmin%3D1%23 {"size":"\",\"price\":0,\"x\":\"","quantity":1}`,
		`{"order_id":"@evil","toppings":["{% endif %}","{{ upstream_token }}"]}`:         `PUT https://api.pizzeria.com/orders/%40evil {"toppings":["{% endif %}","{{ upstream_token }}"],"quantity":1}`,
		`{"order_id":"../admin"}`: "",
	} {
		checked, failure := loaded.Tool.CheckArguments([]byte(arguments))
		if failure != nil {
			t.Fatal(failure)
		}
		r, failure := loaded.Request.Render(checked, "call")
		if want == "" {
			if failure == nil {
				t.Errorf("%s is sent: %s", arguments, r.URL)
			}
			continue
		}
		if failure != nil {
			t.Errorf("%s: %v", arguments, failure)
			continue
		}
		if got := r.Method + " " + r.URL + " " + string(r.Body); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arguments, got, want)
		}
		headers := map[string]string{}
		for _, h := range r.Header {
			headers[h.Name] = h.Value
		}
		if len(headers["X-Request-ID"]) != 36 || headers["Authorization"] != "" || headers["Content-Type"] != "application/json" {
			t.Errorf("headers: %v", headers)
		}
	}
	if _, err := ReadTools(File{Name: "seed.yaml", Data: []byte(file)}); err == nil || !strings.Contains(err.Error(), "said twice") {
		t.Errorf("a mapping of the answer beside the result of a job: %v", err)
	}
}
