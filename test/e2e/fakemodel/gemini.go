package fakemodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Gemini is the generateContent API as Gemini CLI uses it.
func Gemini() Dialect {
	return Dialect{
		handles: func(r *http.Request, body []byte) bool {
			// Side requests (loop check, routing, summaries) are offered no tools.
			return strings.HasSuffix(r.URL.Path, ":streamGenerateContent") && bytes.Contains(body, []byte(`"read_file"`))
		},
		decode: decodeGemini,
		reply:  replyGemini,
		aside: func(w http.ResponseWriter, r *http.Request, body []byte) {
			switch {
			case strings.HasSuffix(r.URL.Path, ":countTokens"):
				writeJSON(w, http.StatusOK, object{"totalTokens": len(body) / 4})
			case strings.HasSuffix(r.URL.Path, ":generateContent"):
				writeJSON(w, http.StatusOK, geminiChunk([]any{object{"text": `{"confidence":0,"reasoning":"scripted"}`}}, 10))
			case strings.HasSuffix(r.URL.Path, ":streamGenerateContent"):
				replyGemini(w, r, Say("scripted"), -1, "")
			default:
				writeJSON(w, http.StatusNotFound, object{"error": object{"code": 404, "message": "not served here"}})
			}
		},
	}
}

func decodeGemini(body []byte) ([]Message, error) {
	var req struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text         string `json:"text"`
				FunctionCall *struct {
					Name string          `json:"name"`
					Args json.RawMessage `json:"args"`
				} `json:"functionCall"`
				FunctionResponse *struct {
					Response json.RawMessage `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, fmt.Errorf("generateContent request: %w", err)
	}
	var out []Message
	for _, c := range req.Contents {
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				out = append(out, Message{"call", p.FunctionCall.Name + " " + string(p.FunctionCall.Args)})
			case p.FunctionResponse != nil:
				out = append(out, Message{"tool", geminiOutput(p.FunctionResponse.Response)})
			case p.Text != "":
				out = append(out, Message{c.Role, p.Text})
			}
		}
	}
	return out, nil
}

func geminiOutput(raw json.RawMessage) string {
	var response struct {
		Output string `json:"output"`
	}
	if json.Unmarshal(raw, &response) == nil && response.Output != "" {
		return response.Output
	}
	return string(raw)
}

func replyGemini(w http.ResponseWriter, _ *http.Request, s Step, turn int, root string) {
	stream(w)
	var parts []any
	if s.Text != "" {
		parts = append(parts, object{"text": s.Text})
	}
	for i, c := range s.Calls {
		name, in := geminiTool(c)
		parts = append(parts, object{"functionCall": object{"id": fmt.Sprintf("call_%03d_%d", turn, i), "name": name, "args": in}})
	}
	sse(w, "", geminiChunk(parts, s.tokens()))
}

func geminiTool(c Call) (string, object) {
	switch {
	case c.Edit != nil:
		return "replace", object{"file_path": c.Edit.Path, "instruction": "Change it.", "old_string": c.Edit.Old, "new_string": c.Edit.New}
	case c.Write != nil:
		return "write_file", object{"file_path": c.Write.Path, "content": c.Write.Content}
	case c.Read != "":
		return "read_file", object{"file_path": c.Read}
	default:
		return "run_shell_command", object{"command": c.Shell}
	}
}

func geminiChunk(parts []any, inputTokens int) object {
	return object{
		"candidates": []any{object{
			"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": object{"promptTokenCount": inputTokens, "candidatesTokenCount": 20, "totalTokenCount": inputTokens + 20},
		"modelVersion":  "gemini-2.5-pro", "responseId": "scripted",
	}
}
