package shell

import "testing"

// A failed test run is not repaired by a build or a linter.
func TestABuildIsNoTestRun(t *testing.T) {
	for line, want := range map[string]bool{
		"mvn compile": false, "./gradlew assemble": false, "./gradlew lint": false, "mvn -DskipTests package": false,
		"mvn test": true, "./gradlew :app:check": true, "mvn clean verify": true,
		"jasmine": true, "pest": true, "behave": true, "prove -l t": true, "rebar3 eunit": true, "ng test --watch=false": true,
		"react-scripts test": true, "vite test": true, "bundle exec rake": true, "rake spec": true, "shellspec": true, "stestr run": true,
	} {
		if got := Parse(line).Commands[0].TestRun(); got != want {
			t.Errorf("%s is a test run: %v, want %v", line, got, want)
		}
	}
}

// A formatter that only init knew is seen to rewrite files.
func TestEveryFormatterRewrites(t *testing.T) {
	for line, want := range map[string]bool{
		"bundle exec rubocop -A": true, "standardrb --fix": true, "mix format": true, "dotnet format": true, "npx oxlint --fix": true, "npm run lint -- --fix": true,
		"bundle exec rubocop": false, "mix format --check-formatted": false, "npx prettier --check .": false, "npm run format:check": false, "deno test": false,
	} {
		if got := len(Parse(line).Rewriters) > 0; got != want {
			t.Errorf("%s rewrites files: %v, want %v", line, got, want)
		}
	}
}
