package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// Lasting is what a yes for the rest of the session can allow, in words, the narrowest first.
type Lasting []string

// Value implements driver.Valuer.
func (l Lasting) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "", nil
	}
	text, err := json.Marshal([]string(l))
	return string(text), err
}

// Scan implements sql.Scanner. Before there was a choice the table held one text.
func (l *Lasting) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("what a yes can allow is a %T, not a text", value)
	}
	*l = nil
	if text != "" && json.Unmarshal([]byte(text), (*[]string)(l)) != nil {
		*l = Lasting{text}
	}
	return nil
}
