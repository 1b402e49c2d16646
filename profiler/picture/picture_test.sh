#!/bin/bash
# picture_test.sh: tests of tlab picture. The data of each kind agree with the index arithmetic of
# the labs, every format is drawn, and the exit status shows that a picture cannot be drawn.
# PICTURE_TEST_KEEP=DIR saves the pictures.
# check: late course plain
set -u
. profiler/tools/expect.sh

needs_ptx
mkdir "$work/out"
picture() { # KIND LAB NAME OPTIONS...
    local kind=$1 lab=$2 name=$3
    shift 3
    "$tlab" picture "$kind" solutions/"$lab" --out "$work/out/$name" --rows 96 --cols 64 "$@"
}
wrong() { # CSV AWK-CONDITION: print the rows, without the header, for which the condition is false
    awk -F, "NR > 1 && !($2) { print FILENAME \":\" NR \": \" \$0; bad = 1 } END { exit bad || NR < 2 }" "$work/out/$1"
}
rows() { # CSV: print the number of rows without the header
    echo $(($(wc -l <"$work/out/$1") - 1))
}

drawing=drew
command -v gnuplot >/dev/null || drawing="wrote"

# --- banks: $6 lane, $12 byte, $13 bank, $14 words in the bank ------------------------------------------
expect "the line with the most conflicts" 0 "$drawing .*coalesced" -- picture banks 02_coalesced coalesced.png
expect "the column of 32: bank 0" 0 "" -- wrong coalesced.csv '$12 == 128 * $6 && $13 == 0 && $14 == 32 && $2 == "shared load"'
expect "each lane has a row" 0 "^32$" -- rows coalesced.csv
line=$(grep -n 'odata\[.*tile' solutions/03_padded/padded.cu | cut -d: -f1)
expect "banks of the padded tile" 0 "$drawing" -- picture banks 03_padded padded.svg --line "$line"
expect "the column of 33: lane l on bank l" 0 "" -- wrong padded.csv '$12 == 132 * $6 && $13 == $6 && $14 == 1'
expect "banks on a device with half-warps" 0 "$drawing" -- picture banks 03_padded half.pdf --line "$line" --device gtx280
expect "two phases of 16 banks" 0 "" -- wrong half.csv '$13 == $6 % 16 && $11 == int($6 / 16) && $1 == $11 + 1'

# The grid: $16 and $17 are the row and column of the accessed element; each element has a bank.
expect "the column of the array" 0 "" -- wrong coalesced.csv '$16 == $6 && $17 == 0'
expect "the padded array" 0 "" -- wrong padded.csv '$13 == ($16 * 33 + $17) % 32 && $16 == $6 && $17 == 0'
if [ "$drawing" = drew ]; then
    grid() { tr '\n' ' ' <"$work/out/padded.svg" | grep -c 'tile\[32\]\[33\]: the bank of every element'; }
    expect "the grid of the array's banks" 0 "^1$" -- grid
fi
expect "16 x 16 elements, not declared as rows" 0 "$drawing" -- "$tlab" picture banks \
    solutions/03_padded/variants/every_second_row.cu -D PADDING=0 \
    --out "$work/out/image.png" --rows 96 --cols 64 --device rtx3070
expect "eight words in a bank" 0 "" -- wrong image.csv '$14 == 8 || $2 == "shared load"'

# --- sectors: $11 row, $12 byte in the line, $14 and $15 start and size of the moved bytes ---------------
expect "sectors of the naive transpose" 0 "$drawing" -- picture sectors 01_naive naive.png
expect "both accesses have rows" 0 "^64$" -- rows naive.csv
expect "the load: four sectors of one line" 0 "" -- wrong naive.csv '$1 == 2 || $11 == 0 && $12 == 4 * $6 && $14 == 32 * int($6 / 8) && $15 == 32'
expect "the store: one line per lane" 0 "" -- wrong naive.csv '$1 == 1 || $11 == $6 && $12 == 0 && $14 == 0 && $15 == 32'
expect "segments of the naive transpose" 0 "$drawing" -- picture sectors 01_naive segments.png --device gtx280
expect "the load: two segments of 64" 0 "" -- wrong segments.csv '$1 == 2 || $14 == 64 * int($6 / 16) && $15 == 64'

# Kernels of the published pictures, with 16 threads on the toy device (4 lanes per warp, 4 elements
# per line).
toy() { # NAME KERNEL OPTION...
    "$tlab" emulate plots/published/kernels/thought_machine.cu --kernel "$2" --grid 1 --block 16 --device toy \
        out:i32:64 in:i32:64 --picture sectors --out "$work/out/$1" "${@:3}"
}
expect "sectors of any kernel" 0 "$drawing .*rows.png" -- toy rows.png rows
expect "the four lanes of a row access four lines" 0 "" -- wrong rows.csv '$2 != "global store" || $11 == $6 % 4'
expect "sectors of the tiled kernel" 0 "$drawing" -- toy tiled.svg tiled --warp 1
expect "the lanes of a tile access one line" 0 "" -- wrong tiled.csv '$11 == 0 && $5 == 1'
[ "$drawing" != drew ] || expect "no size of a matrix in its title" 0 "on Pencil-and-paper GPU; block 0,0, warp 1" -- cat "$work/out/tiled.svg"
expect "banks of any kernel" 0 "$drawing" -- "$tlab" emulate plots/published/kernels/pitched.cu --kernel pitched --grid 2,2 \
    --block 32,8 out:f32:6144 in:f32:4096 i32:64 i32:96 --picture banks --of-block 1,1 --warp 3 --out "$work/out/pitched.png"
expect "the data are from warp 3" 0 "" -- wrong pitched.csv '$5 == 3 && $14 == 1'
expect "a block outside the grid of any kernel" 2 "no access" -- toy wrong.png rows --of-block 7
expect "a kind of picture that emulate cannot draw" 2 "banks or sectors" -- toy wrong.png rows --picture tile
expect "--out without --picture" 2 "requires --picture" -- "$tlab" emulate plots/published/kernels/thought_machine.cu \
    --kernel rows --grid 1 --block 16 --device toy out:i32:64 in:i32:64 --out "$work/out/wrong.png"

# --- tile: $1 stage, $10 x, $11 y, $12 and $13 row and column in idata -----------------------------------
expect "the data movement of a tile" 0 "$drawing" -- picture tile 03_padded tile.png --block 1,2
expect "each element has four rows" 0 "^4096$" -- rows tile.csv
expect "loaded in place" 0 "" -- wrong tile.csv '$1 != 1 || $10 == $13 && $11 == $12'
expect "a row of shared memory has 33 words" 0 "" -- wrong tile.csv '$1 == 1 || $1 == 4 || $11 * 32 + $10 == ($12 - 64) * 33 + $13 - 32'
expect "stored transposed" 0 "" -- wrong tile.csv '$1 != 4 || $10 == $12 && $11 == $13'
expect "a tile without shared memory" 0 "$drawing" -- picture tile 01_naive direct.png
expect "a tile without shared memory has two stages" 0 "" -- wrong direct.csv '$1 == 1 || $1 == 4'

# The default block is not on the diagonal, because pictures of different labs differ only there.
for lab in 03_padded 04_fine_grained 06_diagonal; do
    expect "$lab: a tile off the diagonal" 0 "$drawing" -- picture tile $lab tile_$lab.csv.png
    mv "$work/out/tile_$lab.csv.csv" "$work/out/tile_$lab.csv"
    expect "$lab: the block is off the diagonal" 0 "" -- wrong tile_$lab.csv '$1 != 1 || int($10 / 32) != int($11 / 32)'
done
differ() { ! cmp -s "$work/out/tile_$1.csv" "$work/out/tile_$2.csv"; }
expect "the pictures of labs 03 and 04 differ" 0 "" -- differ 03_padded 04_fine_grained
expect "the pictures of labs 03 and 06 differ" 0 "" -- differ 03_padded 06_diagonal
expect "lab 04 stores a tile at its own place" 0 "" -- wrong tile_04_fine_grained.csv '$1 != 4 || (int($10 / 32) == int($13 / 32) && int($11 / 32) == int($12 / 32))'
expect "lab 03 stores a tile at the mirrored place" 0 "" -- wrong tile_03_padded.csv '$1 != 4 || (int($10 / 32) == int($12 / 32) && int($11 / 32) == int($13 / 32))'
if [ "$drawing" = drew ]; then
    expect "a picture of a padded tile" 0 "$drawing" -- picture tile 03_padded hatched.svg
    expect "the picture names the hatched padding" 0 "hatched in shared memory" -- cat "$work/out/hatched.svg"
fi

# --- order: $3 matrix, $4 block, $9 and $10 tile, $11 partition ------------------------------------------
# 2048 floats are 32 partitions of 256 bytes. All rows of a column of tiles start in one partition,
# and each partition contains two neighbouring tiles.
order() { # NAME OPTION...
    "$tlab" picture order solutions/03_padded solutions/06_diagonal --out "$work/out/$1" "${@:2}"
}
expect "the order of blocks" 0 "$drawing" -- order blocks.png
expect "two kernels, two matrices, 64 tiles" 0 "^256$" -- rows blocks.csv
expect "partitions of the GTX 280" 0 "" -- wrong blocks.csv '$11 == int($9 / 2) % 8'
expect "cartesian order: along the rows of idata" 0 "" -- wrong blocks.csv '$1 != 1 || $4 == 64 * $10 + $9'
expect "blocks go down the columns of odata" 0 "" -- wrong blocks.csv '$1 != 2 || $4 == 64 * $9 + $10'
expect "diagonal order: down and across at once" 0 "" -- wrong blocks.csv '$1 != 3 || ($4 % 64 == $10 && (int($4 / 64) + $10) % 64 == $9)'
expect "diagonal order in odata" 0 "" -- wrong blocks.csv '$1 != 4 || ($4 % 64 == $9 && (int($4 / 64) + $9) % 64 == $10)'
expect "the order on six partitions" 0 "$drawing" -- order six.png --device 8800gtx --rows 1536 --cols 1536
expect "partitions are below six" 0 "" -- wrong six.csv '$11 < 6'
expect "a ragged matrix, hashed" 0 "$drawing" -- order ragged.svg --device h200 --rows 100 --cols 77
expect "a ragged matrix has all its tiles" 0 "^48$" -- rows ragged.csv
[ "$drawing" != drew ] || expect "tiles have block numbers and partitions" 0 ">11<.*>p[0-9]+<|>p[0-9]+<.*>11<" -- cat "$work/out/ragged.svg"
# In place, a block processes two tiles that are mirrored at the diagonal. Every tile is drawn, and
# both tiles of a pair show the same block.
"$tlab" picture order solutions/12_inplace/variants/pairs_of_32.cu --rows 256 --cols 256 --out "$work/out/pairs.svg" >"$work/output"
"$tlab" picture order solutions/12_inplace --rows 512 --cols 512 --out "$work/out/squares.svg" >"$work/output"
for name in pairs squares; do
    expect "$name: 8 x 8 tiles, loaded and stored" 0 "^128$" -- rows $name.csv
    expect "$name: opposite tiles are one block's" 0 "^64 36$" -- awk -F, 'NR > 1 && $3 == "data" { block[$1, $9, $10] = $4; seen[$4] }
        END { for (x = 0; x < 8; x++) for (y = 0; y < 8; y++) same += block[1, x, y] == block[2, y, x] && block[1, x, y] == block[1, y, x]
              print same, length(seen) }' "$work/out/$name.csv"
done
expect "order of a wrong program" 1 "wrong_result" -- "$tlab" picture order labs/01_naive --out "$work/out/wrong.png"
expect "too many kernels" 2 "do not fit" -- "$tlab" picture order solutions/0{1,2,3,4,5}_* --out "$work/out/wrong.png"

# --- partitions: $7 bytes. 2048 x 2048 floats, read and written, are 2 x 16777216 bytes. Nearly all written
# bytes are still in the cache of the H200 ----------------------------------------------------------------
expect "partitions of two kernels" 0 "$drawing" -- "$tlab" picture partitions solutions/03_padded solutions/06_diagonal --out "$work/out/order.png"
bytes() { awk -F, -v panel="$1" '$1 == panel { sum += $7 } END { print sum }' "$work/out/order.csv"; }
expect "the bytes of the GTX 280" 0 "^33554432$" -- bytes 1
expect "bytes in diagonal order" 0 "^33554432$" -- bytes 3
expect "the bytes that the H200 reads" 0 "^167[78][0-9]{4}$" -- bytes 2
camping() { # PANEL: print "camping" if in many windows one partition has at least half of the traffic
    awk -F, -v panel="$1" '$1 == panel { total[$4] += $7; if ($7 > most[$4]) most[$4] = $7 }
        END { for (w in total) { all++; if (2 * most[w] >= total[w]) many++ }
              print (10 * many > 3 * all) ? "camping" : many ? "some" : "spread" }' "$work/out/order.csv"
}
expect "cartesian order camps" 0 "^camping$" -- camping 1
expect "diagonal order does not camp" 0 "^spread$" -- camping 3
expect "no camping on a device with hashed addresses" 0 "^spread$" -- camping 2

# --- files -----------------------------------------------------------------------------------------------
expect "data in another directory" 0 "$drawing" -- picture banks 02_coalesced other.png --data "$work/elsewhere.csv"
expect "the data exist" 0 "shared load" -- cat "$work/elsewhere.csv"
if [ -d /dev/shm ] && [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$work")" ]; then
    far=$(mktemp -u /dev/shm/picture_test.XXXXXX)
    expect "data in another file system" 0 "$drawing" -- picture banks 02_coalesced other.png --data "$far"
    expect "the data in the other file system exist" 0 "shared load" -- cat "$far"
    rm -f "$far"
fi
expect "picture and data in one file" 2 "the same file" -- picture banks 02_coalesced wrong.png --data "$work/out/wrong.png"
mkdir "$work/directory"
expect "data is a directory" 2 "cannot write .*directory" -- picture banks 02_coalesced wrong.png --data "$work/directory"
# For an incorrect kernel or an invalid name, no file is written.
expect "an incorrect kernel" 1 "wrong_result" -- "$tlab" picture tile labs/01_naive --out "$work/out/wrong.png"
expect "partitions of a wrong program" 1 "wrong_result" -- "$tlab" picture partitions labs/01_naive --out "$work/out/wrong.png"
expect "a format that is not supported" 2 "must name a .png" -- picture tile 01_naive wrong.gif
expect "a directory that does not exist" 2 "cannot write next to" -- picture tile 01_naive nowhere/wrong.png
expect "a kernel without shared memory" 2 "no access to shared memory" -- picture banks 01_naive wrong.png
expect "a line without accesses" 2 "at line 1 " -- picture sectors 01_naive wrong.png --line 1
expect "a block outside the grid" 2 "the grid has" -- picture tile 01_naive wrong.png --block 99
expect "a kind that does not exist" 2 "there is no picture .lanes" -- picture lanes 01_naive wrong.png
expect "picture without a lab" 2 "requires a lab" -- "$tlab" picture banks
expect "picture without arguments" 2 "requires a KIND" -- "$tlab" picture
expect "too many panels" 2 "do not fit" -- "$tlab" picture partitions solutions/0{1,2,3}_* --device gtx280,h200,a100
expect "a device that does not exist" 2 "h200" -- picture partitions 01_naive wrong.png --device gtx280,h2000
left() { ls -A "$work/out" | grep -c 'wrong\|\.picture\|\.tmp'; }
expect "no files remain" 1 "^0$" -- left
expect "the help of picture" 0 "partitions" -- "$tlab" picture --help
# Without gnuplot, only the data are written.
mkdir "$work/bin"
for program in sh sed grep clang; do
    command -v $program >/dev/null && ln -s "$(command -v $program)" "$work/bin"
done
expect "without gnuplot" 0 "wrote .*bare.csv; gnuplot, .*not installed" -- env PATH="$work/bin" "$tlab" picture banks solutions/02_coalesced \
    --out "$work/out/bare.png" --rows 96 --cols 64
expect "the data exist without gnuplot" 0 "shared load" -- cat "$work/out/bare.csv"
expect "the picture does not exist without gnuplot" 2 "No such file" -- ls "$work/out/bare.png"

if [ "$drawing" = drew ]; then
    expect "a PNG" 0 "PNG" -- head -c 8 "$work/out/tile.png"
    expect "an SVG" 0 "svg" -- head -c 400 "$work/out/padded.svg"
    expect "the SVG has its title" 0 "padded.cu, line $line: banks of shared memory" -- cat "$work/out/padded.svg"
    expect "a PDF" 0 "%PDF" -- head -c 8 "$work/out/half.pdf"
fi
[ -z "${PICTURE_TEST_KEEP:-}" ] || cp "$work"/out/* "$PICTURE_TEST_KEEP"

finish
