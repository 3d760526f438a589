// Package pathwalk follows a path link by link.
package pathwalk

import (
	"fmt"
	"path/filepath"
	"strings"
)

// MostLinks is the number of links that a path may lead through (Linux, path_resolution(7)).
const MostLinks = 40

// Walk follows an absolute path as the kernel does, and returns where it leads. It calls link with each name
// on the way that has no link in front of it; link returns what the name leads to, where it is a link, and ""
// where Walk goes on by the name. An error of link ends the walk.
func Walk(path string, link func(name string) (target string, err error)) (string, error) {
	at, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		target, err := link(next)
		switch {
		case err != nil:
			return "", err
		case target == "":
			at = next
			continue
		}
		if links++; links > MostLinks {
			return "", fmt.Errorf("%s: more than %d links", path, MostLinks)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}
