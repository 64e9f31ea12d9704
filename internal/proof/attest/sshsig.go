package attest

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
)

// Namespace keeps signatures of proofs apart from signatures of commits, files
// or mails made with the same key.
const Namespace = "proof@gauntlet"

// The parts of OpenSSH's PROTOCOL.sshsig that never vary.
const (
	sigMagic   = "SSHSIG"
	sigVersion = 1
	sigArmor   = "SSH SIGNATURE"
)

var errSignature = errors.New("signature does not verify")

// PublicKey is a public key in SSH's wire format.
type PublicKey struct {
	Type string
	Blob []byte
}

// ParsePublicKey reads "type base64", the form of authorized_keys and
// allowed_signers.
func ParsePublicKey(keyType, encoded string) (PublicKey, error) {
	blob, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return PublicKey{}, fmt.Errorf("public key is not base64: %w", err)
	}
	r := wire{rest: blob}
	if name := r.string(); r.bad || string(name) != keyType {
		return PublicKey{}, fmt.Errorf("public key is not of type %s", keyType)
	}
	return PublicKey{Type: keyType, Blob: blob}, nil
}

// FromEd25519 is the public key of an Ed25519 key.
func FromEd25519(pub ed25519.PublicKey) PublicKey {
	return PublicKey{Type: "ssh-ed25519", Blob: fields([]byte("ssh-ed25519"), pub)}
}

// Line is the key as allowed_signers and authorized_keys write it.
func (k PublicKey) Line() string {
	return k.Type + " " + base64.StdEncoding.EncodeToString(k.Blob)
}

// Fingerprint names the key as ssh-keygen does: SHA256:….
func (k PublicKey) Fingerprint() string {
	sum := sha256.Sum256(k.Blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// SignEd25519 signs message as `ssh-keygen -Y sign` would.
func SignEd25519(key ed25519.PrivateKey, message []byte) []byte {
	pub := FromEd25519(key.Public().(ed25519.PublicKey))
	sig := ed25519.Sign(key, signedData(Namespace, "sha512", message))
	blob := bytes.NewBufferString(sigMagic)
	blob.Write(binary.BigEndian.AppendUint32(nil, sigVersion))
	blob.Write(fields(pub.Blob, []byte(Namespace), nil, []byte("sha512"), fields([]byte("ssh-ed25519"), sig)))
	return blob.Bytes()
}

// Unarmor extracts the signature from the text that ssh-keygen writes.
func Unarmor(text []byte) ([]byte, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != sigArmor {
		return nil, errors.New("not an SSH signature")
	}
	return block.Bytes, nil
}

// VerifySSH checks an SSHSIG blob over message and returns the key that made it.
func VerifySSH(blob, message []byte) (PublicKey, error) {
	rest, ok := bytes.CutPrefix(blob, []byte(sigMagic))
	if !ok || len(rest) < 4 || binary.BigEndian.Uint32(rest) != sigVersion {
		return PublicKey{}, errors.New("not an SSH signature")
	}
	r := wire{rest: rest[4:]}
	keyBlob, namespace, _, hashName, sig := r.string(), r.string(), r.string(), r.string(), r.string()
	if r.bad || len(r.rest) != 0 {
		return PublicKey{}, errors.New("malformed SSH signature")
	}
	if string(namespace) != Namespace {
		return PublicKey{}, fmt.Errorf("signature is for %q, not for %q", cut(namespace), Namespace)
	}
	if h := string(hashName); h != "sha512" && h != "sha256" {
		return PublicKey{}, fmt.Errorf("unknown hash %q", cut(hashName))
	}
	k := wire{rest: keyBlob}
	key := PublicKey{Type: string(k.string()), Blob: keyBlob}
	s := wire{rest: sig}
	format, value := string(s.string()), s.string()
	if k.bad || s.bad || len(s.rest) != 0 {
		return PublicKey{}, errors.New("malformed SSH signature")
	}
	if err := verify(key.Type, &k, format, value, signedData(string(namespace), string(hashName), message)); err != nil {
		return PublicKey{}, err
	}
	return key, nil
}

// signedData is what an SSH signature really signs.
func signedData(namespace, hashName string, message []byte) []byte {
	h := sha512.New()
	if hashName == "sha256" {
		h = sha256.New()
	}
	h.Write(message)
	return append([]byte(sigMagic), fields([]byte(namespace), nil, []byte(hashName), h.Sum(nil))...)
}

// verify checks value with the key whose parameters are in k.
func verify(keyType string, k *wire, format string, value, data []byte) error {
	switch keyType {
	case "ssh-ed25519":
		pub := k.string()
		if k.bad || len(k.rest) != 0 || format != keyType || len(pub) != ed25519.PublicKeySize || !ed25519.Verify(pub, data, value) {
			return errSignature
		}
		return nil
	case "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521":
		if format != keyType {
			return errSignature
		}
		return verifyECDSA(k, value, data)
	case "ssh-rsa":
		return verifyRSA(k, format, value, data)
	}
	return fmt.Errorf("keys of type %q are not supported", cut([]byte(keyType)))
}

func verifyECDSA(k *wire, value, data []byte) error {
	curveName, point := k.string(), k.string()
	curves := map[string]struct {
		curve elliptic.Curve
		hash  crypto.Hash
	}{
		"nistp256": {elliptic.P256(), crypto.SHA256}, "nistp384": {elliptic.P384(), crypto.SHA384}, "nistp521": {elliptic.P521(), crypto.SHA512},
	}
	c, known := curves[string(curveName)]
	if k.bad || len(k.rest) != 0 || !known {
		return errSignature
	}
	pub, err := ecdsa.ParseUncompressedPublicKey(c.curve, point)
	if err != nil {
		return errSignature
	}
	v := wire{rest: value}
	r, s := new(big.Int).SetBytes(v.string()), new(big.Int).SetBytes(v.string())
	h := c.hash.New()
	h.Write(data)
	if v.bad || len(v.rest) != 0 || !ecdsa.Verify(pub, h.Sum(nil), r, s) {
		return errSignature
	}
	return nil
}

// minRSA is the smallest RSA key, in bits, that is accepted.
const minRSA = 2048

func verifyRSA(k *wire, format string, value, data []byte) error {
	e, n := new(big.Int).SetBytes(k.string()), new(big.Int).SetBytes(k.string())
	if k.bad || len(k.rest) != 0 || !e.IsInt64() || e.Int64() > 1<<31-1 || n.BitLen() < minRSA || n.BitLen() > 16384 {
		return errSignature
	}
	var hash crypto.Hash
	switch format {
	case "rsa-sha2-256":
		hash = crypto.SHA256
	case "rsa-sha2-512":
		hash = crypto.SHA512
	default: // ssh-rsa is SHA-1
		return errSignature
	}
	h := hash.New()
	h.Write(data)
	if rsa.VerifyPKCS1v15(&rsa.PublicKey{N: n, E: int(e.Int64())}, hash, h.Sum(nil), value) != nil {
		return errSignature
	}
	return nil
}

// wire reads SSH's length-prefixed strings.
type wire struct {
	rest []byte
	bad  bool
}

func (w *wire) string() []byte {
	if w.bad || len(w.rest) < 4 {
		w.bad = true
		return nil
	}
	n := binary.BigEndian.Uint32(w.rest)
	if uint64(n) > uint64(len(w.rest)-4) {
		w.bad = true
		return nil
	}
	out := w.rest[4 : 4+n]
	w.rest = w.rest[4+n:]
	return out
}

// fields writes length-prefixed strings.
func fields(values ...[]byte) []byte {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(len(v)))
		out = append(out, v...)
	}
	return out
}

// cut bounds what a message quotes of untrusted bytes.
func cut(b []byte) string {
	return string(b[:min(len(b), 40)])
}
