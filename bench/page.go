package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

var thePage = section{
	title: "The page, with 100,000 verdicts",
	method: "`gauntlet ui` over a spool of 100,000 verdicts with two gates each. First byte and whole answer of each view, on a connection that is open; the first row is the first " +
		"request after the start, while the history is still being taken over. Memory is the resident set after all requests, CPU what the idle server used in 5 seconds.",
	measure: func(b *bench, t *table) error {
		state := filepath.Join(b.dir, "page")
		if err := longHistory(filepath.Join(state, "gauntlet", "history"), 100_000); err != nil {
			return err
		}
		p, err := b.openPage(state)
		if err != nil {
			return err
		}
		defer p.end()
		first, _, err := p.get(b.ctx, "/")
		if err != nil {
			return err
		}
		worst := first
		t.add(result{name: "`/`, first byte while the history is read", median: first, min: first, rounds: 1})
		for _, path := range []string{"/", "/stops", "/stops?blocked=1&text=failed", "/gates", "/time", "/who?by=model", "/?days=365", "/api/gates?days=365"} {
			var firsts, wholes []time.Duration
			for range max(3, int(10*b.scale)) {
				one, all, err := p.get(b.ctx, path)
				if err != nil {
					return err
				}
				firsts, wholes = append(firsts, one), append(wholes, all)
			}
			slices.Sort(firsts)
			slices.Sort(wholes)
			n := len(firsts)
			worst = max(worst, firsts[n/2])
			t.add(
				result{name: "`" + path + "`, first byte", median: firsts[n/2], min: firsts[0], rounds: n},
				result{name: "`" + path + "`, whole", median: wholes[n/2], min: wholes[0], rounds: n},
			)
		}
		b.promise(t, worst < 50*time.Millisecond, "the first byte comes within 50 ms", "%s at most", ms(worst))
		if memory, ticks, err := p.idle(b.ctx); err == nil {
			b.promise(t, memory < 60, "memory stays under 60 MB", "%.1f MB", memory)
			b.promise(t, ticks == 0, "an idle server uses no CPU", "%d ms in 5 s", 10*ticks)
		} else if !errors.Is(err, os.ErrNotExist) { // only Linux has /proc
			return err
		}
		return p.end()
	},
}

// longHistory writes a spool as stops would have, oldest first.
func longHistory(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "spool-00000001.jsonl"))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	agents := []string{"claude", "codex", "gemini"}
	now := time.Now().UTC()
	for i := range n {
		at := now.Add(-time.Duration(n-i) * 75 * time.Second).Format(time.RFC3339)
		status, decision, test := "passed", "approve", "pass"
		if i%9 == 0 {
			status, decision, test = "failed", "block", "fail"
		}
		id, project, session := fmt.Sprintf("26%04d-%06d", i/1000, i), fmt.Sprintf("/home/me/src/p%d", i%12), fmt.Sprintf("3f9a1c2b-%d", i/8)
		fmt.Fprintf(w, `{"schema":2,"type":"verdict","id":%q,"time":%q,"project":%q,"status":%q,"durationMs":%d,"message":"gates %s in stop %d","source":"stop","agent":%q,"model":"model-%d","client":"2.1.%d","session":%q,"turn":"t%d","cwd":%q,"decision":%q,"tokens":%d,"steps":[{"name":"look","ms":3},{"name":"gates","ms":900}],"changed":["a.go","b.go"],"changedTotal":2}`+"\n",
			id, at, project, status, 900+i%3000, status, i, agents[i%3], i%4, i%6, session, i/4, project, decision, 1000+i%5000)
		for k, gate := range []string{"test", "lint"} {
			result := "pass"
			if k == 0 {
				result = test
			}
			fmt.Fprintf(w, `{"schema":2,"type":"gate","id":%q,"time":%q,"project":%q,"status":%q,"durationMs":%d,"gate":"check:.:%s","kind":"check","key":"%d-%d","command":"make %s","exitCode":0,"source":"run","mode":"enforce","limitMs":300000}`+"\n",
				id, at, project, result, i%2000, gate, i, k, gate)
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// page is a running `gauntlet ui`.
type page struct {
	url, token string
	pid        int
	end        func() error
}

func (b *bench) openPage(state string) (*page, error) {
	ctx, cancel := context.WithCancel(b.ctx)
	cmd := b.command(b.dir, b.gauntlet, "ui", "--no-open")
	cmd.Env = append(slices.Clone(b.env), "XDG_STATE_HOME="+state)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	p := &page{pid: cmd.Process.Pid}
	ended := false
	p.end = func() error {
		if ended {
			return nil
		}
		ended = true
		cancel()
		return errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait())
	}
	lines := bufio.NewScanner(out)
	for ctx.Err() == nil && lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "http://"); ok {
			p.url, p.token, _ = strings.Cut("http://"+address, "/?token=")
			return p, nil
		}
	}
	return nil, errors.Join(errors.New("gauntlet ui printed no address"), p.end())
}

// get is the time to the first byte and to the last.
func (p *page) get(ctx context.Context, path string) (first, whole time.Duration, err error) {
	var start time.Time
	trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { first = time.Since(start) }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodGet, p.url+path, http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	start = time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || len(body) < 500) {
		err = fmt.Errorf("%s: status %d, %d bytes", path, res.StatusCode, len(body))
	}
	return first, time.Since(start), err
}

// idle is the resident set in MB and the CPU ticks of 5 seconds without a request.
func (p *page) idle(ctx context.Context) (memory float64, ticks int, err error) {
	used := func() (int, error) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
		if err != nil {
			return 0, err
		}
		fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		user, err1 := strconv.Atoi(fields[11])
		system, err2 := strconv.Atoi(fields[12])
		return user + system, errors.Join(err1, err2)
	}
	if err := sleep(ctx, time.Second); err != nil { // garbage of the last request
		return 0, 0, err
	}
	before, err := used()
	if err != nil {
		return 0, 0, err
	}
	if err := sleep(ctx, 5*time.Second); err != nil {
		return 0, 0, err
	}
	after, err := used()
	if err != nil {
		return 0, 0, err
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024, after - before, err
		}
	}
	return 0, 0, errors.Join(err, errors.New("no VmRSS"))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
