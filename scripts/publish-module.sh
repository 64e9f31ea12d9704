#!/bin/sh
# publish-module.sh DIR: write a copy of the committed sources into DIR with the
# published module path (internal/buildinfo/names.go), ready to be tagged, so that
# `go install MODULE/cmd/gauntlet@VERSION` works.
set -eu
dir=${1:?usage: publish-module.sh DIR}
root=$(cd "$(dirname "$0")/.." && pwd)
module=$(sed -n 's/^\tModule = "\(.*\)"$/\1/p' "$root/internal/buildinfo/names.go")
test -n "$module" || { echo "publish-module: no Module in internal/buildinfo/names.go" >&2; exit 1; }
if [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; then
	echo "publish-module: $dir is not empty" >&2
	exit 1
fi
mkdir -p "$dir"
git -C "$root" archive --format=tar HEAD | tar -x -C "$dir"
cd "$dir"
rm -rf tools # build tools of this repository, modules of their own
# Import paths and linker flags; the program's own name stays.
grep -rlE '("| |=)gauntlet/(internal|cmd|test|bench|schema|packaging|fleet)' --include='*.go' --include=Makefile . | while read -r f; do
	sed -E -i.bak "s#(\"| |=)gauntlet/(internal|cmd|test|bench|schema|packaging|fleet)#\1$module/\2#g" "$f"
	rm "$f.bak"
done
sed -i.bak "s#^module gauntlet\$#module $module#" go.mod
sed -i.bak "s#^module gauntlet/fleet\$#module $module/fleet#; s#^replace gauntlet =>#replace $module =>#; s#^require gauntlet #require $module #" fleet/go.mod
rm go.mod.bak fleet/go.mod.bak
echo "$module in $dir"
