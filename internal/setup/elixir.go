package setup

import "strings"

func (d *directory) elixir() {
	if _, ok := d.is(Elixir); !ok || d.isAbove(Elixir) {
		return
	}
	if d.has(".formatter.exs") {
		d.implied(Elixir, Format, "mix format --check-formatted", ".formatter.exs")
	}
	if strings.Contains(d.read("mix.exs"), ":credo") {
		d.implied(Elixir, Lint, "mix credo", "mix.exs")
	}
	d.implied(Elixir, Test, "mix test", "mix.exs")
}
