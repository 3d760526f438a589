package shellscan

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// SetsNothing reports whether a variable that could do much is set to a value with which it does nothing: GIT_PAGER=cat.
func SetsNothing(name, value string) bool {
	return harmlessValue(name, shellwords.Word{Text: value, Fixed: true})
}

// harmlessValue tells whether a variable that could do much is set to something with which it does nothing: people and agents
// keep git from opening a pager with PAGER=cat.
func harmlessValue(name string, value shellwords.Word) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	switch {
	case !value.Fixed:
		return false
	case pagers[name]:
		return value.Text == "cat" || value.Text == ""
	case editors[name]:
		return value.Text == "true" || value.Text == ":"
	case switches[name]:
		return strings.Trim(value.Text, letters) == ""
	}
	return false
}

var (
	pagers  = set("PAGER GIT_PAGER MANPAGER GH_PAGER")
	editors = set("EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GH_EDITOR")
	// switches turn something on or off, or say how much is told.
	switches = set(`GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_MERGE_AUTOEDIT NODE_ENV RUST_BACKTRACE RUST_LOG RUST_LIB_BACKTRACE
		CARGO_TERM_COLOR CARGO_INCREMENTAL PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED
		GOOS GOARCH GOARM GOAMD64 GOMAXPROCS GH_PROMPT_DISABLED PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT DOTNET_CLI_TELEMETRY_OPTOUT`)
)

func set(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = true
		}
	}
	return all
}
