#!/bin/sh
# install_test.sh BUILD CC...: installs a build into a directory of its own. The libraries export only the
# interface; the examples are built against what was installed alone, shared and static, and run; `vidmm cc` finds its
# headers there; uninstalling leaves nothing.
set -eu
build=$1
shift
work=$(mktemp -d)
log=$build/meson-logs/install-log.txt
[ ! -f "$log" ] || cp "$log" "$work/log"
restore() { # the log of what the user installed
    if [ -f "$work/log" ]; then cp "$work/log" "$log"; else rm -f "$log"; fi
    rm -rf "$work"
}
trap restore EXIT
fail() {
    echo "FAIL: $*"
    exit 1
}

meson install -C "$build" --no-rebuild --destdir "$work/root" --quiet
prefix=$(meson introspect "$build" --buildoptions | tr '{' '\n' | sed -n 's/.*"name": "prefix", "value": "\([^"]*\)".*/\1/p')
tree=$work/root$prefix
manager_pc=$(find "$tree" -name vidmm-manager.pc)
libs=$(dirname "$(dirname "$manager_pc")")
export PKG_CONFIG_PATH="$libs/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work/root"

echo "== only the interface is exported"
shared_names() { nm -D --defined-only "$1" | awk '{ print $3 }'; }
static_names() { nm --defined-only "$1" 2>/dev/null | awk '$2 ~ /[A-TV-Z]/ { print $3 }'; }
for kind in shared static; do
    [ $kind = shared ] && end=so || end=a
    "${kind}_names" "$libs/libvidmm-manager.$end" >"$work/names"
    grep -q '^vidmm_adapter_start$' "$work/names" || fail "libvidmm-manager.$end lacks vidmm_adapter_start"
    strays=$(grep -v '^vidmm_' "$work/names" || true)
    [ -z "$strays" ] || fail "libvidmm-manager.$end exports $strays"
    "${kind}_names" "$libs/libvidmm.$end" >"$work/names"
    for name in vidmm_run KeGetCurrentIrql; do
        grep -q "^$name\$" "$work/names" || fail "libvidmm.$end lacks $name"
    done
    strays=$(grep -v -e '^vidmm_' -e '^[A-Z]' -e '^vDbgPrint' "$work/names" | grep -v -e '^__odr_asan' -e '^__asan' || true)
    [ -z "$strays" ] || fail "libvidmm.$end exports $strays"
done
readelf -d "$libs/libvidmm-manager.so" | grep -q 'SONAME.*libvidmm-manager\.so\.[0-9]' || fail "no SONAME"

echo "== vidmm-manager.pc needs nothing else"
needed=$(pkg-config --print-requires vidmm-manager)$(pkg-config --print-requires-private vidmm-manager)
[ -z "$needed" ] || fail "vidmm-manager.pc needs $needed"

echo "== the examples, against what is installed alone"
examples=$tree/share/doc/vidmm/examples
cd "$work" # not in the source tree
for example in manager:vidmm-manager gpu_virtual:vidmm runs:vidmm; do
    file=${example%:*} package=${example#*:}
    sources=$examples/$file.c
    [ "$file" != manager ] || sources="$sources $examples/manager_driver.c"
    # shellcheck disable=SC2046,SC2086 # words
    "$@" $sources $(pkg-config --cflags --libs "$package") -pthread -o "$file.shared"
    LD_LIBRARY_PATH=$libs "./$file.shared" >"$file.shared.out" || fail "$file with the shared library"
    # Ours static, what it needs as the system has it.
    needs=$(pkg-config --print-requires-private "$package")
    own=$(sed -n 's/^Libs.private://p' "$libs/pkgconfig/$package.pc")
    # shellcheck disable=SC2046,SC2086
    "$@" $sources $(pkg-config --cflags "$package") "$libs/lib$package.a" \
        $([ -z "$needs" ] || PKG_CONFIG_SYSROOT_DIR='' pkg-config --libs $needs) $own -pthread -o "$file.static"
    "./$file.static" >"$file.static.out" || fail "$file with the static library"
    cmp "$file.shared.out" "$file.static.out" || fail "$file differs"
    cat "$file.shared.out"
done
grep -Eq ' [0-9]+ page-ins, [1-9][0-9]* evictions, content kept' manager.shared.out || fail "manager.c"
grep -q '^8 buffers' gpu_virtual.shared.out || fail "gpu_virtual.c"
[ "$(grep -c '^frame-loop .* of the bound$' runs.shared.out)" -eq 2 ] || fail "runs.c"
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046
    c++ -Wall -Wextra -x c++ "$examples/runs.c" $(pkg-config --cflags --libs vidmm) -o runs.c++
    LD_LIBRARY_PATH=$libs ./runs.c++ | cmp - runs.shared.out || fail "runs.c as C++"
fi

echo "== a program that loads the library while it runs"
# In a function of the driver's calling convention __tls_get_addr changes registers that are taken for kept.
nm -D --undefined-only "$libs/libvidmm.so" | grep -q __tls_get_addr && fail "libvidmm.so calls __tls_get_addr"
cat >later.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library)
        puts(dlerror());
    return !library;
}
END
"$@" later.c -ldl -o later
./later "$libs/libvidmm.so" || fail "libvidmm.so cannot be loaded later"

echo "== what else there is"
for file in bin/vidmm include/vidmm/manager.h include/wddm/d3dkmddi.h share/vidmm/workloads share/vidmm/crt \
    share/doc/vidmm/README.md share/doc/vidmm/docs/driver-authors.md share/doc/vidmm/drivers/cpu-vram/driver.c \
    share/licenses/vidmm/LICENSE share/bash-completion/completions/vidmm share/zsh/site-functions/_vidmm \
    share/fish/vendor_completions.d/vidmm.fish; do
    [ -e "$tree/$file" ] || fail "$file is not installed"
done
if command -v scdoc >/dev/null && [ ! -f "$tree/share/man/man1/vidmm.1" ]; then fail "no manual page"; fi

if command -v clang >/dev/null; then
    echo "== vidmm cc of the installed tree"
    "$tree/bin/vidmm" cc -o cpu-vram.so "$tree/share/doc/vidmm/drivers/cpu-vram/driver.c" \
        "$tree"/share/doc/vidmm/drivers/common/skeleton.c "$tree"/share/doc/vidmm/drivers/common/cpu_entry.c \
        "$tree"/share/doc/vidmm/drivers/common/cpu_pager.c "$tree"/share/doc/vidmm/drivers/common/instant.c
    "$tree/bin/vidmm" check --stage query "$work/cpu-vram.so" >check.out || fail "$(cat check.out)"
fi

echo "== uninstalling leaves nothing"
DESTDIR='' ninja -C "$build" uninstall >/dev/null
left=$([ ! -d "$work/root" ] || find "$work/root" ! -type d)
[ -z "$left" ] || fail "left behind: $left"
