#!/bin/sh
# scripts/join-archive.sh OUT MAP DIR ARCHIVE...: one archive OUT of one object with all that the archives have. Of
# its symbols those are global which the version script MAP names as such; all others are local, so that they cannot
# meet a program's own. Without debug information. DIR is for what is in between.
set -eu
out=$1
map=$2
work=$3
shift 3
mkdir -p "$work"
object=$work/$(basename "$out" .a).o
sed -n '/global:/,/local:/s/^ *\([][A-Za-z_*-]*\);$/\1/p' "$map" >"$work/global"
${LD:-ld} -r -S --whole-archive -o "$object" "$@"
${OBJCOPY:-objcopy} --wildcard --keep-global-symbols="$work/global" "$object"
rm -f "$out"
${AR:-ar} rcs "$out" "$object"
