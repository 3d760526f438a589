// Package trust keeps which files of which workspaces a person has read and agreed with, by the hash of their
// bytes.
//
// Whoever writes a repository must not choose what is allowed and what runs. So a workspace's own files count
// whole only while they are, byte for byte, what somebody was shown. A directory stands for itself alone:
// neither what lies below it nor what it lies in is trusted with it.
package trust
