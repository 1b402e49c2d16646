#!/bin/bash
# timing_16384_test.sh: timing_test.sh for 16384 x 16384. It requires 4 GB of memory and takes a
# minute on two cores.
# check: slow course
set -u
. profiler/emulator/time/timing_judge.sh
awk '$1 == "MemAvailable:" { exit $2 < 4 * 1024 * 1024 }' /proc/meminfo || skip_all "less than 4 GB of memory are free"
judge_measured h200 16384 8
finish
