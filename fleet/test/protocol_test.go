package fleet

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"gauntlet/internal/proof/remote"
	"gauntlet/test/remotetest"
)

// The protocol's own code must read what gauntlet's hand-written encoder wrote, and the
// other way round.
func TestActionResultIsTheProtocolsOwn(t *testing.T) {
	var stored []byte
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, "/ac/"):
			stored, _ = io.ReadAll(r.Body)
		case r.Method == http.MethodGet:
			_, _ = w.Write(stored)
		}
	}))
	t.Cleanup(ts.Close)
	s, err := remote.New(ts.URL+"/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, envelope, log := strings.Repeat("0a", 32), []byte(`{"payloadType":"x"}`), []byte("log")
	if err := s.Publish(t.Context(), key, envelope, log); err != nil {
		t.Fatal(err)
	}
	var res repb.ActionResult
	if err := proto.Unmarshal(stored, &res); err != nil || len(res.GetOutputFiles()) != 1 {
		t.Fatalf("%v %v", err, &res)
	}
	f := res.GetOutputFiles()[0]
	if sum := remote.Sum(envelope); !bytes.Equal(f.GetContents(), envelope) || f.GetDigest().GetHash() != sum.SHA256 || f.GetDigest().GetSizeBytes() != sum.Size {
		t.Errorf("file %v", f)
	}
	if d, sum := res.GetStdoutDigest(), remote.Sum(log); d.GetHash() != sum.SHA256 || d.GetSizeBytes() != sum.Size || res.GetExitCode() != 0 {
		t.Errorf("result %v", &res)
	}
	if !remotetest.IsActionResult(stored) {
		t.Error("the cache that stands in for real ones does not take it")
	}
	res.ExecutionMetadata = &repb.ExecutedActionMetadata{Worker: "10.0.0.1:8080"} // servers add this
	res.OutputFiles = append(res.OutputFiles, &repb.OutputFile{Path: "other", Contents: []byte("x")})
	if stored, err = proto.Marshal(&res); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Lookup(t.Context(), key); err != nil || !bytes.Equal(got, envelope) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, body := range [][]byte{[]byte("<html>"), []byte(`{"a":1}`), stored[:20]} {
		if theirs, ours := proto.Unmarshal(body, &repb.ActionResult{}) == nil, remotetest.IsActionResult(body); theirs != ours {
			t.Errorf("%q: an ActionResult to the protocol's own code: %v, to the stand-in: %v", body, theirs, ours)
		}
	}
}
