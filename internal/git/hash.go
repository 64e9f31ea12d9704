package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"gauntlet/internal/beside"
	"gauntlet/internal/safefile"
)

// hashAll reads files and computes their ids as git would: with git itself if a filter may
// change the content.
func (c *Content) hashAll(ctx context.Context, paths []string) ([]File, error) {
	files := make([]File, len(paths))
	stats := make([]indexStat, len(paths))
	filtered := make([]bool, len(paths))
	errs := make([]error, len(paths))
	root, err := safefile.OpenDir(c.repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // read only
	attrs := c.attributes(paths)
	parallel(len(paths), func(i int) {
		if ctx.Err() == nil {
			stats[i], _ = statAt(int(root.Fd()), paths[i])
			files[i], filtered[i], errs[i] = c.hashFile(paths[i], attrs)
		}
	})
	var byGit []int
	for i, p := range paths {
		c.read[p] = stats[i]
		if filtered[i] && !c.raw[p] && !strings.Contains(p, "\n") {
			byGit = append(byGit, i)
		}
	}
	if err := c.filter(ctx, byGit, paths, files); err != nil {
		return nil, err
	}
	kept := files[:0]
	for i, f := range files {
		switch {
		case errs[i] == nil:
			kept = append(kept, f)
		case !errors.Is(errs[i], fs.ErrNotExist):
			c.Unreadable = append(c.Unreadable, paths[i])
			c.unknown(paths[i])
		}
	}
	return kept, ctx.Err()
}

// attributes is the content of the repository's attributes files, in one text.
func (c *Content) attributes(paths []string) string {
	var b strings.Builder
	add := func(name string) {
		if text, err := safefile.Read("", name, maxConfig); err == nil {
			b.Write(text)
			b.WriteByte('\n')
		}
	}
	add(filepath.Join(c.repo.CommonDir, "info", "attributes"))
	const name = ".gitattributes"
	for _, e := range c.index {
		if strings.HasSuffix(e.path, name) && filepath.Base(e.path) == name {
			add(filepath.Join(c.repo.Root, filepath.FromSlash(e.path)))
		}
	}
	for _, p := range paths {
		if filepath.Base(p) == name {
			add(filepath.Join(c.repo.Root, filepath.FromSlash(p)))
		}
	}
	return b.String()
}

// hashFile computes the id of one file; filtered is true if git would change the content
// first.
func (c *Content) hashFile(path, attrs string) (f File, filtered bool, err error) {
	f.Path = path
	name := filepath.Join(c.repo.Root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil {
		return f, false, err
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		f.Mode = 0o120000
		target, err := os.Readlink(name)
		f.ID = string(objectID(c.newHash(), "blob", []byte(target)))
		return f, false, err
	case !mode.IsRegular():
		return f, false, fmt.Errorf("%s: not a regular file", path)
	case mode&0o100 != 0:
		f.Mode = 0o100755
	default:
		f.Mode = 0o100644
	}
	if info.Size() > maxHashed {
		f.ID = fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC())
		return f, false, nil
	}
	f.ID, filtered, err = c.hashContent(name, attrs)
	filtered = filtered || strings.Contains(attrs, "filter=") || strings.Contains(attrs, "ident") || strings.Contains(attrs, "encoding")
	return f, filtered, err
}

// hashContent computes the id of a regular file without holding all of it; endings is true
// if git might change its line endings first.
func (c *Content) hashContent(name, attrs string) (id string, endings bool, err error) {
	file, err := safefile.Open("", name)
	if err != nil {
		return "", false, err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := file.Stat()
	if err != nil {
		return "", false, err
	}
	h := c.newHash()
	h.Write(idHeader("blob", info.Size()))
	buf := make([]byte, min(info.Size(), 64<<10))
	var returns, binary bool
	for left := info.Size(); left > 0; left -= int64(len(buf)) {
		buf = buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(file, buf); err != nil {
			return "", false, err // it shrank meanwhile
		}
		h.Write(buf)
		returns = returns || bytes.IndexByte(buf, '\r') >= 0
		binary = binary || bytes.IndexByte(buf, 0) >= 0
	}
	return string(h.Sum(nil)), returns && (!binary || callsText(attrs)), nil
}

// callsText reports whether attributes may call a file text whatever is in it. Otherwise
// git leaves the line endings of a file with a NUL alone.
func callsText(attrs string) bool {
	for line := range strings.Lines(attrs) {
		rest := strings.NewReplacer("text=auto", "", "-text", "").Replace(line)
		if strings.Contains(rest, "text") || strings.Contains(rest, "crlf") || strings.Contains(rest, "eol") && !strings.Contains(line, "text=auto") {
			return true
		}
	}
	return false
}

func (c *Content) newHash() hash.Hash {
	if c.oidSize == sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's own names for content
}

// filter replaces the ids of files that git filters.
func (c *Content) filter(ctx context.Context, which []int, paths []string, files []File) error {
	if len(which) == 0 {
		return nil
	}
	var in strings.Builder
	for _, i := range which {
		in.WriteString(paths[i] + "\n")
	}
	out, err := c.repo.RunWith(ctx, Opts{Stdin: strings.NewReader(in.String())}, "hash-object", "--stdin-paths")
	ids := strings.Fields(string(out))
	if err != nil || len(ids) != len(which) {
		// The filter failed: it is unknown what git would store.
		for _, i := range which {
			c.unknown(paths[i])
			c.Unreadable = append(c.Unreadable, paths[i])
		}
		return ctx.Err()
	}
	for n, i := range which {
		id, err := hex.DecodeString(ids[n])
		if err != nil {
			return fmt.Errorf("git hash-object: unexpected answer %q", ids[n])
		}
		files[i].ID = string(id)
	}
	return nil
}

// parallel calls do for 0 to n-1 on every processor, some at a time: one of them
// may be busy with something else. There are more workers than processors, as they
// wait for the file system.
func parallel(n int, do func(int)) {
	workers := min(2*runtime.GOMAXPROCS(0), n/64+1)
	share := n/(workers*64) + 1
	var next atomic.Int64
	work := func() {
		for {
			to := int(next.Add(int64(share)))
			for i := to - share; i < min(to, n); i++ {
				do(i)
			}
			if to >= n {
				return
			}
		}
	}
	var others beside.Work
	for range workers - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}
