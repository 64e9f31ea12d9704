package replay

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// keepSamples is how many stops are stored to be shown; the newest replay's first.
const keepSamples = 2000

// maxSamplesFile bounds the file that keeps them.
const maxSamplesFile = 32 << 20

// Save stores the stops of a report in dir so that Show finds them. Nothing that Gauntlet
// uses for decisions is stored there.
func Save(dir string, r Report) error {
	path := filepath.Join(dir, "samples.json")
	list := append([]Sample{}, r.all...)
	if r.Against != nil {
		list = append(list, r.Against.all...)
	}
	list = append(list, load(path)...)
	seen, kept := map[string]bool{}, []Sample{}
	for _, s := range list {
		if !seen[s.ID] && len(kept) < keepSamples {
			seen[s.ID] = true
			kept = append(kept, s)
		}
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := safefile.MakeDir(dir, 0o700); err != nil {
		return err
	}
	if err := safefile.Write(path, data, 0o600); err != nil {
		return err
	}
	if data, err = json.Marshal(r); err != nil {
		return err
	}
	return safefile.Write(filepath.Join(dir, reportFile), data, 0o600)
}

// reportFile stores the newest report, for the page.
const reportFile = "report.json"

// Latest is the newest report stored in dir; ok is false without one.
func Latest(dir string) (r Report, ok bool) {
	data, err := safefile.Read(dir, filepath.Join(dir, reportFile), maxSamplesFile)
	return r, err == nil && json.Unmarshal(data, &r) == nil
}

// Show finds a stop by its ID, or by the beginning or end of it.
func Show(dir, id string) []Sample {
	var found []Sample
	for _, s := range load(filepath.Join(dir, "samples.json")) {
		if s.ID == id {
			return []Sample{s}
		}
		if id != "" && (strings.HasPrefix(s.ID, id) || strings.HasSuffix(s.ID, id)) {
			found = append(found, s)
		}
	}
	return found
}

func load(path string) []Sample {
	data, err := safefile.Read(filepath.Dir(path), path, maxSamplesFile)
	var list []Sample
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}
