package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// OpenAI is the Responses API as Codex uses it with a custom provider.
func OpenAI() Dialect {
	return Dialect{
		handles: func(r *http.Request, _ []byte) bool {
			return r.Method == http.MethodPost && r.URL.Path == "/v1/responses"
		},
		decode: decodeOpenAI,
		reply:  replyOpenAI,
		aside: func(w http.ResponseWriter, r *http.Request, _ []byte) {
			if r.URL.Path == "/v1/models" {
				writeJSON(w, http.StatusOK, object{"object": "list", "data": []any{}, "models": []any{}})
				return
			}
			writeJSON(w, http.StatusNotFound, object{"error": object{"message": "not served here"}})
		},
	}
}

func decodeOpenAI(body []byte) ([]Message, error) {
	var req struct {
		Input []struct {
			Type      string          `json:"type"`
			Role      string          `json:"role"`
			Name      string          `json:"name"`
			Content   json.RawMessage `json:"content"`
			Arguments string          `json:"arguments"`
			Input     string          `json:"input"`
			Output    json.RawMessage `json:"output"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, fmt.Errorf("responses request: %w", err)
	}
	var out []Message
	for _, item := range req.Input {
		switch item.Type {
		case "message", "":
			out = append(out, Message{item.Role, flatText(item.Content)})
		case "function_call", "custom_tool_call":
			out = append(out, Message{"call", item.Name + " " + item.Arguments + item.Input})
		case "function_call_output", "custom_tool_call_output":
			out = append(out, Message{"tool", flatText(item.Output)})
		}
	}
	return out, nil
}

func replyOpenAI(w http.ResponseWriter, _ *http.Request, s Step, turn int, _ string) {
	stream(w)
	id := fmt.Sprintf("resp_%03d", turn)
	sse(w, "response.created", object{"type": "response.created", "response": object{"id": id}})
	index := 0
	item := func(it object) {
		sse(w, "response.output_item.added", object{"type": "response.output_item.added", "output_index": index, "item": it})
		sse(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": index, "item": it})
		index++
	}
	if s.Text != "" {
		item(object{
			"type": "message", "id": fmt.Sprintf("msg_%03d", turn), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": s.Text, "annotations": []any{}}},
		})
	}
	for i, c := range s.Calls {
		item(codexTool(c, fmt.Sprintf("call_%03d_%d", turn, i)))
	}
	in := s.tokens()
	sse(w, "response.completed", object{"type": "response.completed", "response": object{
		"id": id, "status": "completed", "output": []any{},
		"usage": object{
			"input_tokens": in, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 20, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": in + 20,
		},
	}})
}

func codexTool(c Call, id string) object {
	switch {
	case c.Edit != nil:
		return patchCall(id, "*** Update File: "+c.Edit.Path+"\n@@\n"+lines("-", c.Edit.Old)+lines("+", c.Edit.New))
	case c.Write != nil:
		return patchCall(id, "*** Add File: "+c.Write.Path+"\n"+lines("+", c.Write.Content))
	case c.Read != "":
		return codexTool(Call{Shell: "cat '" + c.Read + "'"}, id) // it has no tool for reading
	default:
		return object{
			"type": "function_call", "id": "fc_" + id, "call_id": id, "name": "exec_command", "status": "completed",
			"arguments": args(object{"cmd": c.Shell}),
		}
	}
}

func patchCall(id, hunks string) object {
	return object{
		"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": "apply_patch", "status": "completed",
		"input": "*** Begin Patch\n" + strings.TrimSuffix(hunks, "\n") + "\n*** End Patch\n",
	}
}
