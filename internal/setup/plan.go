package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"gauntlet/internal/config"
)

// Action is what happens to a file.
type Action string

// Actions.
const (
	Create Action = "create"
	Append Action = "append"
	Keep   Action = "keep" // it is there, and stays as it is
	// Replace is for a configuration that an earlier init wrote when it found no
	// gate, and that nobody has touched since.
	Replace Action = "replace"
)

// File is one file of the plan.
type File struct {
	Path   string `json:"path"` // slash path from the root
	Action Action `json:"action"`
	// Text is what is added: the whole file, or what is appended to it.
	Text string `json:"text,omitempty"`
}

// Options say what to plan.
type Options struct {
	Root      string
	InGit     bool
	Reviewers []string // installed reviewers in order; with any, a sample review is proposed
	Getenv    func(string) string
	// Found is what the project was found to be; nil: look now.
	Found *Result
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
}

// Changes tells whether the plan writes anything.
func (p *Plan) Changes() bool {
	for _, f := range p.Files {
		if f.Action != Keep {
			return true
		}
	}
	return false
}

// Look finds out what the project at dir is made of.
func Look(dir string) (Result, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Result{}, fmt.Errorf("open the project: %w", err)
	}
	defer func() { _ = root.Close() }()
	return Find(root.FS()), nil
}

// HasConfig tells whether the project has a configuration already. One that init
// wrote without a gate does not count: what was missing may be there now.
func HasConfig(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	return exists(root, configFile) && !isEmpty(root)
}

// configFile is the project's configuration, from its root.
const configFile = config.Dir + "/" + config.File

// isEmpty: the configuration is the one that init writes when it finds no gate.
func isEmpty(root *os.Root) bool {
	info, err := root.Lstat(filepath.FromSlash(configFile))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
		return false
	}
	data, err := root.ReadFile(filepath.FromSlash(configFile))
	return err == nil && string(data) == renderConfig(nil, nil, nil)
}

// Make looks at the project and plans. An existing configuration is never
// changed; an invalid one is the error, with its place.
func Make(o Options) (*Plan, error) {
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return nil, fmt.Errorf("open the project: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := usable(root); err != nil {
		return nil, err
	}
	p := &Plan{Root: o.Root}
	logDir := "gauntlet_logs"
	switch {
	case exists(root, configFile) && !(isEmpty(root) && o.Found != nil && len(o.Found.Proposals) > 0):
		loaded, err := config.Load(o.Root, o.Getenv)
		if err != nil {
			return nil, err
		}
		logDir = loaded.Settings.LogDir
		p.Files = append(p.Files, File{Path: configFile, Action: Keep})
		p.Kept = true
		p.Notes = append(p.Notes, configFile+" is there already and was left as it is")
	default:
		p.propose(root, o)
	}
	if o.InGit {
		ignore, note := ignoreLogs(root, o.Root, logDir)
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
		if ignore.Path != "" {
			p.Files = append(p.Files, ignore)
		}
	}
	return p, nil
}

// usable refuses a .gauntlet that is not a directory of this project.
func usable(root *os.Root) error {
	info, err := root.Lstat(config.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", config.Dir, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = root.Stat(config.Dir); err != nil {
			return fmt.Errorf("%s is a link that leads out of the project or nowhere; replace it by a directory", config.Dir)
		}
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory; move it away and run init again", config.Dir)
	}
	return nil
}

// propose plans a configuration from what the project is made of.
func (p *Plan) propose(root *os.Root, o Options) {
	if o.Found != nil {
		p.Found = *o.Found
	} else {
		p.Found = Find(root.FS())
	}
	p.Entries, p.Gates = p.Found.Gates()
	p.Notes = append(p.Notes, p.Found.Notes...)
	reviews := len(o.Reviewers) > 0
	p.add(root, configFile, renderConfig(p.Entries, p.Gates, o.Reviewers))
	for _, g := range p.Gates {
		p.addGate(root, g)
	}
	if reviews {
		p.add(root, path.Join(config.Dir, config.ReviewsDir, sampleReview+".md"), sampleReviewText)
	}
}

// addGate plans a check unless one of that name is there under either ending.
func (p *Plan) addGate(root *os.Root, g Gate) {
	file := path.Join(config.Dir, config.ChecksDir, g.Name+".yml")
	if other := path.Join(config.Dir, config.ChecksDir, g.Name+".yaml"); exists(root, other) {
		p.Files = append(p.Files, File{Path: other, Action: Keep})
		return
	}
	p.add(root, file, renderCheck(g))
}

func (p *Plan) add(root *os.Root, file, text string) {
	action := Create
	switch {
	case file == configFile && isEmpty(root):
		action = Replace
	case exists(root, file):
		p.Files = append(p.Files, File{Path: file, Action: Keep})
		return
	}
	p.Files = append(p.Files, File{Path: file, Action: action, Text: text})
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(filepath.FromSlash(name))
	return err == nil
}
