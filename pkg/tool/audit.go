package tool

// AuditLevel is how much of a tool's calls stands on record.
type AuditLevel string

// The levels. Each says what the one before says, and more.
const (
	// AuditMetadata: who called which tool when, what was decided by which rule, and how it ended.
	AuditMetadata AuditLevel = "metadata"
	// AuditParams: the arguments, too, secret ones as keyed hashes. "" is the same.
	AuditParams AuditLevel = "params"
	// AuditFull: what it printed as well, the beginning in the record and the whole beside it.
	AuditFull AuditLevel = "full"
)
