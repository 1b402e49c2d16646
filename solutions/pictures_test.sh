#!/bin/bash
# pictures_test.sh: tests that make_pictures draws the pictures of the handouts without a difference. `make check` draws
# two pictures, `make check-all` draws all pictures. Run from the repository root; TLAB names the program.
# check: large course
set -u
. profiler/tools/expect.sh

needs_ptx
command -v gnuplot >/dev/null || skip_all "gnuplot is not installed"
command -v clang >/dev/null || skip_all "clang is not installed; the pictures were drawn with PTX of clang"
export TLAB=$tlab

# Each lab must have a picture, which its handout shows and a browser can draw.
grep '^[^#]' solutions/pictures | sed 's/ *|.*//' | sort >"$work/listed"
ls -d solutions/[0-9][0-9]_* | sed 's,.*/,,' >"$work/labs"
check "each lab has a line in solutions/pictures" diff "$work/labs" "$work/listed"
twice() { sha256sum solutions/*/picture.svg | cut -d" " -f1 | sort | uniq -d; }
check "no two pictures are the same" none twice
oversized() { find solutions -name picture.svg -size +256k; }
check "no picture is larger than 256 KB" none oversized
for svg in solutions/*/picture.svg; do
    check "$svg is complete" perl -0777 -ne 'my @open = /<g[ >]/g; my @shut = /<\/g>/g; exit !(@open == @shut && /<\/svg>\s*$/)' "$svg"
done

case ${TLAB_TEST_LARGE:-no} in
yes | rest) expect "every picture is up to date" 0 '' -- solutions/make_pictures --check ;;
*) expect "two pictures are up to date" 0 '' -- solutions/make_pictures --check 01_naive 08_vectorized ;;
esac

# An outdated picture is reported and drawn again, and is then byte-identical.
mkdir "$work/copy"
cp -r solutions include profiler plots "$work/copy/" 2>/dev/null
sed -i 's/4 sectors, minimum/5 sectors, minimum/' "$work/copy/solutions/01_naive/picture.svg"
expect "a picture with another number" 1 'solutions/01_naive/picture.svg: differs' -- "$work/copy/solutions/make_pictures" --check 01_naive
rm "$work/copy/solutions/01_naive/picture.svg"
expect "a picture that is missing" 1 'solutions/01_naive/picture.svg: differs' -- "$work/copy/solutions/make_pictures" --check 01_naive
expect "the picture is drawn again" 0 'wrote solutions/01_naive/picture.svg' -- "$work/copy/solutions/make_pictures" 01_naive
expect "the picture is up to date afterwards" 0 '' -- "$work/copy/solutions/make_pictures" --check 01_naive
sed -i '1i // An additional line.' "$work/copy/solutions/01_naive/naive.cu"
expect "after a change of the kernel" 1 'solutions/01_naive/picture.svg: differs' -- "$work/copy/solutions/make_pictures" --check 01_naive
expect "a lab that is not listed" 2 'no line for 99_nothing' -- "$work/copy/solutions/make_pictures" 99_nothing
sed -i '/^01_naive/s/odata\[/nowhere[/' "$work/copy/solutions/pictures"
expect "a text that no line contains" 2 'no line of solutions/01_naive contains "nowhere\["' -- "$work/copy/solutions/make_pictures" 01_naive

finish
