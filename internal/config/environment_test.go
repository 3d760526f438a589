package config

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "IFS",
		"SHELLOPTS", "BASHOPTS", "PS4",
		"PROMPT_COMMAND", "PYTHONPATH", "PERL5OPT", "NODE_OPTIONS", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT",
		"GIT_CONFIG_KEY_0",
		"GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH", "BASH_FUNC_ls", "A2A_AUTH_TOKEN",
		"A2A_", "__a2a_p",
	} {
		if command.RefusedInTools(name) == "" {
			t.Errorf("%s may be set", name)
		}
	}
	for _, name := range []string{
		"PATH", "HOME", "LANG", "LC_ALL", "TZ", "API_KEY", "PGHOST", "GIT_AUTHOR_NAME", "GIT_TERMINAL_PROMPT",
		"ENVIRONMENT", "PS1",
		"BUILD_ENV", "PYTHONUNBUFFERED", "NODE_ENV", "LDAP_HOST", "_", "A2", "PAGER",
	} {
		if why := command.RefusedInTools(name); why != "" {
			t.Errorf("%s may not be set: %s", name, why)
		}
	}
}

// TestCredential also guards that the literal itself is never repeated: the message is a fixed text.
func TestCredential(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, variable, literal string
		want                    bool
	}{
		{"the seed's own example", "API_KEY", "sk-1234567890abcdef", true},
		{"shape alone", "X", "ghp_0123456789abcdef0123", true},
		{"aws", "X", "AKIAIOSFODNN7EXAMPLE", true},
		{"a key file", "X", "text\n-----BEGIN OPENSSH PRIVATE KEY-----\n", true},
		{"name alone", "DB_PASSWORD", "correct horse", true},
		{"lower case name", "db_password", "correct horse", true},
		{"a short one", "KEY_ID", "main", false},
		{"a word that begins alike", "X", "sk-ip", false},
		{"plain", "BASE_URL", "https://api.example.com/v1", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := credential(test.variable, test.literal) != ""; got != test.want {
				t.Errorf("credential(%q, %q) = %v, want %v", test.variable, test.literal, got, test.want)
			}
		})
	}
}
