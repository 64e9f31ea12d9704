package rules

import "gauntlet/internal/config"

// preset is a ready-made set of categories.
type preset struct {
	categories []config.Category
	always     []config.Action
	// baseline is the action that is due even when no code changed.
	baseline string
}

// The places of actions in the list; own categories without one come behind
// them.
const (
	orderSetup        = 10
	orderDependencies = 20
	orderRestart      = 30
	orderReload       = 40
	orderAgentRestart = 50
	orderOther        = 60
	orderTests        = 90
	orderOwn          = 100
)

func presetOf(name string) preset {
	switch name {
	case "teleclaude":
		return teleclaude()
	case "go":
		return goPreset()
	case "node":
		return nodePreset()
	case "python":
		return pythonPreset()
	case "rust":
		return rustPreset()
	}
	return preset{}
}

func teleclaude() preset {
	tests := []string{"pytest", "make test", "make test-*", "make tests"}
	restart := []config.Action{
		{ID: "restart", Run: "make restart", Evidence: []string{"make restart"}},
		{ID: "status", Run: "make status", Evidence: []string{"make status"}, After: "restart"},
	}
	return preset{
		baseline: "logs",
		always: []config.Action{
			{ID: "logs", Run: "instrukt-ai-logs teleclaude --since {window}", Text: "Check the logs: `instrukt-ai-logs teleclaude --since {window}`", Evidence: []string{"instrukt-ai-logs"}},
			{ID: "tests", Text: "Run targeted tests for the changed behavior", Evidence: tests},
		},
		categories: []config.Category{
			{
				Name: "daemon code", Order: orderRestart, Actions: restart,
				Paths: []string{"teleclaude/**/*.py"}, Exclude: []string{"teleclaude/hooks/**", "teleclaude/cli/tui/**"},
			},
			{Name: "hook runtime code", Order: orderOther, Paths: []string{"teleclaude/hooks/**"}},
			{
				Name: "TUI code", Order: orderReload, Paths: []string{"teleclaude/cli/tui/**"},
				Actions: []config.Action{{
					ID: "reload", Run: "pkill -SIGUSR2 -f -- '-m teleclaude.cli.telec$'",
					Evidence: []string{
						"pkill -SIGUSR2", "pkill -USR2", "pkill --signal SIGUSR2", "pkill --signal USR2",
						"kill -USR2", "kill -SIGUSR2", "kill -s USR2", "kill -s SIGUSR2", "killall -USR2", "killall -SIGUSR2",
					},
				}},
			},
			{
				Name: "telec setup (watchers/hooks/filters)", Order: orderSetup,
				Paths: []string{
					"teleclaude/project_setup/**", "templates/ai.instrukt.teleclaude.docs-watch.plist", "templates/teleclaude-docs-watch.service",
					"templates/teleclaude-docs-watch.path", ".pre-commit-config.yaml", ".gitattributes", ".husky/pre-commit",
				},
				Actions: []config.Action{{
					ID: "setup", Run: "telec init", Text: "Run `telec init` (setup changed: watchers, hook installers, or git filters)", Evidence: []string{"telec init"},
				}},
			},
			{
				Name: "tests only", Order: orderTests, Only: true, Paths: []string{"tests/**/*.py"},
				Actions: []config.Action{{ID: "tests", Text: "Run targeted tests for changed test files", Evidence: tests}},
			},
			{
				Name: "agent artifacts", Order: orderAgentRestart, Paths: []string{"agents/**", ".agents/**", "**/AGENTS.master.md"},
				Actions: []config.Action{{
					ID: "agent-restart", Run: "agent-restart", Text: "Run agent-restart to reload artifacts",
					Evidence: []string{"agent-restart", "agent-restart.*", "* agent-restart", "curl *agent-restart*"},
				}},
			},
			{Name: "config", Order: orderRestart, Paths: []string{"config.yml"}, Actions: restart},
			{
				Name: "dependencies", Order: orderDependencies, Paths: []string{"pyproject.toml", "requirements*.txt"},
				Actions: []config.Action{{
					ID: "deps", Run: "pip install -e .", Text: "Install updated dependencies: `pip install -e .`", Evidence: []string{"pip install"},
				}},
			},
		},
	}
}

// stack builds the preset of a language: its code, its tests, its dependencies.
func stack(code, tests, dependencies config.Category, test config.Action) preset {
	tests.Only, tests.Order = true, orderTests
	tests.Actions = []config.Action{test}
	code.Order = orderOther
	code.Exclude = append(code.Exclude, tests.Paths...)
	dependencies.Order = orderDependencies
	return preset{categories: []config.Category{dependencies, code, tests}, always: []config.Action{test}}
}

func goPreset() preset {
	return stack(
		config.Category{Name: "go code", Paths: []string{"**/*.go"}, Exclude: []string{"vendor/**"}},
		config.Category{Name: "tests only", Paths: []string{"**/*_test.go"}},
		config.Category{
			Name: "dependencies", Paths: []string{"**/go.mod", "**/go.sum", "go.work"}, Exclude: []string{"vendor/**"},
			Actions: []config.Action{{ID: "deps", Run: "go mod tidy", Evidence: []string{
				// all of them fail on a module file that does not add up
				"go mod tidy", "go mod download", "go mod vendor", "go mod verify", "go get", "go work sync", "go build", "go test", "go vet", "go install", "gotestsum",
			}}},
		},
		config.Action{ID: "tests", Run: "go test ./...", Evidence: []string{"go test", "gotestsum", "make test", "make test-*", "make tests", "make check", "just test", "task test", "ginkgo", "bazel test"}},
	)
}

func nodePreset() preset {
	return stack(
		config.Category{
			Name: "node code", Paths: []string{"**/*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte}"},
			Exclude: []string{"**/node_modules/**", "**/dist/**", "**/*.d.ts"},
		},
		config.Category{Name: "tests only", Paths: []string{"**/*.{test,spec}.{js,jsx,mjs,cjs,ts,tsx,mts,cts}", "**/__tests__/**"}},
		config.Category{
			Name: "dependencies", Paths: []string{"**/package.json", "**/package-lock.json", "**/npm-shrinkwrap.json", "**/yarn.lock", "**/pnpm-lock.yaml", "**/bun.lock", "**/bun.lockb"},
			Exclude: []string{"**/node_modules/**"},
			Actions: []config.Action{{ID: "deps", Run: "npm install", Text: "Install updated dependencies: `npm install`", Evidence: []string{
				"npm install", "npm i", "npm ci", "npm add", "npm uninstall", "npm update", "yarn install", "yarn add", "yarn remove", "pnpm install", "pnpm i", "pnpm add",
				"pnpm remove", "bun install", "bun i", "bun add", "bun remove",
			}}},
		},
		config.Action{ID: "tests", Run: "npm test", Evidence: []string{
			"npm test", "npm run test*", "jest", "vitest", "mocha", "ava", "playwright test", "cypress run", "bun test", "deno test", "node --test", "turbo test", "turbo run test", "nx test", "nx run-many", "nx affected", "make test", "make test-*", "just test", "task test",
		}},
	)
}

func pythonPreset() preset {
	return stack(
		config.Category{Name: "python code", Paths: []string{"**/*.py"}, Exclude: []string{"**/.venv/**", "**/site-packages/**"}},
		config.Category{Name: "tests only", Paths: []string{"tests/**/*.py", "test/**/*.py", "**/tests/**/*.py", "**/test_*.py", "**/*_test.py", "**/conftest.py"}},
		config.Category{
			Name: "dependencies", Paths: []string{"pyproject.toml", "**/requirements*.txt", "setup.py", "setup.cfg", "Pipfile", "Pipfile.lock", "uv.lock", "poetry.lock", "pdm.lock"},
			Actions: []config.Action{{ID: "deps", Run: "pip install -e .", Text: "Install updated dependencies: `pip install -e .`", Evidence: []string{
				"pip install", "uv sync", "uv add", "uv remove", "uv lock", "poetry install", "poetry add", "poetry remove", "poetry update", "poetry lock", "poetry sync",
				"pipenv install", "pipenv sync", "pipenv update", "pdm install", "pdm add", "pdm sync", "rye sync", "hatch env", "uv run", "hatch run", "pixi run", "pixi install",
			}}},
		},
		config.Action{ID: "tests", Run: "pytest", Evidence: []string{"pytest", "unittest", "tox", "nox", "hatch test", "python manage.py test", "manage.py test", "make test", "make test-*", "make tests", "just test", "task test"}},
	)
}

func rustPreset() preset {
	return stack(
		config.Category{Name: "rust code", Paths: []string{"**/*.rs"}, Exclude: []string{"target/**"}},
		config.Category{Name: "tests only", Paths: []string{"tests/**/*.rs", "**/tests/**/*.rs", "benches/**/*.rs"}},
		config.Category{
			Name: "dependencies", Paths: []string{"**/Cargo.toml", "**/Cargo.lock"}, Exclude: []string{"target/**"},
			Actions: []config.Action{{ID: "deps", Run: "cargo check", Evidence: []string{"cargo check", "cargo build", "cargo test", "cargo nextest", "cargo update", "cargo fetch", "cargo clippy", "cargo run"}}},
		},
		config.Action{ID: "tests", Run: "cargo test", Evidence: []string{"cargo test", "cargo nextest run", "cargo t", "cargo llvm-cov", "cargo tarpaulin", "bazel test", "make test", "make test-*", "just test", "task test"}},
	)
}
