package audit

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProof checks proofs of lines without their record, and refuses what was changed in one.
func TestProof(t *testing.T) {
	t.Parallel()
	dir, _ := recordOfADay(t)
	public, err := PublicKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	var proof []byte
	for seq := int64(1); seq <= 60; seq++ {
		if proof, err = Prove(dir, seq); err != nil {
			t.Fatal(err)
		}
		proved, err := CheckProof(proof, public)
		want := int64(40) // another checkpoint is made where one is needed
		if seq > 40 {
			want = 60
		}
		if err != nil || proved.Entry.Seq != seq || proved.Checkpoint.Size != want || !proved.Signed {
			t.Fatalf("number %d: %+v, %v", seq, proved, err)
		}
		if proved, err := CheckProof(proof, ""); err != nil || proved.Entry.Seq != seq || proved.Signed {
			t.Fatalf("number %d, without a key: %+v, %v", seq, proved, err)
		}
	}
	for _, name := range []string{treeName, keyName} { // the tree is made anew; no key is needed
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Prove(dir, 7); err != nil {
			t.Errorf("without %s: %v", name, err)
		}
	}
	keep(t, reopen(t, dir), decided("unsigned"))
	if _, err := Prove(dir, 61); err == nil || !strings.Contains(err.Error(), "is a copy without it") {
		t.Errorf("a new line, and no key: %v", err)
	}
	if now, err := PublicKey(dir); err != nil || now != public {
		t.Errorf("the public key was replaced: %s, %v", now, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	other, _ := recordOfADay(t)
	otherKey, err := PublicKey(other)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(proof), "\n")
	edit := func(line int, text string) []byte {
		changed := append([]string{}, lines...)
		changed[line] = text
		return []byte(strings.Join(changed, "\n"))
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], proofExtra))
	if err != nil {
		t.Fatal(err)
	}
	forged := base64.StdEncoding.EncodeToString(bytes.Replace(raw, []byte("later"), []byte("never"), 1))
	for _, test := range []struct {
		name  string
		proof []byte
		key   string
		want  string
	}{
		{"another line", edit(1, proofExtra+forged), public, "is not the one that the checkpoint speaks of"},
		{"another number", edit(2, proofIndex+"12"), public, "is not the one that the checkpoint speaks of"},
		{"a number behind the end", edit(2, proofIndex+"60"), public, "its checkpoint speaks of 60 lines"},
		{"no number", edit(2, proofIndex+"-1"), public, "which line"},
		{"a hash that is none", edit(3, "nonsense"), public, "is no hash"},
		{"a hash less", []byte(strings.Join(append(append([]string{}, lines[:3]...), lines[4:]...), "\n")), public, "is not the one"},
		{"the key of another record", proof, otherKey, "was not signed with the key"},
		{"a key that is none", proof, "alice", "is none of a record"},
		{"another line, and no key", edit(1, proofExtra+forged), "", "is not the one that the checkpoint speaks of"},
		{"another size, and no key", []byte(strings.Replace(string(proof), "\n60\n", "\n61\n", 1)), "", "is not the one"},
		{"no signature, and no key", bytes.Split(proof, []byte("— "))[0], "", "its checkpoint: "},
		{"text, and no key", []byte("hello\n\nworld"), "", "it is no proof"},
		{"nothing", nil, public, "it is no proof"},
		{"text", []byte("hello\n\nworld"), public, "it is no proof"},
	} {
		if _, err := CheckProof(test.proof, test.key); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}
