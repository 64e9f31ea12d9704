package content

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"path/filepath"
	"slices"

	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// cache remembers the ids of files that were read, by their marks: records of a mark and an
// id, in order. It is sealed: one that was forged is not used. An older one of Gauntlet's own
// says nothing false, as a mark never comes back with another content.
type cache struct {
	path    string
	sealer  seal.Sealer
	size    int    // of an id
	records string // sorted; marks are spread evenly
}

const (
	cacheDir = "content"
	// maxCache bounds what is read back.
	maxCache = 256 << 20
	// keepFrom is how many files must have been read for the cache to be written again.
	keepFrom = 32
)

// openCache reads what is remembered of a work tree.
func openCache(sealer seal.Sealer, gitDir string, size int) *cache {
	if sealer.Home == "" {
		return &cache{size: size}
	}
	sum := sha256.Sum256([]byte(gitDir))
	dir := filepath.Join(sealer.Home, "gauntlet", cacheDir)
	c := &cache{path: filepath.Join(dir, hex.EncodeToString(sum[:12])), sealer: sealer, size: size}
	sealed, err := safefile.Read(dir, c.path, maxCache)
	if err != nil {
		return c
	}
	if data, ok := sealer.Open(c.purpose(), sealed); ok && len(data)%c.record() == 0 {
		c.records = string(data)
	}
	return c
}

func (c *cache) purpose() string {
	if c.size == sha256.Size {
		return "content 1 sha256"
	}
	return "content 1 sha1"
}

func (c *cache) record() int { return len(mark{}) + c.size }

// id is the id of the file with a mark, "" if it is not known.
func (c *cache) id(m mark) string {
	if c == nil {
		return ""
	}
	size, want := c.record(), string(m[:])
	n := len(c.records) / size
	at := func(i int) string { return c.records[i*size : i*size+len(m)] }
	// The marks are digests, so the first bytes say about where one is.
	guess, _ := bits.Mul64(binary.BigEndian.Uint64(m[:8]), uint64(n))
	about := 2*int(math.Sqrt(float64(n))) + 16
	from, to := max(0, int(guess)-about), min(n, int(guess)+about)
	if from > 0 && at(from) > want || to < n && at(to) < want {
		from, to = 0, n
	}
	for from < to {
		mid := (from + to) / 2
		switch got := at(mid); {
		case got == want:
			return c.records[mid*size+len(m) : (mid+1)*size]
		case got < want:
			from = mid + 1
		default:
			to = mid
		}
	}
	return ""
}

// keep writes the marks and ids of an account, if enough of them are new. Whether that
// works makes no difference to the truth.
func (c *cache) keep(a *Account, missed int64) {
	if c.path == "" || missed < keepFrom {
		return
	}
	young := map[string]bool{}
	for _, p := range a.young {
		young[p] = true
	}
	order := make([]int32, 0, len(a.Files))
	for i := range a.Files {
		if f := &a.Files[i]; (f.Mode == File || f.Mode == Executable) && len(f.ID) == c.size && !young[f.Path] {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Compare(binary.BigEndian.Uint64(a.marks[x][:]), binary.BigEndian.Uint64(a.marks[y][:]))
	})
	data := make([]byte, 0, len(order)*c.record())
	for _, i := range order {
		data = append(append(data, a.marks[i][:]...), a.Files[i].ID...)
	}
	sealed, err := c.sealer.Seal(c.purpose(), data)
	if err != nil {
		return
	}
	dir := filepath.Dir(c.path)
	if safefile.Put(dir, c.path, sealed, 0o600) == nil {
		return
	}
	if safefile.MkdirAll(c.sealer.Home, dir, 0o700) == nil {
		_ = safefile.Put(dir, c.path, sealed, 0o600)
	}
}

// markOf is the mark of a file.
func markOf(st safefile.Stat) mark {
	var b [44]byte
	binary.LittleEndian.PutUint64(b[0:], st.Dev)
	binary.LittleEndian.PutUint64(b[8:], st.Ino)
	binary.LittleEndian.PutUint64(b[16:], uint64(st.Size))
	binary.LittleEndian.PutUint64(b[24:], uint64(st.MTime))
	binary.LittleEndian.PutUint64(b[32:], uint64(st.CTime))
	binary.LittleEndian.PutUint32(b[40:], uint32(st.Mode))
	sum := sha256.Sum256(b[:])
	return mark(sum[:16])
}
