//go:build unix

package fleet

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gauntlet/test/fleettest"
)

// documented is a block of fleet/README.md that contains a word.
func documented(t *testing.T, language, word string) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], word) {
			return m[1]
		}
	}
	t.Fatalf("fleet/README.md has no %s with %q", language, word)
	return ""
}

// documentedNginx runs a server of fleet/README.md with the real nginx: its paths below a
// directory of the test, its port a free one.
func documentedNginx(t *testing.T, word string, more ...string) (address, ca, dir string) {
	t.Helper()
	conf := documented(t, "nginx", word)
	port, dir := fleettest.StartNginxWith(t, func(port int, dir string) string {
		certify(t, filepath.Join(dir, "proofs.crt"), filepath.Join(dir, "proofs.key"))
		password(t, filepath.Join(dir, "readers.htpasswd"), "team", "read-it", "ci", "write-it")
		password(t, filepath.Join(dir, "publishers.htpasswd"), "ci", "write-it")
		replace := append([]string{"listen 443 ssl", fmt.Sprintf("listen 127.0.0.1:%d ssl", port), "/etc/nginx", dir, "/srv/proofs", filepath.Join(dir, "cache")}, more...)
		return strings.NewReplacer(replace...).Replace(conf)
	})
	return fmt.Sprintf("https://127.0.0.1:%d", port), filepath.Join(dir, "proofs.crt"), dir
}

// password writes an htpasswd file as the documentation says.
func password(t *testing.T, file string, users ...string) {
	t.Helper()
	var text bytes.Buffer
	for i := 0; i < len(users); i += 2 {
		out, err := exec.Command("openssl", "passwd", "-apr1", users[i+1]).Output()
		if err != nil {
			t.Fatalf("openssl passwd: %v", err)
		}
		fmt.Fprintf(&text, "%s:%s", users[i], out)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// certify makes a certificate for 127.0.0.1 that is its own authority.
func certify(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"stops.example.com"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The walk-through of fleet/README.md, as ten people and CI would do it.
func TestTeamFollowsTheDocumentation(t *testing.T) {
	address, ca, _ := documentedNginx(t, "dav_methods")
	join := func(name, basic string) *machine {
		m := newMachine(t, name, "remote: {url: \""+address+"\"}\n")
		m.env = []string{"SSL_CERT_FILE=" + ca, "GAUNTLET_TRUST=", "USER=" + name}
		if basic != "" {
			m.write(m.home, ".config/agent-gauntlet/config.yml", "remote: {url: \""+address+"\", auth: {basic: \""+basic+"\"}}\n")
		}
		return m
	}
	ci, dev, stranger := join("ci", "ci:write-it"), join("ada", "team:read-it"), join("stranger", "")

	// A key for CI, and its line.
	keyed := *ci
	keyed.env = append(keyed.env, "XDG_STATE_HOME="+filepath.Join(ci.home, "ci-key"))
	line := strings.TrimSpace(keyed.must(ci.bin, "proofs", "key"))
	if !strings.HasPrefix(line, "ci ssh-ed25519 ") {
		t.Fatalf("%q", line)
	}
	for _, m := range []*machine{ci, dev, stranger} {
		m.write(m.repo, ".gauntlet/allowed_signers", line+"\n")
	}

	// Nothing runs before a person has allowed the policy.
	if out, errs, err := dev.run(dev.bin, "run"); err == nil {
		t.Errorf("run before allow: %s%s", out, errs)
	}
	for _, m := range []*machine{ci, dev, stranger} {
		m.must(m.bin, "allow", "--yes")
	}

	// CI runs and publishes; the developer does not run it again.
	ci.write(ci.home, ".config/agent-gauntlet/config.yml", "remote: {url: \""+address+"\", write: true, key: \""+filepath.Join(ci.home, "ci-key/gauntlet/signing.pem")+"\", auth: {basic: \"ci:write-it\"}}\n")
	ci.env = append(ci.env, "CI=true")
	if got := ci.judge("--all"); got.Status != "passed" {
		t.Fatalf("%+v", got)
	}
	if out := ci.must(ci.bin, "proofs", "publish"); !strings.Contains(out, "1 proof published") {
		t.Fatalf("%s", out)
	}
	got := dev.judge()
	if !got.Gates[0].Cached || !regexp.MustCompile(`passed .* on ci \(key SHA256:.*\), \w+/\w+`).MatchString(got.Gates[0].Message) {
		t.Fatalf("%+v", got)
	}

	// A developer with the readers' password cannot publish, and loses nothing.
	dev.forget()
	dev.write(dev.repo, "a.txt", "GOOD, and more\n")
	dev.write(dev.home, ".config/agent-gauntlet/config.yml", "remote: {url: \""+address+"\", write: true, auth: {basic: \"team:read-it\"}}\n")
	own := strings.TrimSpace(dev.must(dev.bin, "proofs", "key"))
	dev.judge()
	if _, errs, err := dev.run(dev.bin, "proofs", "publish"); err == nil || !strings.Contains(errs, "401") {
		t.Errorf("published with the readers' password: %v %s", err, errs)
	}

	// A user without a password: every look-up is a miss, reported once.
	told := 0
	for range 4 {
		got := stranger.judge()
		if got.Gates[0].Cached || got.Status != "passed" {
			t.Fatalf("%+v", got)
		}
		told += strings.Count(strings.Join(got.Warnings, "\n"), "check remote.auth")
		stranger.forget()
	}
	if told != 1 {
		t.Errorf("reported %d times", told)
	}

	// A pull request adds its own key and has a record at the server: it counts only for a
	// person who allows that policy.
	dev.write(dev.home, ".config/agent-gauntlet/config.yml", "remote: {url: \""+address+"\", write: true, auth: {basic: \"ci:write-it\"}}\n")
	if out := dev.must(dev.bin, "proofs", "publish"); !strings.Contains(out, "1 proof published") {
		t.Fatalf("%s", out)
	}
	victim := join("eve", "team:read-it")
	victim.write(victim.repo, ".gauntlet/allowed_signers", line+"\n")
	victim.must(victim.bin, "allow", "--yes")
	victim.write(victim.repo, "a.txt", "GOOD, and more\n")
	victim.write(victim.repo, ".gauntlet/allowed_signers", line+"\n"+own+"\n")
	out, errs, _ := victim.run(victim.bin, "run", "--json") // the policy changed: refused, or judged by the old one
	if strings.Contains(out, `"cached": true`) {
		t.Errorf("the pull request's key counts: %s%s", out, errs)
	}
	victim.must(victim.bin, "allow", "--yes")
	victim.forget()
	if got := victim.judge(); !got.Gates[0].Cached {
		t.Errorf("after it was allowed: %+v", got)
	}

	// CI's key is lost.
	victim.write(victim.repo, "a.txt", "GOOD\n")
	victim.forget()
	if got := victim.judge(); !got.Gates[0].Cached {
		t.Fatalf("CI's proof: %+v", got)
	}
	victim.write(victim.repo, ".gauntlet/allowed_signers", strings.Replace(line, "ci ", `ci valid-before="20260101" `, 1)+"\n")
	victim.must(victim.bin, "allow", "--yes")
	if got := victim.judge(); got.Gates[0].Cached || got.Status != "passed" {
		t.Errorf("after the key was lost: %+v", got)
	}
}

// The page of all machines behind a proxy that logs people in, as documented.
func TestPageBehindTheDocumentedProxy(t *testing.T) {
	db := fleettest.StartPostgres(t)
	s := newSpool(t, db, 3)
	if out, err := s.command("sync").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	words := strings.Fields(documented(t, "sh", "--login-header"))
	for i := range words {
		words[i] = strings.Replace(words[i], "127.0.0.1:8080", "127.0.0.1:0", 1)
	}
	page := s.command(words[1:]...)
	out, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = page.Process.Kill(); _ = page.Wait() })
	buf := make([]byte, 4096)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	behind := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(string(buf[:n]))
	address, ca, _ := documentedNginx(t, "X-Forwarded-User", "127.0.0.1:8080", behind)
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "stops.example.com", MinVersion: tls.VersionTLS12}}}
	get := func(url, host, user string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/stops", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		if user != "" {
			req.SetBasicAuth(user, "read-it")
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	for _, c := range []struct {
		what, url, host, user string
		want                  int
	}{
		{"logged in", address, "stops.example.com", "team", http.StatusOK},
		{"not logged in", address, "stops.example.com", "", http.StatusUnauthorized},
		{"past the proxy, without a login", "http://" + behind, "stops.example.com", "", http.StatusForbidden},
		{"another name", address, "evil.example", "team", http.StatusForbidden},
	} {
		if got := get(c.url, c.host, c.user); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}
