package finding

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// decodeXML decodes a report whose root is one of the names. Entities beyond
// XML's own are not expanded, so a report cannot grow while it is read.
func decodeXML(data []byte, out any, names ...string) error {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return errors.New("no " + names[0] + " element")
		}
		if err != nil {
			return err
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, name := range names {
			if start.Name.Local == name {
				return dec.DecodeElement(out, &start)
			}
		}
		return errors.New("the root is " + strconv.Quote(plain(start.Name.Local, 40)) + ", not " + names[0])
	}
}

type checkstyle struct {
	Version string `xml:"version,attr"`
	Files   []struct {
		Name   string `xml:"name,attr"`
		Errors []struct {
			Line     string `xml:"line,attr"`
			Column   string `xml:"column,attr"`
			Severity string `xml:"severity,attr"`
			Message  string `xml:"message,attr"`
			Source   string `xml:"source,attr"`
		} `xml:"error"`
	} `xml:"file"`
}

func (p *parser) checkstyle(data []byte) error {
	var doc checkstyle
	if err := decodeXML(data, &doc, "checkstyle"); err != nil {
		return err
	}
	for _, file := range doc.Files {
		for _, e := range file.Errors {
			severity := strings.ToLower(e.Severity)
			if severity == "ignore" {
				continue
			}
			p.add(Finding{Line: number(e.Line), Column: number(e.Column), Rule: e.Source, Message: e.Message, Severity: severity}, file.Name)
		}
	}
	return nil
}

type junitSuite struct {
	Name   string       `xml:"name,attr"`
	File   string       `xml:"file,attr"`
	Errors string       `xml:"errors,attr"`
	Fails  string       `xml:"failures,attr"`
	Suites []junitSuite `xml:"testsuite"`
	Cases  []junitCase  `xml:"testcase"`
	Error  []junitFault `xml:"error"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	File    string       `xml:"file,attr"`
	Line    string       `xml:"line,attr"`
	Failure []junitFault `xml:"failure"`
	Error   []junitFault `xml:"error"`
	Skipped []struct{}   `xml:"skipped"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// maxNesting bounds suites within suites.
const maxNesting = 50

func (p *parser) junit(data []byte) error {
	var root junitSuite
	if err := decodeXML(data, &root, "testsuites", "testsuite"); err != nil {
		return err
	}
	p.junitSuite(root, "", maxNesting)
	return nil
}

func (p *parser) junitSuite(s junitSuite, outer string, depth int) {
	if depth == 0 {
		p.full = true
		return
	}
	name := cmp.Or(s.Name, outer)
	for _, e := range s.Error {
		p.add(Finding{Test: name, Rule: "error", Message: firstLine(e.Message, e.Text), Severity: Err}, s.File)
	}
	before := len(p.report.Findings)
	defer func() {
		// A suite that failed outside its tests, as one that crashed, names none.
		if len(s.Error) == 0 && number(s.Errors)+number(s.Fails) > 0 && len(p.report.Findings) == before {
			p.add(Finding{Test: name, Rule: "error", Message: strings.TrimSpace(name + " failed outside its tests"), Severity: Err}, s.File)
		}
	}()
	for _, c := range s.Cases {
		if len(c.Skipped) == 0 {
			p.report.Tests++
		}
		faults := append(c.Failure, c.Error...)
		if len(faults) == 0 {
			continue
		}
		p.report.Failed++
		class := cmp.Or(c.Class, name)
		file := cmp.Or(c.File, s.File)
		p.add(Finding{
			Test: strings.Trim(class+" "+c.Name, " "), Rule: "test", Line: number(c.Line),
			Message: strings.TrimSpace(c.Name + ": " + firstLine(faults[0].Message, faults[0].Text)), Severity: Err,
		}, file)
	}
	for _, inner := range s.Suites {
		p.junitSuite(inner, name, depth-1)
	}
}

// firstLine is the first line with content.
func firstLine(texts ...string) string {
	for _, t := range texts {
		for line := range strings.Lines(t) {
			if line = strings.TrimSpace(line); line != "" {
				return line
			}
		}
	}
	return ""
}

// number reads a line or column; anything else is 0.
func number(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
