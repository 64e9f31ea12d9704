package gate

func runsTests(name string) bool {
	return name == "pytest" || name == "py."+"test" // breaks: programs
}
