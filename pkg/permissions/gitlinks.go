package permissions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
)

// mostIndex is the size, in bytes, of the largest index that is read: that of a million files.
const mostIndex = 128 << 20

var errIndex = errors.New("it is written in a way that is not known here")

// gitLinks lists the submodules that an index names, with hashes of that many bytes (gitformat-index(5), versions 2 to 4).
// Where there is no index, there are none.
func gitLinks(path string, hash int) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > mostIndex:
		return nil, errIndex
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < 12+hash || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, entries := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	return linksOf(data[12:len(data)-hash], version, entries, hash)
}

// linksOf reads the entries of an index, and looks that no other file holds more of them (its extension "link").
func linksOf(data []byte, version, entries uint32, hash int) (links []string, err error) {
	const stat = 40 // bytes in front of the hash; the mode stands in bytes 24 to 27
	var name []byte
	for range entries {
		fixed := stat + hash + 2
		if len(data) < fixed+2 {
			return nil, errIndex
		}
		if version > 2 && data[stat+hash]&0x40 != 0 {
			fixed += 2
		}
		rest := data[fixed:]
		if version == 4 {
			drop, n := offsetVarint(rest)
			if n == 0 || drop > uint64(len(name)) {
				return nil, errIndex
			}
			name, rest = name[:uint64(len(name))-drop], rest[n:]
		} else {
			name = name[:0]
		}
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return nil, errIndex
		}
		name = append(name, rest[:end]...)
		if binary.BigEndian.Uint32(data[24:])&0o170000 == 0o160000 {
			links = append(links, string(name))
		}
		next := rest[end+1:]
		if version < 4 { // filled up with NULs to a multiple of eight
			length := (fixed + end + 8) &^ 7
			if length > len(data) {
				return nil, errIndex
			}
			next = data[length:]
		}
		data = next
	}
	for len(data) >= 8 {
		size := uint64(binary.BigEndian.Uint32(data[4:]))
		if string(data[:4]) == "link" || size > uint64(len(data)-8) {
			return nil, errIndex
		}
		data = data[8+size:]
	}
	return links, nil
}

// offsetVarint reads a number as packs have it, and how many bytes it takes; 0 for none.
func offsetVarint(data []byte) (value uint64, n int) {
	for n < len(data) && n < 9 {
		c := data[n]
		if n > 0 {
			value++
		}
		value = value<<7 | uint64(c&0x7f)
		n++
		if c&0x80 == 0 {
			return value, n
		}
	}
	return 0, 0
}
