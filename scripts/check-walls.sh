#!/usr/bin/env bash
# Enforces the walls between the rooms of the house (docs/architecture.md): which room may include
# which headers. Prints every violation as file:line: sentence; exits 1 when there is one.
#
#   scripts/check-walls.sh [ROOT]
set -u
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2

# What an include line is, in one word:
#   own             a header of the same room, in src/softgpu of the same half (driver, hardware)
#   common          a header of what the example drivers share, drivers/common
#   wddm            a contract header
#   vidmm/NAME      a public header of the library
#   free            C freestanding
#   string          <string.h>: the mem* functions
#   system          anything else from the system
#   room            a header of another room
resolve() { # FILE ROOM NAME: in a room with sub-folders, names begin at the room
    local file=$1 room=$2 name=$3
    if [[ $name != ../* && -f "$room/$name" ]]; then
        echo "$room/$name"
    else
        realpath -m --relative-to=. "$(dirname "$file")/$name"
    fi
}

classify() { # FILE ROOM QUOTED NAME
    local file=$1 room=$2 quoted=$3 name=$4 path
    if [ "$quoted" = 1 ]; then
        path=$(resolve "$file" "$room" "$name")
        case $path in
        src/softgpu/softgpu_*.h) echo own ;; # what the two halves share: the registers
        src/softgpu/*)
            if [ "$(cut -d/ -f3 <<<"$path")" = "$(cut -d/ -f3 <<<"$file")" ]; then echo own; else echo other-half; fi
            ;;
        "$room"/*) echo own ;;
        drivers/common/*) echo common ;;
        include/wddm/*) echo wddm ;;
        include/vidmm/*) echo "vidmm/$(basename "$path" .h)" ;;
        *) echo room ;;
        esac
        return
    fi
    case $name in
    vidmm/*) echo "${name%.h}" ;;
    stdalign.h | stdarg.h | stdbool.h | stddef.h | stdint.h | limits.h | float.h | iso646.h | stdnoreturn.h)
        echo free
        ;;
    string.h) echo string ;;
    *) if [ -f "include/wddm/$name" ]; then echo wddm; else echo system; fi ;;
    esac
}

# The words that each room may use. Order matters: the first pattern that fits the file decides.
allowed() { # FILE
    case $1 in
    include/wddm/*) echo "own wddm free string" ;;
    include/vidmm/os.h | include/vidmm/manager.h | include/vidmm/virtual.h | include/vidmm/migration.h | \
        include/vidmm/readings.h)
        echo "wddm free vidmm/os vidmm/manager vidmm/readings"
        ;;
    include/vidmm/interrupt.h) echo "wddm free" ;;
    include/vidmm/hwmodel.h | include/vidmm/umd.h | include/vidmm/pattern.h) echo "free string" ;;
    include/vidmm/*) echo "wddm free string system vidmm/*" ;;
    src/manager/*)
        echo "own wddm free string vidmm/os vidmm/manager vidmm/virtual vidmm/migration vidmm/readings"
        ;;
    src/softgpu/hardware/*) echo "own free string system vidmm/hwmodel vidmm/umd vidmm/pattern vidmm/softgpu" ;;
    src/softgpu/*) echo "own wddm free string vidmm/umd vidmm/softgpu" ;;
    src/referee/rules/*) echo "own wddm free string system vidmm/rules vidmm/readings" ;;
    src/referee/*) echo "own wddm free string system vidmm/rules vidmm/readings vidmm/referee vidmm/interrupt vidmm/services" ;;
    src/host/*) echo "own wddm free string system vidmm/host vidmm/hwmodel vidmm/os vidmm/interrupt" ;;
    src/harness/*) echo "own wddm free string system vidmm/host vidmm/manager vidmm/virtual vidmm/os vidmm/harness vidmm/referee" ;;
    src/workload/*)
        echo "own free string system vidmm/host vidmm/manager vidmm/virtual vidmm/harness vidmm/workload vidmm/umd vidmm/pattern"
        ;;
    src/check/*) echo "own wddm free string system vidmm/*" ;;
    src/run/* | src/migrate/* | src/report/* | src/cli/*) echo "own free string system vidmm/*" ;;
    drivers/common/*) echo "own wddm free string" ;;
    drivers/*/hardware.*) echo "own free string system vidmm/hwmodel" ;;
    drivers/*) echo "own common wddm free string" ;;
    *) echo "" ;;
    esac
}

room_of() { # FILE
    case $1 in
    src/* | drivers/*) echo "$1" | cut -d/ -f1,2 ;;
    *) dirname "$1" ;;
    esac
}

violations=0
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^>"]+)[>"]'
while IFS=: read -r file line text; do
    [[ $text =~ $include ]] || continue
    quoted=0
    [ "${BASH_REMATCH[1]}" = '"' ] && quoted=1
    name=${BASH_REMATCH[2]}
    words=$(allowed "$file")
    room=$(room_of "$file")
    word=$(classify "$file" "$room" "$quoted" "$name")
    good=0
    set -f
    for pattern in $words; do
        # shellcheck disable=SC2254
        case $word in $pattern) good=1 ;; esac
    done
    set +f
    [ "$good" = 1 ] && continue
    echo "$file:$line: $room may not include $name ($word); it may use: ${words:-nothing, the room has no rule}"
    violations=$((violations + 1))
done < <(find include src drivers -type f -regex '.*\.[ch]\(pp\)?' -print0 2>/dev/null | sort -z |
    xargs -0 -r grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null)

if [ "$violations" -ne 0 ]; then
    echo "check-walls: $violations includes cross a wall" >&2
    exit 1
fi
echo "check-walls: every include stays inside its walls"
