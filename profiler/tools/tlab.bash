# tlab.bash: completion of tlab's commands, options, devices and labs, for bash. In zsh, first run
#   autoload -U +X bashcompinit && bashcompinit
# The words come from the output of `help`, `devices` and --help of the program that is being completed.

# Print files that tlab reads, directories, and the names of labs.
_tlab_targets()
{
    local name
    compgen -f -- "$1" | while read -r name; do
        case $name in *.cu | *.csv | *.ptx | *.conf) echo "$name" ;; *) [ ! -d "$name" ] || echo "$name" ;; esac
    done
    for name in labs/[0-9]*_*; do
        [ ! -d "$name" ] || compgen -W "${name#labs/*_}" -- "$1"
    done
}

_tlab()
{
    local word=$2 before=$3 tlab=${COMP_WORDS[0]} command=${COMP_WORDS[1]} line
    COMPREPLY=()
    while read -r line; do
        COMPREPLY+=("$line")
    done < <(
        if [ "$COMP_CWORD" -eq 1 ]; then
            compgen -W "$("$tlab" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')" -- "$word"
            exit
        fi
        case $before in
            --device | --devices) compgen -W "$("$tlab" devices | awk 'NR > 1 && !$1 { exit } NR > 1 { print $1 }')" -- "$word" ;;
        esac
        case $word in
            -*) compgen -W "$("$tlab" "$command" --help | sed -n 's/^  \(--*[A-Za-z][a-z-]*\).*/\1/p') --help" -- "$word" ;;
            *) [[ $before == --device* ]] || _tlab_targets "$word" ;;
        esac
    )
}
complete -o filenames -F _tlab tlab build/tlab ./build/tlab
