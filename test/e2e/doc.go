// Package e2e drives the real Claude Code, Codex and Gemini CLI, installed from npm at
// pinned versions, against scripted model servers on loopback, and checks what reached the
// model and the state of the project. It runs with
//
//	go test -tags e2e ./test/e2e/... -count=1 -v -timeout 15m
//
// Without the tag there is nothing to run here. See README.md.
package e2e
