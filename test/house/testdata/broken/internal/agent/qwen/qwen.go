package qwen

import "gauntlet/internal/agent" // breaks: imports

func Others() int { return len(agent.All()) }
