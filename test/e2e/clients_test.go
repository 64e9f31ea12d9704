//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"path/filepath"

	"gauntlet/test/e2e/fakemodel"
	"gauntlet/test/e2e/npm"
)

// client is a real agent: what to install, how to start it offline.
type client struct {
	agent   string // gauntlet's name for it
	pkg     npm.Package
	bin     string // its command
	model   string
	dialect fakemodel.Dialect

	// settings is the file that `gauntlet install` writes for this agent, in the project.
	settings string
	// install are the extra arguments of `gauntlet install`.
	install []string
	// home prepares a fresh home directory for the client before it works on repo.
	home func(repo string) map[string]string
	// settle prepares it again for every model, by the model's address.
	settle func(modelURL string) map[string]string
	// prepare, when set, gets a fresh world.
	prepare func(w *world)
	// node is the Node that it needs instead of the machine's own; nil for that.
	node *npm.Package
	// beside are further packages that it would fetch for itself.
	beside []npm.Package
	// inside is the path of the program in its package; "" when npm links it.
	inside string
	args   func(prompt, modelURL string) []string
	// plan are the arguments for a turn in plan mode; nil when it has none here.
	plan func(prompt, modelURL string) []string
	// again are the arguments that make args continue the last session.
	again func(home string) []string
	env   func(modelURL string) []string
}

func clients() []*client {
	return append(vendorClients(), chatClients()...)
}

// vendorClients are the clients that use their vendor's API.
func vendorClients() []*client {
	return []*client{
		{
			agent: "claude", pkg: npm.Package{Name: "@anthropic-ai/claude-code", Version: "2.1.325"}, bin: "claude", model: "claude-sonnet-4-5",
			dialect: fakemodel.Anthropic(), settings: ".claude/settings.json", again: always("--continue"),
			args: func(prompt, _ string) []string {
				return []string{
					"--dangerously-skip-permissions", "--model", "claude-sonnet-4-5",
					"--output-format", "stream-json", "--verbose", "--include-hook-events", "-p", prompt,
				}
			},
			plan: func(prompt, _ string) []string {
				return []string{"--permission-mode", "plan", "--model", "claude-sonnet-4-5", "-p", prompt}
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
			agent: "codex", pkg: npm.Package{Name: "@openai/codex", Version: "0.166.0"}, bin: "codex", model: "gpt-5.5",
			dialect: fakemodel.OpenAI(), settings: ".codex/hooks.json", install: []string{"--trust"},
			again: always("resume", "--last"),
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
					"-c", fmt.Sprintf("model_providers.scripted.base_url=%q", url+"/v1"), "--", prompt,
				}
			},
			env: func(string) []string { return nil },
		},
		{
			agent: "gemini", pkg: npm.Package{Name: "@google/gemini-cli", Version: "0.61.0"}, bin: "gemini", model: "gemini-2.5-pro",
			dialect: fakemodel.Gemini(), settings: ".gemini/settings.json", node: &node22, again: always("--resume", "latest"),
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

// command is the client's program in the cache.
func (c *client) command() (string, error) {
	dir, err := c.pkg.Dir()
	if err != nil {
		return "", err
	}
	if c.inside != "" {
		return filepath.Join(dir, "node_modules", filepath.FromSlash(c.pkg.Name), filepath.FromSlash(c.inside)), nil
	}
	return filepath.Join(dir, "node_modules", ".bin", c.bin), nil
}

func always(args ...string) func(string) []string { return func(string) []string { return args } }

// installClients brings every pinned client into the cache and returns, by agent, why one
// of them is not available: npm is missing or unreachable. Anything else is an error.
func installClients() (map[string]string, error) {
	missing := map[string]string{}
	for _, c := range clients() {
		pkgs := []npm.Package{c.pkg}
		if c.node != nil {
			pkgs = append(pkgs, *c.node)
		}
		for _, p := range append(pkgs, c.beside...) {
			err := p.Ensure()
			if errors.Is(err, npm.ErrUnreachable) {
				missing[c.agent] = err.Error()
			} else if err != nil {
				return nil, err
			}
		}
	}
	return missing, nil
}

// marks is the `git status` line of a file of its own that the client changes when it
// starts.
func (c *client) marks() string {
	if c.agent == "qwen" {
		return " M .qwen/settings.json\n" // it adds "$version"
	}
	return ""
}
