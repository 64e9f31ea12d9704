package setup

import (
	"strings"
	"testing"

	"gauntlet/internal/shell"
	"gauntlet/internal/tasks"
)

func TestHazards(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":                        "",
		"go run example.com/tool@latest":       "downloads or needs the network (go run)",
		"go mod tidy":                          "downloads or needs the network (go mod)",
		"go build ./cmd/tool":                  "leaves a program in the work tree (go build)",
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
		"./mvnw -B install":                    "writes outside the work tree (mvnw install)",
		"black --check .":                      "",
		"black .":                              "rewrites files (black without --check)",
		"rustfmt src/lib.rs":                   "rewrites files (rustfmt without --check)",
		"eslint --fix .":                       "rewrites files (eslint with a flag that rewrites)",
		"eslint --fix=false .":                 "",
		"npm run lint -- --fix":                "rewrites files (npm with a flag that rewrites)",
		"cog -r README.md":                     "rewrites files (cog -r)",
		"cog --check -r README.md":             "",
		"php-cs-fixer check":                   "",
		"sudo make install":                    "needs another user's rights (sudo)",
		"kubectl a-very-long-sub-command-name": "publishes or deploys (kubectl)",
	} {
		if got := hazard(tasks.Step{Command: shell.Command{Views: [][]string{strings.Fields(line)}}}); got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}
