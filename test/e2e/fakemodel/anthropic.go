package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
)

// Anthropic is the Messages API as Claude Code uses it.
func Anthropic() Dialect {
	return Dialect{
		handles: func(r *http.Request, body []byte) bool {
			if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
				return false
			}
			var req struct {
				Tools []struct {
					Name string `json:"name"`
				} `json:"tools"`
			}
			_ = json.Unmarshal(body, &req)
			for _, t := range req.Tools {
				if t.Name == "Read" {
					return true
				}
			}
			return false
		},
		decode: decodeAnthropic,
		reply:  replyAnthropic,
		aside: func(w http.ResponseWriter, r *http.Request, body []byte) {
			switch {
			case r.URL.Path == "/v1/messages/count_tokens":
				writeJSON(w, http.StatusOK, object{"input_tokens": len(body) / 4})
			case r.URL.Path == "/v1/messages":
				var req struct {
					Stream bool `json:"stream"`
				}
				_ = json.Unmarshal(body, &req)
				if req.Stream {
					replyAnthropic(w, r, Say(`{"title":"scripted"}`), -1, "")
					return
				}
				writeJSON(w, http.StatusOK, anthropicMessage("msg_aside", []any{object{"type": "text", "text": `{"title":"scripted"}`}}, 10))
			case r.Method == http.MethodHead:
				w.WriteHeader(http.StatusOK)
			default:
				writeJSON(w, http.StatusNotFound, object{"type": "error", "error": object{"type": "not_found_error", "message": "not served here"}})
			}
		},
	}
}

func decodeAnthropic(body []byte) ([]Message, error) {
	var req struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, fmt.Errorf("messages request: %w", err)
	}
	var out []Message
	for _, m := range req.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			out = append(out, Message{m.Role, text})
			continue
		}
		var blocks []struct {
			Type    string          `json:"type"`
			Text    string          `json:"text"`
			Name    string          `json:"name"`
			Input   json.RawMessage `json:"input"`
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return out, fmt.Errorf("message content: %w", err)
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				out = append(out, Message{m.Role, b.Text})
			case "tool_use":
				out = append(out, Message{"call", b.Name + " " + string(b.Input)})
			case "tool_result":
				out = append(out, Message{"tool", flatText(b.Content)})
			}
		}
	}
	return out, nil
}

// flatText is a string, or the texts of a list of text blocks.
func flatText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return string(raw)
	}
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}

func replyAnthropic(w http.ResponseWriter, _ *http.Request, s Step, turn int, root string) {
	stream(w)
	start := anthropicMessage(fmt.Sprintf("msg_%03d", turn), []any{}, s.tokens())
	sse(w, "message_start", object{"type": "message_start", "message": start})
	index := 0
	block := func(open, delta object) {
		sse(w, "content_block_start", object{"type": "content_block_start", "index": index, "content_block": open})
		sse(w, "content_block_delta", object{"type": "content_block_delta", "index": index, "delta": delta})
		sse(w, "content_block_stop", object{"type": "content_block_stop", "index": index})
		index++
	}
	if s.Text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": s.Text})
	}
	for i, c := range s.Calls {
		name, input := claudeTool(c, root)
		block(
			object{"type": "tool_use", "id": fmt.Sprintf("toolu_%03d_%d", turn, i), "name": name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": args(input)},
		)
	}
	reason := "end_turn"
	if len(s.Calls) > 0 {
		reason = "tool_use"
	}
	sse(w, "message_delta", object{
		"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": 20},
	})
	sse(w, "message_stop", object{"type": "message_stop"})
}

func claudeTool(c Call, root string) (string, object) {
	switch {
	case c.Other != nil:
		return c.Other.Name, c.Other.Args
	case c.Edit != nil:
		return "Edit", object{"file_path": filepath.Join(root, c.Edit.Path), "old_string": c.Edit.Old, "new_string": c.Edit.New}
	case c.Write != nil:
		return "Write", object{"file_path": filepath.Join(root, c.Write.Path), "content": c.Write.Content}
	case c.Agent != "":
		return "Agent", object{"description": "Part of the work", "prompt": c.Agent, "subagent_type": "general-purpose"}
	case c.Read != "":
		return "Read", object{"file_path": filepath.Join(root, c.Read)}
	default:
		return "Bash", object{"command": c.Shell, "description": "Run a command"}
	}
}

func anthropicMessage(id string, content []any, inputTokens int) object {
	return object{
		"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": content,
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens": inputTokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1,
		},
	}
}
