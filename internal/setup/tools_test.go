package setup

import (
	"strings"
	"testing"
)

// A row that cannot be read would be passed over in silence.
func TestEveryRowOfTheToolTableIsRead(t *testing.T) {
	seen := map[string]bool{}
	for row := range strings.Lines(toolRows) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(row), " | ")
		if len(cells) != 3 {
			t.Errorf("%q has %d cells, not 3", row, len(cells))
			continue
		}
		for name := range strings.FieldsSeq(cells[1]) {
			if _, known := toolOf(name); !known || seen[name] {
				t.Errorf("%s: known %v, twice %v", name, known, seen[name])
			}
			seen[name] = true
		}
		for role := range strings.FieldsSeq(cells[2]) {
			switch role[strings.LastIndexByte(role, '=')+1:] {
			case string(Test), string(Lint), string(Format), string(Typecheck), string(Build), string(Check), "-":
			default:
				t.Errorf("%q: unknown role %q", row, role)
			}
		}
	}
	for name, want := range map[string]tool{"node": {kind: Node}, "Rscript": {kind: "rscript", role: Test}, "yamllint": {role: Lint}} {
		if got, _ := toolOf(name); got.kind != want.kind || got.role != want.role || got.subs != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got, _ := toolOf("ruff"); got.subs[""] != Lint || got.subs["format"] != Format {
		t.Errorf("ruff: %+v", got)
	}
}

// A row of the table of hazards that cannot be read would be passed over in silence.
func TestEveryRowOfTheHazardTableIsRead(t *testing.T) {
	rows := 0
	for line := range strings.Lines(hazardRows) {
		if !strings.HasPrefix(line, "#") {
			rows++
		}
	}
	if rows != len(hazards()) {
		t.Errorf("%d of %d rows were read", len(hazards()), rows)
	}
}

func TestHazards(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":                        "",
		"go run example.com/tool@latest":       "downloads or needs the network (go run)",
		"go mod tidy":                          "downloads or needs the network (go mod)",
		"go build ./cmd/tool":                  "rewrites files (go build writes a binary into the work tree)",
		"npx @scope/tool":                      "",
		"npx @scope/tool@2":                    "downloads or needs the network (npx @scope/tool@2)",
		"yarn --frozen-lockfile":               "downloads or needs the network (yarn)",
		"yarn --version":                       "",
		"git -c a=b status --porcelain":        "compares with the last commit, so any uncommitted change fails it (git status)",
		"git -C sub log":                       "",
		"git stash":                            "changes the repository (git stash)",
		"vitest --watch=false":                 "",
		"vitest --watch":                       "never ends (vitest)",
		"ng test":                              "never ends (ng test)",
		"ng test --watch=false":                "",
		"karma start --single-run":             "",
		"vite":                                 "never ends (vite)",
		"vite build":                           "",
		"./gradlew publishToMavenLocal":        "publishes or deploys (gradlew publishToMavenLocal)",
		"./mvnw -B install":                    "rewrites files (mvnw install writes into the local repository)",
		"black --check .":                      "",
		"black .":                              "rewrites files (black without --check)",
		"rustfmt src/lib.rs":                   "rewrites files (rustfmt src/lib.rs without --check)",
		"eslint --fix .":                       "rewrites files (eslint with a flag that rewrites)",
		"eslint --fix=false .":                 "",
		"npm run lint -- --fix":                "",
		"cog -r README.md":                     "rewrites files (cog -r)",
		"cog --check -r README.md":             "",
		"php-cs-fixer check":                   "",
		"sudo make install":                    "needs another user's rights (sudo)",
		"kubectl a-very-long-sub-command-name": "publishes or deploys (kubectl)",
	} {
		if got := hazardOf(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}
