#!/usr/bin/env bash
# scripts/check-circles.sh accepts a clean tree and finds each kind of circle: between rooms, between
# folders of a room, and a large one inside a folder.
#
#   circles_test.sh SOURCE_ROOT CC...
set -u
check=$1/scripts/check-circles.sh
shift
failures=0
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# A source file that defines the function NAME, and calls the functions USED.
source_file() { # PATH NAME USED...
    local path=$tree/$1 name=$2 used
    shift 2
    mkdir -p "${path%/*}"
    for used in "$@"; do echo "void $used(void);"; done >"$path"
    {
        echo "void $name(void);"
        echo "void $name(void) {"
        for used in "$@"; do echo "    $used();"; done
        echo "}"
    } >>"$path"
}

# Compiles every source of the tree into objects named as meson names them; one that has not changed since it was compiled
# keeps its object.
build() { # CC...
    local file path room object entries= objects=()
    for file in $(cd "$tree" && find src -name '*.c' | sort); do
        path=${file#src/}
        room=${path%%/*}
        path=${path#*/}
        object=src/$room/libvidmm-$room.a.p/${path//\//_}.o
        objects+=("$tree/build/$object")
        entries+="${entries:+,}{\"directory\": \"$tree/build\", \"file\": \"../$file\", \"output\": \"$object\"}"
        ! cmp -s "$tree/$file" "$tree/build/$object.c" || continue
        mkdir -p "$tree/build/${object%/*}"
        "$@" -w -c "$tree/$file" -o "$tree/build/$object" || fail "$file does not compile"
        cp "$tree/$file" "$tree/build/$object.c"
    done
    touch "${objects[@]}"
    echo "[$entries]" >"$tree/build/compile_commands.json"
}

clean_tree() {
    rm -rf "${tree:?}/src"
    source_file src/manager/top.c top ground make_plan
    source_file src/manager/base/ground.c ground
    source_file src/manager/paging/plan.c make_plan run_plan ground
    source_file src/manager/paging/plan_run.c run_plan make_plan ground
    source_file src/softgpu/kmd_a.c kmd_a
    source_file src/softgpu/hw_a.c hw_a
    source_file src/cli/main.c main_of_command top printf
}

# The verdict on the tree: the exit code, and a line that must be in the output whole.
expect() { # STATUS LINE [OPTION...]
    local status=$1 line=$2 output code
    shift 2
    build "${cc[@]}"
    output=$("$check" "$@" "$tree/build" 2>&1)
    code=$?
    [ "$code" -eq "$status" ] || fail "exit code $code, not $status: $output"
    grep -qxF -- "$line" <<<"$output" || fail "no line '$line' in: $output"
}

cc=("$@")

clean_tree
expect 0 'check-circles: 4 rooms, no circle between folders, largest circle 2 files (src/manager/paging)'
expect 0 'src/manager: 4 files in 3 folders, largest circle 2 files: paging/plan.c paging/plan_run.c'
expect 0 'src/softgpu/hardware: 1 files in 1 folder, no circle'
expect 0 'src/manager/paging/plan.c src/manager/base/ground.c ground' --graph manager
expect 0 '  src/manager/top.c -> src/manager/base/ground.c: ground' --all

# A function that the lower folder calls in the upper one.
clean_tree
source_file src/manager/base/ground.c ground run_plan make_plan
expect 1 'src/manager: a circle of 2 folders: base, paging'
expect 1 '  src/manager/base/ground.c -> src/manager/paging/plan.c: make_plan'
expect 1 '  src/manager/paging/plan.c -> src/manager/base/ground.c: ground'

# A circle of folders needs no circle of files.
clean_tree
source_file src/manager/base/other.c other make_plan
expect 1 'src/manager: a circle of 2 folders: base, paging'
expect 1 '  cut src/manager/base/other.c -> src/manager/paging/plan.c: make_plan' --all

# A file in no sub-folder lies in the folder ".", which takes part.
clean_tree
source_file src/manager/base/other.c other top
expect 1 'src/manager: a circle of 3 folders: ., base, paging'

# A table, read by the lower folder: data counts as functions do.
clean_tree
echo 'const int table_of_plans[2] = {1, 2};' >"$tree/src/manager/paging/table.c"
echo 'extern const int table_of_plans[2]; int other(void) { return table_of_plans[1]; }' \
    >"$tree/src/manager/base/other.c"
expect 1 '  src/manager/base/other.c -> src/manager/paging/table.c: table_of_plans'

# Three folders in a ring, none of which uses back the one that uses it.
clean_tree
source_file src/manager/a/a.c in_a in_b
source_file src/manager/b/b.c in_b in_c
source_file src/manager/c/c.c in_c in_a
expect 1 'src/manager: a circle of 3 folders: a, b, c'

# Two rooms, and the two halves of softgpu.
clean_tree
source_file src/manager/base/ground.c ground main_of_command
expect 1 'a circle of 2 rooms: src/cli, src/manager'
expect 1 '  src/manager/base/ground.c -> src/cli/main.c: main_of_command'
clean_tree
source_file src/softgpu/kmd_a.c kmd_a hw_a
source_file src/softgpu/hw_a.c hw_a kmd_a
expect 1 'a circle of 2 rooms: src/softgpu/driver, src/softgpu/hardware'
clean_tree
source_file src/softgpu/driver/a.c driver_a kmd_b
source_file src/softgpu/driver/paging/b.c kmd_b driver_a
expect 1 'src/softgpu/driver: a circle of 2 folders: ., paging'

# Four files in a circle inside one folder may be; five may not.
clean_tree
for i in 0 1 2 3; do source_file "src/host/ring/f$i.c" "f$i" "f$(((i + 1) % 4))"; done
expect 0 'check-circles: 5 rooms, no circle between folders, largest circle 4 files (src/host/ring)'
clean_tree
for i in 0 1 2 3 4; do source_file "src/host/ring/f$i.c" "f$i" "f$(((i + 1) % 5))"; done
expect 1 '  src/host/ring/f4.c -> src/host/ring/f0.c: f0'

# No verdict without a build, or with an old one.
clean_tree
build "${cc[@]}"
touch -d '+1 hour' "$tree/src/manager/top.c"
output=$("$check" "$tree/build" 2>&1)
[ $? -eq 2 ] || fail "an old object passed for a new one: $output"
rm "$tree/build/src/manager/libvidmm-manager.a.p/top.c.o"
output=$("$check" "$tree/build" 2>&1)
[ $? -eq 2 ] || fail "a missing object passed: $output"
output=$("$check" "$tree/nothing" 2>&1)
[ $? -eq 2 ] || fail "a missing build directory passed: $output"

[ "$failures" -eq 0 ] || exit 1
