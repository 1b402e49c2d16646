#!/bin/bash
# tree_test.sh: checks that generated files are up to date, and that files follow the conventions.
# check: plain
set -u
. profiler/tools/expect.sh

version=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" = 14 ]; then
    check "the format (to repair it: make format)" find profiler grading -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
else
    skip "format" "the format requires clang-format 14, but version ${version:-none} is installed"
fi
check "labs/ is up to date with solutions/ (to repair it: make skeletons)" solutions/make_skeletons --check
check "docs/counters.md is up to date (to repair it: make docs)" \
    diff docs/counters.md <("$tlab" metrics --markdown)

sources() { git ls-files 'profiler/*.[ch]' 'grading/*.[ch]' | grep -vE '/(testdata|stand_ins|honest|hostile)/|/clang_cuda.h$'; }
long_comments() {
    sources | xargs perl -CSD -ne 'print "$ARGV:$.: ", length() - 1, " characters\n" if length > 101 && m{/\*|^ *\*} && !/\S {3,}\S/;
        close ARGV if eof'
}
untitled() { # a file X.c with a file X.h needs no comment
    sources | xargs perl -ne 'print "$ARGV\n" if $. == 1 && !m{^/\*} && !($ARGV =~ /(.*)\.c$/ && -f "$1.h"); close ARGV if eof'
}

# These cases require a repository. git grep has status 1 for "not found", above 1 for errors.
if [ -e .git ]; then
    check "no unresolved merge conflicts" test 1 -eq "$(git grep -qIE '^(<<<<<<<|>>>>>>>) '; echo $?)"
    check "comment lines of at most 100 characters" none long_comments
    check "each file begins with a comment on its purpose" none untitled
else
    skip "no unresolved merge conflicts" "this is not a git repository"
fi

# The README of a module mentions each of its headers, except *_test.h.
unnamed=$(for module in $(make -s modules); do
    [ -f "$module/README.md" ] || continue
    for header in "$module"/*.h; do
        name=$(basename "$header" .h)
        case $name in '*' | *_test) continue ;; esac
        grep -qE "[\`/_ ]$name(\.[ch])?\`" "$module/README.md" || echo "$module/README.md does not name $name.h"
    done
done)
check "each README names the headers of its module" none printf %s "$unnamed"

finish
