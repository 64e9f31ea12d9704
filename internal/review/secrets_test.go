package review

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/redact"
)

func TestSecretsAreNotSent(t *testing.T) {
	key := "AKIA" + "IOSFODNN7EXAMPLE"
	diff := `diff --git a/.env b/.env
new file mode 100644
--- /dev/null
+++ b/.env
@@ -0,0 +1,2 @@
+DB_PASS=hunter2hunter2
+diff --git a/x b/x
diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1 +1,2 @@
 package a
+const key = "` + key + `"
diff --git a/old/id_rsa b/new/key
similarity index 90%
rename from old/id_rsa
rename to new/key
--- a/old/id_rsa
+++ b/new/key
@@ -1 +1 @@
-x
+y
`
	clean, leftOut := withoutSecrets([]byte(diff), redact.Environment([]string{"BUILD_TOKEN=package a"}))
	if d := cmp.Diff([]string{".env", "old/id_rsa"}, leftOut); d != "" {
		t.Error(d)
	}
	got := string(clean)
	for _, secret := range []string{key, "hunter2", "id_rsa", "package a"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is sent:\n%s", secret, got)
		}
	}
	if !strings.Contains(got, "+++ b/a.go") || !strings.Contains(got, "[redacted]") {
		t.Errorf("the rest is not sent:\n%s", got)
	}
	if clean, leftOut := withoutSecrets(nil, redact.Values{}); len(clean) != 0 || leftOut != nil {
		t.Errorf("%q %v", clean, leftOut)
	}
}
