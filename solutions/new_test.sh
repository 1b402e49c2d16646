#!/bin/bash
# new_test.sh: tests `tlab new` in a copy of the course. The new lab must run, be drawn and be graded like the original
# lab. A rejected command must write no file. Run from the repository root.
# check: late course plain
set -u
. profiler/tools/expect.sh
needs_ptx

course=$work/course
mkdir -p "$course/profiler" "$course/grading"
cp -R solutions labs include plots "$course"
cp -R grading/rubrics grading/report "$course/grading"
cp -R profiler/devices profiler/compile "$course/profiler"
mkdir "$course/profiler/view"
cp -R profiler/view/page "$course/profiler/view"
export TLAB_ROOT=$course
listing() { (cd "$course" && find . | sort); }

listing >"$work/before"
while IFS='|' read -r phrase arguments; do
    # shellcheck disable=SC2086
    expect "refused: $arguments" 2 "$phrase" -- "$tlab" new $arguments
done <<'END'
requires one name|
requires one name|mine
requires one name|--like 03_padded
requires one name|mine yours --like 03_padded
neither a lab in solutions|mine --like 99_nothing
neither a lab in solutions|mine --like ../etc
is not a valid name of a lab|Mine --like 03_padded
is not a valid name of a lab|my-lab --like 03_padded
is not a valid name of a lab|../../x --like 03_padded
an exercise naive already|naive --like 03_padded
two digits|mine --like 03_padded --number 7
policy.json contains the deadlines|policy --like 03_padded
END
listing >"$work/after"
check "a rejected command changes no file" cmp "$work/before" "$work/after"

# New labs like a transpose, like a lab with two exercises, and like a lab that is not a transpose.
expect "like a lab" 0 "made solutions/40_turned, labs/40_turned" -- "$tlab" new turned --like 03_padded
expect "like an exercise" 0 "made solutions/41_total" -- "$tlab" new total --like sum_sequential/
expect "like a lab of two exercises" 0 "solutions/55_roof" -- "$tlab" new roof --like 00_copy --number 55
expect "the same name again" 2 "an exercise turned already" -- "$tlab" new turned --like 03_padded
for lab in 40_turned 41_total 55_roof; do
    expect "$lab: its solution runs" 0 "ok" -- "$tlab" run "$course/solutions/$lab" --csv "$work/$lab.csv"
    expect "$lab: its skeleton fails" 1 "wrong_result" -- "$tlab" run "$course/labs/$lab"
    expect "$lab: its kernel is annotated" 0 "global load" -- "$tlab" annotate "$(ls "$course/solutions/$lab"/*.cu | head -n 1)"
done
check "no first step of the original" none grep "bank conflicts" "$course/solutions/40_turned/lab.conf"
check "no hints of the original" test ! -e "$course/solutions/40_turned/hints.txt" -a ! -e "$course/labs/40_turned/hints.txt"
check "the title of the new lab is its name" grep -qx "title = Turned" "$course/solutions/40_turned/lab.conf"
check "the handout has the number of the new lab" grep -q "^# Lab 40: " "$course/solutions/40_turned/README.md"
check "both exercises of the third lab" test -f "$course/solutions/55_roof/roof_copy_shared.cu"
check "the CSV names the exercise" grep -q ',turned,' "$work/40_turned.csv"
counted() { awk -F, 'NR == 2 { print $25, $27, $34, $38 }' "$1"; }
"$tlab" run solutions/03_padded --csv "$work/padded.csv" >/dev/null
same "the counters are those of the original" "$(counted "$work/padded.csv")" "$(counted "$work/40_turned.csv")"
if command -v gnuplot >/dev/null; then
    expect "the new lab is drawn" 0 "drew" -- "$tlab" picture tile "$course/solutions/40_turned" --out "$work/tile.svg"
fi
check "no name of the original remains" none grep -rn "padded\.cu\|LAB(padded)\|03_padded" \
    "$course/solutions/40_turned/turned.cu" "$course/solutions/40_turned/lab.conf" "$course/grading/rubrics/turned.json"

# The solution of a new lab earns all points of the lab's rubric.
fixed_seed
if "$tlab" grade --help >/dev/null 2>&1; then
    expect "a new transpose is graded" 0 "graded" -- "$tlab" grade "$course/solutions/40_turned/turned.cu" --one me \
        --labs turned --rubrics "$course/grading/rubrics" --out "$work/graded" --seed "$seed"
    check "the gradebook contains the new transpose" grep -q '"turned"' "$work/graded/gradebook.csv"
    expect "a new sum is graded" 0 "graded" -- "$tlab" grade "$course/solutions/41_total/total.cu" \
        --one me --labs total --rubrics "$course/grading/rubrics/sum" --out "$work/total" --seed "$seed"
    same "points of the sum" "20" "$(awk -F, 'NR == 2 { print $4 }' "$work/total/gradebook.csv" | tr -d '"')"
    same "points of the transpose" "20" "$(awk -F, 'NR == 2 { print $4 }' "$work/graded/gradebook.csv" | tr -d '"')"
fi
check "no text of the original" none grep -rniE "bank|padded|padding|transpose" "$course/solutions/40_turned" \
    "$course/labs/40_turned" "$course/grading/rubrics/turned.json" --include=README.md --include=NOTES.md
check "no hint of the original" none grep -n '"hint"' "$course/grading/rubrics/turned.json" "$course/grading/rubrics/sum/total.json"
check "no worksheet and no picture of the original" test ! -e "$course/solutions/40_turned/predict.txt" -a ! -e "$course/solutions/40_turned/picture.svg"
check "the title in the rubric" grep -q '"title": "Turned"' "$course/grading/rubrics/turned.json"

points_for() { # LAB SIZES FOLDER: check the points of the solution with these sizes
    local lab
    for lab in "$course"/{solutions,labs}/$1; do sed -i "s/^sizes = .*/sizes = $2/" "$lab/lab.conf"; done
    expect "$1 with sizes = $2" 0 "graded" -- "$tlab" grade "$course/solutions/$1/${1#*_}.cu" --one me --labs "${1#*_}" \
        --rubrics "$course/grading/rubrics$3" --out "$work/$1_$2" --seed "$seed"
    same "$1 with sizes = $2: points" "20" "$(awk -F, 'NR == 2 { print $4 }' "$work/$1_$2/gradebook.csv" | tr -d '"')"
}
if "$tlab" grade --help >/dev/null 2>&1; then
    for sizes in tiles square any; do points_for 40_turned $sizes ""; done
    for sizes in tiles any line; do
        for lab in "$course"/{solutions,labs}/41_total; do sed -i "s/^sizes = .*/sizes = $sizes/" "$lab/lab.conf"; done
        expect "a sum with sizes = $sizes has a rubric" 0 "graded" -- "$tlab" grade "$course/solutions/41_total/total.cu" \
            --one me --labs total --rubrics "$course/grading/rubrics/sum" --out "$work/total_$sizes" --seed "$seed"
    done

    # An invalid rubric is reported, and the remaining exercises are graded.
    echo '{ broken' >"$course/grading/rubrics/copy.json"
    expect "one invalid rubric" 2 "copy.json:1: .*this exercise is not graded; all other exercises are" -- "$tlab" grade \
        "$course/solutions/40_turned/turned.cu" --one me --rubrics "$course/grading/rubrics" --out "$work/others"
    check "the other exercises are graded" grep -q '"turned"' "$work/others/gradebook.csv"
    expect "an invalid rubric that --labs names" 2 "copy.json:1" -- "$tlab" grade "$course/solutions/40_turned/turned.cu" --one me \
        --labs turned,copy --rubrics "$course/grading/rubrics" --out "$work/named"
    check "nothing is graded" [ ! -e "$work/named/gradebook.csv" ]
    cp grading/rubrics/copy.json "$course/grading/rubrics"
fi

# For a reference that is an expression, the header is generated, and tlab is linked with it.
"$tlab" new weighted --like 20_sum_shared >/dev/null
lab=$course/solutions/42_weighted
sed -i 's/^parameters = .*/parameters = out unsigned sum[height], in unsigned values[height][width], in unsigned weights[width], width, height/
    s/^reference = .*/reference = weighted\nexpression = sum[r] = sum(k, 0, width - 1, values[r][k] * weights[k])/; s/^sizes = .*/sizes = any/' "$lab/lab.conf"
cat >"$lab/weighted.cu" <<'END'
#include "lab.h"
LAB(weighted);
extern "C" __global__ void reduce(unsigned *sum, const unsigned *values, const unsigned *weights, int width, int height)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    unsigned total = 0;
    if (r >= height)
        return;
    for (int k = 0; k < width; k++)
        total += values[(size_t)r * width + k] * weights[k];
    //>> solution
    sum[r] = total;
    //<<
}
LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(height, 64)), dim3(64)};
}
END
expect "an expression" 0 "wrote include/lab_references.h" -- "$course/solutions/make_skeletons"
expect "before tlab is built again" 2 "unknown reference .weighted.: run .make skeletons., then .make." -- "$tlab" run "$lab"
built=$(dirname "$tlab")
if [ -d "$built/obj" ]; then
    mkdir -p "$course/profiler/course"
    cp profiler/course/arrays.c "$course/profiler/course"
    compiler=$(sed -E '1s/ .*//; 1q' "$built/flags")
    libraries=$(ldd "$tlab" | awk '$3 ~ /^\// && $1 !~ /^lib(c|asan|ubsan)\./ { print $3 }')
    # shellcheck disable=SC2086
    check "tlab with the reference" "$compiler" -std=gnu11 -D_GNU_SOURCE $(sed 1q "$built/flags" | grep -o -- '-fsanitize=[a-z,]*') -Iprofiler -pthread \
        -o "$work/tlab" "$course/profiler/course/arrays.c" "$built/obj/profiler/main.o" "$built/libtlab.a" $libraries -lm -ldl
    expect "the solution is correct" 0 "ok" -- "$work/tlab" run "$lab" --rows 200 --cols 300
    sed -i 's/k < width; k++/k < width - 1; k++/' "$lab/weighted.cu"
    expect "a wrong solution is detected" 1 "wrong_result" -- "$work/tlab" run "$lab" --rows 200 --cols 300
    sed -i 's/k < width - 1; k++/k < width; k++/' "$lab/weighted.cu"
fi
check "labs/ is up to date" "$course/solutions/make_skeletons" --check

finish
