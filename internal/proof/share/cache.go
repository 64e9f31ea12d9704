package share

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/proc"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/attest"
	"gauntlet/internal/proof/remote"
	"gauntlet/internal/safefile"
)

// Cache is the remote cache of a project.
type Cache struct {
	server  *remote.Server
	signers attest.Signers
	denied  []string
	timeout time.Duration
	outage  Outage
	now     func() time.Time
}

// maxTimeouts is how many look-ups without an answer a stop waits for.
const maxTimeouts = 2

// Options select the project and the user.
type Options struct {
	Config    *config.Loaded
	StateHome string
	Getenv    func(string) string
	Environ   []string
	Now       func() time.Time
}

// Open prepares the cache of a project; nil if proofs are not shared. Nothing is connected
// yet.
func Open(o Options) (*Cache, []string, error) {
	set := o.Config.Settings.Remote
	if set.URL == "" || !set.Read {
		return nil, nil, nil
	}
	server, err := connect(o)
	if err != nil {
		return nil, nil, err
	}
	signers, warnings := attest.ParseSigners(".gauntlet/"+set.Signers, o.Config.Signers)
	// The user's own key counts, unless a line of the policy limits when.
	if own, err := ownPublic(o.home(set.Key), o.StateHome); err == nil && !signers.Has(own) {
		signers = append(signers, attest.Signer{Principals: []string{"yourself"}, Key: own})
	}
	return &Cache{
		server: server, signers: signers, denied: o.Config.Denied, timeout: set.Timeout,
		outage: NewOutage(o.StateHome, set.URL, maxTimeouts, o.Now), now: o.Now,
	}, warnings, nil
}

// connect makes the client with the user's credentials.
func connect(o Options) (*remote.Server, error) {
	set := o.Config.Settings.Remote
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: time.Minute}
	var auth func(*http.Request) error
	if a := set.Auth; a != nil {
		if a.Cert != "" {
			pem, err := safefile.ReadLinked(o.home(a.Cert), 1<<20)
			if err != nil {
				return nil, fmt.Errorf("remote.auth.cert: %w", err)
			}
			pair, err := tls.X509KeyPair(pem, pem)
			if err != nil {
				return nil, fmt.Errorf("remote.auth.cert: %w", err)
			}
			transport.TLSClientConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		}
		auth = credentials(*a, o)
	}
	return remote.New(set.URL, transport, auth)
}

// credentials adds the credentials in the user's own file to each request. A token is
// requested once.
func credentials(a config.RemoteAuth, o Options) func(*http.Request) error {
	var mu sync.Mutex
	var asked bool
	var token string
	var failed error
	return func(r *http.Request) error {
		if a.Basic != "" {
			r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(a.Basic)))
			return nil
		}
		if a.BearerEnv == "" && a.BearerCommand == "" {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if !asked {
			asked = true
			token, failed = bearer(r.Context(), a, o)
		}
		if failed != nil {
			return failed
		}
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func bearer(ctx context.Context, a config.RemoteAuth, o Options) (string, error) {
	if a.BearerEnv != "" {
		if t := o.Getenv(a.BearerEnv); t != "" {
			return t, nil
		}
		return "", fmt.Errorf("remote.auth.bearer_env: %s is not set", a.BearerEnv)
	}
	out, _, res := proc.Output(ctx, proc.Cmd{Args: []string{"sh", "-c", a.BearerCommand}, Env: o.Environ, Timeout: 10 * time.Second}, 64<<10)
	token := strings.TrimSpace(string(out))
	if !res.OK() || token == "" {
		return "", errors.New("remote.auth.bearer_command failed or printed nothing")
	}
	return token, nil
}

// Counts reports whether a stored remote proof still counts: its key is not denied, and its
// signer is still allowed.
func (c *Cache) Counts(r proof.Record) bool {
	return !slices.Contains(c.denied, r.Key) && slices.ContainsFunc(c.signers, func(s attest.Signer) bool {
		return s.Key.Fingerprint() == r.Signer && s.Valid(r.At) && s.Valid(c.now())
	})
}
