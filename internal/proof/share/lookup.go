package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/attest"
	"gauntlet/internal/proof/remote"
)

// Ask is one gate that would run.
type Ask struct {
	Key  string
	Gate string // its name
}

// Answer is what the server had for the asks.
type Answer struct {
	Hits map[string]proof.Record // by key
	// Warnings are for the person: the server is not queried for a while, or a record was
	// rejected.
	Warnings []string
	// Outage is the warning that the server is not queried for a while, "" without one.
	Outage string
}

// Inquiry looks keys up as they become known, all at once: the server answers
// while the keys of other gates are still being computed.
type Inquiry struct {
	cache   *Cache
	breaker remote.Breaker
	asked   int
	until   time.Time // when the last look-up times out

	mu     sync.Mutex
	all    beside.Work
	answer Answer
	left   int   // look-ups without an answer
	failed error // why the server did not answer
}

// Begin starts an inquiry. Nothing is sent before the first Ask.
func (c *Cache) Begin() *Inquiry {
	return &Inquiry{cache: c, breaker: c.outage.read(), answer: Answer{Hits: map[string]proof.Record{}}}
}

// Ask starts to look a key up and returns at once.
func (q *Inquiry) Ask(ctx context.Context, a Ask) {
	if q.breaker.Open(q.cache.now()) || slices.Contains(q.cache.denied, a.Key) {
		return
	}
	q.asked++
	until := time.Now().Add(q.cache.timeout)
	q.until = until
	q.mu.Lock()
	q.left++
	q.mu.Unlock()
	q.all.Go(func() {
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		rec, err := q.cache.one(ctx, a)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.left--
		switch {
		case err == nil:
			q.answer.Hits[a.Key] = rec
		case errors.Is(err, errRejected):
			q.answer.Warnings = append(q.answer.Warnings, fmt.Sprintf("the remote proof of %s was %v", a.Gate, err))
		case !errors.Is(err, remote.ErrMiss):
			q.failed = err
		}
	})
}

// Wait returns what the server had when all look-ups have an answer, or when the last of
// them has timed out.
func (q *Inquiry) Wait(ctx context.Context) Answer {
	if q.asked == 0 {
		return Answer{}
	}
	done := make(chan struct{})
	beside.Start(func() {
		defer close(done)
		defer q.cache.server.Close()
		q.all.Wait()
	})
	timeout := time.NewTimer(time.Until(q.until))
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	out := Answer{Hits: q.answer.Hits, Warnings: q.answer.Warnings}
	q.answer = Answer{Hits: map[string]proof.Record{}} // late answers must not change what is returned
	failed := q.failed
	if q.left > 0 || errors.Is(failed, context.DeadlineExceeded) {
		failed = fmt.Errorf("no answer within %s", q.cache.timeout)
	}
	if ctx.Err() == nil {
		if out.Outage = q.cache.learn(q.breaker, failed); out.Outage != "" {
			out.Warnings = append(out.Warnings, out.Outage)
		}
	}
	slices.Sort(out.Warnings)
	return out
}

// learn remembers whether the server answered, and warns once if it did not.
func (c *Cache) learn(was remote.Breaker, failed error) (warning string) {
	if c.outage.learn(was, failed == nil) {
		return fmt.Sprintf("the remote cache cannot be used (%v); it is left alone for %s", failed, c.outage.Pause())
	}
	return ""
}

// errRejected means that the server had something under the key that is not a proof of this
// gate by an allowed signer.
var errRejected = errors.New("not believed")

func (c *Cache) one(ctx context.Context, a Ask) (proof.Record, error) {
	envelope, err := c.server.Lookup(ctx, a.Key)
	if err != nil {
		return proof.Record{}, err
	}
	now := c.now()
	p, signer, err := attest.Verify(envelope, c.signers, now)
	if errors.Is(err, attest.ErrUnsigned) {
		return proof.Record{}, fmt.Errorf("%w: %w", remote.ErrMiss, err) // a proof by an unknown signer does not cause a warning
	}
	if err != nil {
		return proof.Record{}, fmt.Errorf("%w: %w", errRejected, err)
	}
	if p.Key != a.Key || p.Gate != a.Gate || p.Platform != proof.Platform() {
		return proof.Record{}, fmt.Errorf("%w: it is about %s on %s", errRejected, p.Gate, p.Platform)
	}
	zero := 0
	rec := proof.Record{
		Key: p.Key, Outcome: proof.Pass, Source: proof.Remote, StartedBy: proof.ByRemote, Where: p.Where, Signer: signer.Key.Fingerprint(),
		At: p.FinishedAt, Tree: p.Tree, DurationMS: p.Took.Milliseconds(), Command: p.Command, ExitCode: &zero,
		Platform: p.Platform, Tools: p.Tools,
	}
	if rec.At.After(now) {
		rec.At = now // a clock that is ahead must not make later records look older
	}
	rec.Agent = "key " + rec.Signer
	switch name := signer.Name(); rec.Where {
	case "":
		rec.Where = name
	case name:
	default:
		rec.Agent = name + ", " + rec.Agent
	}
	return rec, nil
}
