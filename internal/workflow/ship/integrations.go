package ship

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// File is where a project configures its integrations.
const File = ".claude/config/integrations.json"

// Integrations is the file. The struct is its schema and its defaults are what
// `gauntlet init --workflow` writes.
type Integrations struct {
	Linear Linear `json:"linear" doc:"issue tracking"`
	Vercel Vercel `json:"vercel" doc:"preview deployments"`
}

// Linear are the rules for the names of branches; the issue itself is moved by the
// tracker's own GitHub automation, so no token is needed here.
type Linear struct {
	Enabled             bool   `json:"enabled" doc:"check the name of the branch"`
	Team                string `json:"team" doc:"the team whose issues they are"`
	BranchPrefix        string `json:"branch_prefix" doc:"branches are called PREFIX/…"`
	UseNativeAutomation bool   `json:"use_native_automation" doc:"issues follow pull requests by themselves"`
}

// Vercel are the rules for the wait for a preview.
type Vercel struct {
	Enabled               bool `json:"enabled" doc:"there are previews"`
	WaitForPreview        bool `json:"wait_for_preview" doc:"wait for the preview of the commit"`
	PreviewTimeoutMS      int  `json:"preview_timeout_ms" doc:"how long, in milliseconds"`
	RequirePreviewSuccess bool `json:"require_preview_success" doc:"a preview that failed or is late forbids to ship"`
}

// Defaults are the content of a new file of a project that uses neither.
func Defaults() Integrations {
	return Integrations{
		Linear: Linear{BranchPrefix: "feature", UseNativeAutomation: true},
		Vercel: Vercel{WaitForPreview: true, PreviewTimeoutMS: 300_000},
	}
}

// Detect is the content of a new file for the project at root: what it uses is enabled.
func Detect(root string) Integrations {
	in := Defaults()
	has := func(name string) bool { return safefile.Exists(filepath.Join(root, name)) }
	in.Vercel.Enabled = has("vercel.json") || has("vercel.ts") || has(".vercel") || has("now.json")
	in.Linear.Enabled = has(".linear") || has(".linear.toml") || has("linear.toml")
	for _, name := range []string{
		"README.md", "CONTRIBUTING.md", "CLAUDE.md", "AGENTS.md", ".mcp.json", ".cursor/mcp.json",
		".github/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE.md", ".github/CONTRIBUTING.md",
	} {
		data, err := safefile.Read(root, filepath.Join(root, filepath.FromSlash(name)), maxConfig)
		if err != nil {
			continue
		}
		_, after, found := strings.Cut(string(data), "linear.app/")
		in.Linear.Enabled = in.Linear.Enabled || found
		if _, team, ok := strings.Cut(firstField(after), "/team/"); ok && in.Linear.Team == "" {
			in.Linear.Team, _, _ = strings.Cut(team, "/")
		}
	}
	return in
}

// firstField is the rest of an address: up to what cannot be a part of it.
func firstField(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/-_.", r))
	}); i >= 0 {
		return s[:i]
	}
	return s
}

// maxConfig is more than any such file needs.
const maxConfig = 1 << 20

// LoadIntegrations reads the file of the project at root. Without one there are
// no integrations, which is not an error.
func LoadIntegrations(root string) (Integrations, error) {
	path := filepath.Join(root, filepath.FromSlash(File))
	data, err := safefile.Read(root, path, maxConfig)
	if errors.Is(err, os.ErrNotExist) {
		return Integrations{}, nil
	}
	if errors.Is(err, safefile.ErrNotRegular) || errors.Is(err, safefile.ErrTooLarge) {
		return Integrations{}, fmt.Errorf("integrations: %s is not a regular file of at most %d KiB", path, maxConfig>>10)
	}
	if err != nil {
		return Integrations{}, fmt.Errorf("integrations: %w", err)
	}
	in, err := ParseIntegrations(data)
	if err != nil {
		return Integrations{}, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

// ParseIntegrations reads the text of the file. A check is enabled only by its key:
// linear.enabled, vercel.wait_for_preview. How a check is done has defaults.
func ParseIntegrations(data []byte) (Integrations, error) {
	doc, err := jsontree.Parse(data)
	if err != nil {
		return Integrations{}, err
	}
	if doc.Kind() != jsontree.Object {
		return Integrations{}, errors.New("not a JSON object")
	}
	if err := refuseSecrets(doc); err != nil {
		return Integrations{}, err
	}
	var in Integrations
	r := reader{doc: doc}
	if r.section("linear") {
		in.Linear = Defaults().Linear
		r.value(&in.Linear.Enabled, "linear", "enabled")
		r.value(&in.Linear.Team, "linear", "team")
		r.value(&in.Linear.BranchPrefix, "linear", "branch_prefix")
		r.value(&in.Linear.UseNativeAutomation, "linear", "use_native_automation")
	}
	if r.section("vercel") {
		in.Vercel = Defaults().Vercel
		in.Vercel.Enabled, in.Vercel.WaitForPreview = true, false
		r.value(&in.Vercel.Enabled, "vercel", "enabled")
		r.value(&in.Vercel.WaitForPreview, "vercel", "wait_for_preview")
		r.value(&in.Vercel.PreviewTimeoutMS, "vercel", "preview_timeout_ms")
		r.value(&in.Vercel.RequirePreviewSuccess, "vercel", "require_preview_success")
	}
	return in, r.err
}

// refuseSecrets keeps tokens out of a file that is meant to be committed.
func refuseSecrets(doc *jsontree.Value) error {
	var found error
	doc.Walk(func(path, key string, v *jsontree.Value) {
		if found != nil {
			return
		}
		if key == "linear_client" {
			found = fmt.Errorf("%s is not supported: remove it; issues are moved by Linear's own GitHub automation (linear.use_native_automation), which needs no token here", path)
			return
		}
		text, isText := v.Text()
		if isText && text != "" && isSecret(key, text) {
			found = fmt.Errorf("%s looks like a token: remove it (and revoke it if it was ever committed); set GITHUB_TOKEN in the environment instead", path)
		}
	})
	return found
}

// isSecret reports whether a text looks like a token, or its key suggests one.
func isSecret(key, text string) bool {
	return strings.HasPrefix(text, "lin_api_") || strings.HasPrefix(text, "lin_oauth_") || namesSecret(key) || len(redact.Find(text)) > 0
}

// namesSecret reads access-token, access_token and accessToken alike.
func namesSecret(key string) bool {
	var b strings.Builder
	lower := false
	for _, r := range key {
		if lower && unicode.IsUpper(r) || r == '-' || r == ' ' {
			b.WriteByte('_')
		}
		if lower = unicode.IsLower(r); r != '-' && r != ' ' {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	key = "_" + b.String()
	return slices.ContainsFunc([]string{"_pat", "_token", "_secret", "_password", "_api_key", "_apikey"}, func(word string) bool {
		return strings.HasSuffix(key, word)
	})
}

// reader reads values from the file and remembers the first invalid one.
type reader struct {
	doc *jsontree.Value
	err error
}

func (r *reader) wrong(want string, path ...string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s must be %s", strings.Join(path, "."), want)
	}
}

func (r *reader) section(name string) bool {
	v := r.doc.Get(name)
	if !v.Empty() && v.Kind() != jsontree.Object {
		r.wrong("an object", name)
	}
	return v.Kind() == jsontree.Object
}

// value reads one, if it is there.
func (r *reader) value(to any, path ...string) {
	v := r.doc.Get(path...)
	if v == nil {
		return
	}
	switch to := to.(type) {
	case *bool:
		if *to = v.True(); v.Kind() != jsontree.Bool {
			r.wrong("true or false", path...)
		}
	case *string:
		var ok bool
		if *to, ok = v.Text(); !ok {
			r.wrong("a string", path...)
		}
	case *int:
		n, ok := v.Number()
		if *to = int(n); !ok || n < 0 || n > 86_400_000 {
			r.wrong("a number of milliseconds, a day at most", path...)
		}
	}
}
