package agent

import (
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadEvent(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"{}":                                   "{}",
		"  {\"a\":1}\n":                        `{"a":1}`,
		"\ufeff{\"a\":1}":                      `{"a":1}`,
		"{\"a\":1}{\"b\":2}":                   `{"a":1}`,
		"{\"a\":":                              `{"a":`,
		"\xef":                                 "\xef",
		"\xef\xbb":                             "\xef\xbb",
		"[1,2] and more":                       "[1,2]",
		`"` + strings.Repeat("x", 70000) + `"`: `"` + strings.Repeat("x", 70000) + `"`,
	} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
			if got := string(ReadEvent(r, time.Second)); got != want {
				t.Errorf("%.40q: %.40q, want %.40q", in, got, want)
			}
		}
	}
	if got := string(ReadEvent(strings.NewReader("no JSON"), time.Second)); !strings.HasPrefix(got, "no") {
		t.Errorf("%q: no bytes are left for the decoder's error", got)
	}
	if got := ReadEvent(nil, time.Second); got != nil {
		t.Errorf("%q out of nothing", got)
	}
}

// A caller that keeps stdin open does not make the hook wait after a complete
// value, nor longer than the patience before one.
func TestReadEventFromAnOpenPipe(t *testing.T) {
	for _, tt := range []struct {
		sent, want string
		patience   time.Duration
	}{{`{"a":1}`, `{"a":1}`, time.Hour}, {`{"a":`, `{"a":`, time.Second}, {"", "", time.Second}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(tt.sent); err != nil {
			t.Fatal(err)
		}
		if got := string(ReadEvent(r, tt.patience)); got != tt.want {
			t.Errorf("%q: %q", tt.sent, got)
		}
		_ = w.Close()
		_ = r.Close()
	}
}
