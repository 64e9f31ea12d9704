package house

// rule is one rule of the house, as in docs/architecture.md.
type rule struct {
	name  string
	check func(*house) []finding
}

func rules() []rule {
	return []rule{
		{"hidden", checkHidden},
		{"imports", checkImports},
		{"names", checkNames},
		{"agents", checkAgents},
		{"programs", checkPrograms},
		{"pure", checkPure},
		{"verdict", checkVerdict},
		{"goroutines", checkGoroutines},
		{"panics", panics.check},
		{"guard", checkGuard},
		{"defaults", checkDefaults},
		{"start", checkStart},
		{"globals", checkGlobals},
		{"contexts", contexts.check},
		{"exits", exits.check},
		{"environment", environment.check},
		{"streams", streams.check},
		{"processes", processes.check},
		{"clients", clients.check},
		{"files", files.check},
		{"locks", checkLocks},
		{"errors", checkErrors},
		{"interfaces", checkInterfaces},
		{"size", checkSize},
		{"language", checkLanguage},
	}
}
