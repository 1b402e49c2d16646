#!/bin/bash
# history_test.sh: tests of `tlab compare` for kernels, of `tlab status`, and of the runs that both
# commands save. Run from the repository root; TLAB names the program.
# check: late plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx
export XDG_STATE_HOME=$work/state
kept=$work/state/transpose-lab

mkdir -p "$work/labs"
cp -r solutions/01_naive solutions/03_padded "$work/labs"
lab=$work/labs/03_padded/padded.cu
edit() { # SED-EXPRESSION: edit the lab like a student
    sed "$1" solutions/03_padded/padded.cu >"$lab"
}
small() { # COMMAND TARGET...
    "$tlab" "$@" --rows 128 --cols 256
}
says() { check "$1" grep -qE -- "$2" "$work/output"; }
silent() { check "$1" none grep -E -- "$2" "$work/output"; }
unpadded='s/\[TILE_DIM\]\[TILE_DIM + 1\]/[TILE_DIM][TILE_DIM]/'
edit "$unpadded"
check "the edit changes the lab" none cmp -s "$lab" solutions/03_padded/padded.cu

# --- two kernels ----------------------------------------------------------------------------------
expect "compare prints the counters that differ" 0 "conflicts per shared load +31 -> 0 +-100 % +better" -- small compare "$lab" solutions/03_padded
silent "equal counters are not printed" "sectors per"
expect "labs with different goals" 0 "goals reached +1 of 3 -> 2 of 2 .*stores to shared memory +1024 -> 0 " -- small compare "$lab" solutions/01_naive
expect "compare in the other direction" 0 "conflicts per shared load +0 -> 31 +worse" -- small compare solutions/03_padded "$lab"
expect "compare a kernel with a copy" 0 "no counter differs" -- small compare solutions/01_naive "$work/labs/01_naive"
expect "compare of CSV files is unchanged" 2 "two CSV files" -- "$tlab" compare nothing.csv
expect "a kernel and a CSV file" 2 "not a kernel and a CSV file" -- "$tlab" compare "$lab" nothing.csv
expect "three kernels are not accepted" 2 "CSV files; remove .*padded" -- "$tlab" compare "$lab" "$lab" "$lab"

# --- a lab and its previous version ---------------------------------------------------------------
rm -rf "$work/state"
expect "there is no previous version" 0 "nothing to compare with yet" -- small compare "$lab"
expect "a second run is not another version" 0 "nothing to compare with yet" -- small compare "$lab"
edit ''
expect "compare the previous with the current version" 0 "conflicts per shared load +31 -> 0" -- small compare "$lab"
expect "repeated runs do not change the comparison" 0 "conflicts per shared load +31 -> 0" -- small compare "$lab"
expect "runs at another size are not compared" 0 "nothing to compare with yet" -- "$tlab" compare "$lab" --rows 64 --cols 64
expect "runs on another device are not compared" 0 "nothing to compare with yet" -- small compare "$lab" --device a100
edit 's/tile\[threadIdx.x\]/tile[threadIdx.y]/'
expect "compare with an incorrect version" 1 "verdict +ok -> wrong_result" -- small compare "$lab"
edit "$unpadded"
small run "$lab" >/dev/null
expect "compare after a run" 0 "nothing else|wrong_result -> ok" -- small compare "$lab"
files() { ls "$kept" | grep -c csv; }
same "a file for each lab file" 1 "$(files)"

# --- status ---------------------------------------------------------------------------------------
rm -rf "$work/state"
edit "$unpadded"
expect "status prints one line per lab" 0 "01_naive +correct +2 of 2" -- "$tlab" status "$work/labs"
says "status prints the goals that are reached" "03_padded +correct +1 of 3 +4[0-9.]+ %"
says "status prints the totals" "2 of 2 labs correct, 3 of 5 goals reached"
edit ''
expect "status after a change" 0 "03_padded +correct +3 of 3 +9[0-9.]+ % +▄█ goals reached 1 -> 3" -- "$tlab" status "$work/labs"
edit 's/tile\[threadIdx.x\]/tile[threadIdx.y]/'
expect "status of an incorrect lab" 0 "03_padded +wrong_result +- +9[0-9.]+ % +▄█ ok -> wrong_result.*1 of 2 labs correct" -- "$tlab" status "$work/labs"
rm -rf "$work/state"
cp -r labs/02_coalesced "$work/labs"
expect "status of an unchanged handout" 0 "02_coalesced +not started +- +- " -- "$tlab" status "$work/labs/02_coalesced"
cp -r labs/11_batched labs/12_inplace labs/20_sum_shared labs/30_stencil_naive "$work/labs"
"$tlab" status "$work/labs" >"$work/output"
same "the handouts of other courses also count as not started" 5 "$(grep -c " not started " "$work/output")"
rm -r "$work"/labs/{11,12,20,30}_*
edit ''
small run "$lab" >/dev/null
expect "a run at another size does not change the status" 0 "03_padded +correct +3 of 3 +9[0-9.]+ %" -- "$tlab" status "$work/labs/03_padded"
# The saved record is altered, so that a row shows whether the lab ran again.
mark() { sed -i 's/,ok,/,timeout,/' "$kept"/padded-*.csv; }
"$tlab" status "$work/labs/03_padded" >/dev/null
mark
touch "$lab"
expect "the same contents are not run again" 0 "03_padded +timeout" -- "$tlab" status "$work/labs"
mkdir "$work/labs/again" && cp "$lab" "$work/labs/again" && mv "$work/labs/again/padded.cu" "$lab" && rmdir "$work/labs/again"
expect "a copy of the file is not run again" 0 "03_padded +timeout" -- "$tlab" status "$work/labs"
cp "$tlab" "$work/tlab" && touch -d 2020-01-01 "$work/tlab"
expect "another build of tlab runs the lab again" 0 "03_padded +correct" -- env TLAB_ROOT="$PWD" "$work/tlab" status "$work/labs/03_padded"
for name in lab.conf own.h; do
    "$tlab" status "$work/labs/03_padded" >/dev/null
    mark
    echo "# ${name#own.h}" | sed 's/^# $/\/\/ a header/' >>"$work/labs/03_padded/$name"
    expect "a change of $name runs the lab again" 0 "03_padded +correct" -- "$tlab" status "$work/labs"
done
cp -r "$work/labs/03_padded" "$work/labs/04_broken"
sed -i 's/= idata/= not_declared/' "$work/labs/04_broken/padded.cu"
expect "the rows are in the order of the labs, whichever lab ends first" 0 "01_naive .*03_padded .*04_broken/padded +compile_error.*2 of 4 labs correct" -- "$tlab" status "$work/labs"
rm -r "$work/labs/04_broken"
expect "a directory without labs" 2 "has no lab" -- "$tlab" status docs
expect "a directory that does not exist" 2 "not a directory of labs" -- "$tlab" status "$work/nowhere"

# --- the directory of the runs --------------------------------------------------------------------
small run "$work/labs/01_naive" >/dev/null
csv=("$kept"/naive-*.csv)
for damage in 'printf "\0\1\2"' 'head -c 700 "${csv[0]}"' 'yes , | head -c 100000'; do
    eval "$damage" >"$work/damaged"
    cp "$work/damaged" "${csv[0]}"
    expect "damaged: $damage" 0 "01_naive.* ok" -- small run "$work/labs/01_naive"
done
expect "the next run replaces a damaged file" 0 "01_naive,naive" -- cat "${csv[0]}"
for place in /proc/nowhere "$lab" /dev/null; do
    expect "runs cannot be saved in $place" 0 "01_naive.* ok" -- env XDG_STATE_HOME="$place" "$tlab" run "$work/labs/01_naive" --rows 64 --cols 64
    silent "without a message" "tlab:|cannot"
done
expect "there is no directory for runs" 0 "ok" -- env -u XDG_STATE_HOME -u HOME "$tlab" run "$work/labs/01_naive" --rows 64 --cols 64
mkdir "$work/home"
env -u XDG_STATE_HOME HOME="$work/home" "$tlab" run "$work/labs/01_naive" --rows 64 --cols 64 >/dev/null
check "the default directory of runs" ls "$work"/home/.local/state/transpose-lab/naive-*.csv
rm -rf "$work/state"
for size in 32 64 96 128 160 192; do "$tlab" run "$work/labs/01_naive" --rows $size --cols 64 >"$work/log.$size" 2>&1 & done
wait
same "runs at the same time are all saved" 7 "$(wc -l <"$(ls "$kept"/naive-*.csv)")"
if ! "$tlab" grade 2>&1 | grep -q "built without grading"; then
    rm -rf "$work/state"
    mkdir "$work/class"
    cp -r grading/honest/copy_right "$work/class"
    "$tlab" grade "$work/class" --out "$work/out" >/dev/null 2>&1
    check "grading saves no runs" [ -e "$work/out/grade.json" -a ! -e "$work/state" ]
fi
finish
