#!/bin/bash
# mistakes_test.sh: the mistakes that the origin of values, the program, its launch and its text
# show. Run from the repository root; TLAB names the program. profiler/tools/mistakes.sh explains
# the table.
# check: large course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx
needs jq

cases() {
    # Conversions, dimensions that are not used, grids.
    echo "*01_naive|values-converted:27|s/= idata\[(.*)\];/= __half2float(__float2half(idata[\1]));/; s/#include \"lab.h\"/#include \"lab.h\"\n#include <cuda_fp16.h>/"
    echo "20_sum_shared|values-converted:18|s/__shared__ unsigned partial/__shared__ float partial/"
    echo "*01_naive|dimension-unused(8,8)|s/int row = .*/int row = 0;/; s/^    for \(int i = 0.*/    int at = blockIdx.x * blockDim.x + threadIdx.x; col = at % width; row = at \/ width; for (int i = 0; i < 1; i++) {/"
    echo "01_naive|dimension-single(0,256,1)|s/dim3\(TILE_DIM, BLOCK_ROWS\)/dim3(256)/"
    echo "*06_diagonal|always-zero:28|s/blockIdx.x % tiles_y/blockIdx.x \/ gridDim.x/"
    echo "06_diagonal|grid-too-small(0,3,2,32,8)|s/tile_x \* TILE_DIM/blockIdx.x * TILE_DIM/g; s/tile_y \* TILE_DIM/blockIdx.y * TILE_DIM/g"
    echo "*08_vectorized|grid-too-small(3,2,8,32)|s/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/lab_ceil_div(width, 4 * TILE_DIM), lab_ceil_div(height, TILE_DIM)/"
    # Text.
    echo "*01_naive|compile_error semicolon-missing:15 !name-unknown|s/LAB\(naive\);/LAB(naive)/"
    echo "01_naive|compile_error macro-redeclared:15|s/LAB\(naive\);/const int TILE_DIM = 32;\n\nLAB(naive);/"
    echo "*01_naive|compile_error character-foreign:20|s/blockIdx.x \* TILE_DIM/blockIdx.x × TILE_DIM/"
    echo "01_naive|compile_error character-foreign:5|s/#include \"lab.h\"/#include “lab.h”/"
    echo "*02_coalesced|chained-comparison:32|s/col < width && row \+ i < height/0 <= col < width \&\& 0 <= row + i < height/"
    echo "*20_sum_shared|race precedence:24|s/int at = .*/int at = threadIdx.x;/; s/if \(at \+ step < BLOCK\)/if (at % 2 * step == 0)/"
    # Shared memory in elements; a tile of float4; barriers that do not help.
    echo "*02_coalesced|shared-in-elements(1024,4096)|s/__shared__ float tile\[TILE_DIM\]/extern __shared__ float tile[][TILE_DIM]; \/\//; s/dim3\(TILE_DIM, BLOCK_ROWS\)/dim3(TILE_DIM, BLOCK_ROWS), TILE_DIM * TILE_DIM/"
    echo "10_record|!tile-too-small|s/i \+= THREADS\)/i += 16)/"
    echo "*21_sum_sequential|barrier-not-enough|s/if \(threadIdx.x < step\)/if (threadIdx.x >= step)/; s/partial\[threadIdx.x \+ step\]/partial[threadIdx.x - step]/"
    # Batches and matrices in place.
    echo "11_batched/variants/plain|nothing-written|s/blockIdx.z \*/(blockIdx.z + 1) */"
    echo "*11_batched/variants/plain|batch-matrix(0,3)|s/idata\[offset \+/idata[(size_t)(matrices - 1 - blockIdx.z) * width * height +/"
    echo "11_batched/variants/plain|tiles-not-transposed|s/tile\[x\]\[y\];/tile[y][x];/"
    echo "11_batched/variants/plain|pitch-confused|s/\(left \+ y\) \* height/(left + y) * width/"
    echo "*12_inplace/variants/pairs_of_32|tiles-not-transposed|s/= lower\[x\]\[i\]/= lower[i][x]/; s/= upper\[x\]\[i\]/= upper[i][x]/"
    echo "12_inplace/variants/pairs_of_32|tile-order !tile-race|s/= upper\[x\]\[i\]/= upper[i][x]/"
    echo "12_inplace/variants/pairs_of_32|tiles-exchanged|s/= upper\[x\]\[i\]/= lower[x][i]/"
    # Sums: which elements, and how often.
    echo "*20_sum_shared|sum-of-other-values ~indices|s/values\[i\] : 0/i : 0/"
    echo "20_sum_shared|sum-of-other-values ~number|s/values\[i\] : 0/1 : 0/"
    echo "20_sum_shared|sum-partial(0,4608,4863)|s/atomicAdd/atomicMax/"
    echo "*20_sum_shared|sum-partial ~170|s/step \*= 2/step *= 4/"
    echo "20_sum_shared|sum-repeated(0,32)|s/threadIdx.x == 0/threadIdx.x < 32/"
    echo "21_sum_sequential|sum-partial(0,128,256,0,127)|s/step = BLOCK \/ 2/step = BLOCK \/ 4/"
    echo "*21_sum_sequential|sum-of-other-values ~subtracts|s/\+= partial/-= partial/"
    echo "*22_sum_grid|sum-repeated ~all_lanes|s/if \(threadIdx.x == 0\)//"
    echo "22_sum_grid|sum-repeated ~1024_times|s/__shfl_down_sync/__shfl_up_sync/"
    echo "22_sum_grid|sum-partial(0,16,32,0,15)|s/distance = 16;/distance = 8;/"
    echo "*22_sum_grid|sum-partial(0,5632,6143)|s/own \+= values/own = values/"
    # Stencils: terms.
    echo "*30_stencil_naive|term-weight(3,4)|s/4 \* self/3 * self/"
    echo "30_stencil_naive|term-weight ~first_column|s/in\[at - 1\] : 0/in[at - 1] : self/"
    echo "*30_stencil_naive|term-repeated term-missing|s/up \+ down/up + up/"
    echo "30_stencil_naive|term-missing ~row_1|s/row > 0/row > 1/"
    echo "30_stencil_naive|result-scaled(0.25)|s/= up \+ down \+ left \+ right - 4 \* self/= (up + down + left + right) \/ 4 - self/"
    echo "30_stencil_naive|result-moved ~transpose|s/out\[at\]/out[(size_t)col * height + row]/"
    echo "*31_stencil_tiled|term-replaced ~every_32|s/first_col - 1 \+ threadIdx.x/first_col + threadIdx.x/"
    echo "31_stencil_tiled|term-missing term-weight(3,4)|s/tile\[y - 1\]\[x\]/tile[y][x]/"
    echo "*32_stencil_registers|term-replaced ~column_31_of_every_32|s/__shfl_up_sync/__shfl_xx/; s/__shfl_down_sync/__shfl_up_sync/; s/__shfl_xx/__shfl_down_sync/"
    echo "32_stencil_registers|term-missing term-added ~inside_of_each_tile|s/self, 1\);/self, 2);/"
    echo "32_stencil_registers|term-missing term-repeated|s/col - 1\)/col + 1)/"
}
. profiler/tools/mistakes.sh

# Correct kernels with a note: the compiler's warnings, indices of 32 bits, superfluous iterations.
noted() { # NAME SOLUTION NOTES SCRIPT
    sed -E "$4" "$2" >"$work/$(basename "$2")"
    "$tlab" run "$work/$(basename "$2")" --json --device h200 >"$work/json"
    same "$1" "$3" "$(jq -r '[.status, .notes[].id] | join(" ")' "$work/json")"
}
noted "a barrier without parentheses" solutions/00_copy/copy_shared.cu "ok compiler-warning" 's/__syncthreads\(\);/__syncthreads;/'
noted "an index of 32 bits" solutions/01_naive/naive.cu "ok index-32-bit" 's/\(size_t\)//g'
noted "one iteration too many" solutions/01_naive/naive.cu "ok written-repeatedly loop-too-long read-repeatedly" 's/i < TILE_DIM/i <= TILE_DIM/'
noted "a loop in a loop" solutions/02_coalesced/coalesced.cu "ok written-repeatedly loop-too-long read-repeatedly" 's/(for \(int i = 0; i < TILE_DIM; i \+= BLOCK_ROWS\))/\1 for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)/'
noted "the tree of the textbook" solutions/20_sum_shared/sum_shared.cu "ok" 's/int at = .*/int at = threadIdx.x;/; s/if \(at \+ step < BLOCK\)/if (at % (2 * step) == 0)/'
same "reaches all goals" 0 "$(jq '[.goals[] | select(.reached | not)] | length' "$work/json")"
finish
