#!/bin/sh
# One session of an agent that is blocked and repairs what it broke, in a small
# repository made for the occasion: init as a person runs it, then the events that
# Claude Code sends, through the commands that init installed.
# Usage: try.sh PATH/TO/gauntlet
set -eu
unset MAKEFLAGS MAKELEVEL MFLAGS 2>/dev/null || :
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/home/.claude" "$dir/demo"
ln -s "$1" "$dir/bin/gauntlet"
export PATH="$dir/bin:$PATH" HOME="$dir/home" XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config" GIT_CONFIG_NOSYSTEM=1
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') dim=$(printf '\033[2m') off=$(printf '\033[0m'); else bold='' dim='' off=''; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$off"; }
show() { printf '%s$ %s%s\n' "$dim" "$*" "$off"; }

cd "$dir/demo"
git -c init.defaultBranch=main init -q .
git config user.name demo
git config user.email demo@example.com
printf 'add() { echo $(( $1 + $2 )); }\n' > calc.sh
cat > test.sh <<'SH'
. ./calc.sh
got=$(add 2 3)
[ "$got" = 5 ] || { echo "add 2 3: got $got, want 5"; exit 1; }
echo ok
SH
printf 'test:\n\t@sh test.sh\n' > Makefile
git add -A
git commit -q -m 'a calculator and its test'

say '1. Set it up: it finds your commands and tries them'
show 'gauntlet init'
COLUMNS=96 gauntlet init --yes --agent claude 2>/dev/null | grep -v -e '^Project:' -e '^Done' -e 'gauntlet doctor'
# Called by an agent init allows nothing, as it should; then this session does.
gauntlet allow --yes >/dev/null 2>&1 || export GAUNTLET_TRUST=all

# installed EVENT runs the command that stands in the agent's settings.
installed() { sh -c "$(sed -n 's/.*"command": "\(.*gauntlet '"$1"'.*\)".*/\1/p' .claude/settings.json | head -1 | sed 's/\\"/"/g')"; }
event() { printf '{"hook_event_name":"%s","session_id":"try","cwd":"%s"%s}\n' "$1" "$PWD" "$2"; }
field() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }
expect() { [ "$(printf '%s' "$verdict" | field "$1")" = "$2" ] || { printf 'expected %s %s, got %s\n' "$1" "$2" "$verdict"; exit 1; }; }

# This script has no terminal, so the first stop reports that init was agreed to without one.
event UserPromptSubmit ',"prompt":"hello"' | installed 'hook prompt' >/dev/null
event Stop ',"stop_hook_active":false' | installed 'stop-hook' >/dev/null

say '2. You: add subtraction to the calculator'
event UserPromptSubmit ',"prompt":"add subtraction to the calculator"' | installed 'hook prompt' >/dev/null
sed 's/+/-/' calc.sh > calc.new && mv calc.new calc.sh
echo '   Agent: edits calc.sh … "Done! Subtraction works."'

say '3. Its stop is judged, and blocked'
verdict=$(event Stop ',"stop_hook_active":false' | installed 'stop-hook')
expect decision block
printf '%s\n' "$verdict" | sed 's/.*"reason":"\(.*\)","systemMessage.*/\1/; s/\\n/\n/g; s/\\"/"/g' | sed "s|$dir/||g" | sed -n '1,7p' | sed 's/^\(.\{98\}\).\{4,\}/\1…/' | sed 's/^/  | /'
printf '%s\n' "$verdict" | field systemMessage | cut -c1-130 | sed 's/^/  you see: /'

say '4. The agent reads that, repairs it, and stops again'
printf 'add() { echo $(( $1 + $2 )); }\nsub() { echo $(( $1 - $2 )); }\n' > calc.sh
echo '   Agent: restores add, adds sub … "Fixed."'
verdict=$(event Stop ',"stop_hook_active":true' | installed 'stop-hook')
expect decision approve
expect status passed
printf '  %s\n' "$(printf '%s' "$verdict" | field message): the agent may stop"

say "Next: gauntlet init in a project of yours (make install puts the binary into ~/.local/bin)."
