#!/bin/sh
# Installs Gauntlet into ~/.local/bin (or $GAUNTLET_DIR), after comparing the archive with the
# release's checksums. GAUNTLET_VERSION chooses a release; the default is the newest.
#
#   curl -fsSL https://github.com/gauntlet-gates/gauntlet/releases/latest/download/install.sh | sh
set -eu

main() {
	home=https://github.com/gauntlet-gates/gauntlet/releases
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "no build for $(uname -s); on Windows use install.ps1" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "no build for $(uname -m)" ;;
	esac
	for c in curl tar; do command -v $c >/dev/null || fail "$c is missing"; done
	base=${GAUNTLET_URL:-$home/latest/download}
	if [ -n "${GAUNTLET_VERSION:-}" ]; then base=${GAUNTLET_URL:-$home/download/v$GAUNTLET_VERSION}; fi
	dir=${GAUNTLET_DIR:-$HOME/.local/bin}
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	curl -fsSL --retry 3 -o "$tmp/checksums.txt" "$base/checksums.txt" || fail "cannot fetch $base/checksums.txt"
	line=$(grep "  gauntlet_[^ ]*_${os}_$arch\.tar\.gz\$" "$tmp/checksums.txt" | head -n 1)
	[ -n "$line" ] || fail "this release has no archive for $os $arch"
	archive=${line##* }
	curl -fsSL --retry 3 -o "$tmp/$archive" "$base/$archive" || fail "cannot fetch $base/$archive"
	cd "$tmp"
	if command -v sha256sum >/dev/null; then echo "$line" | sha256sum -c - >/dev/null; else echo "$line" | shasum -a 256 -c - >/dev/null; fi ||
		fail "$archive is not the file that the release lists; nothing was installed"
	tar -xzf "$archive"
	mkdir -p "$dir"
	for program in gauntlet gauntlet-fleet; do install -m 755 "$(find . -type f -name $program | head -n 1)" "$dir/$program"; done
	echo "Installed $("$dir/gauntlet" version) in $dir. Next, in your project: gauntlet init"
	case ":$PATH:" in *":$dir:"*) ;; *) echo "$dir is not on your PATH yet." ;; esac
}

fail() {
	echo "install: $*" >&2
	exit 1
}

main # the last line, so that half a download runs nothing
