package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"gauntlet/internal/safefile"
)

// RunIn runs a check in env.Room: once, on this machine. Its log is not kept.
func RunIn(ctx context.Context, j Job, env Env) (Result, error) {
	logs, remove, err := safefile.TempDir("", "gauntlet-room-*")
	if err != nil {
		return Result{}, err
	}
	defer remove()
	check, once := *j.Check, 0
	check.Retries, check.Runner = &once, nil
	j.Check = &check
	_, err = os.Stat(env.at(j.Dir))
	if errors.Is(err, fs.ErrNotExist) || j.UsesChanged() && !j.See(env.at(env.Root), j.Changed) {
		code := 0 // what is missing had no findings
		return Result{ID: j.ID, Status: Pass, ExitCode: &code, Report: &Report{}}, nil
	}
	env.LogDir, env.RunNumber = logs, 1
	return RunCheck(ctx, j, env), nil
}
