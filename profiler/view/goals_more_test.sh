#!/bin/bash
# goals_more_test.sh: goals_test.sh with more kernels of each kind.
MORE=yes . profiler/view/goals_test.sh
