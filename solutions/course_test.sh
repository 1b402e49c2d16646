#!/bin/bash
# course_test.sh [LAB...]: tests that every solution passes, that every skeleton fails as expected, and that counters are
# those that the handouts derive by hand. With arguments such as 40_turned, only the tests for every lab run, on these
# labs. Run from the repository root, after make.
# check: late large plain
set -u
. profiler/tools/expect.sh

# run STATUS ARGUMENTS...: run `tlab run` with the CSV $work/csv, and check that the exit status is STATUS.
run()
{
    expected=$1
    shift
    expect "tlab run $*" "$expected" '' -- "$tlab" run "$@" --csv "$work/csv"
}

# counter EXERCISE NAME: print a value of the CSV. Fields in rows of solutions contain no commas.
counter()
{
    awk -F, -v exercise="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["variant"] == exercise { print $at[name] }' "$work/csv"
}

# expect_counters: check the lines "EXERCISE COLUMN VALUE" of standard input.
expect_counters()
{
    local exercise name value
    while read -r exercise name value; do
        same "$exercise: $name" "$value" "$(counter "$exercise" "$name")"
    done
}

# Check the requirements for every lab: solutions are correct at any size, or at whole tiles; a skeleton has a row with
# its status, and its message contains the manifest's first step. One run tests several labs.
any_lab() { # NN_NAME...
    local lab any=() narrow=() wide=() lines=() size cols
    for lab in "$@"; do
        if grep -qE '^sizes = (any|square)' "solutions/$lab/lab.conf"; then
            any+=("solutions/$lab")
            case $lab in
            0[0-8]_* | 3[01]_*) narrow+=("solutions/$lab") ;; # a GTX 280 has no shuffles, which lab 32 uses
            *) wide+=("solutions/$lab") ;; # tiles of 64 x 64 exceed the 16 KiB of a GTX 280, even in labs made by tlab new
            esac
        elif grep -q '^sizes = line' "solutions/$lab/lab.conf"; then
            lines+=("solutions/$lab")
        fi
    done
    run 0 "${@/#/solutions/}" --rows 128 --cols 96 # this size suits all labs; labs with one row use 12288 elements
    if [ ${#any[@]} -gt 0 ]; then
        for size in '1 1' '1 300' '300 1' '100 77' '33 64'; do
            run 0 "${any[@]}" --rows "${size% *}" --cols "${size#* }"
        done
    fi
    if [ ${#narrow[@]} -gt 0 ]; then
        run 0 "${narrow[@]}" --rows 100 --cols 77 -D TILE_DIM=16
        run 0 "${narrow[@]}" --rows 100 --cols 77 --device gtx280
    fi
    if [ ${#wide[@]} -gt 0 ]; then
        run 0 "${wide[@]}" --rows 100 --cols 77 -D TILE_DIM=32
        run 0 "${wide[@]}" --rows 100 --cols 77 --device a100
        run 0 "${wide[@]}" --rows 260 --cols 132 --device rtx3070
    fi
    if [ ${#lines[@]} -gt 0 ]; then
        for cols in 1 31 256 257 100000; do
            run 0 "${lines[@]}" --cols $cols
        done
        # rtx3070: warp shuffles of the last sum require compute capability 3.0.
        run 0 "${lines[@]}" --cols 5000 --device rtx3070 -D BLOCK=64
        same "rows and columns of one row" "1 5000" "$(awk -F, 'NR > 1 { print $6, $7 }' "$work/csv" | sort -u)"
    fi
    for lab in "$@"; do
        run 1 labs/"$lab"/*.cu --rows 128 --cols 96
        same "labs/$lab: wrong_result in the CSV" "$(ls labs/"$lab"/*.cu | wc -l)" "$(grep -c ',wrong_result,' "$work/csv")"
        check "labs/$lab: the next step is shown" grep -F "$(sed -n 's/^first_step = //p' "labs/$lab/lab.conf")" \
            <(tr -s '\n ' ' ' <"$work/output")
    done
}
if [ $# -gt 0 ]; then
    any_lab "$@"
    finish
fi
any_lab $(cd solutions && echo [0-9]*)
run 0 solutions/04_fine_grained solutions/05_coarse_grained --rows 48 --cols 80 -D TILE_DIM=16
run 2 solutions/04_fine_grained --rows 48 --cols 80
run 0 solutions/0[0-9]_*/ solutions/10_*/ --rows 128 --cols 96 --loop kernel
run 1 solutions/20_sum_shared --loop kernel # only a transpose can be repeated in the kernel; other exercises do not compile
# Batches with different numbers of matrices; 70000 exceeds the grid limit in y.
run 0 solutions/11_batched --rows 64 --cols 64 -D MATRICES=300
if [ "${TLAB_TEST_LARGE:-no}" = all ]; then
    run 0 solutions/11_batched --rows 2 --cols 1 -D MATRICES=70000
    same "3072 matrices of 8 bytes for each block" 23 "$(counter batched grid_x)"
fi
run 1 solutions/11_batched/variants/plain.cu --rows 2 --cols 1 -D MATRICES=70000
run 0 solutions/12_inplace --rows 192 --cols 320
same "in place: the side of a square" "192 192" "$(awk -F, 'NR == 2 { print $6, $7 }' "$work/csv")"
# Variants must be correct, and the CSV must name them after their files.
run 0 solutions/*/variants/*.cu --rows 100 --cols 77
names() { awk -F, 'NR > 1 { print $2 }' "$work/csv" | sort; }
check "names of variants" diff <(names) <(ls solutions/*/variants/*.cu | sed 's,.*/,,; s/\.cu//' | sort)
# At 512 x 512 there are 8192 requests. A column of 32 elements is in 32 sectors. Because the warps of a block use all
# bytes of these sectors, 1 MiB is read from the L2.
run 0 solutions/0*/variants/*.cu solutions/12_inplace/variants/*.cu --rows 512 --cols 512
expect_counters <<'END'
coalesced_write global_load_sectors 262144
coalesced_write global_store_sectors 32768
coalesced_write l2_read_bytes 1048576
xor_swizzle shared_bytes 4096
xor_swizzle shared_load_conflicts 0
xor_swizzle shared_store_conflicts 0
dynamic shared_bytes 4224
dynamic shared_load_conflicts 0
dynamic shared_store_conflicts 0
every_second_row shared_bytes 1088
every_second_row shared_load_conflicts 0
every_second_row shared_store_conflicts 0
four_rows shared_load_conflicts 24576
pairs_of_32 shared_load_conflicts 0
END
same "pairs_of_32 loads its 16 tiles on the diagonal twice" $((32768 + 16 * 128)) "$(counter pairs_of_32 global_load_sectors)"
# Padding for blocks of side 8, 16 and 32. Without padding, 2, 8 and 32 lanes access one bank.
conflicts_of() { # FILE DEFINES...: print the conflicts of stores and of loads, per request of 8192 requests
    run 0 "solutions/03_padded/variants/$1.cu" --rows 512 --cols 512 "${@:2}"
    echo "$(($(counter "$1" shared_store_conflicts) / 8192)) $(($(counter "$1" shared_load_conflicts) / 8192))"
}
for side in '8 1' '16 7' '32 31'; do
    same "side and conflicts $side" "0 0" "$(conflicts_of every_second_row -D SIDE="${side% *}" | tail -n 1)"
    same "side and conflicts without padding" "${side#* } 0" "$(conflicts_of every_second_row -D SIDE="${side% *}" -D PADDING=0 | tail -n 1)"
done
same "four rows of 32 words" "0 3" "$(conflicts_of four_rows -D PITCH=32 | tail -n 1)"
same "four rows of 33 words" "0 3" "$(conflicts_of four_rows -D PITCH=33 | tail -n 1)"
same "four rows of 40 words" "0 0" "$(conflicts_of four_rows -D PITCH=40 | tail -n 1)"
# Arithmetic on the tile: 8 loads of a column per output. Without padding, shared memory limits the kernel.
weighted() { run 0 solutions/03_padded/variants/weighted.cu --device rtx3070 --rows 512 --cols 512 "$@"; }
weighted -D TERMS=8 -D PADDING=0
same "conflicts of eight terms" $((8 * 8192 * 31)) "$(counter weighted shared_load_conflicts)"
same "the bound of weighted" shared "$(counter weighted bound)"
weighted -D TERMS=8
same "no conflicts with padding" 0 "$(counter weighted shared_load_conflicts)"
weighted -D TERMS=1 -D FMAS=64
same "arithmetic in registers adds no loads" 8192 "$(counter weighted shared_load_requests)"
# Counts for 8 x 8 elements in 4 blocks, derived by hand. The article counts 4 loads and 8 stores per block.
run 0 solutions/01_naive/variants/rows*.cu solutions/02_coalesced --rows 8 --cols 8 --device toy -D TILE_DIM=4 -D BLOCK_ROWS=4
expect_counters <<'END'
rows global_load_sectors 16
rows global_store_sectors 64
rows_by_column global_load_sectors 32
rows_by_column global_store_sectors 32
rows_exchanged global_load_sectors 16
rows_exchanged global_store_sectors 32
coalesced global_load_sectors 16
coalesced global_store_sectors 16
END
# LAB_LAUNCH with fewer than two names, or more than three, is an error at its line.
for names in width 'width, height, matrices, more' ''; do
    sed "s/LAB_LAUNCH(width, height)/LAB_LAUNCH($names)/" solutions/01_naive/naive.cu >"$work/naive.cu"
    expect "LAB_LAUNCH($names)" 1 'naive.cu.*3[0-9].*LAB_LAUNCH takes two names' -- "$tlab" run "$work/naive.cu" --rows 64 --cols 64
done

# The numbers of the handouts for 2048 x 2048: n^2/32 = 131072 requests, 4 sectors in 128 bytes, 32 sectors in a column
# of 32 rows, 31 conflicts if 32 lanes access one bank.
run 0 solutions/[0-9]*/ --rows 2048 --cols 2048 --device h200
for exercise in copy copy_shared naive coalesced padded fine_grained coarse_grained diagonal; do
    expect_counters <<END
$exercise global_load_requests 131072
$exercise global_load_sectors 524288
$exercise global_store_requests 131072
END
    [ "$exercise" = naive ] || echo "$exercise global_store_sectors 524288" >>"$work/stores"
done
expect_counters <"$work/stores"
expect_counters <<'END'
naive global_store_sectors 4194304
copy shared_load_requests 0
copy_shared shared_load_requests 131072
copy_shared shared_load_conflicts 0
copy_shared shared_bytes 4096
coalesced shared_store_requests 131072
coalesced shared_store_conflicts 0
coalesced shared_load_wavefronts 4194304
coalesced shared_load_conflicts 4063232
padded shared_store_conflicts 0
padded shared_load_conflicts 0
padded shared_load_wavefronts 131072
padded shared_bytes 4224
fine_grained shared_load_conflicts 0
coarse_grained shared_load_conflicts 0
diagonal shared_load_conflicts 0
padded grid_x 64
padded grid_y 64
padded block_x 32
padded block_y 8
diagonal grid_x 4096
diagonal grid_y 1
END

# Sums of 2^22 elements in 16384 blocks of 8 warps. A tree of 256 elements has 8 steps. A step with k lanes in one bank
# takes k wavefronts. Each block also makes one load and one atomic addition.
expect_counters <<'END'
batched shared_load_conflicts 0
batched shared_store_conflicts 0
batched l2_read_bytes 50331648
inplace shared_load_conflicts 0
inplace shared_store_conflicts 0
inplace l2_write_bytes 16777216
sum_shared global_load_sectors 524288
sum_shared global_store_requests 0
sum_sequential global_load_sectors 524288
sum_sequential shared_load_conflicts 0
sum_sequential shared_store_conflicts 0
sum_sequential shared_bytes 1024
sum_grid global_load_sectors 524288
sum_grid grid_x 1024
sum_grid shared_store_requests 8192
sum_grid shared_load_conflicts 0
END
# 131072 warps load 32 elements of a row, 4 sectors each. The rows above and below have 4 sectors each if they are in the
# matrix. Loads to the left and right touch 5 sectors, but 4 at the two edges. A tile of 32 x 32 loads 34 rows of 4 + 2
# sectors, except outside the matrix. With registers, 8 rows need 10 rows of 4 sectors and 8 rows of 2.
naive=$((131072 * 4 + 2 * 4 * (131072 - 64) + 2 * (5 * (131072 - 2048) + 4 * 2048)))
tiled=$((4096 * 34 * 6 - 2 * 64 * 6 - 2 * 64 * 34 + 4))
registers=$((16384 * (10 * 4 + 8 * 2) - 2 * 64 * 4 - 2 * 2048))
expect_counters <<END
stencil_naive global_load_sectors $naive
stencil_naive global_store_sectors 524288
stencil_tiled global_load_sectors $tiled
stencil_registers global_load_sectors $registers
stencil_tiled shared_load_conflicts 0
stencil_tiled shared_store_conflicts 0
stencil_tiled shared_bytes $((34 * 34 * 4))
stencil_tiled global_store_sectors 524288
stencil_registers shared_load_requests 0
stencil_registers global_store_sectors 524288
END

run 0 solutions/01_naive solutions/03_padded solutions/02_coalesced \
    --rows 2048 --cols 2048 --device h200 -D TILE_DIM=16
expect_counters <<'END'
naive global_load_sectors 524288
naive global_store_sectors 2097152
coalesced shared_load_conflicts 917504
coalesced shared_store_conflicts 0
padded shared_load_conflicts 131072
padded shared_store_conflicts 131072
END
run 0 solutions/01_naive --rows 2048 --cols 2048 --device h200 -D TILE_DIM=8
expect_counters <<'END'
naive global_load_sectors 524288
naive global_store_sectors 1048576
END

# A GTX 280 has half-warps of 16 lanes, 16 banks, and transactions of 64 bytes for 16 neighbouring floats.
run 0 solutions/01_naive solutions/02_coalesced solutions/03_padded \
    --rows 2048 --cols 2048 --device gtx280
expect_counters <<'END'
naive global_load_sectors 262144
naive global_store_sectors 4194304
coalesced shared_load_conflicts 3932160
padded shared_load_conflicts 0
END

finish
