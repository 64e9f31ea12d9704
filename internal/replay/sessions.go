package replay

import (
	"context"
	"runtime"
	"sync"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/config"
)

// Options select what is replayed.
type Options struct {
	Policy *config.Loaded
	// Against is a second policy, nil for none.
	Against *config.Loaded
	// Files are session logs.
	Files []string
	// Since leaves out older stops; zero keeps everything.
	Since time.Time
	// Project keeps only sessions that worked in this directory; "" keeps all.
	Project string
	// Labels are people's labels of stops, by ID.
	Labels map[string]string
	// Getenv reads the environment, which says where rooms are.
	Getenv func(string) string
	// Progress is called while it works; nil for none.
	Progress func(done, total int)
}

// policies are the one or two policies of a replay.
func (o *Options) policies() []*config.Loaded {
	if o.Against == nil {
		return []*config.Loaded{o.Policy}
	}
	return []*config.Loaded{o.Policy, o.Against}
}

func (o *Options) progress(done, total int) {
	if o.Progress != nil {
		o.Progress(done, total)
	}
}

// Sessions replays session logs: every turn that ended in a stop is judged by the
// checkpoint of the policy, as if the work tree contained exactly what the turn changed,
// and the agent's own calls of gates' commands are evaluated.
func Sessions(ctx context.Context, opts Options) (Report, error) {
	read := make([]judged, len(opts.Files))
	jobs := make(chan int, len(opts.Files))
	var all beside.Work
	var mu sync.Mutex
	done := 0
	judges := make([]*judge, 0, 2)
	for _, cfg := range opts.policies() {
		judges = append(judges, newJudge(cfg, &opts))
	}
	for i := range opts.Files {
		jobs <- i
	}
	close(jobs)
	for range max(1, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := range jobs {
				if ctx.Err() != nil {
					return
				}
				s := readSession(opts.Files[i], &opts)
				read[i] = judged{session: s.summary()}
				for _, j := range judges {
					read[i].stops = append(read[i].stops, j.session(&s))
				}
				mu.Lock()
				done++
				opts.progress(done, len(opts.Files))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	reports := make([]Report, len(judges))
	for i, j := range judges {
		reports[i] = j.report(read, i)
	}
	return joined(reports), nil
}

// judged is a session and the result of each policy for its stops.
type judged struct {
	session session // without its turns' content
	stops   [][]stop
}

// summary is what the coverage needs of a session; the rest can be freed.
func (s *session) summary() session {
	out := *s
	out.turns = make([]turn, len(s.turns))
	for i, t := range s.turns {
		out.turns[i] = turn{Span: t.Span, gap: t.gap}
		out.turns[i].changed = t.changed
	}
	return out
}
