#!/bin/bash
# watch_test.sh: `tlab watch` runs a lab again after every kind of save, and Ctrl-C ends it. Run
# from the repository root; TLAB names the program.
# check: plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx

mkdir "$work/lab"
file=$work/lab/padded.cu
cp solutions/03_padded/padded.cu "$file"
cp solutions/03_padded/lab.conf "$work/lab"
: >"$work/watched"
"$tlab" watch "$file" --rows 128 --cols 256 >"$work/watched" 2>&1 &
watch=$!
trap 'kill $watch 2>/dev/null; rm -rf "$work"' EXIT
comes() { # NAME PATTERN TIMES: wait until TIMES lines of the output match
    local i
    for ((i = 0; i < 20000; i++)); do
        [ "$(grep -cE -- "$2" "$work/watched")" -lt "$3" ] || { pass "$1"; return; }
        sleep 0.05
    done
    fail "$1" "$work/watched"
}
comes "the first run" "goals .* ([0-9]+) of \\1 reached" 1
comes "the advice on the first run" "no line needs more" 1

sed 's/TILE_DIM + 1\]/TILE_DIM]/' solutions/03_padded/padded.cu >"$work/unpadded.cu"
cat "$work/unpadded.cu" >"$file"
comes "a file that is overwritten" "conflicts per shared load +0 -> 31 .*worse" 1
comes "the missed goal is listed" "-- +31 bank conflicts per shared load .32-way., expected 0 .line [0-9]+" 1
comes "the most expensive line is printed" "^ +[0-9]+ . odata.*tile" 1
cp solutions/03_padded/padded.cu "$work/lab/.padded.cu.new"
mv "$work/lab/.padded.cu.new" "$file"
comes "a file that replaces the old one" "conflicts per shared load +31 -> 0 .*better" 1
mv "$file" "$file~"
cp "$work/unpadded.cu" "$file"
comes "a file written after the old one was moved" "conflicts per shared load +0 -> 31" 2
sed 's/__syncthreads();/__syncthreads;/' solutions/03_padded/padded.cu >"$file"
comes "an incorrect kernel" "race|wrong_result|compile_error" 1
runs=$(grep -c "128 x 256 on h200" "$work/watched")
touch "$work/lab/notes.txt"
echo >"$work/lab/other.cu"
cp solutions/03_padded/padded.cu "$file"
comes "a correct kernel again" "goals .* ([0-9]+) of \\1 reached" 3
same "other files start no run" $((runs + 1)) "$(grep -c "128 x 256 on h200" "$work/watched")"
rm "$file"
sleep 0.1
cp "$work/unpadded.cu" "$file"
comes "a file that was deleted and written again" "conflicts per shared load +0 -> 31" 3
sed 's/float tile/float tile tile/' solutions/03_padded/padded.cu >"$file"
comes "a file that does not compile" "padded.cu.[0-9]+.: error" 1
sed -i 's/float tile tile/float tile/' "$file"
comes "a save by sed -i, which renames a new file" "conflicts per shared load +31 -> 0" 3
# vim, with backups, renames the old file, writes a new file, and deletes the renamed file.
mv "$file" "$file~" && cat "$work/unpadded.cu" >"$file" && rm "$file~"
comes "a save by vim" "conflicts per shared load +0 -> 31" 4
cp solutions/03_padded/padded.cu "$work/lab/#padded.cu#" && mv "$work/lab/#padded.cu#" "$file"
comes "a save by Emacs" "conflicts per shared load +31 -> 0" 4
check "no escape sequences without a terminal" none grep -l $'\033' "$work/watched"
kill -INT $watch
wait $watch
same "the exit status is that of the last run" 0 $?

cp "$work/unpadded.cu" "$file"
sed -i 's/tile\[threadIdx.x\]/tile[threadIdx.y]/' "$file"
: >"$work/watched"
"$tlab" watch "$work/lab" --rows 64 --cols 64 >"$work/watched" 2>&1 &
watch=$!
comes "watch of a directory" "wrong_result" 1
kill -INT $watch
wait $watch
same "the exit status after an incorrect kernel" 1 $?

# On a terminal that cannot show a screen, tlab prints lines.
if command -v script >/dev/null; then
    cp solutions/03_padded/padded.cu "$file"
    : >"$work/watched"
    TERM=dumb script -qefc "exec $tlab watch $file --rows 64 --cols 64" "$work/watched" >/dev/null </dev/null 2>&1 &
    watch=$!
    comes "on a terminal without a screen" "no line needs more" 1
    kill -INT "$(ps -o pid= --ppid $watch | head -1)"
    wait $watch
    same "Ctrl-C ends watch" 0 $?
    check "no escape sequences on such a terminal" none grep -l $'\033' "$work/watched"
fi

# --- at the default size --------------------------------------------------------------------------
cp "$work/unpadded.cu" "$file"
: >"$work/watched"
"$tlab" watch "$file" >"$work/watched" 2>&1 &
watch=$!
comes "a run at 2048 x 2048" "2048 x 2048 on h200.*s$" 1
comes "the output of the first run is complete" "^ +[0-9]+ . odata.*tile" 1
cp solutions/03_padded/padded.cu "$file"
comes "a save" "no line needs more" 1
# If Ctrl-C ends a run, the exit status is the status of the previous run.
sed -i 's/tile\[threadIdx.x\]/tile[threadIdx.y]/' "$file"
comes "an incorrect kernel at 2048 x 2048" "wrong_result" 1
cp "$work/unpadded.cu" "$file"
sleep 0.05
kill -INT $watch
wait $watch
same "Ctrl-C during a run" 1 $?

expect "two targets are an error" 2 "one lab" -- "$tlab" watch "$file" "$file"
expect "no target is an error" 2 "needs a lab" -- "$tlab" watch
finish
