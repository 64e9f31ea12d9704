package gate

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/finding"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
)

// maxCaptured bounds the part of a check's output that is kept in memory to be read as a
// report; a longer one belongs in a report_file.
const maxCaptured = 8 << 20

// capture keeps a check's output beside its log, if it is to be read.
type capture struct {
	log            *gateLog
	stdout, stderr io.Writer
	mu             sync.Mutex
	kept           proc.Kept
	// before is the report file as an earlier run left it.
	before fileState
}

// fileState shows whether a file was written meanwhile.
type fileState struct {
	size int64
	at   time.Time
}

func stateOf(path string) fileState {
	info, err := os.Lstat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime()}
}

func newCapture(c *config.Check, dir string, log *gateLog) *capture {
	out := &capture{log: log, stdout: log, stderr: log, kept: proc.Kept{Head: maxCaptured}}
	if c.ReportFile != "" {
		out.before = stateOf(filepath.Join(dir, filepath.FromSlash(c.ReportFile)))
	}
	switch c.ReportFormat() {
	case "":
	case "sarif", "checkstyle", "junit", "rdjson":
		if c.ReportFile == "" {
			out.stdout = io.MultiWriter(log, out)
		}
	default: // tools disagree about which stream messages for people belong to
		if c.ReportFile == "" {
			both := io.MultiWriter(log, out)
			out.stdout, out.stderr = both, both
		}
	}
	return out
}

// Write keeps what fits and never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Write(p)
}

// readReport turns the output of a check into findings. If the report is broken, the exit
// code alone decides.
func (res *Result) readReport(j Job, env Env, command string, out *capture) {
	format := j.Check.ReportFormat()
	if format == "" || res.Status == Error {
		return
	}
	res.Report = &Report{}
	note := func(err error) {
		res.Report.Note = redact.Line(err.Error(), 300) + "; the exit code decides"
	}
	data := out.kept.Last()
	if file := j.Check.ReportFile; file != "" {
		if now := stateOf(filepath.Join(env.at(j.Dir), filepath.FromSlash(file))); now == out.before && !now.at.IsZero() {
			note(fmt.Errorf("report_file %s is left from an earlier run", file))
			return
		}
		var err error
		if data, err = safefile.Read(env.at(env.Root), filepath.Join(env.at(j.Dir), filepath.FromSlash(file)), finding.MaxReport); err != nil {
			note(fmt.Errorf("report_file %s cannot be read: %w", file, err))
			return
		}
	} else if !out.kept.Whole() { // a part of a report is useless
		note(fmt.Errorf("the output is larger than %d MB (use report_file)", maxCaptured>>20))
		return
	}
	dir, err := filepath.Rel(env.Root, j.Dir)
	if err != nil {
		dir = "."
	}
	report, err := finding.Parse(data, finding.Source{
		Format: format, Command: command, Root: env.Root, Dir: filepath.ToSlash(dir), Text: sourceText(env.Root),
	})
	if err != nil {
		note(err)
		return
	}
	if j.Check.ReportFile != "" {
		report.Unread = nil
		if output, whole := out.log.output(); whole {
			report.Unread = finding.UnreadIn(output, report.HasTests())
		}
	}
	res.Report.Unread = report.Unread
	res.Report.Tool, res.Report.Tests, res.Report.Failed, res.Report.Outside = report.Tool, report.Tests, report.Failed, report.Outside
	if report.Outside > 0 {
		res.Report.Note = fmt.Sprintf("%d findings name no file of the project", report.Outside)
	}
	for _, f := range report.Findings {
		res.Findings = append(res.Findings, Finding{
			File: f.Path, Line: f.Line, Column: f.Column, Rule: f.Rule, Issue: redact.String(f.Message), Priority: f.Severity, Test: f.Test, Print: f.Print,
		})
	}
	if len(report.Findings) == 0 && res.Status == Fail {
		res.Report.Note = strings.TrimPrefix(res.Report.Note+"; it failed without a finding: the exit code decides", "; ")
	}
}

// identify determines what failed, by the report that the check asks for, else by what its
// output names: a failure is compared with earlier ones whether or not a report is wanted.
func (res *Result) identify(j Job, env Env, command string, log *gateLog) {
	if res.Status != Fail {
		return
	}
	output, whole := log.read()
	dir, err := filepath.Rel(env.Root, j.Dir)
	if err != nil {
		dir = "."
	}
	f := finding.Identify(output, whole, finding.Source{Command: command, Root: env.Root, Dir: filepath.ToSlash(dir), Text: sourceText(env.at(env.Root))})
	if res.Report != nil && len(res.Findings) > 0 {
		list := make([]finding.Finding, 0, len(res.Findings))
		for _, one := range res.Findings {
			id := one.Identity()
			id.Severity = one.Priority
			list = append(list, id)
		}
		f = f.Of(list, res.Report.Unread)
	}
	if f.TimedOut = res.TimedOut; res.ExitCode != nil {
		f.Exit = *res.ExitCode
	}
	res.Failure = &f
}

// maxSource bounds a source file whose lines distinguish findings.
const maxSource = 4 << 20

// sourceText reads files of the project and nothing else.
func sourceText(root string) func(string) []byte {
	return func(name string) []byte {
		data, err := safefile.Read(root, filepath.Join(root, filepath.FromSlash(name)), maxSource)
		if err != nil {
			return nil
		}
		return data
	}
}
