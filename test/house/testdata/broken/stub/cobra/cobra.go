package cobra

type Command struct{}
