package stop

import "gauntlet/internal/event"

type Hook struct{}

// An agent waits for it, and a panic in judge would end the process.
func (h *Hook) Run() []byte { // breaks: verdict
	d, err := judge("passed")
	if err != nil {
		return nil
	}
	return []byte(headline(d.Status))
}

type stopping struct{}

// This one recovers.
func (s *stopping) walk() (v event.Verdict) {
	defer func() {
		if recover() != nil {
			v.Status = event.Passed
		}
	}()
	return v
}

type decision struct {
	event.Verdict
	step int
}

func judge(status string) (decision, error) { // breaks: verdict
	return decision{Verdict: event.Verdict{Status: event.Status(status)}}, nil
}

func perhaps() *event.Verdict { return nil } // breaks: verdict

type step struct {
	decide func() (event.Verdict, error) // breaks: verdict
}

func headline(s event.Status) string {
	switch s { // breaks: verdict
	case event.Passed:
		return "passed"
	}
	switch s {
	case event.Passed, event.Failed:
		return "known"
	}
	switch s {
	case event.Passed:
	default:
		return "other"
	}
	if s == "pased" { // breaks: verdict
		return ""
	}
	const own, typed = "skipped", string("skipped")
	if s == own { // breaks: verdict
		return ""
	}
	return string(event.Status(own)) + string(event.Status(typed)) // breaks: verdict
}
