package ui

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"gauntlet/internal/proc"
)

// Serve answers on 127.0.0.1 (port 0: any free one) until the context ends. ready
// is called with the address to open.
func Serve(ctx context.Context, o Options, port int, ready func(address string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return fmt.Errorf("cannot listen on 127.0.0.1:%d: %w (choose another --port)", port, err)
	}
	at := listener.Addr().(*net.TCPAddr)
	o.Guard = Guard{Hosts: []string{at.String(), fmt.Sprintf("localhost:%d", at.Port)}, Token: rand.Text(), Cookie: fmt.Sprintf("gauntlet-%d", at.Port)}
	server := New(o)
	ready(fmt.Sprintf("http://%s/?token=%s", at, o.Guard.Token))
	return ServeOn(ctx, listener, server)
}

// What one client may keep of the server.
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
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&bounded{Listener: listener, free: make(chan struct{}, maxConnections)}) }()
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

// bounded accepts so many connections at once; others wait in the kernel's queue.
type bounded struct {
	net.Listener
	free chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	b.free <- struct{}{}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.free
		return nil, err
	}
	return &counted{Conn: c, leave: sync.OnceFunc(func() { <-b.free })}, nil
}

type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// OpenBrowser shows an address in the user's browser.
func OpenBrowser(address string) error {
	open := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		open = []string{"open", address}
	case "windows":
		open = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	return proc.Detach(proc.Cmd{Args: open})
}
