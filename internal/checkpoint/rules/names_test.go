package rules

import "testing"

// TestNamesOnWindows: a file of the project is known by every form in which clients and
// shells write it.
func TestNamesOnWindows(t *testing.T) {
	for _, c := range []struct{ root, name, want string }{
		{`D:\repo`, `D:\repo\a\b.go`, "a/b.go"},
		{`d:\repo`, `D:\repo\a.go`, "a.go"}, // the form of an editor
		{`D:\repo`, `d:\Repo\a.go`, "a.go"},
		{`D:\My Repo`, `/d/My Repo/a.go`, "a.go"},
		{`D:\repo`, `D:\repo2\a.go`, "D:/repo2/a.go"},
		{`\\server\share\repo`, `\\Server\share\repo\x\a.go`, "x/a.go"},
		{`\\wsl$\Debian\home\me\repo`, `\\wsl$\Debian\home\me\repo\a.go`, "a.go"},
		{"/home/me/repo", "/home/me/Repo/a.go", "/home/me/Repo/a.go"}, // names differ elsewhere
		{"/home/me/repo", `/home/me/repo/a\b`, `a\b`},
	} {
		if got := newNaming([]string{c.root}).file(c.name, ""); got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.name, c.root, got, c.want)
		}
	}
	if got := newNaming([]string{`D:\repo`}).dir("", `d:\REPO`); got != "." {
		t.Errorf("the root is %q", got)
	}
}
