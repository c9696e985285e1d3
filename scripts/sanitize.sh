#!/bin/sh
# scripts/sanitize.sh address|thread [DIR]: builds with sanitizers and runs the suite under them.
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
address) sanitizers=address,undefined ;;
thread) sanitizers=thread ;;
*)
    echo "usage: scripts/sanitize.sh address|thread [DIR]" >&2
    exit 2
    ;;
esac
dir=${2:-build-$1}
# A sanitizer's run time is found at run time: undefined symbols are no mistake in such a build.
scripts/build.sh "$dir" -Db_sanitize="$sanitizers" -Db_lundef=false
scripts/run-tests.sh "$dir" --timeout-multiplier 6
