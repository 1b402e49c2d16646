#!/bin/bash
# skeletons_test.sh: tests make_skeletons with valid, unusual and invalid input. Run from the repository root.
# check: plain
set -u
. profiler/tools/expect.sh
generator=$(pwd)/solutions/make_skeletons
root="$work/a course" # a path with a space

new_course()
{
    rm -rf "$root"
    mkdir -p "$root/solutions/01_one"
    printf '%s\n' '# manifest' 'title = One' 'exercises = one  # just one' 'reference = transpose' \
        'sizes = any' 'tile = 32' 'first_step = Begin.' >"$root/solutions/01_one/lab.conf"
    echo 'A handout.' >"$root/solutions/01_one/README.md"
    echo 'A picture.' >"$root/solutions/01_one/picture.svg"
    echo 'The answers.' >"$root/solutions/01_one/NOTES.md"
    printf '%s\n' 'LAB(one);' '    //>> solution' '    answer();' '    //== skeleton' \
        '    //| // Your turn' '    //<<' 'end' >"$root/solutions/01_one/one.cu"
}

# make_with OPTIONS...: run the generator, and set $status and $output.
make_with()
{
    output=$("$generator" --root "$root" "$@" 2>&1)
    status=$?
}

# ended NAME STATUS [TEXT]: check status and output of the last run.
ended()
{
    case $status$output in
    "$2"*"${3:-}"*) pass "$1" ;;
    *) fail "$1: exit status $status, expected $2 and '${3:-}' in: $output" ;;
    esac
}

# expect_skeleton NAME TEXT: the skeleton in labs/ must be exactly TEXT (printf escapes).
expect_skeleton()
{
    printf "$2" >"$work/expected"
    check "$1: the skeleton" cmp "$work/expected" "$root/labs/01_one/one.cu"
}

# strip NAME SOURCE SKELETON: check that SOURCE has this skeleton (both with printf escapes).
strip()
{
    new_course
    printf "$2" >"$root/solutions/01_one/one.cu"
    make_with
    ended "$1" 0
    expect_skeleton "$1" "$3"
}

# refuse NAME LINE TEXT SOURCE: check that SOURCE is rejected with LINE and TEXT, and that labs/ does not change.
refuse()
{
    new_course
    make_with
    printf "LAB(one);\n$4" >"$root/solutions/01_one/one.cu"
    make_with
    ended "$1" 2 "solutions/01_one/one.cu:$2: "
    ended "$1" 2 "$3"
    expect_skeleton "$1" 'LAB(one);\n    // Your turn\nend\n'
}

# refuse_manifest NAME TEXT SED-COMMAND: check that a manifest is rejected after SED-COMMAND.
refuse_manifest()
{
    new_course
    sed -i "$3" "$root/solutions/01_one/lab.conf"
    make_with
    ended "$1" 2 "$2"
    check "$1: labs/ is not written" [ ! -e "$root/labs" ]
}

# The usual workflow: labs/ is generated, and is then up to date.
new_course
make_with --check
ended 'check before' 1 'labs/01_one/one.cu: missing'
check "--check writes nothing" [ ! -e "$root/labs" ]
make_with
ended 'make' 0 'wrote labs/01_one/one.cu'
expect_skeleton 'make' 'LAB(one);\n    // Your turn\nend\n'
check "the handout" cmp -s "$root/solutions/01_one/README.md" "$root/labs/01_one/README.md"
check "the picture" cmp -s "$root/solutions/01_one/picture.svg" "$root/labs/01_one/picture.svg"
check "the manifest" cmp -s "$root/solutions/01_one/lab.conf" "$root/labs/01_one/lab.conf"
check "the notes are not copied" [ ! -e "$root/labs/01_one/NOTES.md" ]
check "the reference" grep -q '^    X("one", transpose, any, 32)$' "$root/include/lab_references.h"
make_with
ended 'make again' 0
check "make again writes nothing" none printf %s "$output"
make_with --check
ended 'check after' 0
check "check after prints nothing" none printf %s "$output"

for file in labs/01_one/one.cu labs/01_one/README.md labs/01_one/picture.svg labs/01_one/lab.conf include/lab_references.h; do
    echo '/* changed by hand */' >>"$root/$file"
    make_with --check
    ended "$file differs" 1 "$file: differs"
    make_with
    ended "$file is generated again" 0 "wrote $file"
    rm "$root/$file"
    make_with --check
    ended "$file is missing" 1 "$file: missing"
    make_with
done

# A student's additional file in labs/ is reported and does not change.
echo mine >"$root/labs/01_one/mine.cu"
make_with --check
ended 'extra file' 1 'labs/01_one/mine.cu: no file in solutions/ makes it'
make_with
ended 'extra file, make' 1 'labs/01_one/mine.cu'
check "a student's own file is not deleted" [ -e "$root/labs/01_one/mine.cu" ]

strip 'no region' 'LAB(one);\nplain\n' 'LAB(one);\nplain\n'
strip 'no skeleton half' 'LAB(one);\n//>> solution\nx\n//<<\ny\n' 'LAB(one);\ny\n'
strip 'empty halves' 'LAB(one);\n//>> solution\n//== skeleton\n//<<\ny\n' 'LAB(one);\ny\n'
strip 'region to the end' 'LAB(one);\n//>> solution\nx\n//== skeleton\n//| z\n//<<' 'LAB(one);\nz\n'
strip 'region at the start' '//>> solution\nx\n//<<\nLAB(one);\n' 'LAB(one);\n'
strip 'two regions' \
    'LAB(one);\n//>> solution\na\n//<<\nm\n//>> solution\nb\n//== skeleton\n//| B\n//<<\n' \
    'LAB(one);\nm\nB\n'
strip 'no final newline' 'LAB(one);\nlast' 'LAB(one);\nlast\n'
strip 'blank skeleton line' 'LAB(one);\n //>> solution\n //== skeleton\n //|\n //|   \n //<<\n' \
    'LAB(one);\n\n\n'
strip 'indentation' 'LAB(one);\n\t//>> solution\n\t//== skeleton\n\t//|     a | b //| c\n\t//<<\n' \
    'LAB(one);\n\t    a | b //| c\n'
strip 'windows line ends' 'LAB(one);\r\n//>> solution\r\nx\r\n//== skeleton\r\n//| y\r\n//<<\r\n' \
    'LAB(one);\r\ny\n'
strip 'special characters' \
    'LAB(one);\n//>> solution\n//== skeleton\n//| printf("%%d\\\\n&", 1); $x `y` *\n//<<\n' \
    'LAB(one);\nprintf("%%d\\\\n&", 1); $x `y` *\n'
strip 'markers inside a line' 'LAB(one);\nx; //>> solution\ny; //<<\n' \
    'LAB(one);\nx; //>> solution\ny; //<<\n'

# Sources that are rejected, with the line.
refuse 'no end' 2 'has no end' '//>> solution\nx\n'
refuse 'no end of the skeleton' 3 'has no end' 'a\n//>> solution\n//== skeleton\n//| x\n'
refuse 'nested' 3 'inside the region of line 2' '//>> solution\n//>> solution\n//<<\n//<<\n'
refuse 'skeleton alone' 2 'without' '//== skeleton\n//<<\n'
refuse 'two skeletons' 4 'without' '//>> solution\n//== skeleton\n//== skeleton\n//<<\n'
refuse 'end alone' 2 'ends no region' '//<<\n'
refuse 'misspelt' 2 'not a marker' '//>> Solution\nx\n//<<\n'
refuse 'text after the end' 3 'not a marker' '//>> solution\n//<< done\n'
refuse 'code in a skeleton' 4 'must begin with' '//>> solution\n//== skeleton\nx\n//<<\n'
refuse 'skeleton line outside' 2 'outside a skeleton' '//| x\n'

refuse_manifest 'no title' 'needs a title' '/^title/d'
refuse_manifest 'no first step' 'needs a title and a first_step' '/^first_step/d'
refuse_manifest 'no exercises' 'must name at least one' '/^exercises/d'
refuse_manifest 'no reference' 'reference must be' '/^reference/d'
refuse_manifest 'bad sizes' 'lab.conf:5: sizes must be' 's/= any/= some/'
refuse_manifest 'bad tile' 'lab.conf:6: tile must be' 's/= 32/= -1/'
refuse_manifest 'bad number of matrices' 'lab.conf:7: matrices must be' 's/tile = 32/&\nmatrices = -1/'
refuse_manifest 'absent exercise' 'there is no two.cu' 's/= one /= one two /'
refuse_manifest 'path as a name' 'is no name for LAB()' 's|= one |= ../one |'
refuse_manifest 'command as a name' 'is no name for LAB()' 's|= one |= $(id) |'

new_course
sed -i 's/LAB(one)/LAB(other)/' "$root/solutions/01_one/one.cu"
make_with
ended 'another name in the file' 2 'does not contain LAB(one);'
new_course
echo 'LAB(two);' >"$root/solutions/01_one/two.cu"
make_with
ended 'unlisted source' 2 'two.cu is not among the exercises'
new_course
cp -r "$root/solutions/01_one" "$root/solutions/02_two"
make_with
ended 'one name twice' 2 'same name: one'
new_course
rm "$root/solutions/01_one/README.md"
make_with
ended 'no handout' 2 'has no README.md'
new_course
rm -r "$root/solutions/01_one"
make_with
ended 'no labs' 2 'no labs in solutions/'
rm -r "$root/solutions"
make_with
ended 'no solutions' 2 'no directory solutions/'
make_with --verbose
ended 'unknown option' 2 'usage:'

# No skeleton of the course may contain a marker, and every skeleton must have a "Your turn" comment.
for file in labs/[0-9]*/*.cu; do
    check "$file contains no marker" none grep -nE '//(>>|==|<<|\|)' "$file"
    check "$file has a comment for the student" grep -q 'Your turn' "$file"
done


# expression PARAMETERS EXPRESSION: create a lab with a reference `mine` that is the expression.
expression()
{
    new_course
    sed -i 's/^reference = .*/reference = mine/' "$root/solutions/01_one/lab.conf"
    printf 'kernel = k\nparameters = %s\nexpression = %s\n' "$1" "$2" >>"$root/solutions/01_one/lab.conf"
    mkdir -p "$root/include/references"
    make_with
}
# computes NAME PARAMETERS EXPRESSION WIDTH HEIGHT INPUTS: the reference, compiled as C and as C++, must print the text
# of standard input. INPUTS is C code that defines the arrays a_0, a_1, a_2 in order.
computes()
{
    local compiler expected
    expected=$(cat)
    expression "$2" "$3"
    ended "$1: the header" 0
    {
        echo '#include <stdio.h>'
        sed -n '/^static const char \*const mistakes_mine/,/^}/p' "$root/include/lab_references.h"
        printf 'int main(void) { %s void *arrays[] = {a_0, a_1, a_2}; reference_mine(arrays, %s, %s, 1, 0);\n' "$6" "$4" "$5"
        printf 'for (int i = 0; i < (int)(sizeof a_0 / sizeof *a_0); i++) printf("%%s%%ld", i ? " " : "", (long)a_0[i]);\n'
        printf '(void)mistakes_mine; return 0; }\n'
    } >"$work/one.c"
    for compiler in 'cc -std=c11 -Wall -Werror' 'c++ -x c++'; do
        command -v "${compiler%% *}" >/dev/null || continue
        check "$1: compiles with ${compiler%% *}" $compiler -fsanitize=undefined,address -o "$work/one" "$work/one.c"
        same "$1: the result with ${compiler%% *}" "$expected" "$("$work/one" 2>&1)"
    done
}
computes "a map" 'out float out[count], in float in[count], count' 'out[i] = 2 * in[i] + i' 2 2 \
    'float a_0[4], a_1[] = {5, 6, 7, 8}, a_2[1];' <<<'10 13 16 19'
computes "a sum over a window" 'out int out[count], in int in[count], in int taps[3], count' \
    'out[i] = sum(k, -1, 1, taps[k + 1] * in[i + k])' 4 1 'int a_0[4], a_1[] = {1, 2, 3, 4}, a_2[] = {10, 1, 100};' <<<'201 312 423 34'
computes "rows times a vector" 'out unsigned y[height], in unsigned m[height][width], in unsigned v[width], width, height' \
    'y[r] = sum(k, 0, width - 1, m[r][k] * v[k])' 3 2 \
    'unsigned a_0[2], a_1[] = {1, 2, 3, 4, 5, 0xffffffffu}, a_2[] = {1, 10, 2};' <<<'27 52'
computes "a sum of all" 'out unsigned s[1] zeroed, in unsigned v[count], count' 's[0] = sum(k, 0, count - 1, v[k])' 2 2 \
    'unsigned a_0[1], a_1[] = {1, 2, 3, 0xffffffffu}, a_2[1];' <<<'5'
computes "a histogram" 'out unsigned bins[4] zeroed, in unsigned v[count], count' \
    'bins[b] = sum(k, 0, count - 1, v[k] % 4 == b)' 5 1 'unsigned a_0[4], a_1[] = {1, 5, 4, 2, 9}, a_2[1];' <<<'1 3 1 0'
computes "nested sums, in two dimensions" 'out float o[height][width], in float in[height][width], width, height' \
    'o[y][x] = sum(j, -1, 1, sum(i, -1, 1, in[y + j][x + i])) - in[y][x]' 2 2 \
    'float a_0[4], a_1[] = {1, 2, 3, 4}, a_2[1];' <<<'9 8 7 6'
computes "choices" 'out int o[count], in int in[count], count' 'o[i] = in[i] > 2 && i != 3 ? max(in[i], 7) : min(-in[i], 1 / 0)' 4 1 \
    'int a_0[4], a_1[] = {1, 3, 9, 9}, a_2[1];' <<<'-1 7 9 -9'
check "the generated labs are up to date" "$generator" --root "$root" --check

while IFS='|' read -r message parameters text; do
    expression "$parameters" "$text"
    ended "refused: $text" 2 "solutions/01_one/lab.conf: $message"
done <<'END'
`system` is not declared|out int o[count], in int in[count]|o[i] = system(1)
`in` is no name for an index|out int o[count], in int in[count]|o[in] = 1
the index `i` is used twice|out int o[count], in int in[count]|o[i] = sum(i, 0, 3, in[i])
`o` is not an input|out int o[count], in int in[count]|o[i] = o[i] + 1
the expression must compute the only output|out int o[count], out int p[count], in int in[count]|o[i] = in[i]
the expression must compute the only output|inout int o[count]|o[i] = 1
expected `[` before|out int o[count], in int in[count]|o = in[i]
expected `]` before|out int o[count], in int in[count]|o[i] = in[i
unexpected `)`|out int o[count], in int in[count]|o[i] = in[i])
unexpected `;`|out int o[count], in int in[count]|o[i] = in[i]; exit(1)
unexpected `"`|out int o[count], in int in[count]|o[i] = "text"
products and quotients of float|out float o[count], in float in[count]|o[i] = in[i] * in[i]
products and quotients of float|out float o[count], in float in[count]|o[i] = in[i] / 3
END
expression 'out int o[count], in int in[count]' "o[i] = $(printf '(%.0s' {1..60})1$(printf ')%.0s' {1..60})"
ended "refused: too deep" 2 "too many parentheses"
finish
