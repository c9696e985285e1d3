#!/usr/bin/env bash
# completions_test.sh VIDMM COMPLETIONS: what bash offers, and zsh and fish where they are installed, for a program in the
# path, and for one that is called by its own.
set -eu
outside=$PATH
PATH=$(dirname "$1"):$PATH
export PATH
fail() {
    echo "FAIL: $*"
    exit 1
}

# shellcheck source=/dev/null
source "$2/vidmm.bash"
offers() { # WORD... (the last one is being typed): the offers, a space around each
    COMP_WORDS=("${program:-vidmm}" "$@") COMP_CWORD=$#
    _vidmm
    printf ' %s' "${COMPREPLY[@]:-}"
    echo ' '
}
expect() { # OFFER WORD...
    local offer=$1
    shift
    case $(offers "$@") in
    *" $offer "*) ;;
    *) fail "bash does not offer $offer after: vidmm $*" ;;
    esac
}
expect run r
expect sweep ''
expect check help ch
expect --policy run --po
expect --replay check --re
expect --store sweep --
expect --measure plot --m
expect --to migrate send --t
expect recv migrate ''
expect minetest run mine
expect frame-loop run --frames 3 fr
PATH=$outside program=$1 expect --policy run --po
[ "$(PATH=$outside program=/nowhere/vidmm offers ru)" = '  ' ] || fail "bash offers words of a program that is not there"

if command -v zsh >/dev/null; then
    zsh -n "$2/_vidmm" || fail "zsh cannot read _vidmm"
    PATH=$outside zsh -f -c 'compadd() { print -r -- " $* " }; words=($1 run --po); CURRENT=3; source $2' zsh "$1" "$2/_vidmm" |
        grep -q -e ' --policy ' || fail "zsh does not offer --policy of a program outside of the path"
fi
if command -v fish >/dev/null; then
    fish -c "source $2/vidmm.fish; complete -C 'vidmm sw'" | grep -q '^sweep' || fail "fish does not offer sweep"
    fish -c "source $2/vidmm.fish; complete -C 'vidmm run --po'" | grep -q '^--policy' || fail "fish does not offer --policy"
    PATH=$outside fish -c "source $2/vidmm.fish; complete -C '$1 run --po'" | grep -q '^--policy' ||
        fail "fish does not offer --policy of a program outside of the path"
    said=$(PATH=$outside fish -c "source $2/vidmm.fish; complete -C '/nowhere/vidmm sw'" 2>&1)
    [ -z "$said" ] || fail "fish says of a program that is not there: $said"
fi
