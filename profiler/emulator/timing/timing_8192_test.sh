#!/bin/bash
# timing_8192_test.sh: timing_test.sh for 8192 x 8192.
set -u
. profiler/emulator/timing/timing_judge.sh
judge_measured 8192
finish
