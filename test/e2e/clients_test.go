//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gauntlet/test/e2e/fakemodel"
)

// client is a real agent: what to install, how to start it offline.
type client struct {
	agent   string // gauntlet's name for it
	pkg     string // on npm
	version string // pinned
	bin     string // its command
	dialect fakemodel.Dialect

	// settings is the file that `gauntlet install` writes for this agent, in the project.
	settings string
	// install are the extra arguments of `gauntlet install`.
	install []string
	// home is what the client needs in a fresh home folder before it works on repo.
	home func(repo string) map[string]string
	args func(prompt, modelURL string) []string
	env  func(modelURL string) []string
}

func clients() []*client {
	return []*client{
		{
			agent: "claude", pkg: "@anthropic-ai/claude-code", version: "2.1.325", bin: "claude",
			dialect: fakemodel.Anthropic(), settings: ".claude/settings.json",
			args: func(prompt, _ string) []string {
				return []string{
					"-p", prompt, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5",
					"--output-format", "stream-json", "--verbose", "--include-hook-events",
				}
			},
			env: func(url string) []string {
				return []string{
					"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=offline", "IS_SANDBOX=1",
					"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
					"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				}
			},
		},
		{
			agent: "codex", pkg: "@openai/codex", version: "0.166.0", bin: "codex",
			dialect: fakemodel.OpenAI(), settings: ".codex/hooks.json", install: []string{"--trust"},
			home: func(repo string) map[string]string {
				return map[string]string{".codex/config.toml": fmt.Sprintf(`model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:1/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects."%s"]
trust_level = "trusted"
`, repo)}
			},
			args: func(prompt, url string) []string {
				return []string{
					"exec", "--dangerously-bypass-approvals-and-sandbox",
					"-c", fmt.Sprintf("model_providers.scripted.base_url=%q", url+"/v1"), prompt,
				}
			},
			env: func(string) []string { return nil },
		},
		{
			agent: "gemini", pkg: "@google/gemini-cli", version: "0.61.0", bin: "gemini",
			dialect: fakemodel.Gemini(), settings: ".gemini/settings.json",
			home: func(string) map[string]string {
				return map[string]string{".gemini/settings.json": `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false}
}
`}
			},
			args: func(prompt, _ string) []string {
				return []string{"-m", "gemini-2.5-pro", "--yolo", "-p", prompt}
			},
			env: func(url string) []string {
				return []string{"GEMINI_API_KEY=offline", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
			},
		},
	}
}

var errRegistryUnreachable = errors.New("npm or its registry cannot be reached")

// dir is where this version of the client is kept between runs.
func (c *client) dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "gauntlet-e2e", strings.ReplaceAll(strings.TrimPrefix(c.pkg, "@"), "/", "-")+"-"+c.version), nil
}

func (c *client) command() (string, error) {
	dir, err := c.dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "node_modules", ".bin", c.bin), nil
}

// installClients brings every pinned client into the cache.
func installClients() error {
	for _, c := range clients() {
		if err := c.ensure(); err != nil {
			return err
		}
	}
	return nil
}

// ensure installs the client beside its place and renames it there, so that
// runs side by side, or one that was killed, never see half of it.
func (c *client) ensure() error {
	command, err := c.command()
	if err != nil {
		return err
	}
	if _, err := os.Stat(command); err == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: %w", errRegistryUnreachable, err)
	}
	dir, _ := c.dir()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return err
	}
	spec := c.pkg + "@" + c.version
	fmt.Fprintln(os.Stderr, "e2e: installing", spec)
	install := exec.Command(npm, "install", "--no-audit", "--no-fund", "--loglevel=error", spec)
	install.Dir = tmp
	if out, err := install.CombinedOutput(); err != nil {
		// Told apart by asking the registry, not by reading npm's words.
		if exec.Command(npm, "view", spec, "version").Run() != nil {
			return fmt.Errorf("%w: %s: %w", errRegistryUnreachable, spec, err)
		}
		return fmt.Errorf("npm install %s: %w\n%s", spec, err, out)
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Stat(command); statErr == nil {
			return nil // another run was quicker
		}
		return err
	}
	return nil
}

// installedVersion is what the package on disk says it is.
func (c *client) installedVersion() (string, error) {
	dir, err := c.dir()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(c.pkg), "package.json"))
	if err != nil {
		return "", err
	}
	var pkg struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &pkg); err != nil {
		return "", err
	}
	return pkg.Version, nil
}
