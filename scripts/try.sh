#!/bin/sh
# A block and a repair, in a small repository made for the occasion: a real stop
# event goes through the real binary. Usage: try.sh PATH/TO/gauntlet
set -eu
gauntlet=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config" GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME" "$dir/demo"
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') dim=$(printf '\033[2m') off=$(printf '\033[0m'); else bold='' dim='' off=''; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$off"; }
show() { printf '%s$ %s%s\n' "$dim" "$*" "$off"; }

cd "$dir/demo"
git -c init.defaultBranch=main init -q .
git config user.name demo
git config user.email demo@example.com
mkdir -p .gauntlet/checks
cat > .gauntlet/config.yml <<'YML'
entry_points:
  - path: .
    checks: [test]
stop_hook:
  run_interval_minutes: 0
YML
cat > .gauntlet/checks/test.yml <<'YML'
command: sh test.sh
YML
printf 'gauntlet_logs/\n' > .gitignore
printf 'add() { echo $(( $1 + $2 )); }\n' > calc.sh
cat > test.sh <<'SH'
. ./calc.sh
got=$(add 2 3)
[ "$got" = 5 ] || { echo "add 2 3: got $got, want 5"; exit 1; }
echo ok
SH
git add -A
git commit -q -m 'a calculator and its test'

say 'A policy runs commands, so a person allows it first:'
show 'gauntlet allow'
"$gauntlet" allow --yes

stop() { printf '{"hook_event_name":"Stop","session_id":"try","cwd":"%s","stop_hook_active":false}\n' "$PWD" | "$gauntlet" stop-hook; }
# show_verdict prints the verdict as it is, cut to the line, and the reason as the agent reads it.
show_verdict() {
	printf '%s\n' "$1" | cut -c1-96 | sed 's/$/…/; s/}…$/}/'
	reason=$(printf '%s' "$1" | sed -n 's/.*"reason":"\(.*\)","systemMessage.*/\1/p' | sed 's/\\n/\n/g; s/\\"/"/g' | sed "s|$dir/||g")
	[ -z "$reason" ] || printf '%s\n' "$reason" | sed -n '1,9p' | cut -c1-110 | sed 's/^/  | /'
}
field() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

say "1. An agent breaks the calculator and says it is done"
show "sed -i s/+/-/ calc.sh"
sed 's/+/-/' calc.sh > calc.new && mv calc.new calc.sh

say "2. Its stop hook asks Gauntlet"
show "echo '{\"hook_event_name\":\"Stop\", …}' | gauntlet stop-hook"
verdict=$(stop)
show_verdict "$verdict"
[ "$(printf '%s' "$verdict" | field decision)" = block ] || { echo "expected a block"; exit 1; }

say "3. The agent gets that as its next prompt and repairs the cause"
show "sed -i s/-/+/ calc.sh"
sed 's/-/+/' calc.sh > calc.new && mv calc.new calc.sh

# Back to the committed content there would be nothing to judge: it also adds what it was asked for.
printf 'sub() { echo $(( $1 - $2 )); }\n' >> calc.sh

say "4. It stops again"
show "echo '{\"hook_event_name\":\"Stop\", …}' | gauntlet stop-hook"
verdict=$(stop)
show_verdict "$verdict"
[ "$(printf '%s' "$verdict" | field decision)" = approve ] || { echo "expected an approval"; exit 1; }
[ "$(printf '%s' "$verdict" | field status)" = passed ] || { echo "expected a pass"; exit 1; }

say "Next: gauntlet init in a project of yours (make install puts the binary into ~/.local/bin)."
