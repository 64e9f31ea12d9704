package setup

import "testing"

func TestTidy(t *testing.T) {
	for run, want := range map[string]string{
		"pytest tests -v --cov=./x --cov-report=xml:./c.xml --cov-report term-missing": "pytest tests -v",
		"pytest --cov x --cov-config .coveragerc tests":                                "pytest tests",
		"pytest --cov --cov-branch tests && ruff check":                                "pytest tests && ruff check",
		"pytest --cov && ruff check":                                                   "pytest && ruff check",
		"pytest --cov=x --cov-fail-under=90":                                           "pytest --cov=x --cov-fail-under=90",
		"./gradlew check --scan":                                                       "./gradlew check",
	} {
		if got := tidy(run); got != want {
			t.Errorf("%s: got %q, want %q", run, got, want)
		}
	}
}
