#!/bin/sh
# scripts/build.sh DIR [meson setup option...]: configures DIR once, then builds it.
# The options count for the first time only; remove DIR to choose others.
set -eu
cd "$(dirname "$0")/.."
dir=$1
shift
if [ ! -f "$dir/build.ninja" ]; then
    # A directory without build.ninja is a set-up that failed: start over.
    rm -rf "$dir"
    meson setup "$dir" "$@" || {
        rm -rf "$dir"
        exit 1
    }
fi
meson compile -C "$dir"
