#!/bin/bash
# arrows_test.sh: a room includes only itself and rooms before it in the Makefile's list ROOMS;
# every #include "..." is a path from profiler/ or grading/; and no two modules (FILE.h with FILE.c)
# include each other, directly or around. Tests may look further. Run from the repository root.
# check: plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
make -s rooms >"$work/rooms" || exit 1

# "FROM TO", modules by their path from the root; TO is as it was written where there is no such
# file. What compile/ hands to clang is no part of the program; what the labs include knows no room.
find profiler grading -name '*.[ch]' | grep -vE '/(honest|hostile|testdata|stand_ins)/|/clang_cuda.h$' |
    xargs grep -oE '^ *# *include *"[^"]+"' | grep -v '"../../include/' | sed -E 's/: *#.*"(.*)"$/ \1/' | while read -r from to; do
    for root in profiler grading; do [ ! -e "$root/$to" ] || to=$root/$to; done
    echo "${from%.[ch]} ${to%.[ch]}"
done | sort -u >"$work/includes"

against() { # the order of the rooms, or a path of another style
    awk 'function room(path) { do sub("/[^/]*$", "", path); while (!(path in rank) && path ~ "/"); return path }
         FNR == NR { rank[$1] = NR; next }
         $2 !~ "^(profiler|grading)/" { print $1 ": \"" $2 "\" is no path from profiler/ or grading/"; next }
         $1 ~ "(_test|_fuzz)$|/tools/" { next }
         rank[room($1)] < rank[room($2)] { print $1 " includes " $2 " of a room above" }' "$work/rooms" "$work/includes"
}
circles() {
    grep -vE '^[^ ]*(_test|_fuzz|/tools/.*) ' "$work/includes" | tsort 2>&1 >/dev/null |
        sed 's/^tsort: -: input contains a loop:/modules that include each other:/; s/^tsort: /    /'
}
check "there are rooms and includes" [ -s "$work/rooms" -a -s "$work/includes" ]
check "no include against the order of the rooms" none against
check "no modules that include each other" none circles
finish
