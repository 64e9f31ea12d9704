//go:build unix

// Package fleettest starts the real servers that fleet tests talk to, PostgreSQL
// and nginx, on loopback and in a temporary directory, and ends them with the
// test. Where one is not installed the test is skipped loudly, or fails when
// GAUNTLET_REQUIRE_SERVERS is set, as CI does.
package fleettest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// T is the part of testing.TB that is used, so that a benchmark program can implement it.
type T interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// missing skips or fails a test whose server is not installed.
func missing(t T, what string) {
	t.Helper()
	if os.Getenv("GAUNTLET_REQUIRE_SERVERS") != "" {
		t.Fatalf("%s is not installed", what)
	}
	t.Skipf("SKIPPED: %s is not installed, so nothing here was tested against the real server", what)
}

// find looks up a program on PATH and in the directories where Debian installs it.
func find(name string, globs ...string) string {
	if p, err := exec.LookPath(name); err == nil {
		return p
	}
	for _, g := range globs {
		if hits, _ := filepath.Glob(g); len(hits) > 0 {
			return hits[len(hits)-1]
		}
	}
	return ""
}

// freePort asks the kernel for a free port.
func freePort(t T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func awaitPort(t T, port int, log string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = c.Close()
			return
		}
	}
	text, _ := os.ReadFile(log)
	t.Fatalf("the server does not listen on port %d:\n%s", port, text)
}

// Postgres is a running PostgreSQL.
type Postgres struct {
	URL string
	Dir string // of its files

	settings []string

	t      T
	ctl    string
	data   string
	log    string
	port   int
	asUser *syscall.Credential
}

// StartPostgres makes and starts a database cluster of its own. It does not wait for the
// disk unless a setting asks for it (fsync=on).
func StartPostgres(t T, settings ...string) *Postgres {
	t.Helper()
	const debian = "/usr/lib/postgresql/*/bin/"
	initdb, ctl := find("initdb", debian+"initdb"), find("pg_ctl", debian+"pg_ctl")
	if initdb == "" || ctl == "" {
		missing(t, "PostgreSQL (Debian: postgresql)")
	}
	dir, err := os.MkdirTemp("", "gauntlet-pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &Postgres{Dir: dir, t: t, settings: settings, ctl: ctl, data: filepath.Join(dir, "data"), log: filepath.Join(dir, "log"), port: freePort(t)}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		p.asUser = credential(t, "postgres")
		if err := os.Chown(dir, int(p.asUser.Uid), int(p.asUser.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	p.run(initdb, "-D", p.data, "-A", "trust", "-U", "gauntlet", "--no-sync", "-E", "UTF8", "--locale=C")
	p.Start()
	t.Cleanup(p.Stop)
	p.URL = fmt.Sprintf("postgres://gauntlet@127.0.0.1:%d/postgres?sslmode=disable", p.port)
	return p
}

// Start starts a stopped server again.
func (p *Postgres) Start() {
	p.t.Helper()
	opts := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=250", p.port)
	for _, s := range p.settings {
		opts += " -c " + s
	}
	p.run(p.ctl, "-D", p.data, "-l", p.log, "-o", opts, "-w", "start")
}

// Stop stops it immediately, open connections included.
func (p *Postgres) Stop() {
	cmd := p.command(p.ctl, "-D", p.data, "-m", "immediate", "-w", "stop")
	_ = cmd.Run() // stopped already
}

func (p *Postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.asUser}
	return cmd
}

func (p *Postgres) run(name string, args ...string) {
	p.t.Helper()
	if out, err := p.command(name, args...).CombinedOutput(); err != nil {
		log, _ := os.ReadFile(p.log)
		p.t.Fatalf("%s: %v\n%s\n%s", filepath.Base(name), err, out, log)
	}
}

func credential(t T, name string) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatalf("PostgreSQL must not run as root, and there is no user %s: %v", name, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// StartNginx starts nginx as a remote cache: WebDAV PUT into a directory. It
// returns its address and that directory.
func StartNginx(t T) (address, root string) {
	t.Helper()
	port, dir := StartNginxWith(t, func(port int, dir string) string {
		return strings.NewReplacer("DIR", dir, "PORT", strconv.Itoa(port)).Replace(cacheConf)
	})
	return fmt.Sprintf("http://127.0.0.1:%d", port), filepath.Join(dir, "cache")
}

// StartNginxWith starts nginx with the servers that conf returns. dir is a
// directory of its own, and in it cache, which nginx may write to.
func StartNginxWith(t T, conf func(port int, dir string) string) (port int, dir string) {
	t.Helper()
	nginx := find("nginx", "/usr/sbin/nginx")
	if nginx == "" {
		missing(t, "nginx (Debian: nginx-light)")
	}
	dir, err := os.MkdirTemp("", "gauntlet-nginx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, d := range []string{filepath.Join(dir, "cache"), filepath.Join(dir, "tmp")} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	port = freePort(t)
	text := strings.NewReplacer("DIR", dir, "USER", nginxUser()).Replace(nginxConf) + conf(port, dir) + "}\n"
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-p", dir, "-c", file, "-e", filepath.Join(dir, "error.log"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	awaitPort(t, port, filepath.Join(dir, "error.log"))
	return port, dir
}

// nginxUser lets the workers write where the test may.
func nginxUser() string {
	if os.Geteuid() == 0 {
		return "user root;"
	}
	return ""
}

const nginxConf = `
daemon off;
USER
worker_processes 2;
pid DIR/nginx.pid;
error_log DIR/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path DIR/tmp/body;
  proxy_temp_path DIR/tmp/proxy;
  fastcgi_temp_path DIR/tmp/fastcgi;
  uwsgi_temp_path DIR/tmp/uwsgi;
  scgi_temp_path DIR/tmp/scgi;
`

const cacheConf = `
  server {
    listen 127.0.0.1:PORT;
    client_max_body_size 32m;
    root DIR/cache;
    location ~ ^/(ac|cas)/[0-9a-f]+$ {
      dav_methods PUT;
      create_full_put_path on;
    }
  }
`
