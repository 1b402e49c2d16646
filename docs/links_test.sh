#!/bin/bash
# links_test.sh: tests that the references in every *.md file exist: the targets of relative links, images and headings,
# and in code the targets of `make` and the commands and options of `build/tlab`.
# check: plain
set -u
. profiler/tools/expect.sh

complain() { # FILE WHAT
    echo "$1: $2"
}

outside_code() { # FILE: print its lines without code blocks and inline code
    awk '/^ *```/ { code = !code; next } !code { gsub(/`[^`]*`/, ""); print }' "$1"
}

# Print GitHub's anchors of headings: lower case, no punctuation, "-" for spaces, "-1" for the second equal heading.
anchors() { # FILE
    awk '/^ *```/ { code = !code } !code && /^#+ / { sub(/^#+ +/, ""); print }' "$1" |
        sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9 _\n-' | tr ' ' - |
        awk '{ print $0 (seen[$0] ? "-" seen[$0] : ""); seen[$0]++ }'
}

check_links() { # FILE
    outside_code "$1" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' >"$work/links"
    while read -r link; do
        case $link in http://* | https://* | mailto:*) continue ;; esac
        local path=${link%%#*} anchor=
        case $link in *'#'*) anchor=${link#*#} ;; esac
        local target=$1
        local folder=.
        [[ $1 != */* ]] || folder=${1%/*}
        [ -z "$path" ] || target=$folder/$path
        if [ ! -e "$target" ]; then
            complain "$1" "the target of the link $link does not exist"
        elif [ -n "$anchor" ]; then
            local headings=$work/headings/${target//\//_}
            [ -e "$headings" ] || anchors "$target" >"$headings"
            grep -qxF -- "$anchor" "$headings" || complain "$1" "$path has no heading for #$anchor"
        fi
    done <"$work/links"
}

code_lines() { # FILE: print the lines of code blocks, without comments, and inline code
    awk '/^ *```/ { code = !code; next } code { sub(/(^| )#.*/, ""); sub(/^ +/, ""); print; next }
         { while (match($0, /`[^`]+`/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' "$1"
}

mkdir "$work/headings"
make -pnq help 2>/dev/null | awk -F: '/^[a-zA-Z][a-zA-Z_.-]*:([^=]|$)/ { print $1 }' | sort -u >"$work/targets"
targets=" $(tr '\n' ' ' <"$work/targets")"
declare -A help # by command

check_make() { # FILE: check that every word of a `make` line is a target, a variable or an option
    code_lines "$1" | grep -E '^make( |$)' | sed -E "s/&&.*//; s/'[^']*'//g; s/ {2,}.*//" >"$work/lines"
    while read -r _ words; do
        set -f
        for word in $words; do
            case $word in
                -* | *=*) ;;
                *) [[ $targets == *" $word "* ]] || complain "$1" "make has no target $word" ;;
            esac
        done
        set +f
    done <"$work/lines"
}

check_tlab() { # FILE: check that the command exists, and that its help lists the options
    code_lines "$1" | grep -oE '^(build/)?tlab [a-z]+.*' | sed -E 's/ -- .*//; s/[|;&].*//; s/ {2,}.*//' >"$work/lines"
    while read -r _ command words; do
        [ -n "${help[$command]:-}" ] || help[$command]=$("$tlab" "$command" --help 2>&1) ||
            { complain "$1" "tlab has no command $command"; continue; }
        set -f
        for word in $words; do
            case $word in
                --help) ;;
                --?* | -[A-Z]) [[ ${help[$command]} =~ (^|[^-a-z])$word([^-a-z]|$) ]] ||
                    complain "$1" "tlab $command has no option $word" ;;
            esac
        done
        set +f
    done <"$work/lines"
}

check_page() {
    check_links "$1"
    check_make "$1"
    check_tlab "$1"
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
"$tlab" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' >"$work/commands"
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
