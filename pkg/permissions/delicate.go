package permissions

import "sync"

// tableOnly is the table of sensitive files without anything of a person's own.
var tableOnly = sync.OnceValue(func() *sensitive { return newSensitive(nil) })

// Delicate tells what keeps a file from being offered to anybody: that it gives away what nobody should know, or that others
// run or believe it without a look. It completes "it …" and is "" for plain data. name is absolute and clean.
func Delicate(name string) string { return tableOnly().find(name, secret, control) }
