#!/bin/bash
# timing_8192_test.sh: timing_test.sh for 8192 x 8192.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. profiler/emulator/timing/timing_judge.sh

if "$tlab" doctor 2>&1 | grep -q "no compiler here can make PTX"; then
    echo "no compiler here can make PTX"
    exit 77
fi
judge_measured 8192
exit $failures
