package wire

import "testing"

func TestContextWindow(t *testing.T) {
	for payload, want := range map[string]int{ // -1: not known
		`{"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":70,"output_tokens":5}}}`: 100,
		`{"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}}`:                      0,
		`{"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":10}}}`:                                                                                 10,
		`{"context_window":{"context_window_size":200000,"current_usage":null}}`:                                                                                                -1,
		`{"context_window":{"context_window_size":200000,"current_usage":"90000"}}`:                                                                                             -1,
		`{"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":"90000","cache_read_input_tokens":1}}}`:                                                -1,
		`{"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":-5}}}`:                                                                                 -1,
		`{"context_window":{"context_window_size":200000,"current_usage":{}}}`:                                                                                                  -1,
		`{"context_window":{"context_window_size":0,"current_usage":{"input_tokens":10}}}`:                                                                                      -1,
		`{"context_window":{"context_window_size":"200000","current_usage":{"input_tokens":10}}}`:                                                                               -1,
		`{"context_window":[1]}`: -1,
		`{}`:                     -1,
	} {
		p, err := Parse([]byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		got := -1
		if use := DecodeClaudeLike(p).Context; use != nil {
			got = use.Tokens
		}
		if got != want {
			t.Errorf("%s: got %d, want %d", payload, got, want)
		}
	}
}
