package share

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/proof/attest"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// KeyFile is where `gauntlet proofs key` keeps the key it makes.
func KeyFile(stateHome string) string { return filepath.Join(stateHome, "gauntlet", "signing.pem") }

const maxKey = 64 << 10

// MakeKey makes an Ed25519 key at file, if there is none, and returns its public half. made
// is false when it existed before.
func MakeKey(ctx context.Context, file string) (pub attest.PublicKey, made bool, err error) {
	dir := filepath.Dir(file)
	if err := safefile.MakeDir(dir, 0o700); err != nil {
		return pub, false, err
	}
	// Two processes that make one at once must print the same key.
	lock, err := safefile.Acquire(ctx, file+".lock")
	if err != nil {
		return pub, false, err
	}
	defer lock.Remove() //nolint:errcheck // the kernel lets go of it with the process
	if key, err := readKey(file); err == nil {
		return public(key), false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return pub, false, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return pub, false, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pub, false, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return public(key), true, safefile.WriteIn(dir, file, text, 0o600)
}

func public(key ed25519.PrivateKey) attest.PublicKey {
	return attest.FromEd25519(key.Public().(ed25519.PublicKey))
}

func readKey(file string) (ed25519.PrivateKey, error) {
	text, err := safefile.Read("", file, maxKey)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, fmt.Errorf("%s: %w", file, errNotEd25519)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	ed, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: %w", file, errNotEd25519)
	}
	return ed, nil
}

// errNotEd25519 means that a key file is not one that Gauntlet made; it may be an SSH key.
var errNotEd25519 = errors.New("not an Ed25519 key in PEM form")

// ownPublic is the public half of the key that signs here, if it can be found without
// starting a process.
func ownPublic(configured, stateHome string) (attest.PublicKey, error) {
	file := configured
	if file == "" {
		file = KeyFile(stateHome)
	}
	key, err := readKey(file)
	if err == nil {
		return public(key), nil
	}
	if configured == "" {
		return attest.PublicKey{}, err
	}
	text, err := safefile.Read("", strings.TrimSuffix(configured, ".pub")+".pub", maxKey)
	if err != nil {
		return attest.PublicKey{}, err
	}
	words := strings.Fields(string(text))
	if len(words) < 2 {
		return attest.PublicKey{}, fmt.Errorf("%s.pub is not a public key", configured)
	}
	return attest.ParsePublicKey(words[0], words[1])
}

// Signer signs messages and names its key.
type Signer func(message []byte) (blob []byte, keyID string, err error)

// NewSigner finds the key that signs: the configured one, that of `gauntlet
// proofs key`, else git's user.signingkey.
func NewSigner(ctx context.Context, o Options) (Signer, error) {
	configured := o.home(o.Config.Settings.Remote.Key)
	for _, file := range []string{configured, KeyFile(o.StateHome)} {
		if file == "" {
			continue
		}
		key, err := readKey(file)
		switch {
		case err == nil:
			return func(m []byte) ([]byte, string, error) {
				return attest.SignEd25519(key, m), public(key).Fingerprint(), nil
			}, nil
		case file == configured && errors.Is(err, errNotEd25519):
			return sshSigner(ctx, file, o), nil
		case file == configured:
			return nil, fmt.Errorf("remote.key: %w", err)
		}
	}
	// In the project, because identities are often chosen by directory (includeIf).
	out, _, res := proc.Output(ctx, proc.Cmd{Args: []string{"git", "config", "--get", "user.signingkey"}, Dir: o.Config.Root, Env: o.Environ, Timeout: 5 * time.Second}, 4<<10)
	name := o.home(strings.TrimSpace(string(out)))
	if !res.OK() {
		return nil, errNoKey
	}
	// A public key that is written in the configuration itself: ssh-agent has the other half.
	line := strings.TrimPrefix(name, "key::")
	if words := strings.Fields(line); len(words) > 1 {
		if _, err := attest.ParsePublicKey(words[0], words[1]); err == nil {
			return agentSigner(ctx, line, o), nil
		}
	}
	// A gpg key is not a file.
	if _, err := os.Stat(name); err != nil || !filepath.IsAbs(name) {
		return nil, errNoKey
	}
	return sshSigner(ctx, name, o), nil
}

// home expands ~/ in a path that the user wrote.
func (o Options) home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(text.Home(o.Getenv), rest)
	}
	return path
}

var errNoKey = errors.New("no key to sign proofs with: run `gauntlet proofs key`")

// agentSigner signs with the key of ssh-agent whose public half is line.
func agentSigner(ctx context.Context, line string, o Options) Signer {
	return func(message []byte) ([]byte, string, error) {
		dir, remove, err := safefile.TempDir("", "gauntlet-key-")
		if err != nil {
			return nil, "", err
		}
		defer remove()
		file := filepath.Join(dir, "key.pub")
		if err := safefile.WriteIn(dir, file, []byte(line+"\n"), 0o600); err != nil {
			return nil, "", err
		}
		return sshSigner(ctx, file, o)(message)
	}
}

// sshSigner signs with ssh-keygen, which also asks ssh-agent for the key. It never asks for
// a passphrase: no person is there to type one.
func sshSigner(ctx context.Context, file string, o Options) Signer {
	env := append(slices.Clone(o.Environ), "SSH_ASKPASS_REQUIRE=never")
	return func(message []byte) ([]byte, string, error) {
		out, stderr, res := proc.Output(ctx, proc.Cmd{
			Args: []string{"ssh-keygen", "-q", "-Y", "sign", "-n", attest.Namespace, "-f", file}, Env: env, Stdin: strings.NewReader(string(message)), Timeout: 20 * time.Second,
		}, maxKey)
		if !res.OK() {
			return nil, "", fmt.Errorf("ssh-keygen -Y sign: %s", strings.TrimSpace(string(stderr)))
		}
		blob, err := attest.Unarmor(out)
		if err != nil {
			return nil, "", err
		}
		key, err := attest.VerifySSH(blob, message)
		if err != nil {
			return nil, "", fmt.Errorf("ssh-keygen signed something else: %w", err)
		}
		return blob, key.Fingerprint(), nil
	}
}
