package fakemodel

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestScriptIsPlayedAndRecorded(t *testing.T) {
	tests := []struct {
		name    string
		dialect Dialect
		path    string
		// first and second are requests; second has the first call and its result in it.
		first, second string
		call          string // what the reply to the first must contain
		aside         string // a path that is not part of the conversation
	}{
		{
			name: "anthropic", dialect: Anthropic(), path: "/v1/messages?beta=true",
			first: `{"tools":[{"name":"Read"}],"messages":[{"role":"user","content":"go"}]}`,
			second: `{"tools":[{"name":"Read"}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","name":"Bash","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"out"}]},{"type":"text","text":"blocked"}]}]}`,
			call: `"name":"Bash"`, aside: "/v1/messages/count_tokens",
		},
		{
			name: "openai", dialect: OpenAI(), path: "/v1/responses",
			first: `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}`,
			second: `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"function_call","name":"exec_command","arguments":"{}"},` +
				`{"type":"function_call_output","output":"out"},{"type":"message","role":"user","content":[{"type":"input_text","text":"blocked"}]}]}`,
			call: `"name":"exec_command"`, aside: "/v1/models",
		},
		{
			name: "gemini", dialect: Gemini(), path: "/v1beta/models/m:streamGenerateContent?alt=sse",
			first: `{"tools":[{"functionDeclarations":[{"name":"read_file"}]}],"contents":[{"role":"user","parts":[{"text":"go"}]}]}`,
			second: `{"tools":[{"functionDeclarations":[{"name":"read_file"}]}],"contents":[{"role":"user","parts":[{"text":"go"}]},` +
				`{"role":"model","parts":[{"functionCall":{"name":"run_shell_command","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"response":{"output":"out"}}},{"text":"blocked"}]}]}`,
			call: `"name":"run_shell_command"`, aside: "/v1beta/models/m:countTokens",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Start(tt.dialect, "/repo", Shell("make test"), Say("All done."))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := post(t, s.URL+tt.path, tt.first); !strings.Contains(got, tt.call) || !strings.Contains(got, "make test") {
				t.Errorf("first reply: %s", got)
			}
			post(t, s.URL+tt.aside, "{}")
			if got := post(t, s.URL+tt.path, tt.second); !strings.Contains(got, "All done.") {
				t.Errorf("second reply: %s", got)
			}
			if err := s.Err(); err != nil {
				t.Errorf("after the script: %v", err)
			}
			requests := s.Requests()
			if len(requests) != 2 || len(s.Asides()) != 1 {
				t.Fatalf("%d requests, asides %v", len(requests), s.Asides())
			}
			var roles, texts []string
			for _, m := range requests[1].Since(requests[0]) {
				roles, texts = append(roles, m.Role), append(texts, m.Text)
			}
			if got := strings.Join(roles, " "); got != "call tool user" {
				t.Errorf("roles of the second request: %s", got)
			}
			if texts[1] != "out" || texts[2] != "blocked" {
				t.Errorf("texts of the second request: %q", texts)
			}
			post(t, s.URL+tt.path, tt.second)
			if s.Err() == nil {
				t.Error("a request beyond the script is not an error")
			}
		})
	}
}

func TestUnreadableRequest(t *testing.T) {
	s, err := Start(OpenAI(), "/repo", Say("hello"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	post(t, s.URL+"/v1/responses", "not json")
	if s.Err() == nil {
		t.Error("a request that cannot be read is not an error")
	}
}
