#!/bin/bash
# timing_8192_test.sh: timing_test.sh for 8192 x 8192; and the H100, whose file is from `tlab
# calibrate`, at two sizes.
# check: slow course
set -u
. profiler/emulator/time/timing_judge.sh
judge_measured h200 8192 8
judge_measured h100 4096 10
judge_measured h100 8192 10
finish
