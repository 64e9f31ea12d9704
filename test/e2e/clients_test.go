//go:build e2e

package e2e

import (
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
	// home is what the client needs in a fresh home folder before it works on repo.
	home func(repo string) map[string]string
	args func(prompt, modelURL string) []string
	// again are the arguments that make args go on with the last session.
	again []string
	env   func(modelURL string) []string
}

func clients() []*client {
	return []*client{
		{
			agent: "claude", pkg: npm.Package{Name: "@anthropic-ai/claude-code", Version: "2.1.325"}, bin: "claude", model: "claude-sonnet-4-5",
			dialect: fakemodel.Anthropic(), settings: ".claude/settings.json", again: []string{"--continue"},
			args: func(prompt, _ string) []string {
				return []string{
					"--dangerously-skip-permissions", "--model", "claude-sonnet-4-5",
					"--output-format", "stream-json", "--verbose", "--include-hook-events", "-p", prompt,
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
			agent: "codex", pkg: npm.Package{Name: "@openai/codex", Version: "0.166.0"}, bin: "codex", model: "gpt-5.5",
			dialect: fakemodel.OpenAI(), settings: ".codex/hooks.json", install: []string{"--trust"},
			again: []string{"resume", "--last"},
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
			dialect: fakemodel.Gemini(), settings: ".gemini/settings.json", again: []string{"--resume", "latest"},
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
	return filepath.Join(dir, "node_modules", ".bin", c.bin), nil
}

// installClients brings every pinned client into the cache.
func installClients() error {
	for _, c := range clients() {
		if err := c.pkg.Ensure(); err != nil {
			return err
		}
	}
	return nil
}
