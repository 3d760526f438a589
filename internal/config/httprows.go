package config

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// httpRows is what editors are told about the keys under http.
func httpRows() map[string]schemaRow {
	rows := map[string]schemaRow{
		"source": {"The source that the request goes to.", aText()},
		"method": {"The method, beside path; or write get: PATH and the like.", anEnum(request.Methods()...)},
		"path": {"The path; {{name}} is a value, which is one segment. With hosts: the whole URL, as one tag.",
			schema{"type": "string", "minLength": 1}},
		"path_styles": {"How lists and objects are written in the path, by the name of the tag.", aMapping(ref("style"))},
		"hosts":       {"The hosts of a URL that the agent chooses as a whole; without TLS, those with http://.", aList(aText())},
		"query":       {"The fields of the query, by their names; one without a value is left out.", aMapping(fieldValue())},
		"headers":     {"The headers, by their names; one without a value is left out.", aMapping(fieldValue())},
		"cookies":     {"The cookies, by their names; one without a value is left out.", aMapping(aLiteral())},
		"json":        {"The body as JSON: a text that is one tag takes the value's type.", schema{}},
		"form":        {"The body as a form.", aMapping(fieldValue())},
		"multipart":   {"The body as parts, by their names.", aMapping(anyOf(aLiteral(), ref("part")))},
		"text":        {"The body as a text.", aText()},
		"base64":      {"text is base64 of what is sent.", withDefault(aBool(), false)},
		"type":        {"The media type of the body.", aText()},
		"idempotency_key": {"A header that tells the attempts of one call apart from other calls.",
			aText()},
		"result":   {"Which part of an answer is the tool's result, as JSON.", ref("result")},
		"paginate": {"How an answer goes on in further pages, which are read, too; of a GET.", ref("pages")},
		"poll":     {"How the job is followed to its end that the request begins.", ref("poll")},
		"safe":     {"The request changes nothing, whatever its method.", withDefault(aBool(), false)},
		"timeout":  {"From the first byte to the last: seconds, or 2m30s.", aDuration(longestRequest.Seconds())},
	}
	for _, method := range request.Methods() {
		if method != "QUERY" {
			rows[strings.ToLower(method)] = schemaRow{"The path of a " + method + ".", rows["path"].is}
		}
	}
	return rows
}

func fieldValue() schema {
	return anyOf(schema{"type": []string{"string", "number", "boolean", "null", "array"}}, ref("field"))
}

func sourceRows() map[string]schemaRow {
	return map[string]schemaRow{
		"base_url": {"Where requests go: a scheme, a host, and the beginning of every path.",
			schema{"type": "string", "pattern": "^https?://"}},
		"auth": {"How requests show whose they are, one way or several at once; the values are sent to this origin only.",
			anyOf(ref("auth"), schema{"type": "array", "items": ref("auth"), "minItems": 1, "maxItems": mostCredentials})},
		"allow_addresses": {"Addresses that are reached although they are not public, such as 10.1.2.3/32.",
			aList(aText())},
		"redirects": {"How many redirects of GET and HEAD are followed, to the same origin.",
			withDefault(aWhole(0, mostRedirects), 0)},
		"timeout": {"Of requests that say nothing about it: seconds, or 2m30s.", aDuration(longestRequest.Seconds())},
		"ca":      {"A file of certificates (PEM) that the server's is held against in place of the system's.", aText()},
		"circuit_breaker": {"Refuse the calls of all its tools for a while when it fails too often: no answer, or 5xx. " +
			"Without more: 5 failures in 30 s, for 30 s, and then 3 trials.", ref("breaker")},
		"rate_limit": {"How many requests it is sent, by all calls of the process, also for retries, further pages and looks at jobs.",
			ref("rate_limit")},
		"client_certificate": {"What connections show of their own (mutual TLS).", ref("client_certificate")},
	}
}

func authRows() map[string]schemaRow {
	return map[string]schemaRow{
		"bearer":             {"A token (Authorization: Bearer).", ref("reference")},
		"basic":              {"A user's name and password (Authorization: Basic).", ref("basic")},
		"api_key":            {"A key in a header, the query or a cookie.", ref("api_key")},
		"client_credentials": {"A token that is fetched with the client's own secret (RFC 6749, 4.4).", ref("client_credentials")},
		"token_exchange":     {"A token that is fetched for somebody, by a token of his (RFC 8693).", ref("token_exchange")},
	}
}

func clientCredentialsRows() map[string]schemaRow {
	return map[string]schemaRow{
		"token_url":     {"The token endpoint.", schema{"type": "string", "pattern": "^https?://"}},
		"client_id":     {"The client's name there.", aText()},
		"client_secret": {"Where the client's secret stands. It goes to the token endpoint only.", ref("reference")},
		"client_auth": {"How the secret is shown there: basic is a header, post a field.",
			withDefault(anEnum(tool.ClientAuthBasic, tool.ClientAuthPost), tool.ClientAuthBasic)},
		"audience": {"The service that the token is for.", aText()},
		"resource": {"The URL that the token is for (RFC 8707).", aText()},
		"scopes":   {"What the token must be good for.", aList(aText())},
	}
}

func tokenExchangeRows() map[string]schemaRow {
	rows := clientCredentialsRows()
	rows["subject"] = schemaRow{"Whom the token is about: caller, by the token that the daemon was shown, or where one stands.",
		anyOf(anEnum("caller"), ref("reference"))}
	return rows
}

func pollRows() map[string]schemaRow {
	where := "Where the job is asked about: a path of the source; {{response.id}} is a part of the answer. " +
		"The header Location if not given."
	url := schema{"type": "string", "minLength": 1}
	return map[string]schemaRow{
		"status_url":          {where, url},
		"status_url_template": {where, url},
		"status_field_path":   {"Where in what is answered the job's status stands; without it 202 says that it goes on.", aText()},
		"completed_values":    {"The words that it has ended with.", aList(aText())},
		"failed_values":       {"The words of a job that came to nothing.", aList(aText())},
		"result_field_path":   {"Where the result stands; without it the answer is the result.", aText()},
		"poll_interval_seconds": {"Before the first time.",
			withDefault(aDuration(longestInterval.Seconds()), defaultInterval.Seconds())},
		"max_interval_seconds": {"No time between two is longer.",
			withDefault(aDuration(longestInterval.Seconds()), defaultLongest.Seconds())},
		"backoff_multiplier": {"Each time is so many times the one before.",
			withDefault(schema{"type": "number", "minimum": 1, "maximum": largestMultiple}, defaultFactor)},
		"max_poll_attempts": {"How often is asked.", withDefault(aWhole(1, mostLooks), defaultLooks)},
		"deadline": {"How long in all: seconds, or 10m.",
			withDefault(aDuration(longestDeadline.Seconds()), defaultDeadline.Seconds())},
		"cancel": {"What is sent if the caller gives up.", ref("cancel")},
	}
}

func cancelRows() map[string]schemaRow {
	rows := map[string]schemaRow{}
	for _, method := range []string{"delete", "post", "put"} {
		rows[method] = schemaRow{"The path, such as /jobs/{{response.id}}.", schema{"type": "string", "minLength": 1}}
	}
	return rows
}

func styleRows() map[string]schemaRow {
	return map[string]schemaRow{
		"style":   {"OpenAPI's word for how a list or an object is written.", anEnum(request.Styles()...)},
		"explode": {"Whether each item stands by itself.", aBool()},
	}
}

func fieldRows() map[string]schemaRow {
	rows := styleRows()
	rows["value"] = schemaRow{"A text, a number, a truth value, or a list of them; {{name}} is filled in.",
		schema{"type": []string{"string", "number", "boolean", "null", "array"}}}
	return rows
}

// requestSchema is the schema of what stands under http: where the request goes, and with which method.
func requestSchema() schema {
	wants := func(keys ...string) schema { return schema{"required": keys} }
	methods := []schema{wants("method", "path")}
	for _, method := range request.Methods() {
		if method != "QUERY" {
			methods = append(methods, wants(strings.ToLower(method)))
		}
	}
	s := requireObject(object(httpMapping()))
	s["allOf"] = []schema{anyOf(wants("source"), wants("hosts")), anyOf(methods...)}
	return s
}
