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
