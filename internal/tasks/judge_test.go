package tasks

import (
	"slices"
	"testing"
	"testing/fstest"
)

func judged(files map[string]string) *Set {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return New(m)
}

// What a command resolves to is followed through scripts and recipes; settings belong to the
// tools that it runs.
func TestJudge(t *testing.T) {
	files := map[string]string{
		"test.sh": ". ./code.sh\nsh lib/more.sh\npytest -q\n", "code.sh": "add() { true; }\n", "lib/more.sh": "true\n", "data.txt": "x", "a_test.py": "",
		"Makefile": "test: build\n\t./check.sh\nbuild:\n\tgo build\nother:\n\ttrue\n", "check.sh": "#!/bin/sh\ntrue\n",
		"package.json": `{"scripts": {"lint": "eslint .", "x": "true"}, "jest": {"bail": 1}, "eslintConfig": {"root": true}}`,
		"pytest.ini":   "[pytest]\n", ".eslintrc.json": "{}", ".eslintignore": "x", "tsconfig.json": "{}", "jest.config.js": "x", "pytest.py": "x",
		"setup.cfg": "[flake8]\na=1\n[tool:pytest]\nb=1\n", "tests/conftest.py": "x", "m_test.go": "package x\nfunc TestMain(m *M) {\n\tx()\n}\nfunc TestA() {\n}\n",
		".golangci.yml": "x", "sub/run.sh": "true", "sub/pytest.ini": "x",
	}
	changed := []string{"pytest.ini", ".eslintrc.json", ".eslintignore", "tsconfig.json", "jest.config.js", "setup.cfg", "package.json", "tests/conftest.py", "m_test.go", ".golangci.yml", "pytest.py", "sub/pytest.ini", "data.txt", "a_test.py"}
	shared := []string{"m_test.go (TestMain)", "tests/conftest.py"}
	for _, tt := range []struct {
		line, dir string
		want      []string
	}{
		{"sh test.sh", ".", append([]string{"lib/more.sh", "pytest.ini", "setup.cfg [pytest]", "test.sh"}, shared...)},
		{"timeout 60 bash ./test.sh > out", ".", append([]string{"lib/more.sh", "pytest.ini", "setup.cfg [pytest]", "test.sh"}, shared...)},
		{"make test", ".", append([]string{"Makefile (build)", "Makefile (test)", "check.sh"}, shared...)},
		{"npm run lint", ".", append([]string{".eslintignore", ".eslintrc.json", "package.json (eslintConfig)", "package.json (lint)"}, shared...)},
		{"npx jest --ci", ".", append([]string{"jest.config.js", "package.json (jest)"}, shared...)},
		{"tsc --noEmit && golangci-lint run", ".", append([]string{".golangci.yml", "tsconfig.json"}, shared...)},
		{"pytest a_test.py", ".", append([]string{"pytest.ini", "setup.cfg [pytest]"}, shared...)},
		{"grep -q GOOD data.txt", ".", shared},
		{"sh run.sh; pytest", "sub", []string{"m_test.go (TestMain)", "pytest.ini", "setup.cfg [pytest]", "sub/pytest.ini", "sub/run.sh"}},
		{"sh ../../../etc/x.sh", ".", shared},
	} {
		var got []string
		for _, p := range judged(files).Judge(tt.line, tt.dir, changed) {
			got = append(got, p.Name)
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// Two scripts that call each other end; a change is one of the part.
func TestChangedJudge(t *testing.T) {
	before := map[string]string{"a.sh": "sh b.sh\n", "b.sh": "sh a.sh\n", "Makefile": "t:\n\tgo test\nu:\n\ttrue\n"}
	if got := ChangedJudge(judged(before), judged(before), "sh a.sh; make t", ".", nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
	now := map[string]string{"a.sh": "sh b.sh\n", "Makefile": "t:\n\ttrue\nu:\n\tfalse\n"}
	got := ChangedJudge(judged(before), judged(now), "sh a.sh; make t", ".", []string{"b.sh", "Makefile"})
	if len(got) != 2 || got[0].Name != "b.sh" || got[0].Now != "" || got[1].Name != "Makefile (t)" || got[1].Before != "go test" || got[1].Now != "true" {
		t.Errorf("%+v", got)
	}
}
