package tasks

import (
	"strings"
	"testing"
	"testing/fstest"

	"gauntlet/internal/shell"
)

const rakefile = `require "rspec/core/rake_task"

RSpec::Core::RakeTask.new(:spec) do |t|
  t.pattern = "spec/**/*_spec.rb"
end

RSpec::Core::RakeTask.new(:flaky) do |t|
  t.fail_on_error = false
end

Rake::TestTask.new do |t|
  t.libs << "test"
end

desc "all of it"
task default: %i[spec lint]

task :lint do
  sh "bundle exec rubocop", "--parallel"
end

namespace :db do
  task :prepare => [:lint] do
    system "bin/prepare"
  end

  task "check" do
    Rake::Task["spec"].invoke if ENV["CI"]
    if ENV["ALL"]
      sh "rspec --tag slow"
    end
    sh("cucumber") unless fast?
  end
end

task :opaque do
  Runner.new.run
end

task(:ci, [:level] => ["db:prepare", :test]) { |t| puts t }
`

// What a command runs by files that can be read in part only; a command in brackets is not
// proved by the status.
func TestLooseRunners(t *testing.T) {
	pass := func(name string) string { return name + strings.Repeat(".", 73-len(name)) + "Passed" }
	fsys := fstest.MapFS{
		"Rakefile": {Data: []byte(rakefile)},
		".pre-commit-config.yaml": {Data: []byte(`repos:
  - repo: https://example.com/black
    hooks: [{id: black}]
  - repo: local
    hooks:
      - {id: unit, name: unit tests, entry: uv run pytest, args: [-q, tests], language: system, pass_filenames: false}
      - {id: soft, entry: "bash -c 'pytest || true'", language: system}
`)},
		"lefthook.yml": {Data: []byte(`pre-commit:
  commands: {unit: {run: go test ./...}}
pre-push:
  commands:
    unit: {run: go test ./...}
    files: {run: "eslint {push_files}"}
  jobs:
    - {name: web, root: web, run: npx vitest run}
`)},
		"package.json": {Data: []byte(`{"scripts":{"test":"wireit","build":"wireit","lint":"wireit","odd":"wireit"},
			"wireit":{"test":{"command":"vitest run","dependencies":["build",{"script":"lint"},"../other:build"]},"build":{"command":"tsc"},"lint":{"dependencies":["build"]}}}`)},
	}
	for line, want := range map[string]string{
		"bundle exec rake":                    "rspec; bundle exec rubocop --parallel",
		"rake spec":                           "rspec",
		"rake flaky":                          "(rspec)",
		"rake test TEST=a":                    "minitest",
		"rake db:prepare":                     "bundle exec rubocop --parallel; (bin/prepare)",
		"rake db:check":                       "(rspec); (rspec --tag slow); (cucumber)",
		"rake ci[2]":                          "bundle exec rubocop --parallel; (bin/prepare); minitest",
		"rake opaque":                         "?",
		"rake missing":                        "?",
		"rake -f other.rake spec":             "?",
		"pre-commit run":                      "?",
		"pre-commit run unit":                 "?",
		"uv run pre-commit run --all-files":   "(uv run pytest -q tests) " + pass("unit tests") + "; (pytest); (true)",
		"prek run unit -a":                    "(uv run pytest -q tests) " + pass("unit tests"),
		"pre-commit run black --all-files":    "?",
		"pre-commit run -a -c other.yml":      "?",
		"pre-commit install":                  "?",
		"lefthook run pre-commit --all-files": "?",
		"npx lefthook run pre-push":           "(npx vitest run); (go test ./...)",
		"lefthook run nothing":                "?",
		"npm test":                            "tsc; tsc; vitest run",
		"npm run lint":                        "tsc",
		"npm run odd":                         "wireit",
	} {
		list, known := New(fsys).Runs(shell.Parse(line).Commands[0], ".")
		var got []string
		for _, c := range list {
			text := strings.Join(c.Views[0], " ")
			if c.Proof != shell.Proven {
				text = strings.TrimSpace("(" + text + ") " + c.ProofLine)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); known && text != want || known != (want != "?") {
			t.Errorf("%s: %q %v, want %q", line, text, known, want)
		}
	}
}
