#!/bin/sh
# scripts/sanitize.sh address|thread [DIR]: builds with sanitizers, by the compiler in CC, and runs the suite under them.
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
# What is left out in turn is found by what the manager does, not by what it touches. An examination forks hundreds of processes,
# which takes a minute in such a build, replays are long, and the command line starts a hundred programs: .ci/run, which sets
# VIDMM_SHARE, leaves them to make sanitize; mutants are drivers that are examined.
address)
    sanitizers=address,undefined suites='--no-suite dropped-calls'
    [ "${VIDMM_SHARE:-1}" = 1 ] || suites="$suites --no-suite check --no-suite mutants --no-suite long --no-suite replay --no-suite cli"
    ;;
# One thread has no races: what starts threads is all that is built.
thread)
    sanitizers=thread suites='--suite threads --suite stress --suite host --no-suite long'
    export VIDMM_TARGETS=vidmm:executable VIDMM_REBUILD=1
    ;;
*)
    echo "usage: scripts/sanitize.sh address|thread [DIR]" >&2
    exit 2
    ;;
esac
dir=${2:-build-$1}
# A sanitizer's run time is found at run time: undefined symbols are no mistake in such a build. Its
# checks make gcc follow pointers that it supposes to be NULL, so gcc's warnings end no build here.
case ${CC:-cc} in *clang*) set -- ;; *) set -- -Dwerror=false ;; esac
# What is not optimized is compiled in half the time. Without precompiled headers it shows whether each source includes what it uses.
scripts/build.sh "$dir" -Db_pch=false -Db_sanitize="$sanitizers" -Db_lundef=false -Doptimization=1 -Dc_args=-g1 "$@"
# The contract is headers, and suite source is scripts: sanitizers have nothing to see there.
# shellcheck disable=SC2086
scripts/run-tests.sh "$dir" --timeout-multiplier 6 --no-suite contract --no-suite source $suites
