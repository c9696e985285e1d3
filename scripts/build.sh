#!/bin/sh
# scripts/build.sh DIR [meson setup option...]: configures DIR once, then builds it.
# The options count for the first time only; remove DIR to choose others. With VIDMM_WERROR=1, as
# .ci/run sets it, a warning of the compiler is an error. VIDMM_TARGETS names what is built; all by default.
set -eu
cd "$(dirname "$0")/.."
dir=$1
shift

# Ninja would build where a copied or moved directory was configured: say so before it does. Paths are
# compared without symbolic links; what meson did not write is not judged.
configured=$([ ! -f "$dir/meson-info/meson-info.json" ] || tr -d '\n' <"$dir/meson-info/meson-info.json" |
    sed -n 's/.*"directories": *{[^}]*"build": *"\([^"]*\)".*/\1/p')
if [ -n "$configured" ]; then
    here=$(cd "$dir" && pwd -P)
    if [ "$(cd "$configured" 2>/dev/null && pwd -P || echo "$configured")" != "$here" ]; then
        echo "build.sh: $dir was configured as $configured and then copied or moved; to build here, remove it first: rm -rf $here" >&2
        exit 1
    fi
fi
if [ ! -f "$dir/build.ninja" ]; then
    # A directory without build.ninja is a set-up that failed: start over.
    rm -rf "$dir"
    [ "${VIDMM_WERROR:-0}" = 0 ] || set -- -Dwerror=true "$@"
    meson setup "$dir" "$@" || {
        rm -rf "$dir"
        exit 1
    }
fi
# shellcheck disable=SC2086
meson compile -C "$dir" ${VIDMM_TARGETS:-}
