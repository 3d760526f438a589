package config

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// obsolete are variables of the original system, with what stands in their place. They are not read:
// a repository can set variables (direnv does), and would have somebody else's alarms end.
var obsolete = []struct{ name, instead string }{
	{"A2A_AGENTS_CONFIG", "agents in a2a-acp.yaml"},
	{"A2A_AGENT_OAUTH_ENABLED", "nothing: an agent says itself how it logs in; a2a-acp agents login"},
	{"A2A_AGENT_AUTH_FILE_NAME", "nothing: an agent keeps its login itself; a2a-acp agents login"},
	{"A2A_OAUTH_CLIENT_ID", "nothing: an agent logs in itself; a2a-acp agents login"},
	{"A2A_OAUTH_AUTHORIZE_URL", "nothing: an agent logs in itself; a2a-acp agents login"},
	{"A2A_OAUTH_TOKEN_URL", "nothing: an agent logs in itself; a2a-acp agents login"},
	{"A2A_OAUTH_SCOPE", "nothing: an agent logs in itself; a2a-acp agents login"},
	{"A2A_OAUTH_REDIRECT", "nothing: an agent logs in itself; a2a-acp agents login"},
	{"A2A_OAUTH_HOUSEKEEPING_INTERVAL", "nothing: an agent renews its login itself"},
	{"A2A_OAUTH_AUTO_REFRESH_MARGIN", "nothing: an agent renews its login itself"},
	{"A2A_DEFAULT_CODEX_HOME", "environment: {CODEX_HOME: …} of an agent in a2a-acp.yaml"},
	{"A2A_AGENT_CODEX_HOME", "environment: {CODEX_HOME: …} of an agent in a2a-acp.yaml"},
	{"DEVELOPMENT_TOOL_EXTENSION_ENABLED", "nothing: a client that declares the extension gets it"},
	{"A2A_EXTENSION_METADATA_ENABLED", "nothing: a client that declares the extension gets it"},
	{"PUSH_NOTIFICATION_STREAMING_ENABLED", "nothing: streams are always there"},
	{"PUSH_NOTIFICATION_MAX_WS_CONNECTIONS", "nothing: there may be 200 at a time"},
	{"PUSH_NOTIFICATION_MAX_SSE_CONNECTIONS", "nothing: there may be 200 at a time"},
	{"PUSH_NOTIFICATION_CONNECTION_CLEANUP_INTERVAL", "nothing: a client that does not read is cut at once"},
	{"PUSH_NOTIFICATION_ENABLE_METRICS", "nothing: /metrics of the daemon has them"},
	{"PUSH_NOTIFICATION_METRICS_RETENTION_HOURS", "nothing: metrics are kept by who collects them"},
	{"PUSH_NOTIFICATIONS_ENABLED", "webhooks in a2a-acp.yaml; a2a-acp webhooks pause stops one"},
	{"PUSH_NOTIFICATION_WEBHOOK_TIMEOUT", "timeout of a webhook in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_RETRY_ATTEMPTS", "retry: {attempts: …} of a webhook in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_RETRY_DELAY", "retry: {initial_delay: …} of a webhook in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_MAX_RETRY_DELAY", "retry: {max_delay: …} of a webhook in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_HMAC_SECRET", "signing: {secret: NAME} of a webhook in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_RETENTION_COMPLETED_HOURS", "serve: {tasks: {keep_completed: …}} in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_RETENTION_FAILED_HOURS", "serve: {tasks: {keep_failed: …}} in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_RETENTION_AUTH_REQUIRED_HOURS", "serve: {tasks: {longest_wait: …}} in a2a-acp.yaml"},
	{"PUSH_NOTIFICATION_BATCH_SIZE", "nothing: a webhook gets its events one by one, in order"},
	{"PUSH_NOTIFICATION_MAX_CONCURRENT", "nothing: no webhook waits for another"},
	{"PUSH_NOTIFICATION_RATE_LIMIT_PER_MINUTE", "nothing: a receiver says by Retry-After when to come again"},
	{"PUSH_NOTIFICATION_CLEANUP_ENABLED", "nothing: what is owed is in the record, and audit: {keep_days: …} bounds that"},
	{"PUSH_NOTIFICATION_CLEANUP_INTERVAL", "nothing: what is owed is in the record, and audit: {keep_days: …} bounds that"},
}

// common are variables of the original system that other programs have, too. Only who starts the daemon can
// have meant the original's.
var common = []struct{ name, instead string }{
	{"HOST", "serve: {listen: …} in a2a-acp.yaml, and serve --listen"},
	{"PORT", "serve: {listen: …} in a2a-acp.yaml, and serve --listen"},
	{"DATABASE_URL", "the state directory (A2A_STATE_DIR), where tasks are in tasks.db"},
}

// CommonVariables tells which variables of the original system are set that the daemon does not read, and
// that others may have been meant for.
func CommonVariables(getenv func(string) string) (lines []string) {
	for _, variable := range common {
		if getenv(variable.name) != "" {
			lines = append(lines, variable.name+" is not read; in its place there is "+variable.instead)
		}
	}
	return lines
}

// obsoleteVariables tells which of them are set.
func (s Sources) obsoleteVariables() (found yamldoc.Errors) {
	if s.Env == nil {
		return nil
	}
	for _, variable := range obsolete {
		if s.Env(variable.name) == "" {
			continue
		}
		found = append(found, yamldoc.Error{File: variable.name, Severity: yamldoc.SeverityWarning, Rule: ruleIgnored,
			Message: "this variable is not read", Hint: strings.TrimSuffix("in its place there is "+variable.instead, ".")})
	}
	return found
}
