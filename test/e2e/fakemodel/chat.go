package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
)

// Tools names a client's tools and shapes their arguments: one function per kind of call,
// with the absolute path of the file.
type Tools struct {
	Shell func(command string) (string, map[string]any)
	Read  func(path string) (string, map[string]any)
	Edit  func(path, old, new string) (string, map[string]any)
	Write func(path, content string) (string, map[string]any)
	Agent func(prompt string) (string, map[string]any)
}

// Chat is the OpenAI Chat Completions API, which many clients use with a custom provider. A
// request is part of the conversation when it offers the client's shell tool and contains
// none of the aside texts.
func Chat(tools Tools, asides ...string) Dialect {
	return Dialect{
		handles: func(r *http.Request, body []byte) bool {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
				return false
			}
			for _, a := range asides {
				if strings.Contains(string(body), a) {
					return false
				}
			}
			var req struct {
				Tools []struct {
					Function struct {
						Name string `json:"name"`
					} `json:"function"`
				} `json:"tools"`
			}
			_ = json.Unmarshal(body, &req)
			shell, _ := tools.Shell("")
			read, _ := tools.Read("")
			for _, t := range req.Tools {
				if t.Function.Name == shell || t.Function.Name == read {
					return true
				}
			}
			return false
		},
		decode: decodeChat,
		reply: func(w http.ResponseWriter, r *http.Request, s Step, turn int, root string) {
			replyChat(w, s, turn, func(c Call) (string, map[string]any) { return tools.call(c, root) })
		},
		aside: func(w http.ResponseWriter, r *http.Request, body []byte) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/chat/completions"):
				var req struct {
					Stream bool `json:"stream"`
				}
				_ = json.Unmarshal(body, &req)
				if req.Stream {
					replyChat(w, Say("A title"), 900, nil)
					return
				}
				writeJSON(w, http.StatusOK, object{
					"id": "aside", "object": "chat.completion", "created": 1, "model": "fake-model",
					"choices": []any{object{"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": "A title"}}},
					"usage":   object{"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
				})
			case strings.HasSuffix(r.URL.Path, "/models"):
				writeJSON(w, http.StatusOK, object{"object": "list", "data": []any{object{"id": "fake-model", "object": "model"}}})
			default:
				writeJSON(w, http.StatusNotFound, object{"error": object{"message": "not served here"}})
			}
		},
	}
}

func (t Tools) call(c Call, root string) (string, map[string]any) {
	abs := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
	switch {
	case c.Other != nil:
		return c.Other.Name, c.Other.Args
	case c.Edit != nil:
		return t.Edit(abs(c.Edit.Path), c.Edit.Old, c.Edit.New)
	case c.Write != nil:
		return t.Write(abs(c.Write.Path), c.Write.Content)
	case c.Read != "":
		return t.Read(abs(c.Read))
	case c.Agent != "":
		return t.Agent(c.Agent)
	default:
		return t.Shell(c.Shell)
	}
}

func decodeChat(body []byte) ([]Message, error) {
	var req struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Calls   []struct {
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, fmt.Errorf("chat request: %w", err)
	}
	var out []Message
	for _, m := range req.Messages {
		if text := flatText(m.Content); text != "" {
			out = append(out, Message{m.Role, text})
		}
		for _, c := range m.Calls {
			out = append(out, Message{"call", c.Function.Name + " " + c.Function.Arguments})
		}
	}
	return out, nil
}

func replyChat(w http.ResponseWriter, s Step, turn int, tool func(Call) (string, map[string]any)) {
	stream(w)
	id := fmt.Sprintf("chatcmpl-%03d", turn)
	chunk := func(delta object, finish any) {
		sse(w, "", object{
			"id": id, "object": "chat.completion.chunk", "created": 1, "model": "fake-model",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	chunk(object{"role": "assistant", "content": s.Text}, nil)
	finish := "stop"
	for i, c := range s.Calls {
		name, in := tool(c)
		finish = "tool_calls"
		chunk(object{"tool_calls": []any{object{
			"index": i, "id": fmt.Sprintf("call_%03d_%d", turn, i), "type": "function",
			"function": object{"name": name, "arguments": args(in)},
		}}}, nil)
	}
	chunk(object{}, finish)
	in := s.tokens()
	sse(w, "", object{
		"id": id, "object": "chat.completion.chunk", "created": 1, "model": "fake-model", "choices": []any{},
		"usage": object{"prompt_tokens": in, "completion_tokens": 20, "total_tokens": in + 20},
	})
	fmt.Fprint(w, "data: [DONE]\n\n")
}
