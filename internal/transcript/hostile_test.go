package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gauntlet/internal/event"
)

const (
	claudePrompt = `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"go"}}`
	claudeBash   = `{"type":"assistant","uuid":"a1","sessionId":"s","message":{"id":"m1","model":"x","usage":{"input_tokens":5,"cache_read_input_tokens":7},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make test"}}]}}`
	claudeOK     = `{"type":"user","uuid":"r1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok","is_error":false}]},"toolUseResult":{"stdout":"ok"}}`
)

func TestNoTranscript(t *testing.T) {
	dir := t.TempDir()
	unreadable := filepath.Join(dir, "unreadable.jsonl")
	if err := os.WriteFile(unreadable, []byte(claudePrompt+"\n"), 0); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	prose := filepath.Join(dir, "prose.txt")
	if err := os.WriteFile(prose, []byte("hello\nworld\n{\"a\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path string
		want       error
	}{
		{"missing", filepath.Join(dir, "nope"), fs.ErrNotExist},
		{"no path", "", fs.ErrNotExist},
		{"directory", dir, ErrNotRegular},
		{"device", "/dev/zero", ErrNotRegular},
		{"empty", empty, ErrFormat},
		{"prose", prose, ErrFormat},
		{"unreadable", unreadable, fs.ErrPermission},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "unreadable" && os.Geteuid() == 0 {
				t.Skip("root reads everything")
			}
			turn, err := Read(tt.path, Options{})
			if !errors.Is(err, tt.want) || turn.Readable {
				t.Errorf("Read = readable %v, %v; want %v", turn.Readable, err, tt.want)
			}
			if _, err := readUsage(tt.path); !errors.Is(err, tt.want) {
				t.Errorf("ReadUsage = %v, want %v", err, tt.want)
			}
		})
	}
}

// What a crash, a hostile tool or an odd editor writes into a file does not hide the rest
// of it.
func TestDamagedLines(t *testing.T) {
	for name, damage := range map[string]string{
		"torn":               claudeBash[:len(claudeBash)/2],
		"torn in a string":   `{"type":"user","message":{"content":"abc\`,
		"NULs":               strings.Repeat("\x00", 5000),
		"NULs before a line": "\x00\x00" + `{"type":"mode","sessionId":"s"}`,
		"NUL in a string":    "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"a\x00b\"}}",
		"line separator":     "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"a\u2028b\u2029c\"}}",
		"not UTF-8":          "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"\xff\xfe\"}}",
		"deep":               strings.Repeat("[", 100000),
		"deep object":        `{"type":"user","message":` + strings.Repeat(`{"a":`, 100000),
		"array":              `[1,2,3]`,
		"no type":            `{"message":{"content":"hi"}}`,
		"types wrong":        `{"type":7,"uuid":[],"message":"x","timestamp":{}}`,
		"content wrong":      `{"type":"user","uuid":"w","isMeta":true,"message":{"content":{"a":1}}}`,
		"blank":              "   \t ",
	} {
		t.Run(name, func(t *testing.T) {
			for _, lines := range [][]string{
				{claudePrompt, claudeBash, claudeOK, damage},
				{claudePrompt, damage, claudeBash, claudeOK},
				{damage, claudePrompt, claudeBash, damage, claudeOK, damage},
			} {
				p := write(t, lines...)
				turn, err := Read(p, Options{})
				if err != nil || turn.HumanText != "go" || len(turn.Calls) != 1 || turn.Calls[0].Outcome != "success" {
					t.Fatalf("turn = %+v, %v", turn, err)
				}
				if u, err := readUsage(p); err != nil || u == nil || u.Tokens != 12 {
					t.Errorf("usage = %+v, %v", u, err)
				}
			}
		})
	}
}

func TestSeparatorsInText(t *testing.T) {
	said := "one\u2028two \x7f \"quoted\" \\ \U0001F600"
	turn, err := Read(write(t, `{"type":"user","uuid":"u","sessionId":"s","message":{"content":`+quote(said)+`}}`), Options{})
	if err != nil || turn.HumanText != said {
		t.Errorf("text = %q, %v; want %q", turn.HumanText, err, said)
	}
}

// countingReader counts what is really read.
type countingReader struct {
	io.ReaderAt
	bytes int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.bytes += int64(n)
	return n, err
}

func TestTailNeverReadsPastItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-c]{0,40}`), 0, 60).Draw(t, "lines"), "\n"))
		limit := rapid.Int64Range(1, int64(len(data)+5)).Draw(t, "limit")
		r := &countingReader{ReaderAt: bytes.NewReader(data)}
		tl := newTail(r, int64(len(data)), limit)
		tl.block = rapid.IntRange(1, 100).Draw(t, "block")
		tl.long = rapid.IntRange(0, 200).Draw(t, "long")
		var got []string
		for {
			line, ok := tl.prev()
			if !ok {
				break
			}
			got = append(got, string(line))
		}
		if r.bytes > limit || tl.read != r.bytes {
			t.Fatalf("read %d bytes with limit %d", r.bytes, limit)
		}
		want := strings.Split(string(data), "\n")
		for i, line := range got {
			if w := want[len(want)-1-i]; w != line {
				t.Fatalf("line %d from the end = %q, want %q", i, line, w)
			}
		}
		if whole := limit >= int64(len(data)); whole == tl.cut {
			t.Fatalf("cut = %v with limit %d of %d", tl.cut, limit, len(data))
		}
		if !tl.cut && strings.Join(want, "") != "" && len(got) < len(want)-1 {
			t.Fatalf("%d lines of %d", len(got), len(want))
		}
	})
}

// big writes a transcript of about size bytes whose last turn is small.
func big(tb testing.TB, size int, lastTurn ...string) string {
	tb.Helper()
	p := filepath.Join(tb.TempDir(), "big.jsonl")
	f, err := os.Create(p)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	filler := strings.Repeat("lorem ipsum dolor \\n ", 400)
	block := claudePrompt + "\n" + claudeBash + "\n" +
		`{"type":"user","uuid":"r1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + filler + `"}]},"toolUseResult":{"stdout":"` + filler + `"}}` + "\n"
	var b bytes.Buffer
	for b.Len() < 1<<20 {
		b.WriteString(block)
	}
	for n := 0; n < size; n += b.Len() {
		if _, err := f.Write(b.Bytes()); err != nil {
			tb.Fatal(err)
		}
	}
	for _, l := range lastTurn {
		if _, err := f.WriteString(l + "\n"); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

func TestTurnLongerThanTheBound(t *testing.T) {
	var lines []string
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf(`{"type":"assistant","uuid":"a","sessionId":"s","message":{"content":[{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":"echo %d"}}]}}`, i, i))
	}
	p := write(t, append([]string{claudePrompt}, lines...)...)
	turn, err := Read(p, Options{MaxBytes: 50_000})
	if err != nil || !turn.Truncated || !turn.Readable || turn.HumanID != "" || len(turn.Calls) == 0 {
		t.Errorf("turn: truncated %v readable %v human %q calls %d, %v", turn.Truncated, turn.Readable, turn.HumanID, len(turn.Calls), err)
	}
	turn, err = Read(p, Options{})
	if err != nil || turn.Truncated || len(turn.Calls) != 2000 {
		t.Errorf("whole turn: truncated %v calls %d, %v", turn.Truncated, len(turn.Calls), err)
	}
}

// A line longer than the bound is not read; the process stays small.
func TestHugeLine(t *testing.T) {
	huge := `{"type":"user","uuid":"r1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + strings.Repeat(`a\n`, 10<<20) + `"}]}}`
	within := `{"type":"user","uuid":"r1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + strings.Repeat(`a\n`, 5<<20) + `"}]}}`
	tooLong, inside := write(t, claudePrompt, claudeBash, huge), write(t, claudePrompt, claudeBash, within, `{"type":"mode","sessionId":"s"}`)
	debug.FreeOSMemory()
	for name, tt := range map[string]struct {
		path      string
		truncated bool
	}{"over the bound": {tooLong, true}, "within": {inside, false}} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			turn, err := Read(tt.path, Options{})
			runtime.ReadMemStats(&after)
			if err != nil || turn.Truncated != tt.truncated {
				t.Errorf("truncated = %v, %v", turn.Truncated, err)
			}
			// Everything ever allocated, freed or not: an upper bound of the peak.
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 48<<20 {
				t.Errorf("allocated %d MiB", grown>>20)
			}
		})
	}
}

func TestEarlierPartExplainsAnEdit(t *testing.T) {
	edit := `{"type":"assistant","uuid":"e","sessionId":"s","message":{"content":[{"type":"tool_use","id":"e1","name":"Edit","input":{"file_path":"/repo/a.go"}}]}}`
	read := `{"type":"assistant","uuid":"d","sessionId":"s","message":{"content":[{"type":"tool_use","id":"d1","name":"Read","input":{"file_path":"/repo/a.go"}}]}}`
	failed := `{"type":"user","uuid":"f","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"d1","is_error":true,"content":"File does not exist."}]}}`
	cat := strings.Replace(claudeBash, "make test", "cat a.go", 1)
	for _, tt := range []struct {
		name        string
		lines       []string
		seen, shell bool
	}{
		{"read before", []string{claudePrompt, read, claudePrompt, edit}, true, false},
		{"read failed", []string{claudePrompt, read, failed, claudePrompt, edit}, false, false},
		{"shown by the shell", []string{claudePrompt, cat, claudeOK, claudePrompt, edit}, false, true},
		{"never", []string{claudePrompt, claudePrompt, edit}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn, err := Read(write(t, tt.lines...), Options{})
			if err != nil || len(turn.Calls) != 1 {
				t.Fatalf("turn = %+v, %v", turn, err)
			}
			seen, shell := false, false
			for _, c := range turn.Earlier {
				seen = seen || c.Outcome != event.Failure && slices.Contains(c.Paths, "/repo/a.go")
				shell = shell || c.Command == "cat a.go"
			}
			if seen != tt.seen || shell != tt.shell {
				t.Errorf("earlier = %+v", turn.Earlier)
			}
		})
	}
}

// FuzzRead: no content crashes a reader, hangs it or makes it read too much.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.jsonl", "testdata/*/*/*.jsonl"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && len(data) < 8_000 {
				f.Add(data, uint16(0))
				f.Add(data, uint16(3000))
			}
		}
	}
	f.Add([]byte(`{"a":"\ud800\u0041"}`), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		p := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
		turn, err := Read(p, Options{MaxBytes: int64(limit)})
		if err == nil != turn.Readable {
			t.Fatalf("readable %v with error %v", turn.Readable, err)
		}
		_, _ = readUsage(p)
	})
}

// TestMutations does in a second what the fuzzer does in hours: it damages the
// recordings at random places.
func TestMutations(t *testing.T) {
	var seeds [][]byte
	files, _ := filepath.Glob("testdata/*/*.jsonl")
	more, _ := filepath.Glob("testdata/*/*/*.jsonl")
	for _, file := range append(files, more...) {
		if data, err := os.ReadFile(file); err == nil {
			seeds = append(seeds, data[:min(len(data), 60_000)])
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	p := filepath.Join(t.TempDir(), "s.jsonl")
	for range 400 {
		data := bytes.Clone(seeds[rnd.IntN(len(seeds))])
		for range rnd.IntN(20) {
			i := rnd.IntN(len(data))
			switch rnd.IntN(4) {
			case 0:
				data[i] = byte(rnd.IntN(256))
			case 1:
				data = append(data[:i], data[min(len(data), i+rnd.IntN(50)):]...)
			case 2:
				data = append(data[:i], append([]byte(`"{}[],:\`)[:rnd.IntN(8)], data[i:]...)...)
			case 3:
				data = data[:i+1]
			}
			if len(data) == 0 {
				break
			}
		}
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
		turn, err := Read(p, Options{MaxBytes: int64(rnd.IntN(100_000))})
		if err == nil != turn.Readable {
			t.Fatalf("readable %v with error %v", turn.Readable, err)
		}
		_, _ = readUsage(p)
	}
}

// BenchmarkRead50MB is the tail of a long session.
func BenchmarkRead50MB(b *testing.B) {
	p := big(b, 50<<20, claudePrompt, claudeBash, claudeOK)
	b.ReportAllocs()
	for b.Loop() {
		if turn, err := Read(p, Options{}); err != nil || len(turn.Calls) != 1 {
			b.Fatal(turn, err)
		}
	}
}

// BenchmarkWholeBound reads all it may: an edit that nothing explains.
func BenchmarkWholeBound(b *testing.B) {
	p := big(b, 50<<20, claudePrompt, strings.NewReplacer("Bash", "Edit", "command", "file_path", "make test", "never_seen.go").Replace(claudeBash))
	b.SetBytes(DefaultMaxBytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
