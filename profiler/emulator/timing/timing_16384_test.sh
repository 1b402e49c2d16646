#!/bin/bash
# timing_16384_test.sh: timing_test.sh for 16384 x 16384. Needs 4 GB of memory and a minute of two cores.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. profiler/emulator/timing/timing_judge.sh

if "$tlab" doctor 2>&1 | grep -q "no compiler here can make PTX"; then
    echo "no compiler here can make PTX"
    exit 77
fi
if ! awk '$1 == "MemAvailable:" { exit $2 < 4 * 1024 * 1024 }' /proc/meminfo; then
    echo "less than 4 GB of memory are free"
    exit 77
fi
judge_measured 16384
exit $failures
