package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
)

const (
	publicAPI   = "https://api.github.com"
	maxAnswer   = 8 << 20
	callTimeout = 15 * time.Second
	// What GitHub puts on a page, and how many pages of deployments one commit
	// may fill.
	pageSize = 30
	maxPages = 10
)

type deployment struct {
	ID          int64  `json:"id"`
	Environment string `json:"environment"`
}

type status struct {
	ID             int64  `json:"id"`
	State          string `json:"state"`
	EnvironmentURL string `json:"environment_url"`
	TargetURL      string `json:"target_url"`
	LogURL         string `json:"log_url"`
}

// url is the address a person would open; only web addresses count.
func (s status) url() string {
	for _, u := range []string{s.EnvironmentURL, s.TargetURL, s.LogURL} {
		if strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "http://") {
			return redact.Line(u, 300)
		}
	}
	return ""
}

// temporaryError is an answer that may change with another try.
type temporaryError struct {
	err        error
	retryAfter time.Duration
}

func (e *temporaryError) Error() string { return e.err.Error() }
func (e *temporaryError) Unwrap() error { return e.err }

// api queries GitHub about one repository: get is HTTP or gh.
type api struct {
	owner, repo string
	get         func(ctx context.Context, path string) ([]byte, error)
}

func (a api) deployments(ctx context.Context, sha string) (list []deployment, err error) {
	path := "/deployments?sha=" + url.QueryEscape(sha)
	for page := 1; page <= maxPages; page++ {
		var some []deployment
		if err := a.decode(ctx, path, &some); err != nil {
			return nil, err
		}
		if list = append(list, some...); len(some) < pageSize {
			break
		}
		path = fmt.Sprintf("/deployments?sha=%s&page=%d", url.QueryEscape(sha), page+1)
	}
	return list, nil
}

func (a api) statuses(ctx context.Context, id int64) (list []status, err error) {
	err = a.decode(ctx, "/deployments/"+strconv.FormatInt(id, 10)+"/statuses", &list)
	// Newest first is what GitHub sends; the ids make sure of it.
	slices.SortStableFunc(list, func(a, b status) int { return int(min(max(b.ID-a.ID, -1), 1)) })
	return list, err
}

func (a api) decode(ctx context.Context, path string, to any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	body, err := a.get(ctx, "/repos/"+url.PathEscape(a.owner)+"/"+url.PathEscape(a.repo)+path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, to); err != nil {
		return fmt.Errorf("the answer of GitHub is not what it should be: %w", err)
	}
	return nil
}

// api decides which server to query and how: HTTP with GITHUB_TOKEN, else gh, else HTTP
// without a token if GITHUB_API_URL is set. The token is for GitHub and for the server in
// GITHUB_API_URL: a remote alone must not get it.
func (c Checker) api(ctx context.Context, repo git.Repo) (api, error) {
	host, owner, name, err := c.repository(ctx, repo)
	if err != nil {
		return api{}, err
	}
	base, token := strings.TrimRight(c.Getenv("GITHUB_API_URL"), "/"), c.Getenv("GITHUB_TOKEN")
	named := base != ""
	if !named && isPublic(host) {
		base = publicAPI
	}
	a := api{owner: owner, repo: name}
	var byHTTP func(ctx context.Context, path string) ([]byte, error)
	if base != "" {
		if byHTTP, err = httpGet(base, token); err != nil {
			return api{}, err
		}
	}
	gh, ghErr := proc.LookPath("gh")
	switch {
	case token != "" && byHTTP != nil:
		a.get = byHTTP
	case ghErr == nil:
		byGH := c.ghGet(gh, host, repo.Root)
		a.get = func(ctx context.Context, path string) ([]byte, error) {
			body, err := byGH(ctx, path)
			var te *temporaryError
			if err != nil && named && !errors.As(err, &te) {
				return byHTTP(ctx, path)
			}
			return body, err
		}
	case named:
		a.get = byHTTP
	case isPublic(host):
		return api{}, errors.New("set GITHUB_TOKEN, or install gh and log in with: gh auth login")
	default:
		return api{}, fmt.Errorf("set GITHUB_API_URL and GITHUB_TOKEN for %s, or install gh and log in with: gh auth login", redact.Line(host, 100))
	}
	return a, nil
}

// isPublic reports whether the host is github.com, unknown (""), or an alias for it from a
// user's ssh configuration.
func isPublic(host string) bool {
	host = strings.ToLower(host)
	switch host {
	case "", "github.com", "www.github.com", "ssh.github.com":
		return true
	}
	return strings.Contains(host, "github") && !strings.Contains(host, ".")
}

// repository is the repository whose deployments are queried: the remote's, in CI the one
// it names.
func (c Checker) repository(ctx context.Context, repo git.Repo) (host, owner, name string, err error) {
	out, err := repo.RunWith(ctx, git.Opts{Timeout: 10 * time.Second}, "remote", "-v")
	if err == nil {
		// Lines are "name<tab>address (fetch)"; origin comes before any other.
		for _, origin := range []bool{true, false} {
			for line := range strings.Lines(string(out)) {
				remote, address, _ := strings.Cut(line, "\t")
				address, _, _ = strings.Cut(address, " (")
				if host, owner, name, ok := parseRemote(address); ok && (remote == "origin") == origin {
					return host, owner, name, nil
				}
			}
		}
	}
	if owner, name, ok := strings.Cut(c.Getenv("GITHUB_REPOSITORY"), "/"); ok && isName(owner) && isName(name) {
		return "", owner, name, nil
	}
	return "", "", "", errors.New("no remote is a repository on GitHub: add one, or set GITHUB_REPOSITORY=owner/name")
}

// parseRemote reads https://host/owner/repo.git, git@host:owner/repo.git and
// ssh://git@host:22/owner/repo.
func parseRemote(remote string) (host, owner, name string, ok bool) {
	path := ""
	if u, err := url.Parse(remote); err == nil && u.Scheme != "" && u.Host != "" {
		host, path = u.Hostname(), u.Path
	} else if at, rest, found := strings.Cut(remote, ":"); found && !strings.Contains(at, "/") {
		host, path = at[strings.LastIndexByte(at, '@')+1:], rest
	}
	parts := strings.Split(strings.Trim(strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".git"), "/"), "/")
	if host == "" || len(parts) != 2 || !isName(parts[0]) || !isName(parts[1]) {
		return "", "", "", false
	}
	return host, parts[0], parts[1], true
}

func isName(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 100 &&
		strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// httpGet queries over HTTP. The token goes over TLS or to this machine only.
func httpGet(base, token string) (func(ctx context.Context, path string) ([]byte, error), error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("GITHUB_API_URL is not an address: %s", redact.Line(base, 100))
	}
	if token != "" && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return nil, errors.New("GITHUB_API_URL is not encrypted: the token is not sent there; use https")
	}
	return func(ctx context.Context, path string) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return nil, fmt.Errorf("ask GitHub: %w", err)
		}
		req.Header.Set("Accept", "application/vnd.github+json")
		req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
		req.Header.Set("User-Agent", "gauntlet")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, &temporaryError{err: fmt.Errorf("ask GitHub: %w", err)}
		}
		defer res.Body.Close() //nolint:errcheck // read to the end or given up
		body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		if err != nil {
			return nil, &temporaryError{err: fmt.Errorf("ask GitHub: %w", err)}
		}
		return body, answerError(res)
	}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// answerError classifies an HTTP status: fine, worth another try, or final.
func answerError(res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	err := fmt.Errorf("GitHub answered %s", res.Status)
	limited := res.StatusCode == http.StatusTooManyRequests ||
		res.StatusCode == http.StatusForbidden && (res.Header.Get("Retry-After") != "" || res.Header.Get("X-RateLimit-Remaining") == "0")
	switch {
	case limited || res.StatusCode >= 500 || res.StatusCode == http.StatusRequestTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return &temporaryError{err: err, retryAfter: time.Duration(max(0, min(seconds, 3600))) * time.Second}
	case res.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%w: GITHUB_TOKEN is not accepted", err)
	case res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w: the token needs read access to deployments of this repository", err)
	}
	return err
}

// ghGet queries through the gh command, which knows its own token.
func (c Checker) ghGet(gh, host, dir string) func(ctx context.Context, path string) ([]byte, error) {
	return func(ctx context.Context, path string) ([]byte, error) {
		args := []string{gh, "api", strings.TrimPrefix(path, "/")}
		if !isPublic(host) {
			args = append(args, "--hostname", host)
		}
		stdout, stderr, res := proc.Output(ctx, proc.Cmd{
			Args: args, Dir: dir, Env: append(slices.Clone(c.Environ), "GH_PROMPT_DISABLED=1", "NO_COLOR=1"),
		}, maxAnswer)
		switch {
		case res.OK():
			return stdout, nil
		case res.Cancelled || res.TimedOut:
			return nil, &temporaryError{err: errors.New("gh api took too long")}
		case res.Err != nil:
			return nil, fmt.Errorf("gh api: %w", res.Err)
		}
		err := fmt.Errorf("gh api: exit status %d: %s", res.ExitCode, redact.Line(string(stderr), 200))
		// gh ends with 4 when it wants to log in and 1 on everything else; the
		// JSON body of an HTTP error carries the status.
		var answer struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(stdout, &answer) == nil {
			if code, _ := strconv.Atoi(answer.Status); code >= 500 || code == http.StatusTooManyRequests {
				return nil, &temporaryError{err: err}
			}
		}
		return nil, err
	}
}
