#!/bin/bash
# mistakes_test.sh: tests the verdicts of `tlab run --json` on solutions with one mistake.
# profiler/tools/mistakes.sh explains the table.
# check: late large course plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx
needs jq

grid='lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM))'
block='dim3(TILE_DIM, BLOCK_ROWS)'
launch() { echo "/return \\{lab_grid/{N; s/.*/    return {$1};/}"; } # another LAB_LAUNCH
early='s/^    for \(int i = 0/    if (col >= width || row >= height) return;\n    for (int i = 0/'
threads='s/int col = .*/int col = blockIdx.x * TILE_DIM + threadIdx.y;/
    s/int row = .*/int row = block_y * TILE_DIM + threadIdx.x;/'

cases() {
    # A warp that starts to the left of the tile: its 32-bit addresses overflow.
    echo "*02_coalesced|out_of_bounds line:33|s/tile\\[threadIdx.y \\+ i\\]\\[threadIdx.x\\]/tile[threadIdx.y + i][(int)threadIdx.x - 26]/"
    # Out-of-bounds accesses: the verdict reports the access and then the mistake.
    echo "*01_naive|out_of_bounds line:26 pitch-confused launched(3,2,32,8)|s/col \* height \+ row/col * width + row/"
    echo "01_naive|out_of_bounds line:26 index-exchanged|s/idata\[\(size_t\)\(row \+ i\) \* width \+ col\]/idata[col * width + row + i]/"
    echo "03_padded|out_of_bounds line:37 pitch-confused|s/\(out_row \+ i\) \* height \+ out_col/(out_row + i) * width + out_col/"
    echo "06_diagonal|out_of_bounds line:46 pitch-confused|s/\* height \+ out_col/* width + out_col/"
    echo "03_padded|out_of_bounds line:37 pitch-confused|s/\(row \+ i\) \* width \+ col/(row + i) * height + col/; s/\(out_row \+ i\) \* height \+ out_col/(out_row + i) * width + out_col/"
    echo "03_padded|out_of_bounds 100x77 line:37 guard-missing bound-inclusive:36 ~1_element|s/out_row \+ i < width/out_row + i <= width/"
    echo "03_padded|out_of_bounds line:27 guard-missing|s/if \(col < width.*/ /"
    echo "22_sum_grid|out_of_bounds line:24 guard-missing bound-inclusive:10 ~1_element|s/i < count;/i <= count;/"
    echo "30_stencil_naive|out_of_bounds line:25 guard-missing|s/row \+ 1 < height/row < height/"
    # Exchanged indices that stay within bounds.
    echo "*01_naive|wrong_result index-exchanged|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[(row + i) * height + col]/"
    echo "02_coalesced|wrong_result index-exchanged|s/\(size_t\)\(out_row \+ i\) \* height \+ out_col/(size_t)out_col * height + out_row + i/"
    echo "03_padded|wrong_result blocks-exchanged|s/int out_col = .*/int out_col = blockIdx.x * TILE_DIM + threadIdx.x;/; s/int out_row = .*/int out_row = block_y * TILE_DIM + threadIdx.y;/"
    echo "03_padded|wrong_result bounds-exchanged index-exchanged|s/out_col < height && out_row \+ i < width/out_col < width \&\& out_row + i < height/"
    echo "01_naive|wrong_result index-exchanged|s/col \* height \+ row/row * height + col/"
    echo "06_diagonal|wrong_result blocks-exchanged|s/int out_col = tile_y/int out_col = tile_x/; s/int out_row = tile_x/int out_row = tile_y/"
    echo "01_naive|out_of_bounds line:26 step-misplaced|s/col \\* height \\+ row \\+ i/(col + i) * height + row/"
    echo "*03_padded|wrong_result step-misplaced|s/\\(out_row \\+ i\\) \\* height \\+ out_col/out_row * height + out_col + i/"
    echo "03_padded|wrong_result 100x77 bounds-exchanged index-exchanged|s/out_col < height/out_col < width/"
    # A guard that tests another element, and a guard that is true for too many threads.
    echo "*06_diagonal|out_of_bounds line:46 bounds-of-other-element ~265_element|s/out_col < height && out_row \+ i < width/col < width \&\& row + i < height/"
    echo "03_padded|out_of_bounds line:37 bounds-of-other-element|s/out_col < height && out_row \+ i < width/col < width \&\& row + i < height/"
    echo "02_coalesced|out_of_bounds line:50 bounds-of-other-element|s/out_col < height && out_row \+ i < width/row + i < height \&\& col < width/"
    echo "03_padded|out_of_bounds 100x77 line:27 guard-missing ~309_element|s/row \+ i < height/row < height/"
    # Mistakes at edges only, as the verdict states, and rows that are not 16-byte aligned.
    echo "*06_diagonal|wrong_result 100x77 elements-unwritten unwritten-end edges-only|s/= lab_ceil_div\\(height, TILE_DIM\\);/= height \\/ TILE_DIM;/"
    echo "11_batched/variants/plain|uninitialised 100x77 line:29|s/top \\+ x < height && left \\+ y < width/left + x < width \\&\\& top + y < height/"
    echo "12_inplace/variants/pairs_of_32|race line:26 edges-only|s/if \\(left \\+ i < n && top \\+ x < n\\)$/if (top + i < n \\&\\& left + x < n)/"
    echo "*07_register_tile|misaligned 77x100 line:28 ~odata[1][0]|s/height % 4 == 0/width % 4 == 0/"
    echo "08_vectorized|misaligned 77x100 line:39|s/width % 4 == 0 && height % 4 == 0/width % 4 == 0/"
    echo "09_coarsened|out_of_bounds 64x96 line:28 guard-missing|s/if \\(aligned && .*\\{/if (true) {/"
    # Accesses past the end of the tile: the verdict contains the element.
    echo "03_padded|out_of_bounds line:37 neighbour-element:37 ~tile[32][7]|s/tile\[threadIdx.x\]\[threadIdx.y/tile[threadIdx.x + 1][threadIdx.y/"
    echo "03_padded|out_of_bounds line:37 step-misplaced ~tile[32][7]|s/\[threadIdx.x\]\[threadIdx.y \+ i\]/[threadIdx.x + i][threadIdx.y]/"
    echo "02_coalesced|out_of_bounds line:33 neighbour-element:33 ~tile[32][0]|s/tile\[threadIdx.y \+ i\]/tile[threadIdx.y + i + 1]/"
    echo "02_coalesced|out_of_bounds line:50 neighbour-element:50|s/\\[threadIdx.x\\]\\[threadIdx.y \\+ i\\]/[threadIdx.x][threadIdx.y + i + 1]/"
    echo "*03_padded|uninitialised line:37 neighbour-element:27|s/\\[threadIdx.y \\+ i\\]\\[threadIdx.x\\]/[threadIdx.y + i][threadIdx.x + 1]/"
    echo "30_stencil_naive|wrong_result elements-wrong pitch-confused:24|s/in\\[at - width\\]/in[at - height]/"
    echo "*08_vectorized|misaligned line:39 launched(3,2,8,32)|s/\\{tile\\[line\\]\\[quad\\].*\\};/*(float4 *)\\&tile[line][quad];/"
    # Two threads store to one element. A barrier cannot fix this race.
    echo "*08_vectorized|race line:24 race-two-stores|s/tile\\[quad \\+ ([123])\\]\\[line\\]/tile[quad][line + \\1]/"
    echo "31_stencil_tiled|race line:36 race-two-stores|s/tile\\[TILE_DIM \\+ 2\\]\\[TILE_DIM \\+ 2\\]/tile[TILE_DIM][TILE_DIM]/"
    echo "12_inplace/variants/swap|race line:23 race-no-barrier|s/col < row\\)/col < width)/"
    # A tile that is private to each thread.
    echo "*02_coalesced|uninitialised line:50 shared-missing|s/__shared__ float/float/"
    echo "03_padded|uninitialised line:37 shared-missing|s/__shared__ float/float/"
    echo "06_diagonal|uninitialised line:46 shared-missing|s/__shared__ float/float/"
    echo "20_sum_shared|uninitialised line:30 shared-missing|s/__shared__ //"
    echo "02_coalesced|race line:33 shared-missing|s/__shared__ float/static float/"
    echo "06_diagonal|race line:36 shared-missing|s/__shared__ float/static __device__ float/"
    # Wrong grids and wrong blocks.
    echo "*01_naive|wrong_result launch-exchanged(3,2,32,8) launched(32,8,3,2)|$(launch "$block, $grid")"
    echo "03_padded|uninitialised line:37 launch-exchanged(3,2,32,8)|$(launch "$block, $grid")"
    echo "00_copy/copy|wrong_result launch-exchanged(3,2,32,8)|$(launch "$block, $grid")"
    echo "31_stencil_tiled|uninitialised line:48 launch-exchanged(3,2,32,8)|/return .lab_grid/{N; s/return .(lab_grid.*),\s*(dim3\([^)]*\))/return {\2, \1/}"
    echo "*01_naive|wrong_result launch-too-small(3,2,32,8) launched(1,1,1,1)|$(launch '')"
    echo "01_naive|wrong_result grid-too-small(3,2,32,8) launched(1,1,32,8)|$(launch "dim3(1), $block")"
    echo "03_padded|uninitialised line:37 block-too-small(3,2,32,8)|$(launch "$grid")"
    echo "03_padded|out_of_bounds line:27 block-too-large(3,2,32,8)|$(launch "$grid, dim3(TILE_DIM, TILE_DIM)")"
    echo "02_coalesced|out_of_bounds line:33 block-too-large(3,2,32,8)|$(launch "$grid, dim3(32, 32)")"
    echo "00_copy/copy_shared|out_of_bounds line:34 block-too-large(3,2,32,8)|$(launch "$grid, dim3(TILE_DIM, TILE_DIM)")"
    echo "06_diagonal|wrong_result grid-too-small(6,1,32,8)|/return .dim3/{N; s/.*/    return {$grid, $block};/}"
    echo "03_padded|wrong_result grid-exchanged|s/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/lab_ceil_div(height, TILE_DIM), lab_ceil_div(width, TILE_DIM)/"
    echo "03_padded|wrong_result 100x77 grid-too-small(3,4,32,8)|s/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/width \/ TILE_DIM, height \/ TILE_DIM/"
    echo "03_padded|uninitialised line:37 block-too-small(3,2,32,8)|s/dim3\\(TILE_DIM, BLOCK_ROWS\\)/dim3(TILE_DIM, BLOCK_ROWS \\/ 2)/"
    echo "08_vectorized|out_of_bounds line:23 block-exchanged|s/dim3\\(TILE_DIM \\/ 4, TILE_DIM\\)/dim3(TILE_DIM, 8)/"
    # A barrier without parentheses.
    echo "*02_coalesced|~42|s/__syncthreads\(\);/__syncthreads;/"
    echo "06_diagonal|~39|s/__syncthreads\(\);/__syncthreads;/"
    echo "31_stencil_tiled|~42|s/__syncthreads\(\);/__syncthreads;/"
    # Early returns, missing loop offsets, exchanged thread indices.
    echo "*03_padded|wrong_result 100x77 returns-early return-too-early:25|$early"
    echo "02_coalesced|wrong_result 100x77 returns-early return-too-early:30|$early"
    echo "06_diagonal|wrong_result returns-early return-too-early:34|${early/ || row >= height/}"
    echo "*04_fine_grained|wrong_result elements-unwritten unwritten-periodic return-too-early:40|s/__syncthreads\(\);/if (threadIdx.y > 6) return; __syncthreads();/"
    echo "06_diagonal|wrong_result return-too-early:39|s/__syncthreads\(\);/if (threadIdx.x == 0) return; __syncthreads();/"
    echo "01_naive|wrong_result return-too-early:23|s/^    for \(int i = 0/    if (row + TILE_DIM > height) return;\n    for (int i = 0/"
    echo "03_padded|wrong_result bounds-exchanged index-exchanged return-too-early:36|s/if \(out_col < .*/if (out_col >= height || out_row > 40) return;/"
    echo "01_naive|wrong_result step-missing|s/\+ row \+ i\] =/+ row] =/"
    echo "03_padded|uninitialised line:37 step-missing|s/\[threadIdx.y \+ i\]\[threadIdx.x\]/[threadIdx.y][threadIdx.x]/"
    echo "03_padded|wrong_result step-missing|s/\[threadIdx.x\]\[threadIdx.y \+ i\]/[threadIdx.x][threadIdx.y]/"
    echo "03_padded|uninitialised line:37 step-missing|s/threadIdx.y \+ i\]/threadIdx.y]/g"
    echo "04_fine_grained|uninitialised line:44 step-missing|s/threadIdx.y \+ i\]/threadIdx.y]/g"
    echo "03_padded|wrong_result step-missing|s/\(out_row \+ i\) \* height/(out_row) * height/"
    echo "03_padded|wrong_result step-missing repair-tested !step-misplaced|s/\(row \+ i\) \* width/(row) * width/"
    echo "00_copy/copy|wrong_result step-missing|s/\(row \+ i\) \* width \+ col/row * width + col/g"
    echo "03_padded|uninitialised line:37 loop-step:25|s/i \+= BLOCK_ROWS/i += TILE_DIM/"
    echo "*01_naive|wrong_result threads-exchanged !step-misplaced|$threads"
    echo "03_padded|uninitialised line:37 wrong-expression|$threads"
    echo "03_padded|wrong_result threads-exchanged|s/int out_col = .*/int out_col = block_y * TILE_DIM + threadIdx.y;/; s/int out_row = .*/int out_row = blockIdx.x * TILE_DIM + threadIdx.x;/"
    # Exchanged width and height.
    echo "01_naive|wrong_result pitch-confused|s/\(row \+ i\) \* width \+ col/(row + i) * height + col/"
    echo "00_copy/copy|wrong_result pitch-confused|s/\(row \+ i\) \* width \+ col/(row + i) * height + col/g"
    echo "04_fine_grained|wrong_result pitch-confused|s/\* width/* height/"
    # `&` instead of `%`: the verdict states that `%` is correct, or asks a question.
    echo "*06_diagonal|wrong_result and-for-remainder:28|s/blockIdx.x % tiles_y/blockIdx.x \& tiles_y/"
    echo "06_diagonal|wrong_result and-for-remainder:29|s/\(diagonal \+ tile_y\) % tiles_x/(diagonal + tile_y) \& tiles_x/"
    echo "06_diagonal|wrong_result and-for-remainder:29|s/\(diagonal \+ tile_y\) % tiles_x/(diagonal + tile_y) \& (tiles_x - 1)/"
    echo "06_diagonal|wrong_result 77x100 and-for-remainder:28|s/blockIdx.x % tiles_y/blockIdx.x \& tiles_y - 1/"
    echo "01_naive|wrong_result and-for-remainder:20|s/int col = .*/int col = blockIdx.x * TILE_DIM + (threadIdx.x \& TILE_DIM);/"
    echo "06_diagonal|wrong_result and-question:29|s/\(diagonal \+ tile_y\) % tiles_x/diagonal + tile_y \& tiles_x/"
    echo "03_padded|race line:27 and-for-remainder:27|s/\[threadIdx.y \+ i\]\[threadIdx.x\]/[threadIdx.y + i][threadIdx.x \& TILE_DIM]/"
    # Sums with missing or repeated elements.
    echo "*20_sum_shared|wrong_result sum-partial(0,128,256,0,127)|s/step < BLOCK; step/step < BLOCK \\/ 2; step/"
    echo "20_sum_shared|wrong_result sum-partial(0,1,256,255,255)|s/partial\\[at\\] \\+= /partial[at] = /"
    echo "20_sum_shared|wrong_result sum-partial(0,5888,6143)|s/atomicAdd\\(sum, partial\\[0\\]\\)/*sum = partial[0]/"
    echo "*20_sum_shared|wrong_result sum-neutral-element(0,236)|s/: 0;/: 1;/"
    echo "22_sum_grid|wrong_result sum-repeated(0,256)|s/\\(size_t\\)gridDim.x \\* BLOCK\\)/BLOCK)/"
    # Stencils with a mistake at one edge, with a wrong sign, or with unwritten elements.
    echo "*30_stencil_naive|wrong_result reference-mistake term-added elements-wrong|s/col > 0 \\?/at > 0 ?/"
    echo "30_stencil_naive|wrong_result reference-mistake elements-wrong|s/- 4 \\* self/+ 4 * self/"
    echo "*30_stencil_naive|wrong_result 64x96 elements-unwritten ~out[1..62][1..94]|s/if \\(col < width && row < height\\)/if (col > 0 \\&\\& row > 0 \\&\\& col < width - 1 \\&\\& row < height - 1)/"
    echo "*11_batched/variants/plain|wrong_result reference-mistake|s/, matrices\\), dim3/, 3), dim3/"
    # Typing errors, which the diagnosis finds by undoing them.
    echo "*01_naive|wrong_result tile-step:21|s/block_y \* TILE_DIM/block_y * blockDim.y/"
    echo "03_padded|wrong_result tile-step:23|s/(block_y|blockIdx.x) \* TILE_DIM \+ threadIdx.y/\1 * BLOCK_ROWS + threadIdx.y/"
    echo "04_fine_grained|wrong_result tile-step:26|s/block_y \* TILE_DIM/block_y * blockDim.y/"
    echo "06_diagonal|wrong_result block-unscaled:31|s/tile_x \* TILE_DIM \+ threadIdx.x/tile_x + threadIdx.x/"
    echo "00_copy/copy|wrong_result block-unscaled:21|s/blockIdx.x \* TILE_DIM/blockIdx.x/"
    echo "01_naive|wrong_result block-ignored:20|s/= blockIdx.x \* TILE_DIM \+ threadIdx.x/= threadIdx.x/"
    echo "*00_copy/copy|wrong_result precedence:27|s/\(row \+ i\)/row + i/g"
    echo "01_naive|wrong_result elements-misplaced precedence:26|s/\(row \+ i\)/row + i/"
    echo "03_padded|precedence:37|s/\(out_row \+ i\)/out_row + i/"
    echo "00_copy/copy|wrong_result tile-pitch:27|s/\* width/* TILE_DIM/g"
    echo "01_naive|wrong_result tile-pitch:26|s/col \* height/col * TILE_DIM/"
    echo "*02_coalesced|out_of_bounds line:33 tile-index-global:33|s/tile\[threadIdx.y \+ i\]\[threadIdx.x\]/tile[row + i][col]/"
    echo "01_naive|out_of_bounds line:26 bound-inclusive:24|s/col < width && row \+ i < height/col <= width \&\& row + i <= height/"
    echo "21_sum_sequential|guard-missing bound-inclusive:23|s/threadIdx.x < step/threadIdx.x <= step/"
    echo "*12_inplace|wrong_result 128x128 return-too-early:111 !tile-too-small|s/i > j/i >= j/"
    # Wrong elements in a completely stored output: no question about threads that do not store.
    echo "*07_register_tile|wrong_result elements-misplaced|s/in\\[width\\], in\\[2 .*/in[1], in[2], in[3]};/"
    echo "*02_coalesced|out_of_bounds line:50 empty-if:49|s/(out_row \+ i < width\))/\1;/"
    echo "01_naive|out_of_bounds line:26 empty-if:24|s/(row \+ i < height\))/\1;/"
    echo "03_padded|out_of_bounds line:37 or-for-and:36|s/out_col < height && /out_col < height \x7c\x7c /"
    echo "01_naive|out_of_bounds line:26 or-for-and:24|s/col < width && /col < width \x7c\x7c /"
    # Elements that are stored repeatedly or not at all, and a store that no thread reaches.
    echo "*01_naive|wrong_result elements-stored-repeatedly(6144) elements-unwritten|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[row + i + col]/"
    echo "01_naive|wrong_result elements-unwritten dimension-unused(32,32)|s/ \+ threadIdx.x;/;/"
    echo "06_diagonal|wrong_result elements-unwritten elements-stored-repeatedly(9600)|s/lab_ceil_div\(width, TILE_DIM\);/width \/ TILE_DIM;/"
    echo "*00_copy/copy|wrong_result nothing-written store-unreached(28)|s/blockIdx.x \* TILE_DIM/gridDim.x * TILE_DIM/"
    echo "01_naive|wrong_result nothing-written store-unreached(26)|s/int i = 0; i < TILE_DIM/int i = 0; i > width/"
    echo "03_padded|wrong_result nothing-written store-unreached(37)|s/out_col < height &&/out_col > height \&\&/"
    # A grid of one row, missing dynamic shared memory, and threads that process the whole matrix.
    echo "06_diagonal|wrong_result grid-too-small(0,3,2,32,8)|s/int tile_y = .*/int tile_y = blockIdx.y;/; s/int tile_x = .*/int tile_x = blockIdx.x;/"
    echo "04_fine_grained|wrong_result grid-too-small(3,2,32,8)|s/return .lab_grid\(lab_ceil_div\(width, TILE_DIM\), .*/return {dim3(lab_ceil_div(width, TILE_DIM)),/"
    echo "*02_coalesced|out_of_bounds line:33 values-constant shared-unrequested|s/__shared__ float tile\[TILE_DIM\]/extern __shared__ float tile[]/"
    echo "00_copy/copy|timeout line:36|s/odata\[.*/memcpy(odata, idata, width * height * sizeof(float));/"
    echo "00_copy/copy|out_of_bounds line:28 wrong-expression|s/\(row \+ i\) \* width \+ col/col * width + row + i/g"
    echo "03_padded|race line:27 race-no-barrier|s/__syncthreads\(\)/if (row < height) __syncthreads()/"
    # Tiles that are too small.
    echo "*02_coalesced|out_of_bounds line:33 tile-too-small(256,8,32,1024)|s/tile\\[TILE_DIM\\]\\[TILE_DIM\\];/tile[BLOCK_ROWS][TILE_DIM];/"
    echo "02_coalesced|race line:33 tile-too-small(256,32,8,1024)|s/tile\[TILE_DIM\]\[TILE_DIM\];/tile[TILE_DIM][BLOCK_ROWS];/"
    echo "03_padded|race line:27 tile-too-small(992,32,31,1024)|s/tile\[TILE_DIM\]\[TILE_DIM \+ 1\];/tile[TILE_DIM][TILE_DIM - 1];/"
    echo "03_padded|out_of_bounds line:27 tile-too-small(1023,31,33,1024)|s/tile\[TILE_DIM\]\[TILE_DIM \+ 1\];/tile[TILE_DIM - 1][TILE_DIM + 1];/"
    # Elements of another width.
    echo "*01_naive|out_of_bounds line:26 element-width(8,4)|s/float \*odata, const float \*idata/double *odata, const double *idata/"
    echo "03_padded|out_of_bounds line:37 element-width(8,4)|s/float \*odata, const float \*idata/double *odata, const double *idata/"
    echo "02_coalesced|out_of_bounds line:50 element-width(8,4)|s/float/double/g"
    echo "01_naive|wrong_result element-width(1,4)|s/float \*odata, const float/char *odata, const char/"
    echo "03_padded|wrong_result element-width(1,4)|s/__shared__ float/__shared__ char/"
    echo "05_coarse_grained|wrong_result element-width(2,4)|s/__shared__ float/__shared__ short/"
    # Parameters in another order: messages use the names that the kernel declares.
    echo "*01_naive|uninitialised line:26 parameter-order ~idata[0][0]|s/float \*odata, const float \*idata/const float *idata, float *odata/"
    echo "03_padded|uninitialised line:27 parameter-order ~idata[0][7]|s/float \*odata, const float \*idata/float *idata, float *odata/"
    echo "02_coalesced|uninitialised line:33 parameter-order|s/float \*odata, const float \*idata, int width, int height/const float *idata, float *odata, int height, int width/"
    # A kernel that is predicted to do too much work, and an endless loop that is stopped early.
    echo "*01_naive|timeout 2048x2048 too-much-work ~1536_times|s/for \(int i = 0.*/for (int r = 0; r < height; r++) for (int c = 0; c < width; c++) odata[(size_t)c * height + r] = idata[(size_t)r * width + c]; for (int i = 0; i < 0; i++) {/"
    echo "01_naive|timeout too-much-work|s/for \(int i = 0.*/if (col == 0) for (int r = 0; r < height; r++) for (int c = 0; c < width; c++) odata[(size_t)c * height + r] = idata[(size_t)r * width + c]; for (int i = 0; i < 0; i++) {/"
    echo "00_copy/copy|timeout too-much-work|s/for \(int i = 0.*/for (int k = 0; k < height * width; k++) odata[k] = idata[k]; for (int i = 0; i < 0; i++) {/"
    echo "20_sum_shared|timeout too-much-work|s/if \(threadIdx.x == 0\)/unsigned all = 0; for (int k = 0; k < count; k++) all += values[k]; if (all == 1) *sum = all; if (threadIdx.x == 0)/"
    echo "*01_naive|timeout 2048x2048 too-much-work ~16_times|s/i < TILE_DIM; i \+= BLOCK_ROWS/i < height; i += 1/"
    echo "00_copy/copy|timeout too-much-work|s/i < TILE_DIM; i \+= BLOCK_ROWS/i < height; i++/"
    echo "01_naive|timeout 64x96 line:26 launched(3,2,32,8)|s/i \+= BLOCK_ROWS/i += 0/"
    # Compile errors.
    echo "*01_naive|compile_error no-include|/include \"lab.h\"/d"
    echo "20_sum_shared|compile_error no-include|/include \"lab.h\"/d"
    echo "03_padded|compile_error no-include|s/include \"lab.h\"/include <cstdio>/"
    echo "02_coalesced|compile_error name-unknown|s/__syncthreads/_syncthreads/"
    echo "03_padded|compile_error name-unknown|s/__syncthreads/__syncthread/"
    echo "01_naive|compile_error name-unknown|s/threadIdx.y/threadIDx.y/"
    echo "06_diagonal|compile_error name-unknown|s/out_col < height/out_col < heigth/"
    echo "22_sum_grid|compile_error name-unknown|s/__shfl_down_sync\\(0xffffffff, /__shfl_down(/"
    echo "*11_batched/variants/plain|compile_error not-extern-c|s/extern \"C\" //"
    echo "21_sum_sequential|compile_error not-extern-c|s/extern \"C\" //"
    echo "30_stencil_naive|compile_error no-kernel no-global|s/__global__ //"
    echo "08_vectorized|compile_error no-kernel no-global|s/__global__ //"
    # Missing brackets and semicolons.
    echo "*07_register_tile|compile_error brackets(6,5)|s/    \\} else \\{/    else {/"
    echo "31_stencil_tiled|compile_error brackets(6,5)|/^}/{x; s/^/x/; /^xx$/{x; d}; x}"
    echo "12_inplace/variants/pairs_of_32|compile_error brackets(22,21)|s/if \\(blockIdx.y < blockIdx.x\\)/if (blockIdx.y < blockIdx.x/"
    echo "20_sum_shared|compile_error semicolon-missing|s/(int i = .*);/\\1/"
    echo "*03_padded|compile_error semicolon-missing:22|s/(int col = .*);/\\1/"
    echo "03_padded|compile_error semicolon-missing:37|s/(odata\[.*);/\\1/"
    echo "03_padded|compile_error semicolon-missing:25|s/int i = 0;/int i = 0,/"
    echo "04_fine_grained|compile_error symbol-unexpected !semicolon-missing|s/int row =/int row ==/"
    echo "*02_coalesced|compile_error symbol-unexpected !semicolon-missing|s/blockIdx.x \* TILE_DIM/blockIdx.x TILE_DIM/"
    # A comma in an index, and a tile with one dimension.
    echo "*02_coalesced|compile_error comma-in-index|s/tile\[threadIdx.y \+ i\]\[threadIdx.x\]/tile[threadIdx.y + i, threadIdx.x]/"
    echo "03_padded|compile_error comma-in-index|s/\[TILE_DIM\]\[TILE_DIM \+ 1\]/[TILE_DIM, TILE_DIM + 1]/"
    echo "01_naive|wrong_result comma-in-index|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[col, row + i]/"
    echo "02_coalesced|compile_error one-dimension|s/\[TILE_DIM\]\[TILE_DIM\]/[TILE_DIM * TILE_DIM]/"
    echo "*01_naive|compile_error one-dimension|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[col][row + i]/"
    echo "03_padded|compile_error one-dimension|s/idata\[\(size_t\)\(row \+ i\) \* width \+ col\]/idata[row + i][col]/"
}

. profiler/tools/mistakes.sh

# Correct kernels with more threads than elements, or with printf in every thread.
altered() { # NAME SOLUTION SCRIPT
    sed -E "$3" "$2" >"$work/$1.cu"
}
small() { "$tlab" run "$work/$1.cu" --device h200 --rows 64 --cols 96; }
naive=solutions/01_naive/naive.cu
altered elements $naive 's/lab_grid\(.*/lab_grid(width, height),/'
expect "a grid computed in elements" 0 "256 threads per element at 64 x 96 with a grid of 96 x 64 blocks of 32 x 8.*grid in elements instead of tiles.* ok" -- small elements
altered columns $naive 's/lab_ceil_div\(width, TILE_DIM\), /width, /'
expect "a grid computed in elements, in x only" 0 "grid in elements instead of tiles" -- small columns
expect "a grid computed in tiles" 0 "^01_naive .* ok$" -- "$tlab" run $naive --device h200 --rows 64 --cols 96
check "without a warning" none grep "per element at" "$work/output"
altered prints $naive 's/^    for \(int i = 0/    printf("%d %d\\n", row, col);\n    for (int i = 0/'
expect "printf in every thread" 0 "printf at 64 x 96 .the output at other sizes is printed only if the kernel fails there.: 0 0 0 1 .*0 31 .and 1504 more lines." -- small prints
same "only the first launch prints" 1 "$(grep -c "^printf at" "$work/output")"
altered little $naive 's/^    for \(int i = 0/    if (row == 3 \&\& col == 4) printf("here");\n    for (int i = 0/'
expect "printf in one thread" 0 "printf at 64 x 96 .*: here" -- small little
altered fails $naive 's/^    for \(int i = 0/    printf("%d", width);\n    if (width == 77) return;\n    for (int i = 0/'
expect "printf in the launch that fails" 1 "printf at 64 x 96 .*printf at 100 x 77: 77" -- small fails

altered lines $naive 's/^    for \(int i = 0/    printf("%d,", row);\n    for (int i = 0/'
expect "printf without line ends" 0 "0,0,0,.*.and [0-9]+ more lines" -- small lines
check "printf without line ends is truncated" test "$(wc -c <"$work/output")" -lt 40000

# Correct kernels with a note: a tile with another element width, or blocks without work.
double='elements have 8 bytes in shared memory, but 4 bytes in idata: does the tile have another type'
for lab in 02_coalesced 03_padded 05_coarse_grained; do
    altered double_${lab%%_*} solutions/$lab/*.cu 's/__shared__ float/__shared__ double/'
    expect "$lab: a double tile" 0 "correct.*note: $double" -- small double_${lab%%_*}
done
altered rows solutions/03_padded/padded.cu 's/lab_ceil_div\(height, TILE_DIM\)/lab_ceil_div(height, BLOCK_ROWS)/'
expect "a grid for rows of threads" 0 "note: 18 of 24 blocks access no element: does the grid have more blocks" -- small rows
altered whole solutions/03_padded/padded.cu 's/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/width, height/'
expect "a grid in elements, with a tile" 0 "note: 6138 of 6144 blocks access no element" -- small whole
for solution in 03_padded 12_inplace 12_inplace/variants/swap.cu; do
    "$tlab" run solutions/$solution --device h200 --rows 256 --cols 256 >"$work/output"
    check "$solution: no such note" none grep -E "note:" "$work/output"
done

# `tlab explain` prints the verdict of an incorrect kernel in one line, and then its accesses.
altered pitch $naive 's/col \* height \+ row/col * width + row/'
altered turned solutions/03_padded/padded.cu 's/tile\[threadIdx.x\]\[threadIdx.y \+ i\]/tile[threadIdx.y + i][threadIdx.x]/'
altered narrow solutions/03_padded/padded.cu 's/\[TILE_DIM \+ 1\]/[TILE_DIM - 1]/'
altered early solutions/03_padded/padded.cu 's/__syncthreads\(\);/ /'
altered swapped solutions/03_padded/padded.cu 's/\[threadIdx.y \+ i\]\[threadIdx.x\]/[threadIdx.y][threadIdx.x]/'
look() { "$tlab" "$@" --device h200 --rows 256 --cols 256; }
expect "explain a kernel that is out of bounds" 1 "^.*pitch.cu: out_of_bounds, at 64 x 96: .*global store.*odata\[31\]\[0\]" -- look explain "$work/pitch.cu" --line 26
expect "explain a wrong result" 1 "turned.cu: wrong_result, at 64 x 96: the tiles are moved.*shared load.*0 bank conflicts|tile\[0\]\[31\]" -- look explain "$work/turned.cu" --line 37
expect "explain a race" 1 "early.cu: race, .*shared load" -- look explain "$work/early.cu" --line 37
if [ -n "${TLAB_TEST_LARGE:-}" ]; then
    expect "explain undefined values" 1 "swapped.cu: uninitialised, .*shared load" -- look explain "$work/swapped.cu" --line 37
    expect "no such line of a wrong kernel" 1 "wrong_result.*at lines 27, 37" -- look explain "$work/turned.cu" --line 1
    expect "annotate a wrong kernel" 1 "pitch.cu: out_of_bounds, at 64 x 96.*global store +32/4" -- look annotate "$work/pitch.cu"
    for kind in tile sectors order; do
        expect "a picture of it: $kind" 1 "pitch.cu: out_of_bounds, " -- look picture $kind "$work/pitch.cu" --out "$work/$kind.svg"
        check "the data of the picture exist" test -s "$work/$kind.csv"
    done
    same "the verdict is printed once" 1 "$(look picture tile "$work/turned.cu" --out "$work/turned.svg" | grep -c wrong_result)"
    expect "a picture of a race on the tile" 1 "narrow.cu: race, " -- look picture banks "$work/narrow.cu" --out "$work/banks.svg"
    check "the data of the picture exist" test -s "$work/banks.csv"
    expect "partitions of two, one of them wrong" 1 "pitch.cu: out_of_bounds" -- "$tlab" picture partitions "$work/pitch.cu" $naive --device gtx280 --rows 256 --cols 256 --out "$work/partitions.svg"
    check "both panels are drawn" grep -q "^2," "$work/partitions.csv"
fi
finish
