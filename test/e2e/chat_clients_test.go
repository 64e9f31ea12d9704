//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"gauntlet/test/e2e/fakemodel"
	"gauntlet/test/e2e/npm"
)

// node22 is the Node that newer clients need; npm has it as a package.
var node22 = npm.Package{Name: "node", Version: "22.23.3"}

type arguments = map[string]any

// pathTools are tools that take the file under path, and the given keys for old and new
// text.
func tools(shell, read, edit, write, path, old, new string) fakemodel.Tools {
	return fakemodel.Tools{
		Shell: func(c string) (string, map[string]any) { return shell, arguments{"command": c, "description": "run"} },
		Read:  func(p string) (string, map[string]any) { return read, arguments{path: p} },
		Edit: func(p, o, n string) (string, map[string]any) {
			return edit, arguments{path: p, old: strings.TrimSuffix(o, "\n"), new: strings.TrimSuffix(n, "\n")}
		},
		Write: func(p, c string) (string, map[string]any) { return write, arguments{path: p, "content": c} },
	}
}

// chatClients are the clients that use Chat Completions with a custom provider.
func chatClients() []*client {
	qwen := tools("run_shell_command", "read_file", "edit", "write_file", "file_path", "old_string", "new_string")
	qwen.Shell = func(c string) (string, map[string]any) {
		return "run_shell_command", arguments{"command": c, "description": "run", "is_background": false}
	}
	qwen.Agent = func(p string) (string, map[string]any) {
		return "agent", arguments{"description": "part", "prompt": p, "subagent_type": "general-purpose"}
	}
	copilot := tools("bash", "view", "edit", "create", "path", "old_str", "new_str")
	copilot.Write = func(p, c string) (string, map[string]any) { return "create", arguments{"path": p, "file_text": c} }
	copilot.Agent = func(p string) (string, map[string]any) {
		return "task", arguments{"description": "part", "prompt": p, "agent_type": "general-purpose", "name": "part", "mode": "sync"}
	}
	droid := tools("Execute", "Read", "Edit", "Create", "file_path", "old_str", "new_str")
	droid.Shell = func(c string) (string, map[string]any) {
		return "Execute", arguments{"command": c, "summary": "run", "riskLevelReason": "x", "riskLevel": "low", "timeout": 60}
	}
	droid.Agent = func(p string) (string, map[string]any) {
		return "Task", arguments{"description": "part", "prompt": p, "subagent_type": "worker", "await": true}
	}
	open := tools("bash", "read", "edit", "write", "filePath", "oldString", "newString")
	open.Agent = func(p string) (string, map[string]any) {
		return "task", arguments{"description": "part", "prompt": p, "subagent_type": "general"}
	}
	return []*client{
		{
			agent: "qwen", pkg: npm.Package{Name: "@qwen-code/qwen-code", Version: "0.24.4"}, bin: "qwen", model: "fake-model",
			dialect: fakemodel.Chat(qwen, "Managed memory has TWO directories"), settings: ".qwen/settings.json",
			again: always("--continue"), node: &node22,
			args: func(prompt, _ string) []string {
				return []string{"--auth-type", "openai", "-m", "fake-model", "--yolo", "-p", prompt}
			},
			plan: func(prompt, _ string) []string {
				return []string{"--auth-type", "openai", "-m", "fake-model", "--approval-mode", "plan", "-p", prompt}
			},
			env: func(url string) []string {
				return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=offline"}
			},
		},
		{
			agent: "copilot", pkg: npm.Package{Name: "@github/copilot", Version: "1.0.102"}, bin: "copilot", model: "fake-model",
			dialect: fakemodel.Chat(copilot), settings: ".github/hooks/gauntlet.json", node: &node22, again: always("--continue"),
			home: func(repo string) map[string]string {
				return map[string]string{".copilot/config.json": fmt.Sprintf("{\"trustedFolders\": [%q]}\n", filepath.Dir(repo))}
			},
			args: func(prompt, _ string) []string { return []string{"--allow-all-tools", "-p", prompt} },
			env: func(url string) []string {
				return []string{
					"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=offline", "COPILOT_MODEL=fake-model",
					"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false",
				}
			},
		},
		{
			agent: "droid", pkg: npm.Package{Name: "@factory/cli-" + platform(), Version: "0.225.2"}, bin: "droid", model: "custom:Fake-0",
			inside: "bin/droid", dialect: fakemodel.Chat(droid), settings: ".factory/hooks.json",
			args: func(prompt, url string) []string {
				return []string{"exec", "-m", "custom:Fake-0", "--skip-permissions-unsafe", "--", prompt}
			},
			plan: func(prompt, _ string) []string {
				return []string{"exec", "-m", "custom:Fake-0", "--use-spec", "--", prompt}
			},
			settle: func(url string) map[string]string {
				return map[string]string{".factory/settings.json": fmt.Sprintf(
					`{"customModels":[{"model":"fake-model","displayName":"Fake","baseUrl":"%s/v1","apiKey":"offline","provider":"generic-chat-completion-api"}]}`, url)}
			},
			env: func(string) []string {
				return []string{"FACTORY_AIRGAP_ENABLED=true", "FACTORY_DISABLE_KEYRING=true"}
			},
		},
		{
			agent: "opencode", pkg: npm.Package{Name: "opencode-ai", Version: "1.18.33"}, bin: "opencode", model: "fake-model",
			dialect: fakemodel.Chat(open), settings: ".opencode/plugins/gauntlet.js", again: always("--continue"),
			beside: []npm.Package{opencodePlugin}, prepare: haveOpencodePlugin,
			args: func(prompt, _ string) []string { return []string{"run", "--", prompt} },
			plan: func(prompt, _ string) []string { return []string{"run", "--agent", "plan", "--", prompt} },
			settle: func(url string) map[string]string {
				return map[string]string{".config/opencode/opencode.json": fmt.Sprintf(`{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake",
"options":{"baseURL":"%s/v1","apiKey":"offline"},"models":{"fake-model":{"name":"Fake"}}}},"model":"fake/fake-model","small_model":"fake/fake-model","autoupdate":false,"share":"disabled"}`, url)}
			},
			env: func(string) []string {
				return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
			},
		},
	}
}

// opencodePlugin is what OpenCode fetches wherever it finds a plugin. Without a network it
// would wait for it for more than a minute at every start.
var opencodePlugin = npm.Package{Name: "@opencode-ai/plugin", Version: "1.18.33"}

// haveOpencodePlugin puts the package where OpenCode would put it.
func haveOpencodePlugin(w *world) {
	w.t.Helper()
	cached, err := opencodePlugin.Dir()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(w.repo, ".opencode"), filepath.Join(w.home, ".config", "opencode")} {
		w.write(dir, ".gitignore", "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore") // exactly as OpenCode writes it
		w.write(dir, "package.json", fmt.Sprintf("{\n  \"dependencies\": {\n    %q: %q\n  }\n}\n", opencodePlugin.Name, opencodePlugin.Version))
		if err := os.Symlink(filepath.Join(cached, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			w.t.Fatal(err)
		}
		lock, err := os.ReadFile(filepath.Join(cached, "package-lock.json"))
		if err != nil {
			w.t.Fatal(err)
		}
		// Pinned as OpenCode pins it: it would fetch any other range again.
		w.write(dir, "package-lock.json", strings.ReplaceAll(string(lock), `"^`+opencodePlugin.Version, `"`+opencodePlugin.Version))
	}
}

// platform is the machine's name in npm.
func platform() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return runtime.GOOS + "-" + arch
}
