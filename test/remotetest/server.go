// Package remotetest is a remote cache for tests that answers as bazel-remote was measured
// to: 400 for what is not an ActionResult, 404 for one whose CAS parts are missing, 500 for
// a wrong hash, 405 for DELETE, and the last writer wins. It also simulates faults: slow,
// full, lying, rolled back.
package remotetest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server is an http.Handler. Its fields may be set before it serves.
type Server struct {
	Delay time.Duration // before each answer
	Full  bool          // refuses every PUT

	mu   sync.Mutex
	ac   map[string][]byte
	cas  map[string][]byte
	gets int
	puts int
	seen map[string]bool // header names of requests
}

// Saw reports whether a request had the header.
func (s *Server) Saw(header string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[header]
}

// Keys lists what is stored.
func (s *Server) Keys(kind string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for k := range s.store(kind) {
		out = append(out, k)
	}
	return out
}

// Counts returns how many reads and writes were requested.
func (s *Server) Counts() (gets, puts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gets, s.puts
}

// Set stores bytes that no client could store: the answer of a lying server.
func (s *Server) Set(kind, key string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(kind)[key] = body
}

// Get returns what is stored.
func (s *Server) Get(kind, key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.store(kind)[key]
	return b, ok
}

func (s *Server) store(kind string) map[string][]byte {
	if s.ac == nil {
		s.ac, s.cas = map[string][]byte{}, map[string][]byte{}
	}
	if kind == "ac" {
		return s.ac
	}
	return s.cas
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	for name := range r.Header {
		s.seen[name] = true
	}
	s.mu.Unlock()
	if s.Delay > 0 {
		select {
		case <-time.After(s.Delay):
		case <-r.Context().Done():
			return
		}
	}
	kind, key, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !ok || kind != "ac" && kind != "cas" || len(key) != 64 {
		http.Error(w, "bad path", http.StatusBadRequest)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.get(w, kind, key)
	case http.MethodPut:
		s.put(w, r, kind, key)
	default:
		http.Error(w, "not allowed", http.StatusMethodNotAllowed)
	}
}

func (s *Server) get(w http.ResponseWriter, kind, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets++
	b, ok := s.store(kind)[key]
	if !ok || kind == "ac" && !s.complete(b) {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	_, _ = w.Write(b)
}

// complete reports whether every blob an ActionResult names is there; an output
// file with inline contents needs none.
func (s *Server) complete(b []byte) bool {
	ok := true
	walk(b, func(number uint64, value []byte) bool { // ActionResult: 2 output_files, 6 stdout_digest
		switch number {
		case 6:
			ok = ok && s.has(value)
		case 2:
			var digest []byte
			inline := false
			walk(value, func(number uint64, value []byte) bool { // OutputFile: 2 digest, 5 contents
				switch number {
				case 2:
					digest = value
				case 5:
					inline = len(value) > 0
				}
				return true
			})
			ok = ok && (inline || s.has(digest))
		}
		return true
	})
	return ok
}

// has reports whether the blob that a Digest names is stored.
func (s *Server) has(digest []byte) bool {
	found := false
	walk(digest, func(number uint64, value []byte) bool {
		found = found || number == 1 && s.store("cas")[string(value)] != nil
		return true
	})
	return found
}

// walk calls do for every field of a protobuf message and reports whether it is one. The
// protocol's own code checks in fleet/test that both read the same.
func walk(b []byte, do func(number uint64, value []byte) bool) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
			return false
		}
		b = b[n:]
		size, skip := uint64(0), 0
		switch tag & 7 {
		case 0:
			if _, skip = binary.Uvarint(b); skip <= 0 {
				return false
			}
		case 1:
			size = 8
		case 2:
			if size, skip = binary.Uvarint(b); skip <= 0 {
				return false
			}
		case 5:
			size = 4
		default:
			return false
		}
		if b = b[skip:]; size > uint64(len(b)) || !do(tag>>3, b[:size]) {
			return false
		}
		b = b[size:]
	}
	return true
}

// IsActionResult reports whether bytes can be an ActionResult: fields of a message, the
// paths of its output files text.
func IsActionResult(b []byte) bool {
	return walk(b, func(number uint64, value []byte) bool {
		return number != 2 || walk(value, func(uint64, []byte) bool { return true })
	})
}

func (s *Server) put(w http.ResponseWriter, r *http.Request, kind, key string) {
	if r.ContentLength < 0 {
		http.Error(w, "no length", http.StatusBadRequest)
		return
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return // a partial upload
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	if s.Full {
		http.Error(w, "disk full", http.StatusInsufficientStorage)
		return
	}
	switch kind {
	case "ac":
		if !IsActionResult(b) {
			http.Error(w, "not an ActionResult", http.StatusBadRequest)
			return
		}
	case "cas":
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != key {
			http.Error(w, "checksums don't match", http.StatusInternalServerError)
			return
		}
	}
	s.store(kind)[key] = b
}
