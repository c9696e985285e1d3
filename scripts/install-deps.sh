#!/bin/sh
# Installs what is missing to build vidmm, with the system's own package manager.
#
#   scripts/install-deps.sh           what building, running and testing need
#   scripts/install-deps.sh checks    also what `make check` and `make coverage` need
#   scripts/install-deps.sh extras    also what .ci/run needs: a browser, pandas
#   scripts/install-deps.sh all       also what `make test-all` needs: Slurm
#
# Looks first and says nothing when everything is there, so every make target may call it.
# docs/dependencies.md has a reason for each of these.
set -eu

level=${1:-build}
missing=

has_headers() { # the C library's headers come in a package of their own on some systems
    printf '#include <stdio.h>\n' | cc -E - >/dev/null 2>&1
}
has_command() { # Slurm's and munge's programs for root are not in everybody's PATH
    PATH=$PATH:/usr/sbin command -v "$1" >/dev/null 2>&1
}
has_library() {
    has_command pkg-config && pkg-config --exists "$1" 2>/dev/null
}
has_ninja() {
    has_command ninja || has_command ninja-build
}
has_python() {
    python3 -c "import $1" >/dev/null 2>&1 || /usr/bin/python3 -c "import $1" >/dev/null 2>&1
}
has_zydis() { echo '#include <Zydis/Zydis.h>' | cc -E - > /dev/null 2>&1; }
has_font() { fc-list 2>/dev/null | grep -q .; } # a browser without one shows boxes
has_coverage() { # gcovr of the system; gcov comes with gcc
    has_command gcovr
}

if has_command apt-get; then
    manager=apt
elif has_command dnf; then
    manager=dnf
elif has_command pacman; then
    manager=pacman
elif has_command apk; then
    manager=apk
elif has_command brew; then
    manager=brew
else
    manager=none
fi

# need CHECK ARGUMENT APT DNF PACMAN APK BREW; a dash: nothing to install there
need() {
    "$1" "$2" && return
    case $manager in
    apt | none) package=$3 ;;
    dnf) package=$4 ;;
    pacman) package=$5 ;;
    apk) package=$6 ;;
    brew) package=$7 ;;
    esac
    [ "$package" = - ] || missing="$missing $package"
}

need has_command cc gcc gcc gcc gcc gcc
need has_headers . libc6-dev glibc-devel glibc musl-dev -
need has_command pkg-config pkg-config pkgconf pkgconf pkgconf pkg-config
need has_command meson meson meson meson meson meson
need has_ninja . ninja-build ninja-build ninja samurai ninja
need has_command scdoc scdoc scdoc scdoc scdoc scdoc
need has_library jansson libjansson-dev jansson-devel jansson jansson-dev jansson
need has_library libzstd libzstd-dev libzstd-devel zstd zstd-dev zstd
need has_library sqlite3 libsqlite3-dev sqlite-devel sqlite sqlite-dev sqlite
need has_library expat libexpat1-dev expat-devel expat expat-dev expat
need has_library libxxhash libxxhash-dev xxhash-devel xxhash xxhash-dev xxhash
need has_library gnutls libgnutls28-dev gnutls-devel gnutls gnutls-dev gnutls
need has_library libprotobuf-c libprotobuf-c-dev protobuf-c-devel protobuf-c protobuf-c-dev protobuf-c
need has_command protoc-c protobuf-c-compiler protobuf-c-compiler protobuf-c protobuf-c-compiler protobuf-c
need has_library cairo libcairo2-dev cairo-devel cairo cairo-dev cairo
need has_zydis . libzydis-dev zydis-devel zydis zydis-dev zydis
need has_library cmocka libcmocka-dev libcmocka-devel cmocka cmocka-dev cmocka
if [ "$level" = all ]; then
    need has_command sbatch slurm-wlm slurm slurm-llnl slurm slurm
    need has_command mungekey munge munge munge munge munge
fi
if [ "$level" = extras ] || [ "$level" = all ]; then
    need has_command chromium chromium chromium chromium chromium chromium
    need has_command chromedriver chromium-driver chromedriver - chromium-chromedriver chromedriver
    need has_command fc-list fontconfig fontconfig fontconfig fontconfig fontconfig
    need has_command pngquant pngquant pngquant pngquant pngquant pngquant
    need has_font . fonts-dejavu-core dejavu-sans-fonts ttf-dejavu font-dejavu -
    need has_python pandas python3-pandas python3-pandas python-pandas py3-pandas -
    need has_python matplotlib python3-matplotlib python3-matplotlib python-matplotlib py3-matplotlib -
fi
if [ "$level" != build ]; then
    need has_command git git git git git git
    need has_command g++ g++ gcc-c++ gcc g++ gcc
    need has_command clang clang clang clang clang llvm
    need has_command ccache ccache ccache ccache ccache ccache
    need has_command clang-format clang-format clang-tools-extra clang clang-extra-tools clang-format
    need has_command clang-tidy clang-tidy clang-tools-extra clang clang-extra-tools llvm
    need has_command python3 python3 python3 python python3 python3
    need has_command doxygen doxygen doxygen doxygen doxygen doxygen
    need has_command x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64 mingw64-gcc mingw-w64-gcc mingw-w64-gcc mingw-w64
    need has_command x86_64-w64-mingw32-g++ g++-mingw-w64-x86-64 mingw64-gcc-c++ mingw-w64-gcc mingw-w64-gcc mingw-w64
    need has_command lld-link lld lld lld lld llvm
    need has_command llvm-dlltool llvm llvm llvm llvm llvm
    need has_command qemu-system-x86_64 qemu-system-x86 qemu-system-x86-core qemu-system-x86 qemu-system-x86_64 qemu
    need has_coverage . gcovr gcovr gcovr gcovr gcovr
fi

[ -n "$missing" ] || exit 0

# The one sentence for somebody who is not root.
by_hand() {
    case $manager in
    apt) command="apt-get update && apt-get install --no-install-recommends$missing" ;;
    dnf) command="dnf install$missing" ;;
    pacman) command="pacman -S --needed$missing" ;;
    apk) command="apk add$missing" ;;
    brew) command="brew install$missing" ;;
    none) command= ;;
    esac
    if [ -n "$command" ]; then
        [ "$manager" = brew ] || command="as root, run: $command"
        echo "install-deps: missing:$missing; $command" >&2
    else
        echo "install-deps: no package manager that this script knows; please install:$missing" >&2
    fi
    exit 1
}

as_root=
if [ "$manager" != brew ] && [ "$(id -u)" -ne 0 ]; then
    # Without a terminal nobody can type the password that sudo may ask for.
    if has_command sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        as_root=sudo
    else
        by_hand
    fi
fi

# Package names are plain words: splitting them is what is wanted.
# shellcheck disable=SC2086
install_missing() {
    case $manager in
    apt)
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing
        ;;
    dnf) $as_root dnf install -y $missing ;;
    pacman) $as_root pacman -S --needed --noconfirm $missing ;;
    apk) $as_root apk add $missing ;;
    brew) brew install $missing ;;
    none) by_hand ;;
    esac
}

echo "install-deps: installing with $manager:$missing"
install_missing || {
    echo "install-deps: $manager failed: is there a network?" >&2
    by_hand
}
echo "install-deps: done"
