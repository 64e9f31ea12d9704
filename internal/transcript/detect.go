package transcript

import (
	"slices"
	"strings"
)

// shape is which members a line has, each of the kind that some format expects.
type shape struct {
	typ, payload, stamp, id, uuid, session, message, set, header, messages, leaf, data, parts, info, exported, qwen bool

	typeName string
	foreign  bool // a message in an unknown shape
}

// shapeOf looks at the members of a line; ok is false if it is not an object.
func shapeOf(line []byte) (has shape, ok bool) {
	ok = walk(line, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			has.typ, has.typeName = true, text(v)
		case "payload":
			has.payload = isObject(v)
		case "timestamp":
			has.stamp = true
		case "id":
			has.id = isString(v)
		case "uuid":
			has.uuid = isString(v)
		case "sessionId", "session_id":
			has.session = isString(v)
		case "leafUuid":
			has.leaf = true
		case "message":
			has.message = isObject(v)
			has.foreign = has.message && field(v, "content") == nil
			has.qwen = has.qwen || has.foreign && isArray(field(v, "parts"))
		case "provenance", "systemPayload", "toolCallResult":
			has.qwen = true
		case "data":
			has.data = isObject(v)
		case "info":
			has.info = isObject(v) && field(v, "role") != nil
			has.exported = isObject(v) && field(v, "directory") != nil
		case "parts":
			has.parts = isArray(v)
		case "$set", "$rewindTo":
			has.set = true
		case "projectHash", "startTime":
			has.header = true
		case "messages":
			has.messages = isArray(v)
		}
		return true
	})
	return has, ok
}

// detect recognises the format by the shape of one line; nil when it is unknown.
func detect(line []byte) (string, normaliser) {
	has, ok := shapeOf(line)
	typ := has.typeName
	switch {
	case !ok:
		return "", nil
	case has.qwen && has.uuid:
		return FormatQwen, &qwenLog{}
	case has.foreign:
		return "", nil
	case has.messages && has.exported && !has.typ:
		return FormatOpenCode, newDocument(FormatOpenCode)
	case has.info && has.parts:
		return FormatOpenCode, &opencodeLog{}
	case has.data && has.id && has.stamp && strings.Contains(typ, "."):
		return FormatCopilot, &copilotLog{}
	case !has.uuid && has.id && (typ == "message" && has.message || typ == "session_start"):
		return FormatDroid, &droidLog{}
	case has.typ && has.payload && has.stamp && !has.uuid:
		return FormatCodex, &codexLog{}
	case has.messages && !has.typ && (has.session || has.header):
		return FormatGemini, newDocument(FormatGemini)
	case has.set, has.header && has.session && !has.typ:
		return FormatGemini, &geminiLog{}
	case has.id && has.stamp && !has.uuid && !has.message && isGeminiType(typ):
		return FormatGemini, &geminiLog{}
	case has.typ && (has.uuid || has.session || has.leaf || has.message):
		return FormatClaude, &claudeLog{}
	}
	return "", nil
}

// isForeign reports whether a line is from a client whose logs look like Droid's or
// Claude's and are not: Pi keeps the result of a tool in a message of its own and records
// with every reply why it ended.
func isForeign(line []byte) bool {
	message := field(line, "message")
	if !isObject(message) || field(line, "uuid") != nil {
		return false
	}
	return text(field(message, "role")) == "toolResult" || field(message, "stopReason") != nil
}

func isGeminiType(t string) bool {
	return slices.Contains([]string{"user", "gemini", "info", "warning", "error"}, t)
}
