# bash completion for vidmm. The words come from --help, so they are those of the program
# that is called, wherever it lies.
_vidmm() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=
    local program=${COMP_WORDS[0]/#~\//$HOME/}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
        words=$("$program" --help 2>/dev/null | sed -n 's/^  vidmm \([a-z][a-z]*\).*/\1/p')
        [ "$command" = help ] || words="$words help --help --version"
    elif [ "${word#-}" != "$word" ]; then
        words=$("$program" "$command" --help 2>/dev/null | sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    elif [ "$command" = migrate ] && [ "$COMP_CWORD" -eq 2 ]; then
        words='send recv resolve'
    else
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        -*) return ;; # its value, mostly a file
        esac
        case $command in
        run | bound | migrate) words=$("$program" workloads 2>/dev/null | sed -n 's/^  \([a-z0-9-]*\).*/\1/p') ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _vidmm vidmm
