package stop

import "gauntlet/internal/session"

func decide(blocks int) bool { // breaks: pure
	return blocks < 3 && older()
}

func older() bool { return session.Age() > 1 } // breaks: pure

func atMost(blocks int) bool { return blocks <= limit(blocks) }

func limit(n int) int { return n + 1 }
