# tlab.bash: completion of tlab's commands, options, devices and labs, for bash; for zsh behind
#   autoload -U +X bashcompinit && bashcompinit
# It asks the program that is being typed: what --help prints is made from the tables that it goes by.
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
            --lab | --labs | --like) compgen -W "$("$tlab" labs 2>/dev/null)" -- "$word" ;;
        esac
        case $word in
            -*) compgen -W "$("$tlab" "$command" --help | sed -n 's/^  \(--*[A-Za-z][a-z-]*\).*/\1/p') --help" -- "$word" ;;
            *) [[ $before == --device* ]] || compgen -f -X '!*.@(cu|csv|ptx|conf)' -- "$word"
                [[ $before == --device* ]] || compgen -d -- "$word" ;;
        esac
    )
}
complete -o filenames -F _tlab tlab build/tlab ./build/tlab
