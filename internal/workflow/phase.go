package workflow

import (
	"slices"

	"gauntlet/internal/jsontree"
)

// Update is what changes about a phase. Zero fields change nothing.
type Update struct {
	Status        string
	Summary       *string
	FilesCreated  []string
	FilesModified []string
	Error         *string
	Task          *string         // the task at work, kept in the state
	Data          *jsontree.Value // anything else about the phase: an object
}

// patch is the update as one object to merge.
func (u Update) patch() (*jsontree.Value, error) {
	p := jsontree.NewObject()
	if !u.Data.Empty() {
		if u.Data.Kind() != jsontree.Object {
			return nil, errDataObject
		}
		p = u.Data.Clone()
	}
	if u.Status != "" {
		p.Set("status", jsontree.NewString(u.Status))
	}
	for key, text := range map[string]*string{"context_summary": u.Summary, "error": u.Error} {
		if text != nil {
			p.Set(key, jsontree.NewString(*text))
		}
	}
	for key, files := range map[string][]string{"files_created": u.FilesCreated, "files_modified": u.FilesModified} {
		if len(files) == 0 {
			continue
		}
		list := jsontree.NewStrings(files)
		merge(key, list, p.Get(key))
		p.SetInOrder(key, list, phaseOrder())
	}
	return p, nil
}

// applyUpdate merges an update into a record and moves the phase to the list of its status.
// It is the whole phase machine: a pure function of its arguments.
func applyUpdate(doc *jsontree.Value, phase string, u Update, now string) error {
	patch, err := u.patch()
	if err != nil {
		return err
	}
	phases, err := member(doc, "phases", "phases", jsontree.Object, recordOrder())
	if err != nil {
		return err
	}
	p, err := member(phases, phase, "phases."+phase, jsontree.Object, nil)
	if err != nil {
		return err
	}
	told := patch.Get("status") != nil || p.Get("status").Empty()
	for _, m := range patch.Members() {
		if old := p.Get(m.Key); old.Empty() || !merge(m.Key, old, m.Value) {
			p.SetInOrder(m.Key, m.Value, phaseOrder())
		}
	}
	if p.Get("status").Empty() {
		p.SetInOrder("status", jsontree.NewString(Pending), phaseOrder())
	}
	status, _ := p.Get("status").Text()
	if p.Get("started_at").Empty() {
		started := jsontree.NewNull()
		if status != Pending {
			started = jsontree.NewString(now)
		}
		p.SetInOrder("started_at", started, phaseOrder())
	}
	p.SetInOrder("updated_at", jsontree.NewString(now), phaseOrder())
	if (status == InProgress || status == Complete) && !p.Get("error").Empty() && patch.Get("error") == nil {
		p.Set("error", jsontree.NewNull()) // it is past
	}
	if !told {
		status = "" // more data for a phase that stays in its list
	}
	if err := move(doc, phase, status, u.Task); err != nil {
		return err
	}
	if !doc.Get("completed_at").Empty() {
		doc.Set("completed_at", jsontree.NewNull()) // the work continues
	}
	return nil
}

// move keeps the lists of the state consistent with the phase's status. An unknown status
// moves nothing.
func move(doc *jsontree.Value, phase, status string, task *string) error {
	state, err := member(doc, "state", "state", jsontree.Object, recordOrder())
	if err != nil {
		return err
	}
	if state.Get("current_phase") == nil {
		state.SetInOrder("current_phase", jsontree.NewNull(), stateOrder())
	}
	completed, err := member(state, "completed_phases", "state.completed_phases", jsontree.Array, stateOrder())
	if err != nil {
		return err
	}
	pending, err := member(state, "pending_phases", "state.pending_phases", jsontree.Array, stateOrder())
	if err != nil {
		return err
	}
	if task != nil {
		state.SetInOrder("current_task", jsontree.NewString(*task), stateOrder())
	}
	if !KnownStatus(status) {
		return nil
	}
	current, _ := state.Get("current_phase").Text()
	switch status {
	case InProgress:
		state.Set("current_phase", jsontree.NewString(phase))
		if current != phase && task == nil && !state.Get("current_task").Empty() {
			state.Set("current_task", jsontree.NewNull()) // another phase's
		}
		completed.RemoveString(phase)
		return nil
	case Complete:
		if !slices.Contains(completed.Strings(), phase) {
			completed.Append(jsontree.NewString(phase))
		}
		pending.RemoveString(phase)
	case Failed, Skipped:
		completed.RemoveString(phase)
		pending.RemoveString(phase)
	case Pending:
		completed.RemoveString(phase)
		if !slices.Contains(pending.Strings(), phase) {
			pending.Append(jsontree.NewString(phase))
		}
	}
	if current == phase {
		state.Set("current_phase", jsontree.NewNull())
		if task == nil && !state.Get("current_task").Empty() {
			state.Set("current_task", jsontree.NewNull())
		}
	}
	return nil
}

// member is the object or array at key, made when it is missing or null.
func member(doc *jsontree.Value, key, path string, kind jsontree.Kind, order []string) (*jsontree.Value, error) {
	v := doc.Get(key)
	if v.Kind() == kind {
		return v, nil
	}
	made, what := jsontree.NewObject(), "an object"
	if kind == jsontree.Array {
		made, what = jsontree.NewArray(), "an array"
	}
	if !v.Empty() {
		return nil, &shapeError{path, what}
	}
	doc.SetInOrder(key, made, order)
	return made, nil
}

// merge merges patch into old, deeply; false when the two cannot be merged and patch has to
// replace old. Lists of files grow, tasks in a list are matched by their id, every other
// list is replaced.
func merge(key string, old, patch *jsontree.Value) bool {
	switch {
	case old.Kind() == jsontree.Object && patch.Kind() == jsontree.Object:
		for _, m := range patch.Members() {
			if o := old.Get(m.Key); o.Empty() || !merge(m.Key, o, m.Value) {
				old.Set(m.Key, m.Value)
			}
		}
		return true
	case old.Kind() != jsontree.Array || patch.Kind() != jsontree.Array:
		return false
	case key == "files_created" || key == "files_modified":
		have := old.Strings()
		for _, e := range patch.Elems() {
			if s, ok := e.Text(); !ok || !slices.Contains(have, s) {
				old.Append(e)
				have = append(have, s)
			}
		}
		return true
	case key == "tasks" && haveIDs(old) && haveIDs(patch):
		for _, e := range patch.Elems() {
			id := e.Get("id").Literal()
			i := slices.IndexFunc(old.Elems(), func(o *jsontree.Value) bool { return o.Get("id").Literal() == id })
			if i >= 0 {
				merge("", old.Elems()[i], e)
			} else {
				old.Append(e)
			}
		}
		return true
	}
	return false
}

func haveIDs(list *jsontree.Value) bool {
	for _, e := range list.Elems() {
		if k := e.Get("id").Kind(); k != jsontree.String && k != jsontree.Number {
			return false
		}
	}
	return len(list.Elems()) > 0
}
