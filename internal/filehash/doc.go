// Package filehash names files by their content, and reads each as seldom as can be.
package filehash
