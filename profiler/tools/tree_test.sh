#!/bin/bash
# tree_test.sh: generated files are up to date, and files follow the conventions. Run from the
# repository root.
set -u
. profiler/tools/expect.sh

version=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" = 14 ]; then
    check "format (to repair it: make format)" find profiler grading -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
else
    skip "format" "clang-format 14 decides, this is ${version:-none}"
fi
check "labs/ is what solutions/ makes (to repair it: make skeletons)" solutions/make_skeletons --check
check "docs/counters.md is what the program prints (to repair it: make docs)" \
    diff docs/counters.md <("$tlab" metrics --markdown)

# A comment line has at most 100 characters (but for tables, whose columns are set apart by blanks),
# and each file begins with a comment that says what it is for.
sources() { git ls-files 'profiler/*.[ch]' 'grading/*.[ch]' | grep -vE '/(testdata|stand_ins|honest|hostile)/|/clang_cuda.h$'; }
long_comments() {
    sources | xargs perl -CSD -ne 'print "$ARGV:$.: ", length() - 1, " characters\n" if length > 101 && m{/\*|^ *\*} && !/\S {3,}\S/;
        close ARGV if eof'
}
untitled() { sources | xargs perl -ne 'print "$ARGV\n" if $. == 1 && !m{^/\*}; close ARGV if eof'; }

# Outside the project's history there is nothing to search; what is not found is 1, a mistake of
# git's more.
if [ -e .git ]; then
    check "no merge is left half done" test 1 -eq "$(git grep -qIE '^(<<<<<<<|>>>>>>>) '; echo $?)"
    check "comment lines of at most 100 characters" none long_comments
    check "each file begins with what it is for" none untitled
else
    skip "no merge is left half done" "no repository here"
fi

# A module's README names each of its headers; _test.h are the tests' own.
unnamed=$(for module in $(make -s modules); do
    [ -f "$module/README.md" ] || continue
    for header in "$module"/*.h; do
        name=$(basename "$header" .h)
        case $name in '*' | *_test) continue ;; esac
        grep -qE "[\`/_ ]$name(\.[ch])?\`" "$module/README.md" || echo "$module/README.md says nothing of $name.h"
    done
done)
check "READMEs name the headers of their modules" none printf %s "$unnamed"

finish
