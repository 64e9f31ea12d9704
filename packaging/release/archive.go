package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"time"
)

// packed is one file of an archive.
type packed struct {
	name string
	data []byte
	mode int64
}

func (r *release) archiveName(t target) string {
	ext := ".tar.gz"
	if t.goos == "windows" {
		ext = ".zip"
	}
	return "gauntlet_" + r.version + "_" + t.name() + ext
}

// archives packs the programs with the files that people expect beside them.
func (r *release) archives(context.Context) error {
	for _, t := range r.targets {
		files, err := r.contents(t)
		if err != nil {
			return err
		}
		name := r.archiveName(t)
		pack := tarGz
		if t.goos == "windows" {
			pack = zipped
		}
		data, err := pack(files, r.at)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(r.out, name), data); err != nil {
			return err
		}
		if r.sums[name], err = digest(filepath.Join(r.out, name)); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) contents(t target) ([]packed, error) {
	var files []packed
	add := func(name, from string, mode int64) error {
		data, err := os.ReadFile(from)
		files = append(files, packed{name, data, mode})
		return err
	}
	for _, program := range programs {
		if err := add(t.exe(program), r.bin(t, program), 0o755); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		if err := add(name, filepath.Join(r.root, name), 0o644); err != nil {
			return nil, err
		}
	}
	share := filepath.Join(r.out, "build", "share")
	for _, name := range []string{"completions/_gauntlet", "completions/gauntlet.bash", "completions/gauntlet.fish", "completions/gauntlet.ps1", "man/man1/gauntlet.1"} {
		if err := add(name, filepath.Join(share, filepath.FromSlash(name)), 0o644); err != nil {
			return nil, err
		}
	}
	sortByName(files)
	return files, nil
}

// tarGz packs files without anything that changes from one build to the next.
func tarGz(files []packed, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	zw, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	tw := tar.NewWriter(zw)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := tw.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := tw.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func zipped(files []packed, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.mode))
		w, err := zw.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
