#!/bin/bash
# similarity_test.sh: tests that copies are found in spite of other names and comments, and that independent files are
# not listed. A chain of similar files is not a group, and distributed code is ignored.
# check: slow
set -u
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$(dirname "$0")/.." && pwd)
. profiler/tools/expect.sh
needs sim_c jq

hand_in() { # ID FILE [CLASS]: write a grade in the format of the grader
    mkdir -p "$work/${3:-class}/work"
    jq -Rs '{labs: [{exercise: "padded", source: .}, {exercise: "naive", source: null}]}' <"$2" \
        >"$work/${3:-class}/work/$1.json"
}
mkdir -p "$work/empty"
grep -v '^ *//' "$root/solutions/03_padded/padded.cu" >"$work/plain.cu"
sed -e 's/tile/buffer/g; s/out_col/my_column/g; s|^{|{ // my own work|' "$work/plain.cu" >"$work/renamed.cu"
hand_in ada "$work/plain.cu"
hand_in bob "$work/renamed.cu"
hand_in -eve "$root/solutions/01_naive/naive.cu"
echo '{"paths": []}' >"$work/class/work/batch.json"

expect "a renamed copy is found" 0 '^padded: ada, bob: 100 %$' -- "$here/similarity" "$work/class"
check "no other group" [ "$(wc -l <"$work/output")" -eq 1 ]

# Each file contains two of four blocks of code. Adjacent files share half of their tokens; other files share no token.
block() { # LETTER: print about fifty tokens that no other block contains
    case $1 in
    a) printf 'for (int i = 0; i < 8; i++) odata[i * 2 + 1] = idata[i] + odata[i];\nwhile (width > 3 && height != 9) { width -= 2; height /= 3; }\n' ;;
    b) printf 'if (threadIdx.x == 7 || blockIdx.y >= 4) { tile[3][4] = tile[4][3]; __syncthreads(); return; } else tile[1][1] *= 2.5f;\ndo { width--; } while (!(height & 1));\n' ;;
    c) printf 'switch (width %% 4) { case 0: odata[0] = -1; break; case 1: odata[1] = ~height; break; default: odata[2] ^= 5, idata++; }\ngoto done; done: height <<= 2;\n' ;;
    d) printf 'float4 v = ((const float4 *)idata)[width]; v.x = v.y ? v.z : v.w; sizeof(v) > 8 ? f(v.x, v.y, v.z) : g(&v);\nunsigned long k = 0xffu | 3ul; k >>= k %% 7;\n' ;;
    esac
}
chain() { # ID BLOCK...
    for letter in "${@:2}"; do block "$letter"; done >"$work/blocks.cu"
    hand_in "$1" "$work/blocks.cu" chain
}
chain ann a b
chain ben b c
chain cy c d
expect "a chain gives one group of two" 0 '^padded: (ann, ben|ben, cy|ben, ann|cy, ben): [0-9]+ %$' -- "$here/similarity" "$work/chain" 40
check "one pair across groups, no group of three" [ "$(grep -cE '^padded: [a-z]+ and [a-z]+, of different groups: [0-9]+ %$' "$work/output"),$(wc -l <"$work/output")" = 1,2 ]
check "the ends of the chain are not similar" none grep -E 'ann.*cy|cy.*ann' "$work/output"
chain dan a b
expect "every two files of a group are similar" 0 '^padded: [a-z, ]*: each pair [0-9]+ % or more$' -- "$here/similarity" "$work/chain" 40
check "the end of the chain is in another group" grep -E '^padded: (ben and cy|cy and ben), of different groups' "$work/output"
chain eve a b
expect "three equal files" 0 '^padded: (ann, dan, eve|ann, eve, dan|dan, eve, ann|dan, ann, eve|eve, ann, dan|eve, dan, ann): each pair 100 %$' -- \
    "$here/similarity" "$work/chain" 90
check "they are listed in one line" [ "$(wc -l <"$work/output")" -eq 1 ]

# Two files share only the distributed code, and have different layouts.
handout() { # ID BLOCK SED: submit the skeleton with a block as its body
    block "$2" >"$work/body"
    sed -e "/Your turn/r $work/body" -e "$3" "$root/labs/03_padded/padded.cu" >"$work/filled.cu"
    hand_in "$1" "$work/filled.cu" handout
}
handout ann a ''
handout ben d 's/^    /\t/; s/ = /=/'
expect "distributed code does not count" 0 '' -- "$here/similarity" "$work/handout" 30
check "no student is named" none cat "$work/output"
handout cy a 's/odata/out/g'
expect "code that was not distributed counts" 0 '^padded: ann, cy: [0-9]+ %$' -- "$here/similarity" "$work/handout" 80
cp "$work/filled.cu" "$work/given.cu"
block a >>"$work/given.cu"
expect "another distributed file does not count" 0 '' -- "$here/similarity" "$work/handout" 80 "$work/given.cu"
check "with the distributed file, no student is named" none cat "$work/output"

expect "usage" 2 usage -- "$here/similarity"
expect "no class" 2 usage -- "$here/similarity" "$work/empty"
expect "a bad percentage" 2 'not a percentage' -- "$here/similarity" "$work/class" many
expect "a distributed file that does not exist" 2 'does not exist' -- "$here/similarity" "$work/class" 80 "$work/nowhere"
# Ten solutions differ only in ignored details. Two of them share unusual code, with different names.
for person in 0 1 2 3 4 5 6 7 8 9; do
    sed "s/tile/t$person/g" "$work/plain.cu" >"$work/person.cu"
    case $person in
    3 | 7)
        printf 'int odd%s = 3 * width %% 7;\nif (odd%s > height / 2) odd%s -= 41;\nwhile (odd%s-- > 5) odd%s ^= 9;\nodata[odd%s & 1] += 2;\n' \
            $person $person $person $person $person $person >>"$work/person.cu" ;;
    esac
    hand_in "p$person" "$work/person.cu" many
done
expect "the unusual pair is listed" 0 'padded: p3 .lines [0-9]+-[0-9]+., p7 .lines [0-9]+-[0-9]+.: 4 places that few other files have' -- "$here/similarity" "$work/many"
check "no other pair is listed" [ "$(grep -c 'few other files' "$work/output")" -eq 1 ]

finish
