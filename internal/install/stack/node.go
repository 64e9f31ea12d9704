package stack

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// packageJSON is what is read of a package.json.
type packageJSON struct {
	PackageManager  string                     `json:"packageManager"`
	Scripts         map[string]json.RawMessage `json:"scripts"`
	Workspaces      json.RawMessage            `json:"workspaces"`
	Dependencies    map[string]json.RawMessage `json:"dependencies"`
	DevDependencies map[string]json.RawMessage `json:"devDependencies"`
}

func (p packageJSON) script(name string) string {
	var s string
	if json.Unmarshal(p.Scripts[name], &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

func (p packageJSON) depends(name string) bool {
	return p.Dependencies[name] != nil || p.DevDependencies[name] != nil
}

// nodeScripts are the names under which people keep each role, best first.
func nodeScripts(role string) []string {
	switch role {
	case Test:
		return []string{"test", "test:ci", "test:run", "test:unit", "unit"}
	case Lint:
		return []string{"lint", "lint:check", "lint:ci", "eslint"}
	case Typecheck:
		return []string{"typecheck", "type-check", "check-types", "check:types", "types", "tsc"}
	case Format:
		return []string{"format:check", "fmt:check", "check:format", "check-format", "prettier:check", "format-check"}
	case Check:
		return []string{"check"}
	case Build:
		return []string{"build"}
	}
	return nil
}

func (f folder) node() (Project, bool) {
	if !f.has("package.json") {
		return Project{}, false
	}
	p := Project{Kind: Node, Manifest: f.where("package.json")}
	pkg, err := f.packageJSON()
	if err != nil {
		f.note("%s is not valid JSON and was left out: %v", p.Manifest, err)
		return Project{}, false
	}
	p.Tool = f.packageManager(pkg)
	for _, role := range roles() {
		if role == Check && len(p.Commands) > 1 || role == Build && len(p.Commands) > 0 {
			continue // only for want of something more telling
		}
		if name := f.usableScript(pkg, role); name != "" {
			p.Commands = append(p.Commands, Command{
				Role: role, Run: runScript(p.Tool, name), Why: p.Manifest + ": scripts." + name, Evidence: scriptEvidence(p.Tool, name),
			})
			continue
		}
		if c, ok := f.nodeTool(pkg, p.Tool, role); ok {
			p.Commands = append(p.Commands, c)
		}
	}
	return p, true
}

func (f folder) packageJSON() (packageJSON, error) {
	var pkg packageJSON
	err := json.Unmarshal([]byte(f.read("package.json")), &pkg)
	return pkg, err
}

// usableScript picks the script of a role that checks and ends: none that
// waits for changes, rewrites files, or is npm's placeholder.
func (f folder) usableScript(pkg packageJSON, role string) string {
	for _, name := range nodeScripts(role) {
		text := pkg.script(name)
		switch {
		case text == "" || strings.Contains(text, "no test specified"):
			continue
		case watches(text):
			f.note("%s: scripts.%s watches files and never ends; left out", f.where("package.json"), name)
			continue
		case rewrites(text):
			f.note("%s: scripts.%s rewrites files; left out", f.where("package.json"), name)
			continue
		}
		return name
	}
	return ""
}

func watches(script string) bool {
	for _, w := range strings.Fields(script) {
		switch w {
		case "--watch", "--watchAll", "--watch-all", "-w", "watch", "nodemon", "--ui":
			return true
		}
	}
	return false
}

func rewrites(script string) bool {
	for _, w := range strings.Fields(script) {
		switch w {
		case "--fix", "--write", "--apply":
			return true
		}
	}
	return false
}

// nodeTool proposes a configured tool that has no script.
func (f folder) nodeTool(pkg packageJSON, manager, role string) (Command, bool) {
	switch role {
	case Lint:
		eslint := f.first("eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts",
			".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml")
		if eslint != "" && pkg.depends("eslint") {
			return Command{Role: Lint, Run: execTool(manager, "eslint ."), Why: f.where(eslint), Evidence: []string{"eslint"}}, true
		}
		if biome := f.first("biome.json", "biome.jsonc"); biome != "" && pkg.depends("@biomejs/biome") {
			return Command{Role: Lint, Run: execTool(manager, "biome check ."), Why: f.where(biome), Evidence: []string{"biome check", "biome lint"}}, true
		}
	case Typecheck:
		if f.has("tsconfig.json") && pkg.depends("typescript") {
			return Command{Role: Typecheck, Run: execTool(manager, "tsc --noEmit"), Why: f.where("tsconfig.json"), Evidence: []string{"tsc"}}, true
		}
	}
	return Command{}, false
}

// packageManager is told by package.json itself or by the nearest lock file.
func (f folder) packageManager(pkg packageJSON) string {
	known := []string{"pnpm", "yarn", "bun", "npm"}
	name, _, _ := strings.Cut(pkg.PackageManager, "@")
	if slices.Contains(known, name) {
		return name
	}
	for dir := f.dir; ; dir = path.Dir(dir) {
		for _, lock := range [][2]string{
			{"pnpm-lock.yaml", "pnpm"},
			{"pnpm-workspace.yaml", "pnpm"},
			{"yarn.lock", "yarn"},
			{"bun.lock", "bun"},
			{"bun.lockb", "bun"},
			{"package-lock.json", "npm"},
			{"npm-shrinkwrap.json", "npm"},
		} {
			if f.exists(path.Join(dir, lock[0])) {
				return lock[1]
			}
		}
		if dir == "." {
			return "npm"
		}
	}
}

func runScript(manager, script string) string {
	if script == "test" && manager != "bun" { // "bun test" is bun's own test runner
		return manager + " test"
	}
	return manager + " run " + script
}

func scriptEvidence(manager, script string) []string {
	out := []string{manager + " run " + script}
	if manager != "npm" || script == "test" {
		out = append(out, manager+" "+script)
	}
	return out
}

// execTool runs a tool that the project has installed and never fetches one.
func execTool(manager, tool string) string {
	switch manager {
	case "pnpm":
		return "pnpm exec " + tool
	case "yarn":
		return "yarn run " + tool
	case "bun":
		return "bun run " + tool
	}
	return "npx --no-install " + tool
}

func (f folder) nodeWorkspace() bool {
	if f.exists(path.Join(f.dir, "pnpm-workspace.yaml")) {
		return true
	}
	pkg, err := f.packageJSON()
	return err == nil && len(pkg.Workspaces) > 0 && string(pkg.Workspaces) != "null"
}
