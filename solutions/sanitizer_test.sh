#!/bin/bash
# sanitizer_test.sh: runs every solution and its variants on a GPU under compute-sanitizer, at sizes of whole and partial
# tiles. There must be no out-of-bounds or misaligned access (memcheck) and no race in shared memory (racecheck).
# `make check-gpu` runs this test, which is skipped without a GPU. Run from the repository root.
set -u
. profiler/tools/expect.sh
PATH=$PATH:/usr/local/cuda/bin
nvidia-smi -L 2>/dev/null | grep -q GPU || skip_all "no GPU"
needs nvcc compute-sanitizer

# look FILE: print the verdicts of a file, by tool and size.
look() {
    local file=$1 program output=$work/${1//\//_} size tool sizes=("256 256" "131 67")
    program=$output.program
    case $(sed -n 's/^sizes = //p' "$(dirname "${file/variants\//}")/lab.conf") in
    square) sizes=("256 256" "131 131") ;;
    tiles) sizes=("256 256" "64 160") ;;
    esac
    case $file in
    *batched*) sizes=("128 192 3" "131 67 5" "30 40 70" "200 100 2") ;;
    esac
    if ! nvcc -O3 -lineinfo -arch=native -Iinclude -o "$program" "$file" >"$output.log" 2>&1; then
        fail "$file does not compile" "$output.log"
        return
    fi
    for tool in memcheck racecheck; do
        for size in "${sizes[@]}"; do
            # shellcheck disable=SC2086
            compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" $size >"$output.log" 2>&1
            same "$tool of $file, $size" 0 "$?"
            grep -q "ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards" "$output.log" || sed 's/^/# /' "$output.log" | head -20
        done
    done
}
export -f look same pass fail
export work cases=0 failures=0
find solutions -name '*.cu' | sort >"$work/files"
xargs -P "$(nproc)" -I{} bash -c 'look {} >"$work/verdicts.$(basename {})" 2>&1' <"$work/files"
while read -r file; do
    cat "$work/verdicts.$(basename "$file")"
done <"$work/files" | awk '/^ok|^not ok/ { cases++; bad += /^not/; sub(/ok [0-9]+/, "ok " cases) } { print } END { print "1.." cases; exit bad || !cases }'
