// Package tasks reads the task files of a project (Makefile, justfile, Taskfile,
// the scripts of package.json, composer.json, deno.json and pyproject.toml,
// mise.toml, turbo, nx and moon workspaces, tox.ini, noxfile.py; in part Rakefiles and the
// hooks of pre-commit and lefthook): which recipes there are and which commands each of
// them runs.
// Of opens a project's own files with the care that untrusted files need; Expand
// follows a line of shell, Runs one command, into recipes and scripts.
// Ring 1: it reads files through an fs.FS with bounded effort, runs nothing, and
// imports only safefile, the YAML and TOML parsers, and shell because recipes are
// written in shell.
package tasks
