package audit

// Kind says what happened to a record.
type Kind string

// The kinds of damage.
const (
	Changed          Kind = "changed"           // a line is not the one that was recorded
	Missing          Kind = "missing"           // lines are gone from the middle, or from the beginning
	Inserted         Kind = "inserted"          // a line stands there that was not recorded, or once more
	Reordered        Kind = "reordered"         // a line stands behind one that was recorded after it
	Truncated        Kind = "truncated"         // lines are gone from the end
	RolledBack       Kind = "rolled_back"       // the record is whole, and ends before a checkpoint from outside
	ForgedCheckpoint Kind = "forged_checkpoint" // a checkpoint was not signed with the key of the record
	Torn             Kind = "torn"              // the last line has no end, as after a crash; opening mends it
)

// Problem is one thing that Verify found.
type Problem struct {
	Seq     int64  `json:"seq"` // the number of the first line that it is about; 0 where that is not known
	File    string `json:"file"`
	Line    int    `json:"line"` // of that file, from 1; 0 where it is about none
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
}

// Held is the checkpoint that the record was held against.
type Held struct {
	Size   int64  `json:"size"`
	Root   string `json:"root"`
	Source string `json:"source"` // the file that it comes from
}

// Removed are the first lines of a record, which a line of it says were removed because they were older than it is
// kept. Whoever has the key can write such a line as any other behind a checkpoint.
type Removed struct {
	To int64 `json:"to"` // the number of the last one
	By int64 `json:"by"` // the number of the line that says so
}

// Report is what Verify found.
type Report struct {
	OK      bool  `json:"ok"`
	Records int64 `json:"records"`
	First   int64 `json:"first"` // the number of the first line that is there
	// Removed says what stood before that, where the record has it that this was removed on purpose; nil for nothing.
	Removed *Removed `json:"removed,omitempty"`
	Last    int64    `json:"last"`
	// Checkpoint is one from outside that the record agrees with, else its own last one; nil for none.
	Checkpoint *Held     `json:"checkpoint"`
	Outside    bool      `json:"-"` // Checkpoint was kept elsewhere, as its source says
	Problems   []Problem `json:"problems"`
	// More counts the problems that are not listed.
	More int `json:"more,omitempty"`
}
