package config

// The tags of these types are the one place where the rules of a field are defined:
// the decoder, the JSON Schema and the documentation all read them.
//
//	required  must be there and not be blank
//	nonblank  may be missing, but not be blank
//	enum      one of these words
//	min, max  inclusive bounds; above: an exclusive lower bound
//	glob      every item is a glob
//	url       an http or https address without user and password
//	lenient   a bad value is a warning and the field counts as not set
//	once      a number in older versions: it warns and the field counts as not set
//	contains  items may be {contains: TEXT}, see Contained
//	word      the field that a plain word in place of the section sets; a section switches on
//	          the field that is true or false
//	default   the value that counts when no file sets it; lists are separated by blanks
//	strict    the same under stop_hook.preset: strict
//	env       the environment variable that overrides it
//	doc       what it does, shown in the schema

// Project is .gauntlet/config.yml. Pointers distinguish "not set" from the zero
// value, because a field not set here may be set globally or by a preset.
type Project struct {
	BaseBranch             string       `yaml:"base_branch" json:"base_branch,omitempty" doc:"What 'changed' is measured against. When not set: the remote's default branch, then origin/main, origin/master, then a local main or master." nonblank:"true"`
	LogDir                 string       `yaml:"log_dir" json:"log_dir,omitempty" doc:"Where logs and run state are kept; relative to the project root, or absolute." nonblank:"true" default:"gauntlet_logs"`
	AllowParallel          *bool        `yaml:"allow_parallel" json:"allow_parallel,omitempty" doc:"Run parallel gates at the same time." default:"true"`
	MaxParallel            *int         `yaml:"max_parallel" json:"max_parallel,omitempty" doc:"How many gates run at once." min:"1" default:"16"`
	MaxRetries             *int         `yaml:"max_retries" json:"max_retries,omitempty" doc:"How often failing gates are verified again; max_retries + 1 runs in all." min:"0" default:"3"`
	RerunNewIssueThreshold string       `yaml:"rerun_new_issue_threshold" json:"rerun_new_issue_threshold,omitempty" enum:"critical,high,medium,low" doc:"On a re-run, new review findings below this priority are dropped." default:"high" once:"number"`
	CLI                    CLI          `yaml:"cli" json:"cli,omitzero" doc:"Reviewers."`
	EntryPoints            []EntryPoint `yaml:"entry_points" json:"entry_points,omitempty" doc:"Which gates run for which part of the repository."`
	StopHook               StopHook     `yaml:"stop_hook" json:"stop_hook,omitzero" doc:"How the stop hook behaves."`
	DebugLog               DebugLog     `yaml:"debug_log" json:"debug_log,omitzero" doc:"The debug log in log_dir."`
	Checkpoint             *Checkpoint  `yaml:"checkpoint" json:"checkpoint,omitempty" doc:"The context-aware checkpoint; absent = off."`
	Autonomy               *Autonomy    `yaml:"autonomy" json:"autonomy,omitempty" doc:"Saves that the hook makes itself; absent = off."`
	Proofs                 Proofs       `yaml:"proofs" json:"proofs,omitzero" doc:"Where passed results are stored."`
	Remote                 Remote       `yaml:"remote" json:"remote,omitzero" doc:"Proofs shared between machines."`
	Room                   Rooms        `yaml:"room" json:"room,omitzero" doc:"Directories beside the work tree in which checks judge other content."`
}

// Rooms is the room section of a project.
type Rooms struct {
	Link []string `yaml:"link" json:"link,omitempty" doc:"Paths, relative to the project, that git ignores and a room shows although they look like build outputs."`
}

// Ahead is the ahead section of the stop hook.
type Ahead struct {
	Enabled *bool    `yaml:"enabled" json:"enabled,omitempty" doc:"Prove gates between two stops, while nothing waits for them." default:"false" strict:"true" env:"GAUNTLET_AHEAD"`
	Quiet   *float64 `yaml:"quiet" json:"quiet,omitempty" doc:"Seconds without a tool call of the agent before a run begins." min:"0" max:"600" default:"3"`
}

// Proofs is the proofs section, of a project or of the user.
type Proofs struct {
	Dir   string `yaml:"dir" json:"dir,omitempty" doc:"Directory of the ledger, to share it between clones on one machine; relative to the project root, or absolute. When not set: gauntlet/proofs in the git directory that all work trees share." nonblank:"true"`
	Epoch *int   `yaml:"epoch" json:"epoch,omitempty" doc:"Raise it to discard all older proofs." min:"0" default:"0"`
}

// Remote is the remote section: proofs shared through a cache server.
type Remote struct {
	URL       string   `yaml:"url" json:"url,omitempty" doc:"Address of a server of the Bazel remote cache protocol, such as bazel-remote or nginx with WebDAV PUT. When not set: no proof leaves this machine." nonblank:"true" url:"true"`
	Read      *bool    `yaml:"read" json:"read,omitempty" doc:"Look up proofs on the server." default:"true"`
	Write     *bool    `yaml:"write" json:"write,omitempty" doc:"Publish passes of checks that ran here, signed." default:"false"`
	Signers   string   `yaml:"signers" json:"signers,omitempty" doc:"File below .gauntlet/, in the format of OpenSSH's allowed_signers: whose proofs count. Your own always do." nonblank:"true" default:"allowed_signers"`
	TimeoutMS *float64 `yaml:"timeout_ms" json:"timeout_ms,omitempty" doc:"How long a stop waits for the server, in milliseconds." above:"0" default:"300"`
	Farm      *Farm    `yaml:"farm" json:"farm,omitempty" doc:"Build farm for checks with runner: remote."`
}

// Farm is a server of the Remote Execution API, for checks with runner: remote.
type Farm struct {
	Address   string `yaml:"address" json:"address" required:"true" doc:"host:port. The token is read from GAUNTLET_FARM_TOKEN."`
	Instance  string `yaml:"instance" json:"instance,omitempty" doc:"Instance name at the farm."`
	Plaintext bool   `yaml:"plaintext" json:"plaintext,omitempty" doc:"Do not use TLS, for loopback and private networks."`
}

// RunnerRemote is the word for the build farm.
const RunnerRemote = "remote"

// Runner is where a check runs.
type Runner struct {
	Kind string   `yaml:"kind" json:"kind,omitempty" enum:"local,remote" doc:"local, or remote: the build farm of remote.farm."`
	Exec []string `yaml:"exec" json:"exec,omitempty" doc:"Command that runs a shell script, its last argument, elsewhere and passes standard input on, such as [ssh, build-host]. The script gets a git bundle of the tree on standard input."`
}

// UserRemote is the remote section of the user's own file, the only one that may contain
// keys and credentials.
type UserRemote struct {
	URL       string      `yaml:"url" json:"url,omitempty" doc:"Address of the server, if the project does not set it." nonblank:"true" url:"true"`
	Read      *bool       `yaml:"read" json:"read,omitempty" doc:"Look up proofs on the server."`
	Write     *bool       `yaml:"write" json:"write,omitempty" doc:"Publish passes of checks that ran here, signed."`
	Signers   string      `yaml:"signers" json:"signers,omitempty" doc:"File below .gauntlet/ that names whose proofs count." nonblank:"true"`
	TimeoutMS *float64    `yaml:"timeout_ms" json:"timeout_ms,omitempty" doc:"How long a stop waits for the server, in milliseconds." above:"0"`
	Key       string      `yaml:"key" json:"key,omitempty" doc:"Key file that signs: made by gauntlet proofs key, or an SSH key. When not set: that of gauntlet proofs key, else git's user.signingkey." nonblank:"true"`
	Auth      *RemoteAuth `yaml:"auth" json:"auth,omitempty" doc:"Credentials, sent only to the host of this section's url."`
}

// RemoteAuth is one way to authenticate to the server.
type RemoteAuth struct {
	Basic         string `yaml:"basic" json:"basic,omitempty" doc:"user:password." nonblank:"true"`
	BearerCommand string `yaml:"bearer_command" json:"bearer_command,omitempty" doc:"Command that prints a bearer token." nonblank:"true"`
	BearerEnv     string `yaml:"bearer_env" json:"bearer_env,omitempty" doc:"Environment variable that contains a bearer token." nonblank:"true"`
	Cert          string `yaml:"cert" json:"cert,omitempty" doc:"PEM file with a client certificate and its key." nonblank:"true"`
}

// CLI names the reviewers in order of preference.
type CLI struct {
	DefaultPreference []string `yaml:"default_preference" json:"default_preference,omitempty" doc:"Reviewer CLIs in order: claude, codex, gemini, github-copilot, cursor."`
	CheckUsageLimit   *bool    `yaml:"check_usage_limit" json:"check_usage_limit,omitempty" doc:"Ask a reviewer whether its quota is used up before giving it work." default:"false"`
}

// EntryPoint ties a part of the repository to its gates.
type EntryPoint struct {
	Path    string   `yaml:"path" json:"path" doc:"'.', a directory, directory/* or a glob." required:"true"`
	Exclude []string `yaml:"exclude" json:"exclude,omitempty" doc:"Globs and directories that do not count." glob:"true"`
	Checks  []string `yaml:"checks" json:"checks,omitempty" doc:"Names of checks in .gauntlet/checks."`
	Reviews []string `yaml:"reviews" json:"reviews,omitempty" doc:"Names of reviews in .gauntlet/reviews."`
}

// StopHook is the stop_hook section, of a project or of the user.
type StopHook struct {
	Preset             string   `yaml:"preset" json:"preset,omitempty" enum:"classic,strict" doc:"Defaults of this section: classic, or strict, which judges every stop, verifies fixes and judges only the work of the session. A field that is set overrides it." default:"classic"`
	Enabled            *bool    `yaml:"enabled" json:"enabled,omitempty" doc:"Whether stops are judged." default:"true" env:"GAUNTLET_STOP_HOOK_ENABLED"`
	RunIntervalMinutes *float64 `yaml:"run_interval_minutes" json:"run_interval_minutes,omitempty" doc:"Minutes between two runs. 0 = always." min:"0" default:"10" strict:"0" env:"GAUNTLET_STOP_HOOK_INTERVAL_MINUTES"`
	Reentry            string   `yaml:"reentry" json:"reentry,omitempty" enum:"once,until_pass" doc:"once: one block per turn. until_pass: fixes are verified, within max_blocks." default:"once" strict:"until_pass"`
	Scope              string   `yaml:"scope" json:"scope,omitempty" enum:"working_tree,turn" doc:"working_tree: judge every change. turn: judge what this session changed until a stop approves it." default:"working_tree" strict:"turn"`
	LockWaitSeconds    *float64 `yaml:"lock_wait_seconds" json:"lock_wait_seconds,omitempty" doc:"How long a stop waits for another run in the same work tree." min:"0" default:"0" strict:"120"`
	AcceptAgentRuns    *bool    `yaml:"accept_agent_runs" json:"accept_agent_runs,omitempty" doc:"Count a gate's command that the agent itself ran as a run of the gate." default:"false" strict:"true"`
	Ahead              Ahead    `yaml:"ahead" json:"ahead,omitzero" word:"enabled" doc:"true: prove gates in a room before the stop needs them. {quiet: 3} sets the pause."`
	Ask                *bool    `yaml:"ask" json:"ask,omitempty" doc:"Let the agent ask a person instead of fixing a failure (gauntlet ask), once per turn." default:"false" strict:"true"`
	MaxBlocks          *int     `yaml:"max_blocks" json:"max_blocks,omitempty" doc:"Blocks per session and human turn with until_pass." min:"0" default:"3"`
	DeadlineSeconds    *float64 `yaml:"deadline_seconds" json:"deadline_seconds,omitempty" doc:"When everything is stopped and the stop approved." above:"0" default:"280"`
	Subagents          *bool    `yaml:"subagents" json:"subagents,omitempty" doc:"Judge sub-agents' stops too." default:"false"`
	Tasks              *bool    `yaml:"tasks" json:"tasks,omitempty" doc:"Judge the end of a task and of a team-mate's work too (Claude Code's TaskCompleted and TeammateIdle). Run gauntlet init --agents again after setting it." default:"false"`
	Notify             string   `yaml:"notify" json:"notify,omitempty" enum:"blocked,never" doc:"blocked: a notice on the desktop when an agent asks you, is blocked twice in a turn, or the project was switched off. never: none." default:"blocked"`
	Undo               Watch    `yaml:"undo" json:"undo,omitzero" word:"mode" doc:"Does any test notice the change? When the gates passed, they run once more in a room without it."`
	OldTests           Watch    `yaml:"old_tests" json:"old_tests,omitzero" word:"mode" doc:"Do the tests of the prompt still pass? Asked when tests that were there were edited or removed."`
	Mode               Mode     `yaml:"mode" json:"mode,omitempty" enum:"enforce,warn,observe,off" doc:"enforce: failures block. warn: a message each time. observe: only recorded. off: nothing is judged. The weaker of this and a gate's own mode counts." default:"enforce" env:"GAUNTLET_MODE"`
}

// Modes of a Watch.
const (
	WatchTell    = "tell"
	WatchRequire = "require"
	WatchOff     = "off"
)

// Watch is a question about work that passed its gates.
type Watch struct {
	Mode  string   `yaml:"mode" json:"mode,omitempty" enum:"tell,require,off" doc:"tell: answered after the stop, and shown to you. require: answered at the stop, which blocks once per turn. off: not asked." default:"off" strict:"tell" env:"GAUNTLET_WATCH"`
	Paths []string `yaml:"paths" json:"paths,omitempty" doc:"Globs: only these files count. Default: all." glob:"true"`
}

// DebugLog is the debug_log section.
type DebugLog struct {
	Enabled   *bool    `yaml:"enabled" json:"enabled,omitempty" doc:"Write the debug log." default:"false"`
	MaxSizeMB *float64 `yaml:"max_size_mb" json:"max_size_mb,omitempty" doc:"Rotated at this size." above:"0" default:"10"`
}

// Checkpoint is the checkpoint section.
type Checkpoint struct {
	Enabled        *bool       `yaml:"enabled" json:"enabled,omitempty" doc:"Off when false." default:"true"`
	Mode           Mode        `yaml:"mode" json:"mode,omitempty" enum:"enforce,warn,observe,off" doc:"Whether what is owed blocks." default:"enforce" env:"GAUNTLET_MODE"`
	Preset         string      `yaml:"preset" json:"preset,omitempty" enum:"teleclaude,go,node,python,rust" doc:"Ready-made categories."`
	MinTurnSeconds *float64    `yaml:"min_turn_seconds" json:"min_turn_seconds,omitempty" doc:"No checkpoint before the turn is this old." min:"0" default:"30"`
	Scope          string      `yaml:"scope" json:"scope,omitempty" enum:"working_tree,turn" doc:"Every uncommitted file, or only what this turn changed. Default: that of stop_hook.scope."`
	WhenUnsure     string      `yaml:"when_unsure" json:"when_unsure,omitempty" enum:"nudge,silent" doc:"What to do when the transcript proves nothing." default:"nudge"`
	Observations   string      `yaml:"observations" json:"observations,omitempty" enum:"tell,block,off" doc:"tell: part of a message that blocks anyway; alone only shown to you. block: alone they block, too. off: none. The preset teleclaude blocks." default:"tell"`
	Announce       *bool       `yaml:"announce" json:"announce,omitempty" doc:"Tell the agent once per turn, without a block, when only notes changed, everything was validated, or git failed. The preset teleclaude switches it on." default:"false"`
	Weakened       *bool       `yaml:"weakened" json:"weakened,omitempty" doc:"Report tests or linters that were weakened in the turn. Never blocks. The presets switch it on." default:"false"`
	Categories     []Category  `yaml:"categories" json:"categories,omitempty" doc:"Added to the preset's; one of the same name replaces it."`
	Ignore         []string    `yaml:"ignore" json:"ignore,omitempty" doc:"Globs that never call for anything." glob:"true" default:"docs/** todos/** ideas/** **/*.md **/*.markdown"`
	Always         []Action    `yaml:"always" json:"always,omitempty" doc:"Actions owed by any category but tests-only."`
	CommitStep     *bool       `yaml:"commit_step" json:"commit_step,omitempty" doc:"End the steps with a commit." default:"true"`
	Capture        *bool       `yaml:"capture" json:"capture,omitempty" doc:"Close with a reminder to note memories, bugs and ideas." default:"true"`
	CommitGate     *CommitGate `yaml:"commit_gate" json:"commit_gate,omitempty" doc:"Block the second stop again while matching files are uncommitted."`
	Tests          *Tests      `yaml:"tests" json:"tests,omitempty" doc:"A test command to run at the checkpoint."`

	// Baseline is the preset's action that is due even when no code changed.
	Baseline string `yaml:"-" json:"-"`
	// effective: the preset and the defaults are in it.
	effective bool
}

// Category maps changed files to actions.
type Category struct {
	Name    string   `yaml:"name" json:"name" required:"true" doc:"Shown in the checkpoint; replaces the preset's category of this name."`
	Paths   []string `yaml:"paths" json:"paths,omitempty" doc:"Globs (true globstar)." glob:"true"`
	Exclude []string `yaml:"exclude" json:"exclude,omitempty" doc:"Globs that do not count." glob:"true"`
	Only    bool     `yaml:"only" json:"only,omitempty" doc:"Matches only if no other code changed."`
	Order   int      `yaml:"order" json:"order,omitempty" doc:"Place of its actions in the list."`
	Actions []Action `yaml:"actions" json:"actions,omitempty" doc:"What a change here owes."`
}

// Action is one thing owed.
type Action struct {
	ID       string   `yaml:"id" json:"id" required:"true" doc:"Names the action, also for after."`
	Run      string   `yaml:"run" json:"run,omitempty" doc:"The command shown."`
	Text     string   `yaml:"text" json:"text,omitempty" doc:"Shown instead of the command."`
	Evidence []string `yaml:"evidence" json:"evidence,omitempty" contains:"true" doc:"What proves it: command patterns (a command and its leading arguments), or {contains: TEXT}: any command with this text that did not fail, even behind a pipe."`
	After    string   `yaml:"after" json:"after,omitempty" doc:"Id of the action that must come first."`
}

// CommitGate is the commit_gate section.
type CommitGate struct {
	Paths []string `yaml:"paths" json:"paths" required:"true" doc:"Globs of files that must be committed." glob:"true"`
}

// Tests is the tests section of the checkpoint.
type Tests struct {
	Command string   `yaml:"command" json:"command" required:"true" doc:"The test command."`
	When    []string `yaml:"when" json:"when,omitempty" doc:"Globs; run only when one of them changed. Default: any change." glob:"true"`
	Timeout *float64 `yaml:"timeout" json:"timeout,omitempty" doc:"Seconds." above:"0" default:"30"`
}

// Autonomy is the autonomy section.
type Autonomy struct {
	Enabled          *bool    `yaml:"enabled" json:"enabled,omitempty" doc:"true: direct execution. false: off. Not set: advisory, unless autonomous mode is on."`
	ThresholdPercent *int     `yaml:"threshold_percent" json:"threshold_percent,omitempty" doc:"How full the context window may get before a save, in percent." min:"1" max:"100" lenient:"true" default:"40" env:"CLAUDE_CONTEXT_THRESHOLD"`
	ContextWindow    *int     `yaml:"context_window" json:"context_window,omitempty" doc:"Overrides the model's window, in tokens." min:"1"`
	Commit           string   `yaml:"commit" json:"commit,omitempty" enum:"notes,work" doc:"notes: CLAUDE.md and buildguide.md only. work: the changed files themselves." default:"notes"`
	Push             *bool    `yaml:"push" json:"push,omitempty" doc:"Push the commit of a save." default:"true"`
	Protected        []string `yaml:"protected" json:"protected,omitempty" doc:"Branches never pushed. Default main and master when they track a remote."`
	CoAuthor         string   `yaml:"co_author" json:"co_author,omitempty" doc:"Value of the Co-Authored-By trailer."`
	Message          string   `yaml:"message" json:"message,omitempty" doc:"Commit message template: {percent} {tokens} {window} {branch} {session}."`
}

// Check is .gauntlet/checks/NAME.yml.
type Check struct {
	Name             string            `yaml:"-" json:"-"`
	Command          string            `yaml:"command" json:"command" required:"true" doc:"Run by sh -c. ${BASE_BRANCH} is replaced, and ${CHANGED_FILES} by the changed files of the entry point, quoted and relative to the directory; without one that is still there the check does not apply."`
	WorkingDirectory string            `yaml:"working_directory" json:"working_directory,omitempty" doc:"Default: the entry point, or its directory."`
	Parallel         bool              `yaml:"parallel" json:"parallel,omitempty" doc:"May run beside other parallel checks. Every other check runs alone." default:"false"`
	RunInCI          *bool             `yaml:"run_in_ci" json:"run_in_ci,omitempty" doc:"Run it in CI." default:"true"`
	RunLocally       *bool             `yaml:"run_locally" json:"run_locally,omitempty" doc:"Run it outside CI." default:"true"`
	Timeout          *float64          `yaml:"timeout" json:"timeout,omitempty" doc:"Seconds." above:"0" default:"300"`
	When             string            `yaml:"when" json:"when,omitempty" enum:"stop,commit,manual" doc:"stop: at every stop. commit: at stops whose turn made a commit. manual: only by hand and in CI." default:"stop"`
	FailFast         bool              `yaml:"fail_fast" json:"fail_fast,omitempty" doc:"A failure stops what has not started. Not together with parallel."`
	Fix              string            `yaml:"fix" json:"fix,omitempty" nonblank:"true" doc:"Command that fixes what the check finds. After a failure it runs in a room, and what it changes is offered as a patch; gauntlet run --fix applies it."`
	FixInstructions  string            `yaml:"fix_instructions" json:"fix_instructions,omitempty" doc:"A file under .gauntlet/ shown on failure."`
	Inputs           []string          `yaml:"inputs" json:"inputs,omitempty" doc:"Globs whose content decides whether a result can be reused. Default: the entry point, and working_directory where it is set." glob:"true"`
	Outputs          []string          `yaml:"outputs" json:"outputs,omitempty" doc:"Globs of files that the command leaves behind, whether git ignores them or not: they are no change and no input, and the check runs while no other does." glob:"true"`
	Env              map[string]string `yaml:"env" json:"env,omitempty" doc:"Environment variables for the command."`
	Tools            []string          `yaml:"tools" json:"tools,omitempty" doc:"Commands such as 'go version' whose output the result depends on."`
	ErrorExitCodes   []int             `yaml:"error_exit_codes" json:"error_exit_codes,omitempty" doc:"Exit codes that mean it could not run." default:"126 127"`
	ErrorPatterns    []string          `yaml:"error_patterns" json:"error_patterns,omitempty" doc:"Regular expressions; one that matches the last lines of a failed run means it could not run."`
	Mode             Mode              `yaml:"mode" json:"mode,omitempty" enum:"enforce,warn,observe,off" doc:"Whether a failure blocks." default:"enforce"`
	Role             string            `yaml:"role" json:"role,omitempty" enum:"test,lint,build" doc:"What it is for. Default: what its command runs, else what its name says."`
	Report           string            `yaml:"report" json:"report,omitempty" nonblank:"true" doc:"How to read its output as findings: auto (by the command's tool), sarif, checkstyle, junit, go-test-json, rdjson, github, efm:NAME (reviewdog/errorformat), or a regular expression with the groups file, line and message. Default: not read, or auto with new_only."`
	ReportFile       string            `yaml:"report_file" json:"report_file,omitempty" nonblank:"true" doc:"The file that the command writes its report to, relative to its working directory. Default: stdout."`
	NewOnly          string            `yaml:"new_only" json:"new_only,omitempty" enum:"turn,base,baseline" doc:"Only new findings fail: new since this turn began, since the merge base, or over the counts of .gauntlet/baseline.json."`
	Retries          *int              `yaml:"retries" json:"retries,omitempty" min:"0" max:"1" default:"0" doc:"Run a failed check again to find out whether it is flaky."`
	Runner           *Runner           `yaml:"runner" json:"runner,omitempty" word:"kind" doc:"Where it runs: local, remote (the build farm of remote.farm), or {exec: [ssh, host]}."`
	Room             string            `yaml:"room" json:"room,omitempty" enum:"auto,false" doc:"auto: it may run in a room, once that is known to judge the same. false: only in the work tree." default:"auto"`
	Platform         map[string]string `yaml:"platform" json:"platform,omitempty" doc:"Properties that a worker of the build farm must have."`
	Quarantine       *Quarantine       `yaml:"quarantine" json:"quarantine,omitempty" doc:"Only warn until a day, for a check that is known to be flaky."`

	// FixText is the content of FixInstructions.
	FixText string `yaml:"-" json:"-"`
	// Untried: init wrote it and had no time to try it; it blocks once it has passed.
	Untried bool `yaml:"-" json:"-"`
	// File is where it was loaded from, relative to the project root.
	File string `yaml:"-" json:"-"`
}

// Quarantine is the quarantine section of a check.
type Quarantine struct {
	Until  string `yaml:"until" json:"until" required:"true" doc:"The last day, as 2026-12-31, in local time."`
	Reason string `yaml:"reason" json:"reason,omitempty" nonblank:"true" doc:"Why, and who looks after it."`
}

// Review is .gauntlet/reviews/NAME.md: front matter and prompt.
type Review struct {
	Name          string   `yaml:"-" json:"-"`
	CLIPreference []string `yaml:"cli_preference" json:"cli_preference,omitempty" doc:"Reviewers in order; default cli.default_preference."`
	NumReviews    int      `yaml:"num_reviews" json:"num_reviews,omitempty" doc:"How many reviewers judge the same diff." min:"1" default:"1"`
	Model         string   `yaml:"model" json:"model,omitempty" doc:"The reviewer's model; default its own."`
	Parallel      *bool    `yaml:"parallel" json:"parallel,omitempty" doc:"May run beside others." default:"true"`
	RunInCI       *bool    `yaml:"run_in_ci" json:"run_in_ci,omitempty" doc:"Run it in CI." default:"true"`
	RunLocally    *bool    `yaml:"run_locally" json:"run_locally,omitempty" doc:"Run it outside CI." default:"true"`
	Timeout       *float64 `yaml:"timeout" json:"timeout,omitempty" doc:"Seconds." above:"0" default:"300"`
	Mode          Mode     `yaml:"mode" json:"mode,omitempty" enum:"enforce,warn,observe,off" doc:"Whether a failure blocks." default:"enforce"`

	Prompt string       `yaml:"-" json:"-"`
	File   string       `yaml:"-" json:"-"`
	from   promptSource // where an old review has its prompt instead
}

// Global is the user's own configuration for all projects.
type Global struct {
	StopHook StopHook   `yaml:"stop_hook" json:"stop_hook,omitzero" doc:"How the stop hook behaves where a project does not say."`
	DebugLog DebugLog   `yaml:"debug_log" json:"debug_log,omitzero" doc:"The debug log where a project does not say."`
	Proofs   Proofs     `yaml:"proofs" json:"proofs,omitzero" doc:"Where it is remembered what passed, where a project does not say."`
	Remote   UserRemote `yaml:"remote" json:"remote,omitzero" doc:"Proofs shared between machines: credentials and keys, and what a project does not say."`
	Slots    *int       `yaml:"slots" json:"slots,omitempty" min:"0" max:"1024" doc:"How many runs of gates may use this machine at once, over all projects. The default is half the processors, at least one; 0 switches this off."`
	Trust    string     `yaml:"trust" json:"trust,omitempty" enum:"all" doc:"all: run every project's policy without asking. The default is to run only what \u0060gauntlet allow\u0060 allowed."`
}
