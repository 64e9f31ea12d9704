package wire

import "testing"

func TestTrustedFolders(t *testing.T) {
	list, err := Parse([]byte(`{"/work/repo":"TRUST_FOLDER","/home/dev/one":"TRUST_PARENT","/bad":"DO_NOT_TRUST"}`))
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{
		"/work/repo": true, "/work/repo/sub": true, "/work/repository": false, "/work": false, "/home/dev/two": true, "/bad": false, "": false,
	} {
		if got := TrustedMap(list, dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
	if !Covers([]string{"/"}, "/anything") || Covers(nil, "/x") {
		t.Error("the root covers everything, nothing covers nothing")
	}
}
