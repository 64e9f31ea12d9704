package setup

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tool"
)

func (d *directory) node() {
	p, ok := d.is(Node)
	if !ok {
		return
	}
	doc := d.json(d.where("package.json"))
	depends := func(name string) bool {
		return at(doc, "devDependencies", name) != nil || at(doc, "dependencies", name) != nil
	}
	// A project with scripts of its own has said what it uses: only tests are
	// added to that.
	said := func(role Role) bool {
		return slices.ContainsFunc(d.out.Proposals, func(q Proposal) bool {
			return slices.Contains(q.Kinds, Node) && (role == "" || slices.Contains(q.Covers, role)) && (q.Dir == d.dir || under(q.Dir, d.dir) && d.isWorkspace(q.Dir, Node))
		})
	}
	if biome := d.first("biome.json", "biome.jsonc"); biome != "" && !said("") && depends("@biomejs/biome") {
		d.implied(Node, Lint, execTool(p.Tool, "biome check"), biome)
	}
	if strings.Contains(strings.ReplaceAll(d.read("tsconfig.json"), " ", ""), `"noEmit":true`) && !said("") && depends("typescript") {
		d.implied(Node, Typecheck, execTool(p.Tool, "tsc"), "tsconfig.json")
	}
	if said(Test) {
		return
	}
	if p.Tool == "bun" && d.anyFile(func(name string) bool { return tool.Language(name) == Node && tool.IsTest(name) }) {
		d.implied(Node, Test, "bun test", "package.json")
	}
	if cfg := d.first("vitest.config.ts", "vitest.config.js", "vitest.config.mts", "vitest.config.mjs"); cfg != "" && depends("vitest") {
		d.implied(Node, Test, execTool(p.Tool, "vitest run"), cfg)
	} else if cfg := d.first("jest.config.js", "jest.config.ts", "jest.config.cjs", "jest.config.mjs", "jest.config.json"); cfg != "" && depends("jest") {
		d.implied(Node, Test, execTool(p.Tool, "jest"), cfg)
	}
}

// packageManager is named by package.json itself or by the nearest lock file.
func (d *directory) packageManager() string {
	for dir := d.dir; ; dir = path.Dir(dir) {
		name, _, _ := strings.Cut(text(d.json(path.Join(dir, "package.json"))["packageManager"]), "@")
		if slices.Contains([]string{"pnpm", "yarn", "bun", "npm"}, name) {
			return name
		}
		for _, lock := range [][2]string{
			{"pnpm-lock.yaml", "pnpm"},
			{"pnpm-workspace.yaml", "pnpm"},
			{"yarn.lock", "yarn"},
			{"bun.lock", "bun"},
			{"bun.lockb", "bun"},
			{"package-lock.json", "npm"},
			{"npm-shrinkwrap.json", "npm"},
		} {
			if d.exists(path.Join(dir, lock[0])) {
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

// execTool runs a tool that the project has installed and never fetches one.
func execTool(manager, tool string) string {
	how := map[string]string{"pnpm": "pnpm exec ", "yarn": "yarn run ", "bun": "bun run "}[manager]
	return cmp.Or(how, "npx --no-install ") + tool
}
