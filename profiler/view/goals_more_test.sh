#!/bin/bash
# goals_more_test.sh: goals_test.sh with more kernels of each kind.
# check: slow course
MORE=yes . profiler/view/goals_test.sh
