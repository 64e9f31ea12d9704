package stop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gauntlet/internal/gate"
	"gauntlet/internal/run"
)

// signature identifies a set of failures: which gates, and what failed in them.
func signature(failed []gate.Result) string {
	h := sha256.New()
	for _, g := range failed {
		fmt.Fprintf(h, "%s\x00%s\x00", g.ID, g.Message)
		if g.Failure != nil {
			fmt.Fprintf(h, "%s\x00", g.Failure.Print())
			continue
		}
		for _, f := range g.Findings { // of a review
			fmt.Fprintf(h, "%s:%d:%s\x00", f.File, f.Line, f.Issue)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// resultOf identifies which gates failed, how and on which content, "" if the content is
// unknown. An output that names nothing does not count: the same tests on the same content
// take another time, or run in another order.
func resultOf(res run.Result) string {
	if res.Sight == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", res.Sight)
	for _, g := range res.Failed() {
		fmt.Fprintf(h, "%s\x00%s\x00", g.ID, g.Message)
		if g.Failure != nil {
			fmt.Fprintf(h, "%s\x00", g.Failure.Names())
			continue
		}
		for _, f := range g.Findings { // of a review
			fmt.Fprintf(h, "%s:%d:%s\x00", f.File, f.Line, f.Issue)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
