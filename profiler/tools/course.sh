#!/bin/sh
# course.sh DIR DEVICE SIZE COURSE: run every lab of DIR that belongs to the course, write
# out/course.csv and draw the charts. A lab without `course` in its manifest belongs to the transpose
# course, which an empty COURSE selects. DEVICE and SIZE (N or ROWSxCOLS) may be empty. If both are
# empty, tlab selects them, and the labs also run on the other devices of the progression chart, into
# out/progression.csv. The labs remove different bottlenecks on different devices (partitions of an
# old card, the L2 of new cards).
#
# A failed lab gets a row and a sentence, and is drawn as failed or not begun. The charts are drawn
# for exit status 0 and 1. The exit status is that of tlab, but a lab that is not begun does not count as a
# failure. After a harness failure (2) no CSV was written, so nothing is drawn.
set -u

directory=$1 device=$2 size=$3 course=$4

refuse() {
    echo "make course: $1" >&2
    exit 2
}

# Collect the arguments of `tlab run` in the positional parameters.
set --
if [ -f "$directory/lab.conf" ]; then
    set -- "$directory"
else
    for manifest in "$directory"/*/lab.conf; do
        [ -f "$manifest" ] || continue
        of=$(sed -n 's/^course *= *//p' "$manifest")
        [ "$of" != "$course" ] || set -- "$@" "${manifest%/lab.conf}"
    done
fi
[ $# -gt 0 ] ||
    refuse "$directory contains no lab${course:+ of the course $course} (a lab is a directory with a lab.conf)"

[ -z "$device" ] || set -- "$@" --device "$device"
case $size in
    '') ;;
    *[!0-9x]* | x* | *x | *x*x*) refuse "SIZE=$size: expected a number, or ROWSxCOLS" ;;
    *) set -- "$@" --rows "${size%x*}" --cols "${size#*x}" ;;
esac

mkdir -p out || refuse "cannot make the directory out"
build/tlab run "$@" --csv out/course.csv
status=$?
if [ $status -gt 1 ]; then
    echo "make course: no CSV was written" >&2
    exit $status
fi
echo "wrote out/course.csv"
if [ $status = 1 ]; then
    # Print a sentence for the labs that are not begun, and a sentence for each failed lab.
    LC_ALL=C awk -f plots/csv.awk -f plots/failures.awk out/course.csv
    status=$?
    [ $status -lt 2 ] || exit 2
fi

# Draw the progression chart first, because it introduces the other charts.
progression=out/course.csv
if [ -z "$device$size" ]; then
    progression=out/progression.csv
    : >$progression
    for other in gtx280 a100; do
        # A lab that fails here has already failed above, or its row states why it cannot run on this
        # device.
        build/tlab run "$@" --device $other --csv out/.other.csv >/dev/null
        [ $? -lt 2 ] || exit 2
        if [ -s $progression ]; then sed 1d out/.other.csv; else cat out/.other.csv; fi >>$progression
    done
    sed 1d out/course.csv >>$progression
    rm -f out/.other.csv
    echo "wrote $progression"
fi

if ! command -v gnuplot >/dev/null; then
    echo "The charts were not drawn: gnuplot is not installed (on Debian: apt-get install gnuplot-nox)."
    echo "Afterwards, make figures CSV=out/course.csv draws them."
elif ! plots/render $progression out progression ||
    ! plots/render out/course.csv out bandwidth l2_bytes bank_conflicts dram_throughput roofline; then
    exit 2
fi
exit $status
