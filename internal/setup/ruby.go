package setup

import "strings"

func (d *directory) ruby() {
	if _, ok := d.is(Ruby); !ok {
		return
	}
	gems := d.read("Gemfile") + d.read("gems.rb")
	if spec := d.ending(".gemspec"); spec != "" {
		gems += d.read(spec)
	}
	wants := func(gem string) bool {
		return strings.Contains(gems, `"`+gem+`"`) || strings.Contains(gems, "'"+gem+"'")
	}
	if cfg := d.first(".rubocop.yml"); cfg != "" && strings.Contains(gems, "rubocop") {
		d.implied(Ruby, Lint, "bundle exec rubocop", cfg)
	} else if cfg := d.first(".standard.yml"); cfg != "" && wants("standard") {
		d.implied(Ruby, Lint, "bundle exec standardrb", cfg)
	}
	switch {
	case d.has(".rspec") || d.exists(d.where("spec/spec_helper.rb")):
		d.implied(Ruby, Test, "bundle exec rspec", ".rspec")
	case d.exists(d.where("bin/rails")) && d.exists(d.where("test")):
		d.implied(Ruby, Test, "bin/rails test", "bin/rails")
	}
}
