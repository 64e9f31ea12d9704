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
	"time"

	"gauntlet/internal/proc"
)

// Serve answers on 127.0.0.1 (port 0: any free one) until the context ends. ready
// is called with the address to open.
func Serve(ctx context.Context, o Options, port int, ready func(address string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return fmt.Errorf("cannot listen on 127.0.0.1:%d: %w (choose another --port)", port, err)
	}
	at := listener.Addr().(*net.TCPAddr)
	o.Guard = Guard{Hosts: []string{at.String(), fmt.Sprintf("localhost:%d", at.Port)}, Token: rand.Text(), Cookie: fmt.Sprintf("gauntlet-%d", at.Port)}
	ready(fmt.Sprintf("http://%s/?token=%s", at, o.Guard.Token))
	return ServeOn(ctx, listener, New(o).Handler())
}

// ServeOn answers on a listener until the context ends.
func ServeOn(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, // open event streams end with it
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		return server.Close()
	}
	return nil
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
