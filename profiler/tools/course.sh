#!/bin/sh
# course.sh DIR DEVICE SIZE COURSE: run every lab of DIR that belongs to the course, write
# out/course.csv and draw the charts. An empty COURSE selects the labs without `course` in their
# manifests. If DEVICE or SIZE (N or ROWSxCOLS) is empty, tlab selects it. If both are empty, the
# labs also run on the other devices of the progression chart, with the results in
# out/progression.csv.
#
# A failed lab has a row in the CSV, and is drawn as failed or not begun. The exit status is that of
# tlab, but a lab that is not begun is not a failure. After a harness failure (2), nothing is drawn.
set -u

directory=$1 device=$2 size=$3 course=$4

refuse() {
    echo "make course: $1" >&2
    exit 2
}

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
    # Print one sentence about all labs that are not begun, and one sentence for each failed lab.
    LC_ALL=C awk -f plots/csv.awk -f plots/failures.awk out/course.csv
    status=$?
    [ $status -lt 2 ] || exit 2
fi

progression=out/course.csv
if [ -z "$device$size" ]; then
    progression=out/progression.csv
    : >$progression
    for other in gtx280 a100; do
        # The messages are dropped: the first run has printed them, or the row contains the reason.
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
    echo "Install it, then run make figures CSV=out/course.csv."
elif ! plots/render $progression out progression ||
    ! plots/render out/course.csv out bandwidth l2_bytes bank_conflicts dram_throughput roofline; then
    exit 2
fi
exit $status
