package setup

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
)

// Action is what happens to a file.
type Action string

// Actions.
const (
	Create Action = "create"
	Append Action = "append"
	Keep   Action = "keep" // it exists, and stays unchanged
	// Replace is for a configuration that an earlier init wrote when it found no
	// gate, and that has not been edited since.
	Replace Action = "replace"
)

// File is one file of the plan.
type File struct {
	Path   string `json:"path"` // slash path from the root
	Action Action `json:"action"`
	// Text is what is added: the whole file, or what is appended to it.
	Text string `json:"text,omitempty"`
}

// Options select what to plan.
type Options struct {
	Root      string
	InGit     bool
	Reviewers []string // installed reviewers in order; with any, a sample review is proposed
	Getenv    func(string) string
	// Found is what the project was found to be; nil: look now.
	Found *Result
	// Trying: the files are written for the trial, and taken back after it.
	Trying bool
}

// Plan is what an init would do.
type Plan struct {
	Root    string
	Found   Result
	Entries []Entry
	Gates   []Gate
	Files   []File
	Notes   []string
	// Kept: a configuration was there, and nothing is proposed.
	Kept bool

	head string // of the files that are written for the trial
}

// Changes reports whether the plan writes anything.
func (p *Plan) Changes() bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.Action != Keep })
}

// Look finds out what the project at dir is made of.
func Look(dir string) (Result, error) {
	if _, err := safefile.ReadDir(dir, dir, 1); err != nil {
		return Result{}, fmt.Errorf("open the project: %w", err)
	}
	return Find(safefile.FS(dir)), nil
}

// HasConfig reports whether the project has a configuration already. One that init wrote
// without a gate does not count: what was missing may exist now.
func HasConfig(dir string) bool {
	return safefile.Exists(filepath.Join(dir, config.Dir, config.File)) && !isEmpty(dir)
}

// configFile is the project's configuration, from its root.
const configFile = config.Dir + "/" + config.File

// isEmpty reports whether the configuration is the one that init writes when it finds no
// gate.
func isEmpty(root string) bool {
	path := filepath.Join(root, filepath.FromSlash(configFile))
	data, err := safefile.Read(root, path, maxRead)
	info, statErr := os.Lstat(path)
	if err != nil || statErr != nil || !info.Mode().IsRegular() {
		return false
	}
	r := Find(safefile.FS(root))
	r.Unrun, r.Proposals = slices.DeleteFunc(r.Proposals, func(p Proposal) bool { return p.Role != Test }), nil
	return string(data) == renderConfig(nil, nil, renderCheckpoint(nil, nil)) || string(data) == renderConfig(nil, nil, renderCheckpoint(r.asked()))
}

// Make reads the project and plans. An existing configuration is never changed; an invalid
// one is the error, with its position.
func Make(o Options) (*Plan, error) {
	if err := usable(o.Root); err != nil {
		return nil, err
	}
	p := &Plan{Root: o.Root}
	if o.Trying {
		p.head = tryingLine
	}
	logDir := "gauntlet_logs"
	if p.exists(configFile) && !(isEmpty(o.Root) && o.Found != nil && len(o.Found.Proposals) > 0) {
		loaded, err := config.Load(o.Root, o.Getenv)
		if err != nil {
			return nil, err
		}
		logDir = loaded.Settings.LogDir
		p.Files = append(p.Files, File{Path: configFile, Action: Keep})
		p.Kept = true
		p.Notes = append(p.Notes, configFile+" exists and was not changed")
	} else {
		p.propose(o)
	}
	if o.InGit {
		p.ignore(ignoreLogs(o.Root, logDir))
	}
	return p, nil
}

// ignore adds the change of an ignore file, if there is one.
func (p *Plan) ignore(file File, note string) {
	if note != "" {
		p.Notes = append(p.Notes, note)
	}
	if file.Path != "" {
		p.Files = append(p.Files, file)
	}
}

// tryingLine begins the files that lie in the tree while init tries the gates. A trial that
// was killed leaves them behind; the next init removes them.
const tryingLine = "# gauntlet init is trying the gates.\n"

// Clear removes what a trial that was killed left in .gauntlet.
func Clear(root string) error {
	removed := false
	for _, dir := range []string{config.Dir + "/" + config.ChecksDir, config.Dir} {
		abs := filepath.Join(root, filepath.FromSlash(dir))
		files, _ := safefile.ReadDir(root, abs, -1) // none: there is nothing to clear
		for _, f := range files {
			name := filepath.Join(abs, f.Name())
			if text, err := safefile.Read(root, name, maxRead); err != nil || !strings.HasPrefix(string(text), tryingLine) {
				continue
			}
			if err := os.Remove(name); err != nil {
				return err
			}
			removed = true
		}
		if removed {
			_ = os.Remove(abs) // unless something else is in it
		}
	}
	return nil
}

// usable refuses a .gauntlet that is not a directory of this project.
func usable(root string) error {
	dir := filepath.Join(root, config.Dir)
	info, err := os.Stat(dir)
	switch {
	case !safefile.Exists(dir):
		return nil
	case err != nil || !safefile.Inside(root, dir):
		return fmt.Errorf("%s is a link that leads out of the project or nowhere; replace it by a directory", config.Dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory; move it away and run init again", config.Dir)
	}
	return nil
}

// propose plans a configuration for the project.
func (p *Plan) propose(o Options) {
	if o.Found != nil {
		p.Found = *o.Found
	} else {
		p.Found = Find(safefile.FS(o.Root))
	}
	p.Entries, p.Gates = p.Found.Gates()
	p.Notes = append(p.Notes, p.Found.Notes...)
	reviews := len(o.Reviewers) > 0
	p.add(configFile, renderConfig(p.Entries, o.Reviewers, renderCheckpoint(p.Found.asked())))
	for _, g := range p.Gates {
		p.addGate(g)
	}
	for _, g := range p.Gates {
		if t := g.trial; len(t.Rejects) > 0 && t.Ignore != "" {
			p.ignore(ignoreOwn(p.Root, t))
			p.Notes = append(p.Notes, g.Name+" checks Gauntlet's own files too: they are added to "+t.Ignore)
		}
	}
	if text := p.baseline(); text != "" {
		p.add(BaselineFile, text)
	}
	if reviews {
		p.add(path.Join(config.Dir, config.ReviewsDir, sampleReview+".md"), sampleReviewText)
	}
}

// checkFile is the file of a check, from the project's root.
func checkFile(name string) string { return path.Join(config.Dir, config.ChecksDir, name+".yml") }

// addGate plans a check unless one of that name exists with either extension.
func (p *Plan) addGate(g Gate) {
	file := checkFile(g.Name)
	if other := path.Join(config.Dir, config.ChecksDir, g.Name+".yaml"); p.exists(other) {
		p.Files = append(p.Files, File{Path: other, Action: Keep})
		return
	}
	p.add(file, renderCheck(g))
}

func (p *Plan) add(file, text string) {
	action := Create
	switch {
	case file == configFile && isEmpty(p.Root):
		action = Replace
	case p.exists(file):
		p.Files = append(p.Files, File{Path: file, Action: Keep})
		return
	}
	if strings.HasSuffix(file, ".yml") {
		text = p.head + text
	}
	p.Files = append(p.Files, File{Path: file, Action: action, Text: text})
}

func (p *Plan) exists(name string) bool {
	return safefile.Exists(filepath.Join(p.Root, filepath.FromSlash(name)))
}
