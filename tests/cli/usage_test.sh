#!/usr/bin/env bash
# Wrong words and wrong files: exit code 2 and one sentence on standard error, nothing else.
#
#   usage_test.sh VIDMM
set -u
vidmm=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# refuse CODE PATTERN WORD...: exit code CODE, one line on standard error that fits PATTERN.
refuse() {
    local code=$1 pattern=$2 got
    shift 2
    "$vidmm" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ "$got" -ne "$code" ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q "$pattern" "$work/err" ||
        [ -s "$work/out" ]; then
        echo "FAIL: vidmm $*: exit code $got, standard error:"
        cat "$work/err"
        failures=$((failures + 1))
    fi
}

# accept PATTERN WORD...: exit code 0 and a standard output that fits PATTERN.
accept() {
    local pattern=$1
    shift
    if ! "$vidmm" "$@" >"$work/out" 2>"$work/err" </dev/null || ! grep -q -- "$pattern" "$work/out"; then
        echo "FAIL: vidmm $*"
        failures=$((failures + 1))
    fi
}

# lost PATTERN WORD...: what is printed on a full disk, or on nothing at all, is missed.
lost() {
    local pattern=$1 sink got
    shift
    for sink in /dev/full closed; do
        if [ "$sink" = closed ]; then
            "$vidmm" "$@" >&- 2>"$work/err" </dev/null
        else
            "$vidmm" "$@" >"$sink" 2>"$work/err" </dev/null
        fi
        got=$?
        if [ "$got" -ne 2 ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q "$pattern" "$work/err"; then
            echo "FAIL: vidmm $* to $sink: exit code $got, standard error:"
            cat "$work/err"
            failures=$((failures + 1))
        fi
    done
}

refuse 2 'no command'
refuse 2 "no command 'fly'" fly
refuse 2 "does not take '--speed'" run --speed
refuse 2 "'--vram' needs a value\|--vram needs a value" run --vram
refuse 2 "neither a size" run --vram lots vkcube
refuse 2 "neither a size" run --vram 0% vkcube
refuse 2 "followed by send, recv or resolve" migrate
refuse 2 "needs --to LINK" migrate send vkcube
refuse 2 "needs --from LINK" migrate recv vkcube
refuse 2 "migrate recv does not take '--to'" migrate recv --to unix:x vkcube
refuse 2 "none of tcp:HOST:PORT" migrate send --quiet --to nowhere vkcube
refuse 2 "longer than the 107 bytes of a socket's" migrate send --quiet --to "unix:/$(printf '%0107d' 0)" vkcube
refuse 2 "cannot read the key fd:77: Bad file descriptor" migrate recv --quiet --from unix:nowhere/link --key fd:77 vkcube
refuse 2 "several threads" migrate send --quiet --to file:"$work/guest" --threads 2 vkcube
refuse 2 "virtual addresses of its own" migrate send --quiet --to file:"$work/guest" --model iommu vkcube
refuse 2 "cannot open" migrate recv --quiet --from file:"$work/guest" vkcube
refuse 2 "driver-timeout 'never' is not a number of seconds" migrate send --to file:"$work/guest" --driver-timeout never vkcube
refuse 2 "a rate like" migrate send --to file:"$work/guest" --rate fast vkcube
refuse 2 "a share like" migrate send --to file:"$work/guest" --at 0% vkcube
refuse 2 "one of throttle" migrate send --to file:"$work/guest" --if-too-dirty cry vkcube
refuse 2 "a time like" migrate send --to file:"$work/guest" --pause-target 3 vkcube
refuse 2 "cannot connect" migrate resolve --take "$work/nobody"
refuse 2 "none of tcp:HOST:PORT" migrate send --to nowhere vkcube
accept 'migrate resolve' migrate --help
accept 'migrate resolve' migrate resolve --help
refuse 2 "neither a size" run --vram -25% vkcube
refuse 2 'seed' run --seed minus-one vkcube
refuse 2 'seed' run --seed 99999999999999999999 vkcube
refuse 2 'from 1 to 4' run --linked 5 vkcube
refuse 2 'from 1 to 4' check --linked 0
refuse 2 'linked physical adapters cannot be moved' migrate send --quiet --to file:"$work/guest" --linked 2 vkcube
refuse 2 'from 0 to 256' run --threads 1000000 vkcube
refuse 2 'goes with a driver' run --hardware "$work/none.so" vkcube
refuse 2 'goes with a driver' check --hardware "$work/none.so"
refuse 2 "two drivers: 'a.so' and 'b.so'" check --driver a.so b.so
refuse 2 'names no rule' check --only ''
refuse 2 'names no rule' check --only ,
refuse 2 "neither a rule nor a group 'R999'" check --only R999
refuse 2 'names no rule' check --ignore ,
refuse 2 "neither a rule, a group nor an identity 'R55-3f9a1'" check --ignore R1,R55-3f9a1
refuse 2 "identity 'K99'" check --ignore K99
refuse 2 "identity 'R9999999999-aaaaaa'" check --ignore R9999999999-aaaaaa
refuse 2 'is not bugcheck, start' check --fail-on advice
refuse 2 'is not bugcheck, start' check --fail-on ''
refuse 2 'cannot read' check --baseline "$work/none.json"
refuse 2 'is no report' check --baseline "$work"
refuse 2 'is no report' check --baseline /dev/zero
printf '{"findings": [{"id": "R55"}]}' >"$work/old.json"
refuse 2 'a finding has no identity' check --baseline "$work/old.json"
printf '{"findings": 3}' >"$work/old.json"
refuse 2 'no list of findings' check --baseline "$work/old.json"
head -c 100000 /dev/zero | tr '\0' '[' >"$work/old.json"
refuse 2 'is no report' check --baseline "$work/old.json"
refuse 2 "does not take '--ignore'" run --ignore R55
refuse 2 'needs a value' check --baseline
refuse 2 'is not one of vista' run --ddi wddm9 vkcube
refuse 2 'NAME=VALUE' run --set Banks vkcube
refuse 2 'NAME=VALUE' run --set =3 vkcube
refuse 2 'NAME=VALUE' run --set Banks=many vkcube
refuse 2 'one word too many' run vkcube minetest
refuse 2 'neither a file' run no-such-recording
refuse 2 "does not take '--quiet'" inspect --quiet
refuse 2 'cannot write' inspect --json "$work/none/x"
refuse 2 'one word too many' inspect vkcube x
refuse 2 "the driver 'vkcube' cannot be read: No such file" inspect vkcube
refuse 2 "the driver '/no/x.so' cannot be read: No such file" check /no/x.so
refuse 2 "the driver '/no/x.so' cannot be read: No such file" run --driver /no/x.so
refuse 2 "the driver '$work' cannot be read: Is a directory" check "$work"
# Without a refusal before the load, a checksum of it never ends.
for command in 'run --driver' check inspect fuzz "migrate send --to file:$work/guest --driver"; do
    # shellcheck disable=SC2086
    refuse 2 "the driver '/dev/zero' cannot be read: it is no regular file" $command /dev/zero
done
refuse 2 "'/dev/zero' is not the path of a driver" sweep --store "$work/s.db" --workload vkcube --driver /dev/zero
refuse 2 "'$work' is not the path of a driver" sweep --store "$work/s.db" --workload vkcube --driver "$work"
refuse 2 "'/dev/zero' is not a file, a generator" sweep --store "$work/s.db" --workload /dev/zero
[ ! -e "$work/s.db" ] || { echo "FAIL: a study that was refused has a store"; failures=$((failures + 1)); }
refuse 2 "the store '$work' cannot be read: Is a directory" plot "$work"
: >"$work/empty.db"
refuse 2 "empty.db' is no store of vidmm sweep" plot "$work/empty.db"
refuse 2 "^vidmm: --output 'curves.png' is not a file that ends in .svg" plot -o curves.png "$work/empty.db"
refuse 2 "none of tcp:HOST:PORT" migrate send --to tcp:localhost:99999 vkcube
refuse 2 "none of tcp:HOST:PORT" migrate recv --from tcp:localhost:65536 vkcube
# A report that has no place is refused before the run: nothing is printed, and a guest is not given away.
for option in json html picture timeline plan calls; do
    refuse 2 "^vidmm: cannot write '$work/none/x.svg': No such file" run --frames 1 --$option "$work/none/x.svg" vkcube
done
mkdir "$work/there.svg"
for option in json html picture; do
    refuse 2 "there.svg': Is a directory" run --frames 1 --$option "$work/there.svg" vkcube
done
refuse 2 "cannot write '': No such file" run --frames 1 --json '' vkcube
refuse 2 "cannot write '$work/none/x'" check --stage start --output "$work/none/x"
refuse 2 "cannot write '$work/none/x'" migrate send --to file:"$work/guest" --json "$work/none/x" --frames 3 vkcube
[ ! -e "$work/guest" ] || { echo "FAIL: a guest was given away without its report"; failures=$((failures + 1)); }
refuse 2 "the driver's hardware '/no/m.so' cannot be read: No such file" check --hardware /no/m.so "$vidmm"
# What was meant is said, and only what is near.
refuse 2 "no command 'rnu' (did you mean 'run'?); see" rnu
refuse 2 "no command 'chekc' (did you mean 'check'?)" help chekc
refuse 2 "no command 'xyzzy'; see" xyzzy
refuse 2 "no command '--versoin' (did you mean '--version'?)" --versoin
refuse 2 "no command '--hlep' (did you mean '--help'?)" --hlep
refuse 2 "does not take '--quite' (did you mean '--quiet'?); see" run --quite
refuse 2 "does not take '--formt=json' (did you mean '--format'?)" check --formt=json
refuse 2 "does not take '--sied' (did you mean '--side'?)" rules --sied
refuse 2 "does not take '--xyz=9'; see" run --xyz=9
refuse 2 "there is no stage 'pagin' (did you mean 'paging'?); see" check --stage start,pagin
refuse 2 "there is no stage 'querry' (did you mean 'query'?); see" check --stage querry --stage start
refuse 2 "there is no stage 'nonsense'; see" check --stage nonsense
refuse 2 "did you mean 'openarena-tour'?" run openarena-tou
refuse 2 "did you mean 'frame-loop'?" bound frame-lop
# The next option is no value, and a number without a unit no size that anybody means.
refuse 2 "^vidmm: --json needs a value, which '--quiet' is not" run --json --quiet vkcube
refuse 2 "^vidmm: --matrix needs a value, which '-h' is not" rules --matrix -h
[ ! -e ./--quiet ] || { echo "FAIL: a file '--quiet'"; failures=$((failures + 1)); }
refuse 2 "'25' is that many bytes: was a share (25%) or a size (25M) meant?" run --vram 25 vkcube
refuse 2 "was a share (25%) or a size" inspect --vram 25
accept 'verified: every byte' run --frames 2 --vram 65536K vkcube
for command in run check inspect migrate cc workloads bound rules sweep plot fuzz; do
    accept "^Usage: vidmm $command" "$command" --help
    cp "$work/out" "$work/help"
    accept "^Usage: vidmm $command" help "$command"
    cmp -s "$work/out" "$work/help" || { echo "FAIL: vidmm help $command"; failures=$((failures + 1)); }
done
# The bar of progress stays in a line of 40 columns.
python3 - "$vidmm" <<'PYTHON' || failures=$((failures + 1))
import fcntl, os, pty, re, struct, subprocess, sys, termios
main, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 40, 0, 0))
run = subprocess.Popen([sys.argv[1], 'run', '--unjudged', '--bytes', 'none', 'openarena-tour'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=side,
                       env={**os.environ, 'TERM': 'xterm'})
os.close(side)
shown = b''
try:
    while block := os.read(main, 65536):
        shown += block
except OSError:  # the other side is closed
    pass
assert run.wait() == 0
bars = re.findall(rb'\[[# ]*\] +\d+%', shown)
assert bars and max(map(len, bars)) < 40, (bars, shown)
PYTHON
refuse 2 'is not a size' inspect --vram 25%
refuse 2 "does not take '--vram'" workloads --vram 1M
refuse 2 "no rule 'R403'" rules R403
refuse 2 "no rule 'K99'" rules K99
refuse 2 "no rule, code or word 'zebra'" rules zebra
refuse 2 'did you mean DxgkDdiBuildPagingBuffer?' rules DxgkDdiBuildPagingBufer
refuse 2 "no rule, code or word ''" rules ''
refuse 2 "word '??'" rules "$(printf '\377\376')"
refuse 2 'aaa\.\.\.' rules "$(head -c 100000 /dev/zero | tr '\0' a)"
refuse 2 'no parameter of a bugcheck' rules 0x10E high
refuse 2 'one word too many' rules 0x10E 1 2 3 4 5
refuse 2 'goes with a rule' rules --json -
refuse 2 'cannot write' rules --json "$work/none/x" 0x10E
refuse 2 'all of them' rules --codes --group A
refuse 2 'all of them' rules --codes --records
refuse 2 'without options' rules --codes 0x10E
refuse 2 'one word too many' rules R1 2
refuse 2 "no group 'X'" rules --group X
refuse 2 'neither driver nor manager' rules --side user
refuse 2 "does not take '--driver'" rules --driver x
refuse 2 'needs a value' rules --group
refuse 2 'goes with --markdown' rules --matrix "$work"
refuse 2 'without options' rules R152 --markdown
refuse 2 'without options' rules R152 --judged
refuse 2 'the whole table' rules --markdown --group A
refuse 2 'not a line' rules --markdown --matrix /dev/zero
refuse 2 'cannot read' rules --markdown --matrix "$work/none"
printf 'R152 driver caught alone\nR152 nobody\n' >"$work/matrix"
refuse 2 'matrix:2:' rules --markdown --matrix "$work/matrix"

printf 'not a recording\n' >"$work/text.jsonl"
refuse 2 'text.jsonl:1:' run "$work/text.jsonl"
: >"$work/empty.jsonl"
refuse 2 'empty.jsonl' run "$work/empty.jsonl"
printf '{"vidmm_trace":1}\n{"t":1,"op":"free","id":9}\n' >"$work/free.jsonl"
refuse 2 'free.jsonl:2:' run "$work/free.jsonl"
head -c 300 "$VIDMM_WORKLOADS/vkcube.jsonl.zst" >"$work/cut.jsonl.zst"
refuse 2 'cut.jsonl.zst' run "$work/cut.jsonl.zst"
head -c 4096 /dev/urandom >"$work/noise.jsonl.zst"
refuse 2 'noise.jsonl.zst' run "$work/noise.jsonl.zst"
refuse 2 "$work" run "$work"
refuse 2 'cannot write' run --quiet --frames 2 --json "$work/no/such/place.json" vkcube
refuse 2 'nonexistent.so' run --quiet --driver ./nonexistent.so --frames 2 vkcube
refuse 2 'nonexistent.so' run --driver ./nonexistent.so --frames 2 vkcube
refuse 4 'no migration stream' migrate recv --from file:"$work/noise.jsonl.zst" vkcube
refuse 3 'text.jsonl' inspect --driver "$work/text.jsonl"

refuse 2 'no such setting; it has VramBytes' check --set VramBtes=1
refuse 2 'no such setting; it has ' run --set mmulevels=4 vkcube
refuse 2 'no such setting$' inspect --set Unlike=1
refuse 2 'starts no driver' inspect --host build/none.so
refuse 2 'all or none' run --bytes some
accept 'chosen' inspect --host
accept '^vidmm [0-9]' --version
accept 'vidmm inspect' --help
accept '--vram' run --help
accept '--driver' inspect --help
accept 'recordings' workloads --help
accept 'vkcube' workloads
accept '--markdown' rules --help
accept '^R402 ' rules
accept '^K28 ' rules
accept '^K3 ' rules --group Z
accept 'drivers/debugger/bug-check-0x19' rules k3
accept '"id": "K1"' rules --json - irql
accept '^Q. Power' rules --group q --side manager
accept '^[0-9]* rules, [0-9]* judged' rules
accept 'learn.microsoft.com/.*/ns-d3dkmddi-_dxgkarg_buildpagingbuffer' rules r152
accept 'paging-patch=no' rules R273
accept 'paging-patch=no' rules K13 R273
accept 'No instruction of the driver faults' rules K13 R273
accept '^  W21 ' rules R149
accept '^R149 ' rules 0x10E 0xB
accept '  1. ' rules 0x119
accept '^Code 43 CM_PROB' rules code43
accept '^STATUS_NO_MEMORY, 0xC0000017' rules 0xC0000017
accept '^R223 ' rules DXGK_PTE.Segment
accept '^R8 ' rules stride
accept '"name": "W21"' rules --json - 0x10E b
accept '^bugcheck 0x10E ' rules --codes
accept '^### Bugcheck 0x10E ' rules --codes --markdown
accept '^  F40 ' rules --records
accept '</a>W21 ' rules --records --markdown
accept '^### R402' rules --markdown
printf 'R152 driver caught alone\nR152 manager caught with R173\n' >"$work/matrix"
accept '| driver caught alone; manager caught with R173 |' rules --markdown --matrix "$work/matrix"
accept 'QUERYSEGMENT' inspect
accept 'bank 2' inspect --ddi win7 --set Banks=2
accept 'AGP' inspect --ddi win7 --set Agp=1
accept 'GPU virtual memory' inspect --model gpummu
accept '"dual": true' inspect --model gpummu --set MmuPages=2 --json -
accept '"mmu": null' inspect --json -
accept '"calls_hash"' run --quiet --json - --frames 2 vkcube
accept '"seed": 10,' run --quiet --json - --frames 1 --seed 010 vkcube
accept '"seed": 16,' run --quiet --json - --frames 1 --seed 0x10 vkcube
accept 'verified: every byte' run --frames 2 vkcube
accept 'verified: every byte' run --frames 2 --policy lru vkcube
accept 'evicted first: adaptive, lru' run --help
refuse 2 "'fifo' is not one of adaptive lru" run --policy fifo vkcube
refuse 2 '' check --policy lru

lost 'cannot write standard output' run --frames 2 vkcube
lost 'cannot write standard output' run --quiet --json - --frames 2 vkcube
lost 'cannot write standard output' check --stage start
lost 'cannot write standard output' inspect
lost 'cannot write standard output' rules
lost 'cannot write standard output' --version

# A file never gets the number of a closed standard output, nor what is printed there.
"$vidmm" run --frames 2 --json "$work/alone.json" vkcube >&- 2>"$work/err"
if [ "$(head -c 1 "$work/alone.json")" != '{' ] || [ "$(tail -n 1 "$work/alone.json")" != '}' ]; then
    echo "FAIL: the report is not alone in its file: $(tail -n 1 "$work/alone.json")"
    failures=$((failures + 1))
fi

# A guest that could not be given away is still this side's, and played to its end.
"$vidmm" migrate send --to unix:"$work/nobody" --frames 9 vkcube >"$work/out" 2>"$work/err"
if [ $? -ne 4 ] || ! grep -q 'the guest ran on here to its end' "$work/out" || grep -q 'a full copy' "$work/out"; then
    echo "FAIL: a migration to nobody:"
    cat "$work/out" "$work/err"
    failures=$((failures + 1))
fi

# Names of files and what stands in them reach a terminal without commands for it, and in one line.
evil=$'\033[31m\nvidmm: passed\r\302\233'
printf '{"op": "header"}\n' >"$work/$evil.jsonl"
printf 'no driver' >"$work/$evil.so"
shown() { # WORD...
    "$vidmm" "$@" >"$work/out" 2>&1 </dev/null
    if [ "$(wc -l <"$work/out")" -ne 1 ] || LC_ALL=C grep -q '[[:cntrl:]]' "$work/out" || grep -q $'\302\233' "$work/out"; then
        echo "FAIL: raw bytes of a name:"
        cat -v "$work/out"
        failures=$((failures + 1))
    fi
}
shown "$evil"
shown run "--$evil"
shown run "$work/$evil.jsonl"
shown run --driver "$work/$evil.so" vkcube
shown run --ddi "$evil" vkcube
shown run --set "$evil=1" vkcube
shown run --policy "$evil" vkcube
shown run --json "$work/none/$evil" --frames 1 --quiet vkcube
shown migrate resolve "$work/$evil"
shown check --stage "$evil"
shown check --device "$evil" --driver "$work/$evil.so"

[ "$failures" -eq 0 ] || exit 1
