package render

import (
	"crypto/sha256"
	"encoding/hex"

	lru "github.com/hashicorp/golang-lru/v2"
)

// The bounds of the plans that one template keeps. A tool with two sections has a handful of shapes.
const (
	maxShapes    = 32
	maxShapeSize = 64 << 10 // bytes of the script; longer ones are made anew each time
)

// shapes keeps the plans of the shapes that were rendered last, by instance.shape.
type shapes = lru.Cache[string, *plan]

func newShapes() *shapes {
	cache, _ := lru.New[string, *plan](maxShapes) // fails for a size below one
	return cache
}

func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return hex.EncodeToString(sum[:])
}
