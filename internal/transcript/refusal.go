package transcript

import (
	"regexp"
	"strings"
	"sync"
)

// refusalWords match a client's message that a call was not made: the person, a rule or a
// hook refused it. What a command printed about a file it may not open ("Permission
// denied") does not match.
var refusalWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(error: )?` +
		`(permission (for|to|request|rule|was|has)|the user|user|(this|the|your) (tool|command|action|operation|request|call|edit)|tool (use|call|execution)|` +
		`(command|operation|action|request|call|execution) |approval|blocked|denied|rejected|refused|cancell?ed|skipped|sibling tool)` +
		`.*(denied|reject|refus|declin|disallow|not allowed|not permitted|not approved|blocked|cancell?ed|skipped|doesn't want|does not want|requires approval|was not (run|executed)|errored)`)
})

// refused reports whether the text of a result without an exit status means that the call
// was never made.
func refused(output string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	line = strings.TrimPrefix(line, "<tool_use_error>")
	return len(line) < 2000 && refusalWords().MatchString(line)
}
