package share

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
	state   string // directory for what is remembered of servers
	file    string // the breaker's
	now     func() time.Time
}

// Options say where and for whom.
type Options struct {
	Config    *config.Loaded
	StateHome string
	Getenv    func(string) string
	Environ   []string
	Now       func() time.Time
}

// Open prepares the cache of a project; nil where proofs are not shared. Nothing
// is connected yet.
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
	if own, err := ownPublic(set.Key, o.StateHome); err == nil {
		signers = append(signers, attest.Signer{Principals: []string{"yourself"}, Key: own})
	}
	sum := sha256.Sum256([]byte(set.URL))
	dir := filepath.Join(o.StateHome, "gauntlet", "remote")
	return &Cache{
		server: server, signers: signers, denied: o.Config.Denied, timeout: set.Timeout, state: dir,
		file: filepath.Join(dir, hex.EncodeToString(sum[:8])+".json"), now: o.Now,
	}, warnings, nil
}

// connect makes the client with the user's credentials.
func connect(o Options) (*remote.Server, error) {
	set := o.Config.Settings.Remote
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: time.Minute}
	var auth func(*http.Request) error
	if a := set.Auth; a != nil {
		if a.Cert != "" {
			pair, err := tls.LoadX509KeyPair(a.Cert, a.Cert)
			if err != nil {
				return nil, fmt.Errorf("remote.auth.cert: %w", err)
			}
			transport.TLSClientConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		}
		auth = credentials(*a, o)
	}
	return remote.New(set.URL, transport, auth)
}

// credentials adds what the user's own file says to each request.
func credentials(a config.RemoteAuth, o Options) func(*http.Request) error {
	token := sync.OnceValues(func() (string, error) {
		if a.BearerEnv != "" {
			if t := o.Getenv(a.BearerEnv); t != "" {
				return t, nil
			}
			return "", fmt.Errorf("remote.auth.bearer_env: %s is not set", a.BearerEnv)
		}
		return "", nil
	})
	return func(r *http.Request) error {
		switch {
		case a.Basic != "":
			r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(a.Basic)))
		case a.BearerEnv != "":
			t, err := token()
			if err != nil {
				return err
			}
			r.Header.Set("Authorization", "Bearer "+t)
		case a.BearerCommand != "":
			out, _, res := proc.Output(r.Context(), proc.Cmd{Args: []string{"sh", "-c", a.BearerCommand}, Env: o.Environ, Timeout: 10 * time.Second}, 64<<10)
			if !res.OK() {
				return errors.New("remote.auth.bearer_command failed")
			}
			r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(out)))
		}
		return nil
	}
}

// Ask is one gate that would run.
type Ask struct {
	Key  string
	Gate string // its name
}

// Answer is what the server had for the asks.
type Answer struct {
	Hits map[string]proof.Record // by key
	Logs map[string]remote.Blob  // by key, where there is a log
	// Warnings are for the person: the server is left alone from now on, a record
	// was not believed.
	Warnings []string
}

// Lookup asks for all keys at once, within the timeout.
func (c *Cache) Lookup(ctx context.Context, asks []Ask) Answer {
	out := Answer{Hits: map[string]proof.Record{}, Logs: map[string]remote.Blob{}}
	breaker := c.readBreaker()
	if len(asks) == 0 || breaker.Open(c.now()) {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	timedOut := false
	for _, a := range asks {
		wg.Go(func() {
			rec, blob, err := c.one(ctx, a)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				out.Hits[a.Key] = rec
				if blob.SHA256 != "" {
					out.Logs[a.Key] = blob
				}
			case errors.Is(err, errNotBelieved):
				out.Warnings = append(out.Warnings, fmt.Sprintf("the remote proof of %s was not believed: %v", a.Gate, err))
			case !errors.Is(err, remote.ErrMiss):
				timedOut = true
			}
		})
	}
	wg.Wait()
	next, tripped := breaker.After(timedOut, c.now())
	if tripped {
		out.Warnings = append(out.Warnings, "the remote cache does not answer; it is left alone for 10 minutes")
	}
	if next != breaker {
		c.writeBreaker(next)
	}
	slices.Sort(out.Warnings)
	return out
}

// errNotBelieved says that the server had something under the key that is not a
// proof of this gate by somebody who counts.
var errNotBelieved = errors.New("not believed")

func (c *Cache) one(ctx context.Context, a Ask) (proof.Record, remote.Blob, error) {
	if slices.Contains(c.denied, a.Key) {
		return proof.Record{}, remote.Blob{}, fmt.Errorf("%w: denied by the policy", remote.ErrMiss)
	}
	envelope, err := c.server.Lookup(ctx, a.Key)
	if err != nil {
		return proof.Record{}, remote.Blob{}, err
	}
	p, signer, err := attest.Verify(envelope, c.signers, c.now())
	if errors.Is(err, attest.ErrUnsigned) {
		return proof.Record{}, remote.Blob{}, fmt.Errorf("%w: %w", remote.ErrMiss, err) // a stranger's: nothing to tell
	}
	if err != nil {
		return proof.Record{}, remote.Blob{}, fmt.Errorf("%w: %w", errNotBelieved, err)
	}
	if p.Key != a.Key || p.Gate != a.Gate || p.Platform != proof.Platform() {
		return proof.Record{}, remote.Blob{}, fmt.Errorf("%w: it is about %s on %s", errNotBelieved, p.Gate, p.Platform)
	}
	zero := 0
	where := p.Where
	if where == "" {
		where = signer.Name()
	}
	rec := proof.Record{
		Key: p.Key, Outcome: proof.Pass, Source: proof.Remote, Where: where, Agent: fmt.Sprintf("%s, key %s", signer.Name(), signer.Key.Fingerprint()),
		At: p.FinishedAt, Tree: p.Tree, DurationMS: p.Took.Milliseconds(), Command: p.Command, ExitCode: &zero,
	}
	return rec, remote.Blob{SHA256: p.LogDigest, Size: p.LogSize}, nil
}

func (c *Cache) readBreaker() (b remote.Breaker) {
	text, err := safefile.Read(c.state, c.file, 4<<10)
	if err != nil || json.Unmarshal(text, &b) != nil {
		return remote.Breaker{}
	}
	return b
}

// writeBreaker remembers how the server answered; where that fails it is asked
// again the next time.
func (c *Cache) writeBreaker(b remote.Breaker) {
	text, err := json.Marshal(b)
	if err == nil && os.MkdirAll(c.state, 0o700) == nil {
		_ = safefile.Put(c.state, c.file, text, 0o600)
	}
}
