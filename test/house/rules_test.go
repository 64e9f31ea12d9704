package house

// rule is one rule of the house, as in docs/architecture.md.
type rule struct {
	name  string
	check func(*house) []finding
	// everywhere: the other examples break it too, which is no news.
	everywhere bool
}

func rules() []rule {
	return []rule{
		{name: "hidden", check: checkHidden},
		{name: "imports", check: checkImports},
		{name: "names", check: checkNames},
		{name: "agents", check: checkAgents},
		{name: "programs", check: checkPrograms},
		{name: "pure", check: checkPure},
		{name: "verdict", check: checkVerdict},
		{name: "goroutines", check: checkGoroutines},
		{name: "panics", check: panics.check},
		{name: "guard", check: checkGuard},
		{name: "defaults", check: checkDefaults},
		{name: "start", check: checkStart},
		{name: "globals", check: checkGlobals},
		{name: "contexts", check: contexts.check},
		{name: "exits", check: exits.check},
		{name: "environment", check: environment.check},
		{name: "streams", check: streams.check},
		{name: "processes", check: processes.check},
		{name: "clients", check: clients.check},
		{name: "files", check: files.check},
		{name: "locks", check: checkLocks},
		{name: "errors", check: checkErrors},
		{name: "interfaces", check: checkInterfaces},
		{name: "size", check: checkSize},
		{name: "language", check: checkLanguage},
		{name: "directories", check: directoriesMade.check},
		{name: "removals", check: removals.check},
		{name: "sleeps", check: sleeps.check},
		{name: "chance", check: chance.check},
		{name: "status", check: statuses.check},
		{name: "detached", check: detached.check},
		{name: "reads", check: checkReads},
		{name: "paths", check: checkPaths},
		{name: "shells", check: checkShells},
		{name: "prompts", check: checkPrompts},
		{name: "printed", check: checkPrinted},
		{name: "tool names", check: checkToolNames},
		{name: "nesting", check: checkNesting},
		{name: "switches", check: checkSwitches},
		{name: "comments", check: checkComments, everywhere: true},
		{name: "unused", check: checkUnused, everywhere: true},
		{name: "loops", check: checkLoops},
		{name: "ignored", check: checkIgnored},
		{name: "waited", check: checkWaited},
		{name: "plurals", check: checkPlurals},
	}
}
