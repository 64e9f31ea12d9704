#!/bin/sh
# vulncheck.sh: known vulnerabilities in what is linked. Where the database cannot
# be reached nothing is known, and that is said loudly instead of failing.
out=$(go tool -modfile=tools/govulncheck/go.mod govulncheck ./... 2>&1)
code=$?
echo "$out"
case "$code:$out" in
0:*) exit 0 ;;
*"fetching vulnerabilities:"*)
	echo "SKIPPED: the vulnerability database is not reachable, so known vulnerabilities were NOT looked for" >&2
	exit 0
	;;
esac
exit "$code"
