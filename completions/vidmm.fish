# fish completion for vidmm. The words come from --help, so they are those of the program that is installed.
function __vidmm_commands
    vidmm --help 2>/dev/null | string replace -rf '^  vidmm ([a-z]+).*' '$1'
end
function __vidmm_options
    set -l words (commandline -opc)
    vidmm $words[2] --help 2>/dev/null | string replace -rf '^ *(?:-[a-z], )?(--[a-z-]+).*' '$1'
end
function __vidmm_workloads
    vidmm workloads 2>/dev/null | string replace -rf '^  ([a-z0-9-]+).*' '$1'
end
complete -c vidmm -n __fish_use_subcommand -f -a '(__vidmm_commands) help --help --version'
complete -c vidmm -n '__fish_seen_subcommand_from help' -f -a '(__vidmm_commands)'
complete -c vidmm -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -a '(__vidmm_options)'
complete -c vidmm -n '__fish_seen_subcommand_from migrate' -a 'send recv resolve'
complete -c vidmm -n '__fish_seen_subcommand_from run bound migrate' -a '(__vidmm_workloads)'
