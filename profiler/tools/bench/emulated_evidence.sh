#!/bin/bash
# emulated_evidence.sh DIR [SIZE...]: run the course on the emulator and compare the results with
# those measured on a GPU.
#
# DIR contains course_N.csv from gpu_evidence.sh. For each N, or for the given sizes, the script
# writes emulated_N.csv with --device h200 (or DEVICE), which takes some minutes. An existing
# emulated_ladder.csv (labs 07 to 10 and 12) is also rewritten. In DIR/README.md, the text after the
# line "Made by ... from here on" is generated again. Run from the repository root after `make`.
set -eu
[ $# -ge 1 ] || { echo "usage: emulated_evidence.sh DIR [SIZE...]" >&2; exit 2; }
directory=$1
shift
all_sizes=$(for file in "$directory"/course_*.csv; do echo "$file"; done | sed 's/.*course_\([0-9]*\)[.]csv/\1/' | sort -n | xargs)
below='<!-- Made by profiler/tools/bench/emulated_evidence.sh from here on -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2086 # all_sizes must split into words
[ $# -gt 0 ] || set -- $all_sizes
for n in "$@"; do
    build/tlab run solutions/0[0-6]_* --device "${DEVICE:-h200}" --rows "$n" --cols "$n" \
        --csv "$directory/emulated_$n.csv" >/dev/null
    echo "wrote $directory/emulated_$n.csv"
done
if [ -e "$directory/emulated_ladder.csv" ]; then
    for n in 4096 8192 16384; do
        build/tlab run solutions/0[7-9]_* solutions/1[02]_* --device "${DEVICE:-h200}" --rows "$n" --cols "$n" --csv "$work/$n.csv" >/dev/null
    done
    awk 'NR == 1 || FNR > 1' "$work"/{4096,8192,16384}.csv >"$directory/emulated_ladder.csv"
    echo "wrote $directory/emulated_ladder.csv"
fi

# Exit status 1 of tlab compare means that the deviation of a counter exceeds its tolerance.
compare() { # SIZE
    build/tlab compare --markdown "$directory/course_$1.csv" "$directory/emulated_$1.csv" || [ $? -eq 1 ]
}

# Print one row per lab, from the output of tlab compare: "### LAB, EXERCISE, N x N: ..." and "|
# time_us | A | B | DEVIATION | ...".
time_rows() {
    awk -F' *[|] *' '
        /^### / { split(substr($0, 5), part, ", "); run = part[1] ", " part[2] }
        $2 == "time_us" {
            if (!(run in row)) order[++runs] = run
            row[run] = row[run] " " $3 " | " $4 " | " $5 " |"
            deviation = $5 + 0 < 0 ? -$5 : $5 + 0
            if (deviation > largest) largest = deviation
        }
        END {
            for (i = 1; i <= runs; i++) print "| " order[i] " |" row[order[i]]
            printf "\nThe largest deviation is %.1f %%.\n", largest
        }' "$@"
}

tables() {
    local head="| |" rule="|---|"
    for n in $all_sizes; do
        compare "$n" >"$work/$n"
        head="$head $n²: cupti | emulator | deviation |" rule="$rule---:|---:|---:|"
    done
    printf '\n## Times in microseconds, by size\n\n%s\n%s\n' "$head" "$rule"
    # shellcheck disable=SC2086 # the sizes are file names
    (cd "$work" && time_rows $all_sizes)
    printf '\n## Every counter, 8192 x 8192\n\n'
    cat "$work/8192"
}

readme=$directory/README.md
if grep -qxF -- "$below" "$readme" 2>/dev/null; then
    tables >"$work/tables"
    { awk -v last="$below" '{ print } $0 == last { exit }' "$readme" && cat "$work/tables"; } >"$work/README.md"
    cp "$work/README.md" "$readme"
    echo "wrote the tables of $readme"
fi
