#!/bin/bash
# tree_test.sh: what tools make of the tree is as they make it. Run from the repository root.
set -u
. profiler/tools/expect.sh

version=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" = 14 ]; then
    check "format (to mend it: make format)" find profiler grading -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
else
    skip "format" "clang-format 14 decides, this is ${version:-none}"
fi
check "labs/ is what solutions/ makes (to mend it: make skeletons)" solutions/make_skeletons --check
check "docs/counters.md is what the program prints (to mend it: make docs)" \
    diff docs/counters.md <("$tlab" metrics --markdown)

# Outside the project's history there is nothing to search; what is not found is 1, a mistake of
# git's more.
if [ -e .git ]; then
    check "no merge is left half done" test 1 -eq "$(git grep -qIE '^(<<<<<<<|>>>>>>>) '; echo $?)"
else
    skip "no merge is left half done" "no repository here"
fi

# A room's README names each of its headers; _test.h are the tests' own.
unnamed=$(for room in $(make -s rooms); do
    [ -f "$room/README.md" ] || continue
    for header in "$room"/*.h; do
        name=$(basename "$header" .h)
        case $name in '*' | *_test) continue ;; esac
        grep -qE "[\`/_ ]$name(\.[ch])?\`" "$room/README.md" || echo "$room/README.md says nothing of $name.h"
    done
done)
check "READMEs name the modules of their rooms" none printf %s "$unnamed"
finish
