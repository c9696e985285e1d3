#!/usr/bin/env bash
# vidmm fuzz: the inputs that are stored find what is planted, each time the same; a search that begins with
# one of them finds it, and what it writes finds it again; bad input is refused in one sentence, and a
# signal leaves nothing behind. `make fuzz-driver` searches from nothing.
#
#   tests/fuzz_driver/fuzz_driver_test.sh VIDMM
set -u
here=$(cd "$(dirname "$0")" && pwd)
vidmm=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang=${CLANG:-clang}
if ! [ -e "$($clang -print-file-name=libclang_rt.fuzzer_no_main-x86_64.a 2>/dev/null)" ]; then
    echo "SKIP: no clang with libFuzzer"
    exit 77
fi
if nm -D "$vidmm" | grep -q ' [TW] __[at]san_init'; then
    echo "SKIP: the program has a sanitizer of its own"
    exit 77
fi
failed=0
expect() { # WHAT COMMAND...
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed=1; fi
}
"$here/build.sh" "$work" planted || exit 1
cd "$work" || exit 1

for input in value order length read second present; do # second: of two allocations of one call
    "$vidmm" fuzz --replay "$here/inputs/$input" planted.so > one 2> said
    code=$?
    "$vidmm" fuzz --replay "$here/inputs/$input" planted.so > other 2> said
    expect "$input: exit code 1" [ "$code" = 1 ]
    expect "$input: the same again" cmp -s one other
    expect "$input: a finding in planted.c" grep -q 'planted.c' one
done
"$vidmm" fuzz --replay "$here/inputs/order" planted.so 2> said | grep -q '1  escape, device 0, 8 bytes: 01000000' &&
    words=0 || words=1
expect "the calls are said in words" [ "$words" = 0 ]
printf '\011\002\000\000\000\000\000\000' > device # a device 2, which is of another process
created=$("$vidmm" fuzz --replay device --trace --model gpummu "$(dirname "$vidmm")/drivers/gpummu.so" 2>&1 | grep -c ' CreateProcess at .* 0x0 ')
expect "devices of two processes, beside the one that pages" [ "$created" = 3 ]
: > empty
"$vidmm" fuzz --replay empty planted.so > one 2> said
expect "an input of no calls finds nothing: exit code 0" [ $? = 0 ]
"$vidmm" fuzz --replay missing planted.so > one 2> said
expect "a file that is not there: exit code 2 and one sentence" [ "$?:$(wc -l < said)" = 2:1 ]
CLANG=/nonexistent "$vidmm" fuzz --seconds 1 planted.so > one 2> said
expect "without clang: exit code 2 and one sentence" [ "$?:$(wc -l < said)" = 2:1 ]

refused() { # WHAT ARGUMENT...
    local what=$1
    shift
    timeout 60 "$vidmm" fuzz "$@" > one 2> said
    expect "$what: exit code 2 and one sentence" [ "$?:$(wc -l < said)" = 2:1 ]
}
mkdir corpus directory.so
cp "$here/inputs/order" corpus/
refused "no driver"
refused "a driver that is not there" ./missing.so
refused "a directory as a driver" ./directory.so
refused "no seconds" --seconds 0 planted.so
refused "no jobs" --jobs 0 planted.so
refused "a corpus that is a file" --corpus empty planted.so
refused "a corpus that cannot be made" --corpus no/where planted.so
refused "an output that is a file" --output empty planted.so

refused "a setting that nobody asks for" --seconds 1 --set VramBytez=8M planted.so
expect "it is told which is nearest" grep -q 'asked for VramBytes' said
refused "a setting that nobody asks for, in a replay" --set VramBytez=8M --replay empty planted.so
"$vidmm" fuzz --set VramBytes=8M --replay empty planted.so > one 2> said
expect "a setting that the driver asks for: exit code 0" [ $? = 0 ]

export TMPDIR=$work/temporary
mkdir "$TMPDIR"
"$vidmm" fuzz --seconds 60 --output stopped planted.so > one 2> said &
search=$!
while kill -0 $search 2> /dev/null && ! ls "$TMPDIR"/*/log-0 > /dev/null 2>&1; do sleep 0.1; done
kill -TERM $search
wait $search
expect "a signal ends a search" [ $? = 143 ]
expect "a signal leaves no directory" [ -z "$(ls "$TMPDIR")" ]

mkdir mine
cp "$here/inputs/value" mine/
"$vidmm" fuzz --seconds 60 --corpus mine --output mine-found planted.so > one 2> said &
search=$!
for _ in $(seq 600); do
    if [ "$(ls mine | wc -l)" -gt 2 ] && ls mine-found/*.input > /dev/null 2>&1; then break; fi
    sleep 0.1
done
kill -TERM $search
wait $search
expect "an input of the corpus that ends the driver's process is reported" grep -q 'signal 11' said
expect "the search goes on beyond it" [ "$(ls mine | wc -l)" -gt 2 ]
expect "it stays in the corpus" cmp -s "$here/inputs/value" mine/value

timeout 60 "$vidmm" fuzz --seconds 30 --stop-at-first --corpus corpus --output found planted.so > report 2> said
expect "a search finds something: exit code 1" [ $? = 1 ]
expect "the report has the edges of the driver" grep -q 'edges .* of .* of the driver' report
expect "what was found is made small" grep -q 'input: .* ([1-4] calls, ' report
expect "the end of the driver's process is no finding" [ "$(grep -c 'no end within' report)" = 0 ]
again=$(sed -n 's/^    again:    vidmm //p' report | head -1)
# shellcheck disable=SC2086
"$vidmm" $again > one 2> said
expect "the command of the report finds it again" [ $? = 1 ]
exit $failed
