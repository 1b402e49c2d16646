#!/bin/bash
# arrows_test.sh: checks that dependencies have no cycles. A module (a directory) includes and calls
# only itself and earlier modules in the list MODULES of the Makefile. Files (FILE.h with FILE.c)
# have no cyclic includes or calls, even in a module. Every #include "..." is a path from profiler/
# or grading/. A module has at most 25 source files. Tests do not count.
# check: plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
make -s modules >"$work/modules" || exit 1

# Print lines "FROM TO" with paths from the root, without extension. Omit files that only clang
# includes, which are not part of the program, and headers of the labs, which depend on no module.
find profiler grading -name '*.[ch]' | grep -vE '/(honest|hostile|testdata|stand_ins)/|/clang_cuda.h$' |
    xargs grep -oE '^ *# *include *"[^"]+"' | grep -v '"../../include/' | sed -E 's/: *#.*"(.*)"$/ \1/' | while read -r from to; do
    for root in profiler grading; do [ ! -e "$root/$to" ] || to=$root/$to; done
    echo "${from%.[ch]} ${to%.[ch]}"
done | sort -u >"$work/includes"

# Print lines "FROM TO" for calls and variables, from the symbols of the object files. Objects
# without a source file are ignored.
objects=$(dirname "$tlab")/obj
(cd "$objects" && find grading profiler -name '*.o' | grep -vE '_(test|fuzz)\.o$|/tools/|\.avx[0-9]*\.o$' | while read -r object; do
    source=${object%.o}.c
    [ ! -e "$OLDPWD/${source/.generic./.}" ] || echo "$object"
done | xargs nm -Ag) | awk '
    { file = $1; sub(/(\.generic)?\.o:.*/, "", file); kind = $(NF - 1); name = $NF }
    kind == "U" { uses[file, name] }
    kind ~ /[TDBR]/ { home[name] = file }
    END { for (use in uses) { split(use, part, SUBSEP)
              if (part[2] in home && home[part[2]] != part[1]) print part[1], home[part[2]] } }' | sort -u >"$work/calls"

against() { # INCLUDES-OR-CALLS: print dependencies on later modules, and invalid paths
    awk 'function module(path) { do sub("/[^/]*$", "", path); while (!(path in rank) && path ~ "/"); return path }
         FNR == NR { rank[$1] = NR; next }
         $2 !~ "^(profiler|grading)/" { print $1 ": \"" $2 "\" is not a path from profiler/ or grading/"; next }
         $1 ~ "(_test|_fuzz)$|/tools/" { next }
         rank[module($1)] < rank[module($2)] { print $1 " depends on " $2 ", which belongs to a later module" }' "$work/modules" "$1"
}
circles() { # INCLUDES-OR-CALLS
    grep -vE '^[^ ]*(_test|_fuzz|/tools/.*) ' "$1" | tsort 2>&1 >/dev/null |
        sed 's/^tsort: -: input contains a loop:/files that depend on each other:/; s/^tsort: /    /'
}
crowded() { # print the modules with more than 25 sources, not counting tests
    while read -r module; do
        count=$(find "$module" -maxdepth 1 -name '*.[ch]' | grep -cvE '_(test|fuzz)\.[ch]$')
        [ "$count" -le 25 ] || echo "$module contains $count source files"
    done <"$work/modules"
}
check "there are modules, includes and calls" [ -s "$work/modules" -a -s "$work/includes" -a -s "$work/calls" ]
check "no include of a later module" none against "$work/includes"
check "no call of a later module" none against "$work/calls"
check "no cyclic includes" none circles "$work/includes"
check "no cyclic calls" none circles "$work/calls"
check "no module with more than 25 source files" none crowded
finish
