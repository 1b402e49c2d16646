#!/bin/bash
# timing_8192_test.sh: timing_test.sh for 8192 x 8192, and for an H100 at two sizes. The device file
# of the H100 was made by `tlab calibrate`.
# check: slow course
set -u
. profiler/emulator/time/timing_judge.sh
judge_measured h200 8192 8
judge_measured h100 4096 10
judge_measured h100 8192 10
finish
