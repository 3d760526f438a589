// Package replay decides recorded acts again by other rules: by those that a person tries out, or by those
// that would have answered for them.
package replay
