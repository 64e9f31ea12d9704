package install

import (
	"strings"
	"testing"

	"gauntlet/internal/agent/wire"
)

func TestTrustIsWrittenOnlyWhenAsked(t *testing.T) {
	p, a := places(t), adapter(t, "codex")
	config := p.Home + "/.codex/config.toml"
	const content = "model = \"gpt\"\n\n[projects.\"/repo\"]\ntrust_level = \"trusted\""
	put(t, config, content)

	changes := mustInstall(t, p, a, Request{Scope: wire.Project})
	if len(changes) != 1 || !strings.Contains(strings.Join(changes[0].Notes, " "), "/hooks") {
		t.Fatalf("%+v", changes)
	}
	if get(t, config) != content {
		t.Error("trust was written unasked")
	}

	mustInstall(t, p, a, Request{Scope: wire.Project, Trust: true})
	got := get(t, config)
	key := "[hooks.state.\"" + p.Project + "/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:"
	if !strings.HasPrefix(got, content+"\n\n[hooks.state.") || !strings.Contains(got, key) || strings.Count(got, "trusted_hash") != 6 {
		t.Errorf("%s", got)
	}
	for _, ev := range []string{"subagent_stop", "user_prompt_submit", "session_start"} {
		if !strings.Contains(got, "hooks.json:"+ev+":0:0\"]") {
			t.Errorf("%s is not trusted: %s", ev, got)
		}
	}
	if c := mustInstall(t, p, a, Request{Scope: wire.Project}); len(c[0].Notes) != 0 {
		t.Errorf("trusted, and still asked for: %q", c[0].Notes)
	}
	mustUninstall(t, p, a, wire.Project)
	if get(t, config) != content {
		t.Errorf("%q", get(t, config))
	}
}

// The hash is the one Codex computes: SHA-256 of this text.
func TestTrustHash(t *testing.T) {
	want := "sha256:" + hash([]byte(`{"event_name":"stop","hooks":[{"async":false,"command":"a && b <c> \"d\"","timeout":20,"type":"command"}]}`))
	if got := adapter(t, "codex").Setup().Trust.Hash("Stop", `a && b <c> "d"`, 20); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What Codex 0.166.0 itself reported (hooks/list, currentHash) for Gauntlet's stop hook.
func TestTrustHashAsMeasured(t *testing.T) {
	const want = "sha256:4dd4f8a5cc09ff5771da4d2d471bc371581f5536b3d3ed19bb1c856a149e693c"
	if got := adapter(t, "codex").Setup().Trust.Hash("Stop", "command -v gauntlet >/dev/null 2>&1 || exit 0; gauntlet stop-hook --agent codex", 300); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTrustWithoutRecord(t *testing.T) {
	p, a := places(t), adapter(t, "codex")
	p.State = ""
	config := p.Home + "/.codex/config.toml"
	put(t, config, "notify = [\"x\"]\ndoc = \"\"\"\n[hooks.state.\"not a header\"]\n\"\"\"\n")
	put(t, p.Project+"/.codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"theirs"}]}]}}`)
	before := tree(t, p.Home, p.Project)
	mustInstall(t, p, a, Request{Scope: wire.Project, Trust: true})
	if !strings.Contains(get(t, config), "hooks.json:stop:1:0\"]") {
		t.Errorf("%s", get(t, config))
	}
	put(t, config, get(t, config)+"\n[other]\nx = 1\n")
	before[config] += "\n[other]\nx = 1\n"
	mustUninstall(t, p, a, wire.Project)
	same(t, "no record", tree(t, p.Home, p.Project), before)
}

func TestStaleTrustIsRepaired(t *testing.T) {
	p, a := places(t), adapter(t, "codex")
	config := p.Home + "/.codex/config.toml"
	put(t, config, "[hooks.state.\""+p.Project+"/.codex/hooks.json:stop:0:0\"]\nenabled = true\ntrusted_hash = \"sha256:old\"\n")
	mustInstall(t, p, a, Request{Scope: wire.Project, Trust: true})
	got := get(t, config)
	if strings.Contains(got, "sha256:old") || strings.Count(got, "hooks.json:stop:0:0") != 1 || !strings.Contains(got, "enabled = true\ntrusted_hash = \"sha256:") {
		t.Errorf("%s", got)
	}
}

func TestInlineHooksTableIsRefused(t *testing.T) {
	p, a := places(t), adapter(t, "codex")
	put(t, p.Home+"/.codex/config.toml", "a = 1\nhooks = { state = {} }\n")
	_, err := p.PlanInstall(a, Request{Scope: wire.Project, Trust: true})
	if err == nil || !strings.Contains(err.Error(), "config.toml:2:1: \"hooks\" is written as a value here") {
		t.Errorf("%v", err)
	}
}
