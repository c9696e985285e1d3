#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask for it: targets, seeds, options and dictionaries in $OUT.
# The compiler and its flags, with the sanitizer, come from the environment (CC, CFLAGS).
cd "$(dirname "$0")"
[ -f meson.build ] || cd "$SRC/vidmm"
build=${WORK:-/tmp}/vidmm-fuzz
rm -rf "$build"
meson setup "$build" -Dfuzz=true -Db_lundef=false
ninja -C "$build" fuzz-targets
for source in fuzz/*.c; do
    name=$(basename "$source" .c)
    cp "$build/fuzz/fuzz-$name" "$OUT/fuzz-$name"
    (cd "fuzz/corpus/$name" && zip -q -r "$OUT/fuzz-${name}_seed_corpus.zip" .)
    for kind in options dict; do
        [ ! -f "fuzz/$name.$kind" ] || cp "fuzz/$name.$kind" "$OUT/fuzz-$name.$kind"
    done
done
