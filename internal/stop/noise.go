package stop

import (
	"regexp"
	"strings"
)

// noise lists the lines that runners print around what they run, as regular expressions for
// whole lines: banners, progress, totals, rules. They say nothing about what failed.
func noise() []string {
	return []string{
		// left out in any case
		`[.·FEsxXSUPW]{2,}(\s*\[\s*\d+%\])?`, `\S+ [.FEsxX]+\s+\[\s*\d+%\]`, // progress, one character per test
		`[=\-_*~#⎯─━!\s]{4,}`, `=+ .* =+`, `-{3,} .* -{3,}`, `!{3,} .* !{3,}`, // rules, and headings inside them
		`g?make(\[\d+\])?: (\*\*\* |Entering |Leaving |Nothing ).*`, `error: [Rr]ecipe .*`, `task: (Failed to run task|\[).*`,
		`npm (ERR!|error|warn|WARN|notice).*`, `> \S+@\S+ .*`, `> [a-z][\w./-]*( .*)?`, `yarn run v.*`, `error Command failed.*`, `info Visit .*`, `.*ELIFECYCLE.*`,
		// left out if there is enough else
		`\$ .*`,
		`(platform|rootdir|configfile|plugins|cachedir|testpaths|collected|collecting)[: ].*`, `Ran \d+ tests? in .*`, `FAILED \(.*`,
		`FAIL`, `PASS`, `(FAIL|ok|\?)\s+\t.*`, `(FAIL|ok)\t.*`, `exit status \d+`, `# \S+( \[.*\])?`, `=== \w+\s.*`, `go: (downloading|finding) .*`, `coverage: .*`,
		`\s*(Compiling|Checking|Finished|Running|Downloaded|Downloading|Doc-tests|Updating|Locking|Fresh|Blocking) .*`, `running \d+ tests?`,
		`test .* \.\.\. ok`, `test result: .*`, `failures:`, `error: test failed, to rerun .*`, `error: could not compile .*`, `note: run with .*`, `For more information about .*`,
		`(Test Suites|Tests|Snapshots|Time|Test Files|Duration|Start at): .*`, `\s*(Test Files|Tests|Duration|Start at|Errors)\s{2,}.*`, `Ran all test suites.*`, `PASS .*`, `\s*(RUN|DEV)\s+v.*`, `\s*[✓✔√] .*`,
		`ℹ .*`, `# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*`, `\s*# Subtest: .*`, `TAP version \d+`, `\s*1\.\.\d+`, `\s*ok \d+.*`, `\s*(---|\.\.\.)`, `\s*(duration_ms|type|failureType|code|stack|name|location|generatedMessage|operator|diff): .*`, `[\s{}()\[\];,]+`,
		`✖ \d+ problems? .*`, `\s*\d+ errors? .*potentially fixable.*`, `Found \d+ errors?.*`, `✖ failing tests:`, `\s*\d+ (passing|failing|pending).*`,
		`\[INFO\].*`, `\[ERROR\] (Failed to execute goal|To see the full|Re-run Maven|For more information|\[Help|Please refer|-> \[Help).*`, `\[ERROR\]\s*`, `BUILD (FAILED|FAILURE).*`, `FAILURE: Build failed.*`,
		`> Task .*`, `\d+ actionable tasks?.*`, `\* (Try|What went wrong|Get more help|Exception is).*`, `> (Run|Get) .*`,
		`\s+at .*(node:|node_modules[/\\]).*`, `Node\.js v\d.*`, `\s*File ".*(site-packages|[/\\]lib[/\\]python3).*`,
	}
}

// telling lists what a line contains that says what failed: a place in a file, words of
// failure, the mark of a failed test.
func telling() (place, words, mark *regexp.Regexp) {
	return regexp.MustCompile(`[\w./\\-]+\.\w+[:(]\d+|line \d+`),
		regexp.MustCompile(`(?i)\b(\w*error|fail(ed|ure)?|panic|assert\w*|\w*exception|undefined|expected|want|got|actual|received|cannot|not found|mismatch|wrong|missing|unused|invalid|denied)\b|==|!=|≠`),
		regexp.MustCompile(`^\s*(--- FAIL|✖|✗|×|✕|●|not ok|E |\d+\) |FAIL|ERROR|\(fail\))`)
}

// bare lists what is left out in any case, if anything else was printed: progress, rules, and
// what programs say that only run others.
func bare() string {
	return `^(?:` + strings.Join(noise()[:16], "|") + `|[\s{}()\[\];,]+)\s*$`
}

// withoutNoise removes the lines of runners, blank lines and repetitions. If nothing else
// was printed, they are all there is. rest are removed lines that still say something: totals,
// and frames of a stack.
func withoutNoise(lines []string) (out, rest []string) {
	re := regexp.MustCompile(`^(?:` + strings.Join(noise(), "|") + `)\s*$`)
	seen := map[string]bool{}
	var removed []string
	for _, l := range lines {
		key := strings.TrimSpace(l)
		switch {
		case key == "" || seen[key]:
		case re.MatchString(l):
			removed = append(removed, l)
		default:
			if name := strings.Trim(key, "_ "); strings.HasPrefix(key, "__") && name != "" {
				l = name // a heading inside a rule
			}
			out = append(out, l)
		}
		seen[key] = true
	}
	if len(out) == 0 {
		return removed, nil
	}
	never := regexp.MustCompile(bare())
	for _, l := range removed {
		if !never.MatchString(l) {
			rest = append(rest, l)
		}
	}
	return out, rest
}
