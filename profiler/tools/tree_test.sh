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
finish
