package workflow

import (
	"errors"
	"fmt"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
	"gauntlet/internal/tokens"
)

// The texts of these errors are the lines that other tools look for.

type corruptError struct {
	path  string
	cause error
}

func (e *corruptError) Error() string { return "Checkpoint file exists but is corrupt: " + e.path }
func (e *corruptError) Unwrap() error { return e.cause }

type versionError struct{ version string }

func (e *versionError) Error() string {
	return fmt.Sprintf("Unsupported checkpoint schema version: %s (expected %d)", e.version, Version)
}

// refusedError is a path that is neither read nor written.
type refusedError struct{ path, why string }

func (e *refusedError) Error() string {
	return fmt.Sprintf("Checkpoint path refused: %s %s", e.path, e.why)
}

// shapeError is valid JSON that does not have the shape of its part of a record.
type shapeError struct{ path, want string }

func (e *shapeError) Error() string { return fmt.Sprintf("%s is not %s", e.path, e.want) }

// summaryError is a summary over its limits.
type summaryError struct{ path, message string }

func (e *summaryError) Error() string { return e.message }

var (
	errNoCommand  = errors.New("no command given")
	errNoPhase    = errors.New("no phase given")
	errNotObject  = errors.New("the checkpoint is not a JSON object")
	errNoneToEnd  = errors.New("Cannot complete checkpoint: no checkpoint found") //nolint:staticcheck // the text is a contract
	errDataObject = errors.New("the data of a phase is not a JSON object")
)

// is reports whether an error is of this kind.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// maxShown bounds what a message quotes of a file.
const maxShown = 100

// checkVersion spells a wrong version as JavaScript would print it.
func checkVersion(doc *jsontree.Value) error {
	v := doc.Get("version")
	if n, ok := v.Number(); ok && n == Version {
		return nil
	}
	switch v.Kind() {
	case jsontree.Missing:
		return &versionError{"undefined"}
	case jsontree.String:
		s, _ := v.Text()
		return &versionError{redact.Line(s, maxShown)}
	default:
		return &versionError{redact.Line(string(v.Compact()), maxShown)}
	}
}

// checkSummaries checks every context_summary in doc, wherever it is.
func checkSummaries(doc *jsontree.Value) error {
	var found error
	doc.Walk(func(path, key string, v *jsontree.Value) {
		if key != "context_summary" || v.Empty() || found != nil {
			return
		}
		text, ok := v.Text()
		if !ok {
			found = &summaryError{path, "Context summary is not a string"}
		} else if r := tokens.Validate(text, tokens.Limit); !r.Valid {
			found = &summaryError{path, r.Error}
		}
	})
	return found
}
