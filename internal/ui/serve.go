package ui

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/safefile"
)

// Serve answers on 127.0.0.1 (port 0: any free one) until the context ends. ready
// is called with the address, and with one that lets one browser in, once.
func Serve(ctx context.Context, o Options, port int, ready func(address, entry string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return fmt.Errorf("cannot listen on 127.0.0.1:%d: %w (choose another --port)", port, err)
	}
	at := listener.Addr().(*net.TCPAddr)
	o.Guard = Guard{Hosts: []string{at.String(), fmt.Sprintf("localhost:%d", at.Port)}, Token: rand.Text(), Cookie: fmt.Sprintf("gauntlet-%d", at.Port), Entry: NewEntry()}
	server := New(o)
	ready(fmt.Sprintf("http://%s/?token=%s", at, o.Guard.Token), fmt.Sprintf("http://%s/?%s=%s", at, codeField, o.Guard.Entry.code))
	return ServeOn(ctx, listener, server)
}

// Limits for one client.
const (
	maxConnections = 256
	slowClient     = 30 * time.Second
)

// ServeOn answers on a listener until the context ends, and closes the database.
func ServeOn(ctx context.Context, listener net.Listener, s *Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.Load(ctx)
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, // open event streams end with it
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&bounded{Listener: listener}) }()
	var err error
	select {
	case err = <-ended:
		cancel()
	case <-ctx.Done():
		last, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer done()
		if server.Shutdown(last) != nil {
			err = server.Close()
		}
	}
	<-s.loaded
	if s.Close != nil {
		err = errors.Join(err, s.Close())
	}
	return err
}

// bounded allows a limited number of connections at once. When there are too many, the
// oldest that has not shown a token is closed, so that a client cannot lock out the page's
// owner by opening connections and sending nothing, or a byte at a time.
type bounded struct {
	net.Listener
	mu    sync.Mutex
	conns []*counted // oldest first
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if n := b.add(c); n != nil {
			return n, nil
		}
		_ = c.Close() // all others are the owner's
	}
}

// add makes space for a connection; nil: there is none.
func (b *bounded) add(c net.Conn) *counted {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.conns) >= maxConnections {
		i := slices.IndexFunc(b.conns, func(c *counted) bool { return !c.known.Load() })
		if i < 0 {
			return nil
		}
		_ = b.conns[i].Conn.Close()
		b.conns = slices.Delete(b.conns, i, i+1)
	}
	n := &counted{Conn: c, of: b}
	b.conns = append(b.conns, n)
	return n
}

type counted struct {
	net.Conn
	of *bounded
	// known: what was asked on it had the token.
	known atomic.Bool
}

func (c *counted) Close() error {
	c.of.mu.Lock()
	c.of.conns = slices.DeleteFunc(c.of.conns, func(other *counted) bool { return other == c })
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// connKey finds the connection of a request.
type connKey struct{}

// welcome marks the connection of a request that the guard allowed.
func welcome(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*counted); ok {
		c.known.Store(true)
	}
}

// OpenBrowser shows an address in the user's browser, through a file in dir that only the user
// can read: every user of the machine sees what a program is started with. remove removes
// the file.
func OpenBrowser(dir, address string) (remove func(), err error) {
	if err := safefile.MakeDir(dir, 0o700); err != nil {
		return func() {}, err
	}
	file := filepath.Join(dir, fmt.Sprintf("page-%d.html", os.Getpid()))
	if err := safefile.Put(dir, file, []byte(forward(address)), 0o600); err != nil {
		return func() {}, err
	}
	open := []string{"xdg-open", file}
	switch runtime.GOOS {
	case "darwin":
		open = []string{"open", file}
	case "windows":
		open = []string{"rundll32", "url.dll,FileProtocolHandler", file}
	}
	return func() { _ = safefile.Remove(dir, file) }, proc.Detach(proc.Cmd{Args: open})
}
