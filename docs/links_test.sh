#!/bin/bash
# links_test.sh: tests that the references in every *.md file exist: the targets of relative links, images and headings,
# and in code the targets of `make` and the commands and options of `build/tlab`.
# check: plain
set -u
. profiler/tools/expect.sh

complain() { # FILE WHAT
    echo "$1: $2"
}

# For each line of a page, print "link TARGET" for each link outside of code, "code LINE" for each line
# of a code block, without its comment, and "code TEXT" for inline code.
parts() { # FILE
    awk '/^ *```/ { code = !code; next }
        code { sub(/(^| )#.*/, ""); sub(/^ +/, ""); print "code " $0; next }
        {
            line = $0
            while (match(line, /`[^`]+`/)) { print "code " substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) }
            gsub(/`[^`]*`/, "")
            while (match($0, /\]\([^) ]+\)/)) { print "link " substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) }
        }' "$1"
}

anchors() { # FILE
    awk '/^ *```/ { code = !code } !code && /^#+ / { sub(/^#+ +/, ""); print }' "$1" |
        sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9 _\n-' | tr ' ' - |
        awk '{ print $0 (seen[$0] ? "-" seen[$0] : ""); seen[$0]++ }'
}

check_link() { # FILE LINK
    local path=${2%%#*} anchor='' target=$1 folder=.
    case $2 in http://* | https://* | mailto:*) return ;; *'#'*) anchor=${2#*#} ;; esac
    [[ $1 != */* ]] || folder=${1%/*}
    [ -z "$path" ] || target=$folder/$path
    if [ ! -e "$target" ]; then
        complain "$1" "the target of the link $2 does not exist"
    elif [ -n "$anchor" ]; then
        local headings=$work/headings/${target//\//_}
        [ -e "$headings" ] || anchors "$target" >"$headings"
        grep -qxF -- "$anchor" "$headings" || complain "$1" "$path has no heading for #$anchor"
    fi
}

mkdir "$work/headings"
make -pnq help 2>/dev/null | awk -F: '/^[a-zA-Z][a-zA-Z_.-]*:([^=]|$)/ { print $1 }' | sort -u >"$work/targets"
targets=" $(tr '\n' ' ' <"$work/targets")"
"$tlab" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' >"$work/commands"
declare -A help=([help]=$("$tlab" help)) # by command
while read -r command; do help[$command]=$("$tlab" "$command" --help 2>&1); done <"$work/commands"

check_make() { # FILE WORD...: check that every word after `make` is a target, a variable or an option
    local page=$1 word
    for word in "${@:2}"; do
        case $word in
            -* | *=*) ;;
            *) [[ $targets == *" $word "* ]] || complain "$page" "make has no target $word" ;;
        esac
    done
}

check_tlab() { # FILE COMMAND WORD...: check that the command exists, and that its help lists the options
    local page=$1 command=$2 word
    [ -n "${help[$command]:-}" ] || {
        complain "$page" "tlab has no command $command"
        return
    }
    for word in "${@:3}"; do
        case $word in
            --help) ;;
            --?* | -[A-Z]) [[ ${help[$command]} =~ (^|[^-a-z])$word([^-a-z]|$) ]] ||
                complain "$page" "tlab $command has no option $word" ;;
        esac
    done
}

check_page() { # FILE
    local kind line
    set -f
    while read -r kind line; do
        if [ "$kind" = link ]; then
            check_link "$1" "$line"
        elif [[ $line == make || $line == "make "* ]]; then
            line=${line%%&&*}
            while [[ $line =~ \'[^\']*\' ]]; do line=${line/"${BASH_REMATCH[0]}"/}; done
            # shellcheck disable=SC2086 # words
            check_make "$1" ${line#make}
        elif [[ $line =~ ^(build/)?tlab\ [a-z] ]]; then
            line=${line%% -- *} line=${line#*tlab }
            # shellcheck disable=SC2086
            check_tlab "$1" ${line%%[|;&]*}
        fi
    done < <(parts "$1" | sed -E '/^code (make|(build\/)?tlab)/s/ {2,}.*//')
    set +f
}

if [ $# -gt 0 ]; then
    for page in "$@"; do check "$page" none check_page "$page"; done
    finish
fi

cat >"$work/wrong.md" <<'END'
# One heading
[no file](nowhere.md) [no heading](#other-heading) [right](#one-heading) `[code](is-no-link.md)`
```
make nonsense
build/tlab dance
build/tlab run labs/01_naive --colour red
```
END
same "errors of a page with five errors" 5 "$(check_page "$work/wrong.md" | wc -l)"

find . \( -name .git -o -path ./build -o -path ./out \) -prune -o -name '*.md' -print | sed 's#^\./##' | sort >"$work/pages"
while read -r page; do
    check "$page" none check_page "$page"
done <"$work/pages"

# Every command is in commands.md, every target of make help exists, and the documents name the program's version.
while read -r command; do
    check "docs/commands.md lists tlab $command" grep "build/tlab $command" docs/commands.md
done <"$work/commands"
make -s help | sed -nE 's/^  make ([a-z_.-]+).*/\1/p' | sort -u >"$work/told"
while read -r target; do
    check "make $target of make help is a target" grep -xF -- "$target" "$work/targets"
done <"$work/told"

version=$("$tlab" --version | sed -n '1s/^tlab //p')
check "docs/README.md names version $version" grep -qF "version $version," docs/README.md
check "the citation names version $version" grep -qF "{$version}" docs/README.md
check "docs/changelog.md has version $version" grep -qxF "## $version" docs/changelog.md
check "docs/README.md lists every document" none eval 'for page in docs/*.md; do grep -qF "(${page#docs/})" docs/README.md || [ $page = docs/README.md ] || echo $page; done'

finish
