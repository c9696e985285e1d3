# fish completion for vidmm. The words come from --help, so they are those of the program
# that is called, wherever it lies.
function __vidmm_says
    set -l program (string replace -r '^~/' $HOME/ -- (commandline -opc)[1])
    type -q -- $program; and $program $argv 2>/dev/null
end
function __vidmm_commands
    __vidmm_says --help | string replace -rf '^  vidmm ([a-z]+).*' '$1'
end
function __vidmm_options
    set -l words (commandline -opc)
    __vidmm_says $words[2] --help | string replace -rf '^ *(?:-[a-z], )?(--[a-z-]+).*' '$1'
end
function __vidmm_workloads
    __vidmm_says workloads | string replace -rf '^  ([a-z0-9-]+).*' '$1'
end
complete -c vidmm -n __fish_use_subcommand -f -a '(__vidmm_commands) help --help --version'
complete -c vidmm -n '__fish_seen_subcommand_from help' -f -a '(__vidmm_commands)'
complete -c vidmm -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -a '(__vidmm_options)'
complete -c vidmm -n '__fish_seen_subcommand_from migrate' -a 'send recv resolve'
complete -c vidmm -n '__fish_seen_subcommand_from run bound migrate' -a '(__vidmm_workloads)'
