#!/bin/bash
# similarity_test.sh: copies are found, whatever their names and comments; others are not.
set -u
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$(dirname "$0")/.." && pwd)
. profiler/tools/expect.sh
needs sim_c jq

hand_in() { # ID FILE: a grade as the grader leaves it
    jq -Rs '{labs: [{exercise: "padded", source: .}, {exercise: "naive", source: null}]}' <"$2" >"$work/class/work/$1.json"
}
mkdir -p "$work/class/work" "$work/empty"
grep -v '^ *//' "$root/solutions/03_padded/padded.cu" >"$work/plain.cu"
sed -e 's/tile/buffer/g; s/out_col/my_column/g; s|^{|{ // my own work|' "$work/plain.cu" >"$work/renamed.cu"
hand_in ada "$work/plain.cu"
hand_in bob "$work/renamed.cu"
hand_in -eve "$root/solutions/01_naive/naive.cu"
echo '{"paths": []}' >"$work/class/work/batch.json"

expect "a renamed copy is found" 0 'padded: ada is 100 % bob' -- "$here/similarity" "$work/class"
expect "and nothing else" 0 '^padded: [^:]*$' -- "$here/similarity" "$work/class"
expect "usage" 2 usage -- "$here/similarity"
expect "no class" 2 usage -- "$here/similarity" "$work/empty"
expect "a bad percentage" 2 'no percentage' -- "$here/similarity" "$work/class" many
finish
