// Package imports has the verbs that make tools of what others have written.
package imports
