package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// originalVariables are all that the original system reads or tells people to set.
const originalVariables = `
A2A_AUTH_TOKEN A2A_AGENT_COMMAND A2A_AGENT_API_KEY A2A_AGENT_DESCRIPTION A2A_AGENTS_CONFIG A2A_TOOLS_CONFIG A2A_ERROR_PROFILE
A2A_GOVERNORS_FILE A2A_AUTO_APPROVAL_FILE A2A_OAUTH_CLIENT_ID A2A_OAUTH_AUTHORIZE_URL A2A_OAUTH_TOKEN_URL A2A_OAUTH_SCOPE
A2A_OAUTH_REDIRECT A2A_OAUTH_HOUSEKEEPING_INTERVAL A2A_OAUTH_AUTO_REFRESH_MARGIN A2A_AGENT_OAUTH_ENABLED
A2A_AGENT_AUTH_FILE_NAME A2A_DEFAULT_CODEX_HOME A2A_AGENT_CODEX_HOME DEVELOPMENT_TOOL_EXTENSION_ENABLED
A2A_EXTENSION_METADATA_ENABLED PUSH_NOTIFICATIONS_ENABLED PUSH_NOTIFICATION_WEBHOOK_TIMEOUT PUSH_NOTIFICATION_RETRY_ATTEMPTS
PUSH_NOTIFICATION_RETRY_DELAY PUSH_NOTIFICATION_MAX_RETRY_DELAY PUSH_NOTIFICATION_BATCH_SIZE PUSH_NOTIFICATION_MAX_CONCURRENT
PUSH_NOTIFICATION_STREAMING_ENABLED PUSH_NOTIFICATION_MAX_WS_CONNECTIONS PUSH_NOTIFICATION_MAX_SSE_CONNECTIONS
PUSH_NOTIFICATION_CONNECTION_CLEANUP_INTERVAL PUSH_NOTIFICATION_CLEANUP_ENABLED PUSH_NOTIFICATION_CLEANUP_INTERVAL
PUSH_NOTIFICATION_RETENTION_COMPLETED_HOURS PUSH_NOTIFICATION_RETENTION_FAILED_HOURS
PUSH_NOTIFICATION_RETENTION_AUTH_REQUIRED_HOURS PUSH_NOTIFICATION_HMAC_SECRET PUSH_NOTIFICATION_RATE_LIMIT_PER_MINUTE
PUSH_NOTIFICATION_ENABLE_METRICS PUSH_NOTIFICATION_METRICS_RETENTION_HOURS HOST PORT LOG_LEVEL LOG_FORMAT LOG_FILE DATABASE_URL`

// TestOriginalVariables has each variable of the original system read, or told to be obsolete with what
// stands in its place: by every command, or by the daemon where other programs have one of that name.
func TestOriginalVariables(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	names := strings.Fields(originalVariables)
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "build", "node_modules", "test", "testdata", "docs"}, entry.Name()):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || entry.Name() == "obsolete.go":
			return nil
		}
		text, err := os.ReadFile(path)
		for _, name := range names {
			read[name] = read[name] || strings.Contains(string(text), `"`+name+`"`)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		set := func(of string) string {
			if of == name {
				return "1"
			}
			return ""
		}
		var told []string
		for _, warning := range (Sources{Env: set}).obsoleteVariables() {
			told = append(told, warning.File+" "+warning.Message+": "+warning.Hint)
		}
		told = append(told, CommonVariables(set)...)
		switch {
		case read[name] == (len(told) > 0) || len(told) > 1:
			t.Errorf("%s: it is read: %t, and told: %q; want one of both", name, read[name], told)
		case len(told) == 1 && (!strings.HasPrefix(told[0], name+" ") || !strings.Contains(told[0], "in its place there is ")):
			t.Errorf("%s is told as %q", name, told[0])
		}
	}
}
