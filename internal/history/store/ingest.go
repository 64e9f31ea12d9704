package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"gauntlet/internal/event"
	"gauntlet/internal/history"
	"gauntlet/internal/safefile"
)

// maxLine bounds one line of the spool; Gauntlet writes far shorter ones.
const maxLine = 1 << 20

// headLen is how much of a segment's beginning distinguishes it from another file of
// the same name.
const headLen = 256

// mark is how far a segment was read.
type mark struct {
	offset  int64
	headLen int64
	head    []byte
}

// ingest reads what is in the spool and not in the store.
func (s *Store) ingest(dir string) (err error) {
	names, err := history.Segments(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	marks, err := s.marks()
	if err != nil {
		return err
	}
	txn, err := s.db.BeginImmediate()
	if err != nil {
		return err
	}
	defer txn.End(&err)
	insert, _, err := s.db.Prepare("INSERT OR IGNORE INTO records (hash, type, id, time, project, body, session, gate) VALUES (?,?,?,?,?,?,?,?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	newest, err := s.integer("SELECT coalesce(max(seq), 0) FROM records")
	if err != nil {
		return err
	}
	for _, name := range names {
		m, err := s.segment(insert, filepath.Join(dir, name), marks[name])
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue // rotated away meanwhile, or owned by another user
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := s.setMark(name, m); err != nil {
			return err
		}
	}
	err = s.db.Exec(fmt.Sprintf(`%s AND seq > %d;
%[4]s AND seq > %[2]d;
DELETE FROM records WHERE seq <= (SELECT max(seq) FROM records) - %d;
DELETE FROM facts WHERE seq <= (SELECT max(seq) FROM records) - %[3]d;
DELETE FROM texts WHERE seq <= (SELECT max(seq) FROM records) - %[3]d;`, factsFill, newest, maxRecords, textsFill))
	if err != nil {
		return err
	}
	return s.learn()
}

// learn adds what was found out later to the verdict, or to its gate.
func (s *Store) learn() error {
	for _, late := range s.late {
		typ := history.Verdict
		if late.Gate != "" {
			typ = history.Gate
		}
		var seq int64
		body := map[string]any{}
		err := s.each("SELECT seq, body FROM records WHERE id = ? AND type = ? AND gate = ? LIMIT 1", func(q *sqlite3.Stmt) error {
			return bindAll(q, []any{late.ID, string(typ), late.Gate})
		}, func(row *sqlite3.Stmt) {
			if json.Unmarshal([]byte(row.ColumnText(1)), &body) == nil {
				seq = row.ColumnInt64(0)
			}
		})
		if err != nil {
			return err
		}
		if seq == 0 {
			continue // it is older than what is kept
		}
		badges, _ := body["badges"].([]any)
		for _, b := range late.Badges {
			if !slices.Contains(badges, any(string(b))) {
				badges = append(badges, string(b))
			}
		}
		if len(badges) > 0 {
			body["badges"] = badges
		}
		for key, answer := range map[string]*event.Answer{"undo": late.Undo, "oldTests": late.OldTests, "canary": late.Canary} {
			if answer != nil {
				body[key] = answer
			}
		}
		if late.TestDiff != "" {
			body["testDiff"] = late.TestDiff
		}
		whole, err := json.Marshal(body)
		if err != nil {
			return err
		}
		list, err := json.Marshal(badges)
		if err != nil {
			return err
		}
		err = errors.Join(s.run("UPDATE records SET body = ? WHERE seq = ?", string(whole), seq), s.run("UPDATE facts SET badges = ? WHERE seq = ?", string(list), seq))
		if err != nil {
			return err
		}
	}
	s.late = nil
	return nil
}

// run runs one statement.
func (s *Store) run(sql string, args ...any) error {
	return s.each(sql, func(q *sqlite3.Stmt) error { return bindAll(q, args) }, func(*sqlite3.Stmt) {})
}

// segment reads the complete lines after the mark. The last line may not be complete yet.
func (s *Store) segment(insert *sqlite3.Stmt, path string, m mark) (mark, error) {
	f, err := safefile.Open("", path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return m, err
	}
	if info.Size() < m.offset || !sameHead(f, m) {
		m = mark{} // another file by that name: duplicates are ignored
	}
	if info.Size() == m.offset {
		return m, nil
	}
	if _, err := f.Seek(m.offset, io.SeekStart); err != nil {
		return m, err
	}
	r := bufio.NewReaderSize(f, 64<<10)
	for {
		line, size, err := readLine(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m, err
		}
		m.offset += size
		if err := s.add(insert, line); err != nil {
			return m, err
		}
	}
	m.headLen = min(m.offset, headLen)
	m.head, err = head(f, m.headLen)
	return m, err
}

// readLine reads up to the next newline; a line that is too long is returned empty, with
// its size.
func readLine(r *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if size += int64(len(part)); size <= maxLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func (s *Store) add(insert *sqlite3.Stmt, line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var rec history.Record
	if json.Unmarshal(line, &rec) != nil || rec.ID == "" || rec.Type == "" {
		s.Unreadable++
		return nil //nolint:nilerr // counted: a torn line must not cost the others
	}
	if rec.Type == history.Meaning {
		s.late = append(s.late, rec)
	}
	sum := sha256.Sum256(line)
	err := errors.Join(
		insert.BindBlob(1, sum[:16]), insert.BindText(2, string(rec.Type)), insert.BindText(3, rec.ID),
		insert.BindInt64(4, rec.Time.UnixMicro()), insert.BindText(5, rec.Project), insert.BindText(6, string(line)),
		insert.BindText(7, rec.Session), insert.BindText(8, rec.Gate))
	if err != nil {
		return err
	}
	err = insert.Exec()
	return errors.Join(err, insert.Reset())
}

func sameHead(f *os.File, m mark) bool {
	sum, err := head(f, m.headLen)
	return err == nil && (m.headLen == 0 || bytes.Equal(sum, m.head))
}

func head(f *os.File, n int64) ([]byte, error) {
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	sum := sha256.Sum256(buf)
	return sum[:8], nil
}

func (s *Store) marks() (map[string]mark, error) {
	all := map[string]mark{}
	err := s.each("SELECT name, offset, head_len, head_hash FROM segments", nil, func(row *sqlite3.Stmt) {
		all[row.ColumnText(0)] = mark{row.ColumnInt64(1), row.ColumnInt64(2), row.ColumnBlob(3, nil)}
	})
	return all, err
}

func (s *Store) setMark(name string, m mark) error {
	return s.each("INSERT OR REPLACE INTO segments (name, offset, head_len, head_hash) VALUES (?,?,?,?)", func(q *sqlite3.Stmt) error {
		return errors.Join(q.BindText(1, name), q.BindInt64(2, m.offset), q.BindInt64(3, m.headLen), q.BindBlob(4, m.head))
	}, func(*sqlite3.Stmt) {})
}
