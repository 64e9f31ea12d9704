# One hour on Windows, under Wine: init, doctor, block, repair, pass, off, uninstall. Gates
# are shell builtins, because Wine cannot fork for the shell of Git for Windows.
# shellcheck shell=sh
set -u
drive=/root/wine/drive_c
rm -rf "$drive/work" "$drive/users/root/.local" "$drive/users/root/.config"
mkdir -p "$drive/work/My Repo"
cd "$drive/work/My Repo" || exit 1

failed=
say() { echo "  $*"; }
fail() {
	failed=1
	echo "FAILED: $*"
}
g() { # g WANTED-EXIT TEXT ARGS…: run gauntlet; its output must contain TEXT
	code=$1 want=$2
	shift 2
	out=$(timeout 120 wine64 /bin-test/gauntlet.exe "$@" 2>&1 </tmp/stdin)
	got=$?
	: >/tmp/stdin
	[ "$got" = "$code" ] || fail "gauntlet $*: exit $got, want $code: $out"
	case $out in *"$want"*) say "gauntlet $*: ok" ;; *) fail "gauntlet $*: no \"$want\" in: $out" ;; esac
}
git() { timeout 60 wine64 "C:\\Program Files\\Git\\cmd\\git.exe" "$@" 2>/dev/null || fail "git $*"; }
stop() { # stop TEXT DIRECTORY: the event that Claude Code sends
	printf '{"session_id":"s","prompt_id":"p","cwd":"%s","hook_event_name":"Stop","stop_hook_active":false}\r\n' "$2" >/tmp/stdin
	g 0 "$1" stop-hook --agent claude
}

: >/tmp/stdin
git init -q -b main
git config user.name dev
git config user.email dev@localhost
printf '{"name":"x","scripts":{"test":"true"}}\n' >package.json
printf 'good\r\n' >a.txt
g 0 "gauntlet" version
mkdir .claude # the agent is used here
echo "{}" >.claude/settings.json
g 0 "" init --yes --no-try
[ -e .gauntlet/config.yml ] || fail "init wrote no policy"
grep -q "gauntlet stop-hook" .claude/settings.json || fail "init wrote no hook"
cat >.gauntlet/config.yml <<'EOF'
base_branch: main
stop_hook: {preset: strict}
entry_points: [{path: ., checks: [good]}]
EOF
rm -rf .gauntlet/checks
mkdir .gauntlet/checks
printf 'command: |\n  while read -r l; do case $l in good*) ;; *) echo "bad: $l"; exit 1;; esac; done < a.txt\n' >.gauntlet/checks/good.yml
git add -A
git commit -qm base
g 0 "Allowed" allow --yes
g 0 "gates run in C:\\Program Files\\Git\\bin\\sh.exe" doctor --no-self-test
printf 'evil\r\n' >a.txt
stop '"status":"failed"' 'C:\\work\\My Repo'
printf 'worse\r\n' >a.txt
stop 'bad: worse' 'c:\\WORK\\my repo'
printf 'good\r\ngood\r\n' >a.txt
stop '"decision":"approve"' '/c/work/My Repo'
g 0 "passed" run --all
printf 'evil\r\n' >a.txt
g 1 "1 failed" run --all
g 0 "" off --for 1h
stop '"decision":"approve"' 'C:\\work\\My Repo'
g 0 "" on
printf 'wicked\r\n' >a.txt
stop '"status":"failed"' 'C:\\work\\My Repo'
g 0 "" log
g 0 "" uninstall
[ "$(cat .claude/settings.json)" = "{}" ] || fail "uninstall left $(cat .claude/settings.json)"
wineserver64 -k
[ -z "$failed" ] && echo "the hour on Windows passed"
