#!/bin/bash
# worst_test.sh [NAME...]: tests the cost of the most expensive submissions. Each submission must use at most a
# minute of one processor and 500 MB, and must not change the results of an ordinary submission. By default, one
# submission of each section of grading/hostile/make_greedy is graded, and of the compilers one for each limit;
# `all` selects all submissions.
# check: rare
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs_ptx
needs bwrap
export MEASURE=$work/measure
"${CC:-cc}" -O1 -o "$MEASURE" profiler/tools/bench/measure.c || exit 1
[ $# -gt 0 ] || set -- ordinary pages_markup printf_long ptx_unrolled arrays_many templates_memory tokens errors_long \
    includes_noise slow_everywhere launch_endless
[ "$1" != all ] || shift
TLAB=$tlab grading/bench/worst.sh "$@" >"$work/costs" 2>"$work/why"
check "all submissions are graded" [ $? -eq 0 -a -s "$work/costs" ]
[ $failures -eq 0 ] || sed 's/^/# /' "$work/why"
while read -r name seconds processor memory output neighbour; do
    echo "# $name: $processor s of a processor ($seconds s), $memory MB, $output MB written"
    most=60 # seconds; measured: 36 s beside other tests
    [ "$name" != ordinary ] || most=20 # seconds; this submission contains the solutions of 19 labs
    within "$name, processor time" "$processor" 0 $most
    within "$name, memory" "$memory" 1 500 # measured: 343 to 374 MB, and 458 MB beside other tests
    within "$name, megabytes written" "$output" 0 8
    same "$name, points of the other submission" 20 "$neighbour"
done <"$work/costs"
finish
