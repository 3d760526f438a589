package tool

import "fmt"

// FailureCode says what kind of thing went wrong. A tool that exits with another code than 0 is no failure
// of ours: it is a Result.
type FailureCode string

// The failure codes.
const (
	FailValidation  FailureCode = "validation_error"    // the arguments do not fit the parameters
	FailDenied      FailureCode = "denied"              // a policy or a person said no
	FailApproval    FailureCode = "approval_required"   // somebody must be asked and nobody can be
	FailTimeout     FailureCode = "timeout"             // the wall clock limit
	FailCancelled   FailureCode = "cancelled"           // the caller gave up
	FailOutput      FailureCode = "output_limit"        // more output than allowed
	FailNoJSON      FailureCode = "invalid_output"      // stdout is not the JSON that the tool is said to print
	FailResource    FailureCode = "resource_limit"      // another limit ended the call
	FailCircuitOpen FailureCode = "circuit_open"        // the tool failed too often of late
	FailRateLimit   FailureCode = "rate_limited"        // the source would be asked more often than it may be
	FailSandbox     FailureCode = "sandbox_unavailable" // this host cannot do what the tool asks for
	FailTemplate    FailureCode = "template_error"      // a value cannot stand where the script wants it
	FailNotFound    FailureCode = "not_found"           // no such tool
	FailInternal    FailureCode = "internal_error"      // our own fault, or the record cannot be written

	FailUpstream        FailureCode = "upstream_connection_error" // a server gave no answer
	FailUpstreamTimeout FailureCode = "upstream_timeout"          // or none in time

	// A job that was begun has not ended in time. It may yet.
	FailPollTimeout FailureCode = "poll_timeout"

	FailTokenExchange     FailureCode = "token_exchange_failed"     // no token was given for another
	FailClientCredentials FailureCode = "client_credentials_failed" // or for those of a client
	FailScope             FailureCode = "insufficient_scope"        // or one for less than was asked for
)

// Failure is the reason why a call has no result of its own. It is an error.
type Failure struct {
	Code      FailureCode    `json:"code"`
	Message   string         `json:"message"`
	Retryable bool           `json:"retryable"`
	Details   map[string]any `json:"details"`
}

// Failf makes a Failure that retrying does not cure.
func Failf(code FailureCode, format string, args ...any) *Failure {
	return &Failure{Code: code, Message: fmt.Sprintf(format, args...), Details: map[string]any{}}
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Code, f.Message) }

// Is lets errors.Is compare failures by code.
func (f *Failure) Is(target error) bool {
	other, ok := target.(*Failure)
	return ok && other.Code == f.Code
}
