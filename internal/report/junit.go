package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/redact"
	"gauntlet/internal/run"
)

// junit is the run as JUnit XML: a suite per kind of gate, a test case per
// gate. It is written by hand: a handful of elements needs no types.
func junit(res run.Result, about About) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	fmt.Fprintf(&b, "<testsuites name=\"gauntlet\"%s time=\"%s\">\n", tally(res.Gates), seconds(about.Took))
	for _, kind := range []gate.Kind{gate.KindCheck, gate.KindReview} {
		var gates []gate.Result
		var total time.Duration
		for _, g := range res.Gates {
			if g.Kind == kind {
				gates = append(gates, g)
				total += time.Duration(g.DurationMS) * time.Millisecond
			}
		}
		if len(gates) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  <testsuite name=\"%s\"%s time=\"%s\" timestamp=\"%s\">\n", kind, tally(gates), seconds(total), about.Started.UTC().Format("2006-01-02T15:04:05"))
		for _, g := range gates {
			testcase(&b, g)
		}
		b.WriteString("  </testsuite>\n")
	}
	b.WriteString("</testsuites>\n")
	return b.Bytes()
}

func tally(gates []gate.Result) string {
	n := map[gate.Status]int{}
	for _, g := range gates {
		n[g.Status]++
	}
	return fmt.Sprintf(` tests="%d" failures="%d" errors="%d" skipped="%d"`, len(gates), n[gate.Fail], n[gate.Error], n[gate.Skipped])
}

func testcase(b *bytes.Buffer, g gate.Result) {
	fmt.Fprintf(b, "    <testcase classname=\"%s\" name=\"%s\" time=\"%s\"", escape(string(g.Kind)+"."+g.Entry), escape(cmp.Or(g.Name, g.ID)), seconds(time.Duration(g.DurationMS)*time.Millisecond))
	inside := properties(g)
	switch g.Status {
	case gate.Fail, gate.Error:
		element := map[gate.Status]string{gate.Fail: "failure", gate.Error: "error"}[g.Status]
		inside += fmt.Sprintf("      <%s message=\"%s\" type=\"%s\">%s</%s>\n", element, escape(g.Message), g.Kind, escape(details(g)), element)
	case gate.Skipped:
		inside = fmt.Sprintf("      <skipped message=\"%s\"/>\n", escape(g.Message))
	case gate.Pass:
		if g.Cached {
			inside = "      <system-out>reused: nothing it depends on changed</system-out>\n"
		}
	}
	if inside == "" {
		b.WriteString("/>\n")
		return
	}
	fmt.Fprintf(b, ">\n%s    </testcase>\n", inside)
}

// maxProperties bounds the fingerprints of one gate.
const maxProperties = 1000

// properties are the fingerprints of a check's findings and whether they are new.
func properties(g gate.Result) string {
	if g.Report == nil || len(g.Findings) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("      <properties>\n")
	for i, f := range g.Findings {
		if i == maxProperties {
			break
		}
		if f.State != "" && (i == 0 || g.Findings[i-1].State != f.State) {
			fmt.Fprintf(&b, "        <property name=\"baselineState\" value=\"%s\"/>\n", f.State)
		}
		fmt.Fprintf(&b, "        <property name=\"fingerprint\" value=\"%s=%s\"/>\n", fingerprintKey, g.Fingerprint(f))
	}
	b.WriteString("      </properties>\n")
	return b.String()
}

// details is everything a person needs to understand a gate that did not pass.
func details(g gate.Result) string {
	var parts []string
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, label+text)
		}
	}
	add("command: ", g.Command)
	for _, f := range g.Findings {
		add("", f.String())
		add("  fix: ", f.Fix)
	}
	add("", g.Tail)
	add("", g.FixInstructions)
	add("log: ", g.LogPath)
	return strings.Join(parts, "\n")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// escape makes text safe in XML: no markup, no secret, and none of the characters that XML
// cannot represent.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(redact.Strip(redact.String(s)))) // a builder takes everything
	return b.String()
}
