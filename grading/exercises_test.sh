#!/bin/bash
# exercises_test.sh: tests the grading of the courses sum, stencil and record. Solutions earn all points, the solution
# of the previous lab earns some points, one mistake costs some points, and cheats earn no points. sed makes the class
# from the solutions.
# check: late plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
. grading/fixtures.sh
needs_grading
needs_ptx

grade() {
    expect "a class of the course $1" 0 "graded now" -- \
        "$tlab" grade "$work/class" --out "$work/out-$1" --rubrics "grading/rubrics/$1" --seed "$seed"
}

# points COURSE: check the lines "NAME EXERCISE LOW HIGH" of standard input, in points out of 20.
points() {
    local name exercise low high
    read_grades "$work/out-$1/grade.json"
    while read -r name exercise low high; do
        points_within "$name" "$exercise" "$low" "$high"
    done
}

for exercise in sum_shared sum_sequential sum_grid histogram; do
    hand_in right $exercise $exercise ''
done
hand_in earlier sum_sequential sum_shared ''
hand_in earlier sum_grid sum_sequential ''
hand_in ahead sum_shared sum_sequential ''
hand_in no_barrier sum_sequential sum_sequential '0,/__syncthreads();/s///'
hand_in barrier_in_if sum_shared sum_shared '/if (at + step < BLOCK)/,/__syncthreads/c if (at + step < BLOCK) { partial[at] += partial[at + step]; __syncthreads(); }'
hand_in early_return sum_shared sum_shared 's/partial\[threadIdx.x\] = i < count.*/if (i >= count) return; partial[threadIdx.x] = values[i];/'
hand_in no_guard sum_grid sum_grid 's/i < count;/i < count + 1;/'
hand_in short_grid sum_shared sum_shared 's/lab_ceil_div(count, BLOCK)/count \/ BLOCK + (count < BLOCK)/'
# Kernels that must not earn the points of the goals.
hand_in every_atomic sum_shared sum_shared '/__shared__/,/^    if (threadIdx.x == 0)/d; s/atomicAdd(sum, partial\[0\]);/int i = blockIdx.x * BLOCK + threadIdx.x; if (i < count) atomicAdd(sum, values[i]);/'
hand_in constant sum_shared sum_shared '/__shared__/,/^    if (threadIdx.x == 0)/d; s/atomicAdd(sum, partial\[0\]);/if (!blockIdx.x \&\& !threadIdx.x) *sum = count;/'
# Useless shared memory: each thread loads only elements that the same thread stored.
hand_in show sum_shared sum_shared '/for (int step/,/^    if (threadIdx.x == 0)/d; s/atomicAdd(sum, partial\[0\]);/atomicAdd(sum, ((volatile unsigned *)partial)[threadIdx.x]);/'
hand_in show_warps sum_shared sum_shared '/for (int step/,/^    if (threadIdx.x == 0)/d; s/atomicAdd(sum, partial\[0\]);/unsigned w = __reduce_add_sync(0xffffffff, ((volatile unsigned *)partial)[threadIdx.x]); if (threadIdx.x % 32 == 0) atomicAdd(sum, w);/'
hand_in show_shuffle sum_grid sum_grid '/Lanes add /,/^    }$/c atomicAdd(sum, own); if (blockIdx.x == 0 \&\& __shfl_sync(~0u, own, 0) == 12345) *sum = 0;'
# Only one thread of each block adds, so that there are no bank conflicts.
hand_in alone sum_sequential sum_sequential '/for (int step/,/^    }/d; s/atomicAdd(sum, partial\[0\]);/{ for (int k = 1; k < BLOCK; k++) partial[0] += partial[k]; & }/'
hand_in alone sum_shared sum_shared '/for (int step/,/^    }/d; s/atomicAdd(sum, partial\[0\]);/{ for (int k = 1; k < BLOCK; k++) partial[0] += partial[k]; & }/'
hand_in alone_by_four sum_sequential sum_sequential 's/__shared__ unsigned/__shared__ __align__(16) unsigned/; /for (int step/,/^    }/d; s/atomicAdd(sum, partial\[0\]);/{ uint4 *four = (uint4 *)partial; unsigned all = 0; for (int k = 0; k < BLOCK \/ 4; k++) all += four[k].x + four[k].y + four[k].z + four[k].w; atomicAdd(sum, all); }/'
# Kernels in which one thread adds the results of warp shuffles, with small blocks, and with an unrolled loop.
hand_in warps sum_sequential sum_sequential '/for (int step/,/^    }/d; s/partial\[threadIdx.x\] = \(.*\);/unsigned own = \1; for (int d = 16; d > 0; d \/= 2) own += __shfl_down_sync(~0u, own, d); if (threadIdx.x % 32 == 0) partial[threadIdx.x \/ 32] = own;/; s/atomicAdd(sum, partial\[0\])/for (int k = 0; k < BLOCK \/ 32; k++) atomicAdd(sum, partial[k])/'
hand_in small_blocks sum_sequential sum_sequential 's/define BLOCK 256/define BLOCK 32/'
hand_in written_out sum_sequential sum_sequential 's/for (int step = /_Pragma("unroll") &/; s/define BLOCK 256/define BLOCK 64/'
# Kernels that reach the goal with atomics on a counter in shared memory, or with two elements per thread.
hand_in shared_counter sum_shared sum_shared 's/unsigned partial.BLOCK./unsigned partial[1]/; s/partial.threadIdx.x. = \(.*\);/if (threadIdx.x == 0) partial[0] = 0; __syncthreads(); atomicAdd(partial, \1);/; /for (int step/,/^    }/d'
hand_in two_each sum_sequential sum_sequential 's/blockIdx.x \* BLOCK/blockIdx.x * 2 * BLOCK/; s/i < count ? values\[i\] : 0/(i < count ? values[i] : 0) + (i + BLOCK < count ? values[i + BLOCK] : 0)/; s/lab_ceil_div(count, BLOCK)/lab_ceil_div(count, 2 * BLOCK)/'
hand_in same_grid sum_grid sum_grid 's/dim3(lab_ceil_div(count, BLOCK \* ELEMENTS))/dim3(64)/'
hand_in reduce_add sum_grid sum_grid 's/for (int distance = 16; distance > 0; distance \/= 2)/own = __reduce_add_sync(0xffffffff, own);/; s/^ *own += __shfl_down_sync.*//'
# A kernel that uses shared memory only at the size of the run and up to the largest size of its hidden twin.
hand_in small_only sum_sequential sum_sequential 's/^    __shared__/    if (count > 65536 \&\& count != 524288) { int at = blockIdx.x * BLOCK + threadIdx.x; if (at < count) atomicAdd(sum, values[at]); return; }\n&/'
# Kernels that do nothing at some sizes.
hand_in no_primes sum_sequential sum_sequential 's/^    __shared__/    bool prime = count > 70; for (int d = 2; prime \&\& d * d <= count; d++) prime = count % d; if (prime) return;\n&/'
hand_in no_squares sum_shared sum_shared 's/^    __shared__/    int side = sqrtf((float)count) + 0.5f; if (side * side == count \&\& side > 1 \&\& side != 32) return;\n&/'
grade sum
points sum <<'END'
right sum_shared 20 20
right sum_sequential 20 20
right sum_grid 20 20
right histogram 20 20
earlier sum_sequential 7 9
earlier sum_grid 6 12
ahead sum_shared 20 20
no_barrier sum_sequential 9 11
barrier_in_if sum_shared 7 13
early_return sum_shared 0 13
no_guard sum_grid 0 13
short_grid sum_shared 0 13
every_atomic sum_shared 0 10
constant sum_shared 0 0
show sum_shared 0 10
show_warps sum_shared 0 10
show_shuffle sum_grid 6 14
alone sum_sequential 6 9
alone sum_shared 13 18
alone_by_four sum_sequential 6 9
warps sum_sequential 16 20
small_blocks sum_sequential 20 20
written_out sum_sequential 20 20
shared_counter sum_shared 16 18
two_each sum_sequential 20 20
same_grid sum_grid 20 20
reduce_add sum_grid 20 20
small_only sum_sequential 6 8
no_primes sum_sequential 0 4
no_squares sum_shared 0 4
END

rm -rf "$work/class"
for exercise in stencil_naive stencil_tiled stencil_registers; do
    hand_in right $exercise $exercise ''
done
hand_in earlier stencil_tiled stencil_naive ''
hand_in earlier stencil_registers stencil_tiled ''
hand_in wraps stencil_naive stencil_naive 's/col > 0 ?/at > 0 ?/; s/col + 1 < width ?/at + 1 < (size_t)width * height ?/'
hand_in below stencil_naive stencil_naive 's/row + 1 < height/row + 1 <= height/'
hand_in no_border stencil_tiled stencil_tiled '/if (threadIdx.x < 2)/,/TILE_DIM + 1));/d'
hand_in no_barrier stencil_tiled stencil_tiled '/^    __syncthreads/d'
hand_in copies stencil_naive stencil_naive 's/out\[at\] = .*/out[at] = self;/'
hand_in columns stencil_naive stencil_naive 's/blockIdx.x \* BLOCK_X + threadIdx.x/blockIdx.x * BLOCK_X + threadIdx.y * 4 + threadIdx.x % 4/; s/block_y \* BLOCK_Y + threadIdx.y/block_y * BLOCK_Y + threadIdx.x \/ 4/'
hand_in show stencil_tiled stencil_naive 's/out\[at\] =/__shared__ volatile float show[1024]; int own = threadIdx.x + blockDim.x * threadIdx.y; show[own] = self; float unused = show[own]; (void)unused; &/'
hand_in show_shuffle stencil_registers stencil_naive 's/^    if (col < width.*/    if (__shfl_sync(~0u, width, 0) < 0) return;\n&/'
grade stencil
points stencil <<'END'
right stencil_naive 20 20
right stencil_tiled 20 20
right stencil_registers 20 20
earlier stencil_tiled 6 8
earlier stencil_registers 7 9
wraps stencil_naive 0 10
below stencil_naive 0 14
no_border stencil_tiled 0 2
no_barrier stencil_tiled 9 11
copies stencil_naive 0 0
columns stencil_naive 14 18
show stencil_tiled 6 10
show_shuffle stencil_registers 6 9
END

rm -rf "$work/class"
for exercise in register_tile vectorized coarsened record; do
    hand_in right $exercise $exercise ''
    hand_in padded $exercise padded ''
done
# Kernels with useless loads: vectors in addition to words; elements of another block.
hand_in show vectorized padded 's/^    __syncthreads();/    if (width % 4 == 0 \&\& height % 4 == 0) for (int i = 0; i < 2; i++) { float4 unused = __ldcg((const float4 *)idata + ((size_t)block_y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x); asm volatile("" :: "f"(unused.x), "f"(unused.y), "f"(unused.z), "f"(unused.w)); }\n&/; s/(width % 4 == 0 /(width % 32 == 0 /; s/height % 4 == 0)/height % 32 == 0)/'
hand_in show record padded '0,/^    for (int i = 0; i < TILE_DIM/s//    float unused = ((volatile const float *)idata)[blockIdx.x % 2 ? 0 : (size_t)width * height - 1]; (void)unused;\n&/'
hand_in earlier coarsened vectorized ''
hand_in earlier record coarsened ''
hand_in no_barrier vectorized vectorized '/__syncthreads/d'
hand_in unpadded vectorized vectorized 's/TILE_DIM + 1/TILE_DIM/'
hand_in rows_first record record 's/top = first \* TILE, left = second \* TILE/left = first * TILE, top = second * TILE/; s/left >= width)/top >= height + SHIFT)/; s/lab_grid(tiles_down(height), across)/lab_grid(across, tiles_down(height))/; s/lab_grid(down, across)/lab_grid(across, down)/'
# Batches: correct kernels, and kernels that repeat work, process only one matrix, or assume a number of matrices.
hand_in right batched batched ''
hand_in plain batched variants/plain ''
hand_in unpadded batched variants/plain 's/TILE_DIM + 1/TILE_DIM/'
hand_in naive batched variants/plain '/__shared__/d; /__syncthreads/,/tile\[x\]\[y\];/d; s/tile\[y\]\[x\] = idata\(.*\);/odata[offset + (size_t)(left + x) * height + top + y] = idata\1;/'
hand_in no_barrier batched batched '/^    __syncthreads/d'
hand_in no_guard batched variants/plain 's/left + x < width \&\& top + y < height/true/; s/top + x < height \&\& left + y < width/true/'
hand_in three batched batched 's/tiles \* matrices/tiles * 3/'
hand_in first_only batched variants/plain 's/(size_t)blockIdx.z/(size_t)0/; s/TILE_DIM), matrices)/TILE_DIM))/'
hand_in one_offset batched batched 's/odata + offset/odata/; /odata += /d'
hand_in tall batched variants/plain 's/TILE_DIM), matrices)/TILE_DIM))/; s/    size_t offset.*/    size_t offset = 0; height *= matrices;/; s/lab_ceil_div(height/lab_ceil_div(height * matrices/'
# In place: correct kernels, and kernels that overwrite elements before the load, swap twice, or do nothing.
hand_in right inplace inplace ''
hand_in pairs inplace variants/pairs_of_32 ''
hand_in unpadded inplace variants/pairs_of_32 's/TILE + 1/TILE/g'
hand_in swap inplace variants/swap ''
hand_in no_barrier inplace inplace '/^ *__syncthreads/d'
hand_in everyone inplace variants/swap 's/col < row/col < width/'
hand_in one_guard inplace inplace 's/rows = min(TILE, .*), cols =/rows = TILE, cols =/'
hand_in half inplace variants/swap 's/data\[(size_t)row \* width + col\] = above;//'
hand_in nothing inplace inplace 's/^    __shared__ .*/    return;&/'
hand_in unequal inplace variants/pairs_of_32 's/if (blockIdx.y < blockIdx.x)/if (blockIdx.y == blockIdx.x)/'
grade record
# clang splits some 16-byte accesses into 4-byte accesses, so that some exercises lose points.
full=20 rows_first=7
"$tlab" run solutions/00_copy/copy.cu --rows 32 --cols 32 --csv - | grep -q 'clang' && full=11 rows_first=6
points record <<END
right batched $full 20
plain batched 20 20
unpadded batched 15 16
naive batched 11 13
no_barrier batched 0 13
no_guard batched 0 13
three batched 0 6
first_only batched 0 0
one_offset batched 0 0
tall batched 0 0
right inplace $full 20
pairs inplace 20 20
unpadded inplace 15 16
swap inplace 11 12
no_barrier inplace 0 13
everyone inplace 0 0
one_guard inplace 0 13
half inplace 0 0
nothing inplace 0 0
unequal inplace 0 0
right register_tile 20 20
right vectorized 20 20
right coarsened 20 20
right record $full 20
padded register_tile 4 8
padded vectorized 5 9
padded coarsened 5 9
padded record 5 9
show vectorized 5 9
show record 5 9
earlier coarsened 7 11
earlier record 7 11
no_barrier vectorized 0 13
unpadded vectorized 14 18
rows_first record $rows_first 11
END

finish
