package protocol

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/shape"
	"gauntlet/internal/workflow"
	"gauntlet/internal/workflow/handoff"
	"gauntlet/internal/workflow/ship"
)

func write(t *testing.T, root, rel, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, root, rel string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func actions(changes []Change) string {
	var s []string
	for _, c := range changes {
		s = append(s, c.Action)
	}
	return strings.Join(s, " ")
}

func TestFreshProject(t *testing.T) {
	root := t.TempDir()
	if plan, err := Plan(root); err != nil || actions(plan) != "created created created" {
		t.Fatalf("%v %v", plan, err)
	}
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Fatal("planning wrote something")
	}
	for _, want := range []string{"created created created", "unchanged unchanged unchanged"} {
		if changes, err := Write(root); err != nil || actions(changes) != want {
			t.Errorf("%s, %v; want %s", actions(changes), err, want)
		}
	}

	schema := content(t, root, SchemaFile)
	for _, want := range []string{
		"interface UnifiedCheckpoint {", `type Command = "start" | "design" | "reconcile" | "research" | "implement" | "ship" | "review";`,
		`type PhaseStatus = "pending" | "in_progress" | "complete" | "failed" | "skipped";`,
		"  phases: Record<string, Phase>;", "  gate?: Gate | null;", "  ship_allowed: boolean;", "  blockers: string[];",
		"at most 500 tokens", "8192 bytes", "| `ship` | `gate`, `preview`, `commit`, `push`, `pr`, `monitor` |", "| `implement` | `phase-N` |",
	} {
		if !strings.Contains(schema, want) {
			t.Errorf("no %q in\n%s", want, schema)
		}
	}
	for _, v := range []any{workflow.Progress{}, workflow.State{}, workflow.Phase{}, workflow.Gate{}} {
		for _, key := range shape.Keys(v) {
			if !strings.Contains(schema, "  "+key+":") && !strings.Contains(schema, "  "+key+"?:") {
				t.Errorf("%s is not in the interface", key)
			}
		}
	}

	protocol := content(t, root, HandoffFile)
	for _, want := range []string{
		"\n## Request\n", "\n## Response\n", "\n## Context Summary Guidelines\n", "\n## Enforcement\n",
		`  "mode": "plan|code|ui|docs|eval|reconcile|research",`, "| `context.previous_summary` | string or null, at most 500 tokens |",
		"Context summary exceeds 500 token limit (actual: 501 tokens)",
	} {
		if !strings.Contains(protocol, want) {
			t.Errorf("no %q in\n%s", want, protocol)
		}
	}
	if strings.Contains(protocol, "previous_findings") {
		t.Error("the old name is in the document: a second run would rename it")
	}
	// The examples are JSON with the fields of the types.
	for i, block := range strings.Split(protocol, "```json\n")[1:] {
		var m map[string]any
		if err := json.Unmarshal([]byte(block[:strings.Index(block, "```")]), &m); err != nil {
			t.Fatal(err)
		}
		if want := len(handoff.Fields([]handoff.Kind{handoff.RequestKind, handoff.ResponseKind}[i])); len(m) != want {
			t.Errorf("example %d has %d fields, the type %d", i, len(m), want)
		}
	}

	want := `{
  "linear": {
    "enabled": false,
    "team": "",
    "branch_prefix": "feature",
    "use_native_automation": true
  },
  "vercel": {
    "enabled": false,
    "wait_for_preview": true,
    "preview_timeout_ms": 300000,
    "require_preview_success": false
  }
}
`
	if got := content(t, root, ship.File); got != want {
		t.Errorf("integrations:\n%s", got)
	}
}

const existing = `# Sub-agent hand-off protocol

Intro with a [link](#context-summary-guidelines).

## Request

` + "```json" + `
{
  "task_id": "uuid",
  "phase": "research|write|validate|parallel",
  "context": {
    "feature": "name",
    "previous_findings": "summary of the step before"
  },
  "instructions": "what to do",
  "expected_output": "what to give back"
}
` + "```" + `

| Field | Type | Required | Description |
|-------|------|----------|-------------|
| ` + "`task_id`" + ` | string | Yes | Names the task |
| ` + "`phase`" + ` | string | Yes | The step |
| ` + "`context.previous_findings`" + ` | string | No | all_previous_findings stay |

## Context Summary Guidelines

- Keep it short.
  ` + "```" + `
  ## Enforcement
  ` + "```" + `

Trailing blanks:   
	tab and no final newline`

func TestExistingProtocolIsExtended(t *testing.T) {
	renamed := strings.ReplaceAll(existing, "previous_findings", "previous_summary")
	renamed = strings.Replace(renamed, "all_previous_summary", "all_previous_findings", 1)
	want := strings.Replace(renamed, "\"research|write|validate|parallel\",\n", "\"research|write|validate|parallel\",\n  \"mode\": \"plan|code|ui|docs|eval|reconcile|research\",\n", 1)
	want = strings.Replace(want, "| Yes | The step |\n", "| Yes | The step |\n| `mode` | string | Yes | `plan`, `code`, `ui`, `docs`, `eval`, `reconcile`, `research` |\n", 1)
	want += "\n\n" + enforcement(false)
	for _, eol := range []string{"\n", "\r\n"} {
		root := t.TempDir()
		write(t, root, HandoffFile, strings.ReplaceAll(existing, "\n", eol))
		for _, action := range []string{Updated, Unchanged, Unchanged} {
			changes, err := Write(root)
			if err != nil || changes[1].Action != action {
				t.Fatalf("%v %v, want %s", changes, err, action)
			}
			if got := content(t, root, HandoffFile); got != strings.ReplaceAll(want, "\n", eol) {
				t.Fatalf("%q: got\n%s", eol, got)
			}
		}
	}
}

// For any document: only generated lines are added, one name is replaced, and the second
// run finds nothing to do.
func TestAnyProtocolSurvives(t *testing.T) {
	for name, old := range map[string]string{
		"empty":               "",
		"only text":           "Hello",
		"own enforcement":     "# P\n\n### enforcement ##\n\nOurs.\n",
		"underlined":          "Enforcement\n-----\n\nOurs.\n",
		"own mode":            "```\n{\n\"task_id\": 1,\n\"mode\": 2,\n\"instructions\": 3\n}\n```\n",
		"typescript":          "```ts\ninterface R {\n  task_id: string;\n  phase: Phase;\n  instructions: string;\n}\n```\n",
		"phase comes last":    "```json\n{\n  \"task_id\": 1,\n  \"instructions\": 2,\n  \"phase\": 3\n}\n```\n",
		"table only":          "| Name | Values |\n|---|---|\n| phase | research \\| write |\n",
		"table, values typed": "| Name | Type | Notes |\n|---|---|---|\n| phase | research, write, validate | x |",
		"open fence":          "```json\n{\"task_id\": 1, \"instructions\": 2}\n",
		"yaml":                "```yaml\ntask_id: 1\nphase: x\ninstructions: y\n```\n",
		"latin1":              "caf\xe9 previous_findings\n",
		"blank lines":         "# A\n\n\n\n",
		"tilde fence":         "~~~\n## Enforcement\n~~~\n",
	} {
		got := mergeHandoff([]byte(old))
		if again := mergeHandoff(got); string(again) != string(got) {
			t.Errorf("%s: the second run adds\n%s", name, strings.TrimPrefix(string(again), string(got)))
		}
		lines := strings.SplitAfter(string(got), "\n")
		for _, l := range strings.Split(strings.ReplaceAll(old, oldName, newName), "\n") {
			i := 0
			for i < len(lines) && strings.TrimSuffix(lines[i], "\n") != l {
				i++
			}
			if i == len(lines) {
				t.Errorf("%s: %q is lost", name, l)
				break
			}
			lines = lines[i+1:]
		}
		if !strings.Contains(strings.ToLower(string(got)), "enforcement") || !strings.Contains(string(got), "mode") {
			t.Errorf("%s: nothing added\n%s", name, got)
		}
	}
}

func TestSectionsAreNeverDoubled(t *testing.T) {
	for _, old := range []string{"", " \r\n", "# P\n\nEnforcement\n===========\nOurs.\n", "# P\n## ENFORCEMENT\n"} {
		if got := string(mergeHandoff([]byte(old))); strings.Count(strings.ToLower(got), "enforcement\n") != 1 {
			t.Errorf("%q became\n%s", old, got)
		}
	}
	if got := mergeHandoff([]byte("\n")); string(got) != string(newHandoff()) {
		t.Errorf("a blank file became\n%s", got)
	}
}

func FuzzMergeHandoff(f *testing.F) {
	f.Add([]byte(existing))
	f.Add([]byte("```\n~~~\n| phase |\r\n"))
	f.Fuzz(func(t *testing.T, old []byte) {
		got := mergeHandoff(old)
		if again := mergeHandoff(got); string(again) != string(got) {
			t.Fatalf("not idempotent:\n%q\n%q", got, again)
		}
	})
}

func TestExistingFilesAreKept(t *testing.T) {
	root := t.TempDir()
	write(t, root, SchemaFile, "# Ours\n")
	write(t, root, ship.File, `{"linear":{"enabled":false},"linear_client":{}}`)
	changes, err := Write(root)
	if err != nil || actions(changes) != "unchanged created unchanged" {
		t.Fatalf("%s %v", actions(changes), err)
	}
	if !strings.Contains(changes[0].Note, "not generated by gauntlet") || !strings.Contains(changes[2].Note, "linear_client is not supported") {
		t.Errorf("notes: %q %q", changes[0].Note, changes[2].Note)
	}
	// The generated part of the schema is renewed, the rest stays.
	write(t, root, SchemaFile, "mine\n"+begin+"\nold\n"+end+"\nalso mine")
	if _, err := Write(root); err != nil {
		t.Fatal(err)
	}
	if got := content(t, root, SchemaFile); got != "mine\n"+begin+"\n"+schemaBody()+end+"\nalso mine" {
		t.Errorf("got\n%s", got)
	}
}

func TestLinksAndObstaclesAreRefusedAndUndone(t *testing.T) {
	elsewhere := t.TempDir()
	root := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(root, ".claude")); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(root); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("link: %v", err)
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) != 0 {
		t.Error("written through a link")
	}
	root = t.TempDir()
	write(t, root, ".claude/config", "a file where the directory should be")
	if _, err := Write(root); err == nil || !strings.Contains(err.Error(), "is in the way") {
		t.Errorf("obstacle: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(SchemaFile))); err == nil {
		t.Error("half of the documents were written")
	}
}

func TestFailedWriteUndoesTheOthers(t *testing.T) {
	root := t.TempDir()
	write(t, root, HandoffFile, "Ours.\n")
	changes, err := Plan(root)
	if err != nil {
		t.Fatal(err)
	}
	changes[2].Change.Path = filepath.Join(root, filepath.FromSlash(HandoffFile), "below-a-file")
	if err := apply(changes); err == nil {
		t.Fatal("written below a file")
	}
	if got := content(t, root, HandoffFile); got != "Ours.\n" {
		t.Errorf("not put back: %q", got)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(SchemaFile))); err == nil {
		t.Error("a new document was left")
	}
	if _, err := os.Stat(filepath.Join(root, ".claude", "protocols")); err == nil {
		t.Error("a new directory was left")
	}
	if _, err := os.Stat(filepath.Join(root, ".claude", "sub-agents", "protocols")); err != nil {
		t.Error("a directory that was there is gone")
	}
}

func TestDirectoriesOfAFailedWriteAreRemoved(t *testing.T) {
	root := t.TempDir()
	changes, err := Plan(root)
	if err != nil {
		t.Fatal(err)
	}
	changes[2].Change.Path = filepath.Join(root, ".claude", "protocols") // a directory by then
	if err := apply(changes); err == nil {
		t.Fatal("written over a directory")
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// The table of statuses is text; the statuses themselves are the program's.
func TestSchemaExplainsEveryStatus(t *testing.T) {
	for _, status := range workflow.PhaseStatuses() {
		if !strings.Contains(schemaBody(), "| `"+status+"` | ") {
			t.Errorf("%s is not explained", status)
		}
	}
}
