package reapi

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"gauntlet/internal/safefile"
)

func digestFile(name string) (*repb.Digest, error) {
	f, err := safefile.Open("", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return nil, err
	}
	return &repb.Digest{Hash: hex.EncodeToString(h.Sum(nil)), SizeBytes: n}, nil
}

// bytes returns a blob's content, which may have changed on disk meanwhile: the
// server checks the hash.
func (b blob) bytes() ([]byte, error) {
	if b.file == "" {
		return b.data, nil
	}
	return safefile.Read("", b.file, b.digest.GetSizeBytes())
}
