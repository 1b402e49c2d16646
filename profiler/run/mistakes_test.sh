#!/bin/bash
# mistakes_test.sh: what `tlab run` says of solutions in which one thing is altered. Run from the
# repository root; TLAB names the program. A line of the table is a case: the solution; the status
# that its run has; what the message must hold, an extended regular expression over the joined
# lines; and the sed script that makes the mistake. Those with a * are run always, the others by
# check-all.
# check: large course
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx

grid='lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM))'
block='dim3(TILE_DIM, BLOCK_ROWS)'
launch() { echo "/return \\{lab_grid/{N; s/.*/    return {$1};/}"; } # another LAB_LAUNCH
early='s/^    for \(int i = 0/    if (col >= width || row >= height) return;\n    for (int i = 0/'
threads='s/int col = .*/int col = blockIdx.x * TILE_DIM + threadIdx.y;/
    s/int row = .*/int row = block_y * TILE_DIM + threadIdx.x;/'
shaped='Launched: a grid of [0-9]+ x [0-9]+ blocks of [0-9]+ x [0-9]+ threads'

cases() {
    # Out of bounds: the access is named, and then what makes it.
    echo "*01_naive|out_of_bounds|naive.cu:26: .* writes .* out of bounds: odata.*Without such accesses: width and height swapped: rows of odata are written width .96. elements apart instead of height .64..*$shaped|s/col \* height \+ row/col * width + row/"
    echo "01_naive|out_of_bounds|reads .* out of bounds: idata.*row and column are exchanged in the index of idata|s/idata\[\(size_t\)\(row \+ i\) \* width \+ col\]/idata[col * width + row + i]/"
    echo "03_padded|out_of_bounds|rows of odata are written width .96. elements apart|s/\(out_row \+ i\) \* height \+ out_col/(out_row + i) * width + out_col/"
    echo "06_diagonal|out_of_bounds|rows of odata are written width .96. elements apart|s/\* height \+ out_col/* width + out_col/"
    echo "03_padded|out_of_bounds|width and height are exchanged in the index of both idata and odata|s/\(row \+ i\) \* width \+ col/(row + i) * height + col/; s/\(out_row \+ i\) \* height \+ out_col/(out_row + i) * width + out_col/"
    echo "03_padded|out_of_bounds|at 100 x 77: .*1 element behind its last.*Without such accesses the result is right|s/out_row \+ i < width/out_row + i <= width/"
    echo "03_padded|out_of_bounds|reads .*Without such accesses the result is right|s/if \(col < width.*/ /"
    echo "22_sum_grid|out_of_bounds|values, 1 element behind its last.*Without such accesses the result is right|s/i < count;/i <= count;/"
    echo "30_stencil_naive|out_of_bounds|Without such accesses the result is right|s/row \+ 1 < height/row < height/"
    # Indices exchanged, within bounds.
    echo "*01_naive|wrong_result|row and column are exchanged in the index of odata|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[(row + i) * height + col]/"
    echo "02_coalesced|wrong_result|row and column are exchanged in the index of odata|s/\(size_t\)\(out_row \+ i\) \* height \+ out_col/(size_t)out_col * height + out_row + i/"
    echo "03_padded|wrong_result|blockIdx.x and blockIdx.y are exchanged in the index of idata or of odata|s/int out_col = .*/int out_col = blockIdx.x * TILE_DIM + threadIdx.x;/; s/int out_row = .*/int out_row = block_y * TILE_DIM + threadIdx.y;/"
    echo "03_padded|wrong_result|width and height are exchanged in the bounds check of idata or of odata|s/out_col < height && out_row \+ i < width/out_col < width \&\& out_row + i < height/"
    echo "01_naive|wrong_result|row and column are exchanged in the index of odata|s/col \* height \+ row/row * height + col/"
    echo "06_diagonal|wrong_result|the tile's column and row are exchanged in the index of idata or of odata|s/int out_col = tile_y/int out_col = tile_x/; s/int out_row = tile_x/int out_row = tile_y/"
    echo "01_naive|out_of_bounds|the loop.s step .its . i. is added to the row instead of the column, or the other way round, in the index of odata|s/col \\* height \\+ row \\+ i/(col + i) * height + row/"
    echo "*03_padded|wrong_result|the loop.s step .its . i. is added to the row instead|s/\\(out_row \\+ i\\) \\* height \\+ out_col/out_row * height + out_col + i/"
    echo "03_padded|wrong_result|at 100 x 77: this looks as if width and height are exchanged in the bounds check|s/out_col < height/out_col < width/"
    # A guard that is another element's; a guard that is too wide, beside which the lab's name lies.
    echo "*06_diagonal|out_of_bounds|odata, 265 elements behind its last.*bounds are checked for the row and column of the element that is loaded|s/out_col < height && out_row \+ i < width/col < width \&\& row + i < height/"
    echo "03_padded|out_of_bounds|bounds are checked for the row and column of the element that is loaded|s/out_col < height && out_row \+ i < width/col < width \&\& row + i < height/"
    echo "02_coalesced|out_of_bounds|bounds are checked for the row and column of the element that is loaded|s/out_col < height && out_row \+ i < width/row + i < height \&\& col < width/"
    echo "03_padded|out_of_bounds|at 100 x 77: .* idata, 309 elements behind its last|s/row \+ i < height/row < height/"
    # At edges alone, which is said; where rows begin at no multiple of 16 bytes.
    echo "*06_diagonal|wrong_result|at 100 x 77: .*At 64 x 96, where nothing hangs over an edge, it was right|s/= lab_ceil_div\\(height, TILE_DIM\\);/= height \\/ TILE_DIM;/"
    echo "11_batched/variants/plain|uninitialised|at 100 x 77: .*At 64 x 96, where nothing hangs over an edge, it was right|s/top \\+ x < height && left \\+ y < width/left + x < width \\&\\& top + y < height/"
    echo "12_inplace/variants/pairs_of_32|race|At 128 x 128, where nothing hangs over an edge, it was right|s/if \\(left \\+ i < n && top \\+ x < n\\)$/if (top + i < n \\&\\& left + x < n)/"
    echo "*07_register_tile|misaligned|at 77 x 100: .*writes 16 bytes.*odata.1..0.|s/height % 4 == 0/width % 4 == 0/"
    echo "08_vectorized|misaligned|at 77 x 100: .*writes 16 bytes|s/width % 4 == 0 && height % 4 == 0/width % 4 == 0/"
    echo "09_coarsened|out_of_bounds|at 64 x 96: .*is there an if|s/if \\(aligned && .*\\{/if (true) {/"
    # Beyond the tile: the element that is meant is named.
    echo "03_padded|out_of_bounds|28 bytes behind the end of tile .where tile.32..7. would be|s/tile\[threadIdx.x\]\[threadIdx.y/tile[threadIdx.x + 1][threadIdx.y/"
    echo "03_padded|out_of_bounds|behind the end of tile .where tile.32..7. would be|s/\[threadIdx.x\]\[threadIdx.y \+ i\]/[threadIdx.x + i][threadIdx.y]/"
    echo "02_coalesced|out_of_bounds|right behind the end of tile .where tile.32..0. would be|s/tile\[threadIdx.y \+ i\]/tile[threadIdx.y + i + 1]/"
    echo "02_coalesced|out_of_bounds|.i . 1..: that is the element beside the one that is meant. With .i.. the result is right|s/\\[threadIdx.x\\]\\[threadIdx.y \\+ i\\]/[threadIdx.x][threadIdx.y + i + 1]/"
    echo "*03_padded|uninitialised|padded.cu.27.: .threadIdx.x . 1..: that is the element beside|s/\\[threadIdx.y \\+ i\\]\\[threadIdx.x\\]/[threadIdx.y + i][threadIdx.x + 1]/"
    echo "30_stencil_naive|wrong_result|.- height..: rows of that matrix have width elements. With .- width.|s/in\\[at - width\\]/in[at - height]/"
    echo "*08_vectorized|misaligned|reads 16 bytes at address [0-9a-fx]+, which is no multiple of 16: tile.[0-9]+..0. Launched|s/\\{tile\\[line\\]\\[quad\\].*\\};/*(float4 *)\\&tile[line][quad];/"
    # Two threads that store in one place: a barrier would not help.
    echo "*08_vectorized|race|writes another value .*is one of the two indices wrong, or the array too small|s/tile\\[quad \\+ ([123])\\]\\[line\\]/tile[quad][line + \\1]/"
    echo "31_stencil_tiled|race|is one of the two indices wrong, or the array too small|s/tile\\[TILE_DIM \\+ 2\\]\\[TILE_DIM \\+ 2\\]/tile[TILE_DIM][TILE_DIM]/"
    echo "12_inplace/variants/swap|race|a barrier holds the threads of one block only|s/col < row\\)/col < width)/"
    # A tile that is each thread's own.
    echo "*02_coalesced|uninitialised|Each thread has an array of 4096 bytes to itself.*is __shared__ missing|s/__shared__ float/float/"
    echo "03_padded|uninitialised|an array of 4224 bytes.*is __shared__ missing|s/__shared__ float/float/"
    echo "06_diagonal|uninitialised|is __shared__ missing|s/__shared__ float/float/"
    echo "20_sum_shared|uninitialised|is __shared__ missing|s/__shared__ //"
    echo "02_coalesced|race|There is one tile of 4096 bytes for all blocks.*is __shared__ missing|s/__shared__ float/static float/"
    echo "06_diagonal|race|writes tile.0..*There is one tile of 4224 bytes for all blocks|s/__shared__ float/static __device__ float/"
    # Grid and block.
    echo "*01_naive|wrong_result|grid and block look exchanged.*Launched: a grid of 32 x 8 blocks of 3 x 2 threads|$(launch "$block, $grid")"
    echo "03_padded|uninitialised|grid and block look exchanged|$(launch "$block, $grid")"
    echo "00_copy/copy|wrong_result|grid and block look exchanged|$(launch "$block, $grid")"
    echo "31_stencil_tiled|uninitialised|grid and block look exchanged|/return .lab_grid/{N; s/return .(lab_grid.*),\s*(dim3\([^)]*\))/return {\2, \1/}"
    echo "*01_naive|wrong_result|grid and block look too small.*Launched: a grid of 1 x 1 blocks of 1 x 1 threads|$(launch '')"
    echo "01_naive|wrong_result|the grid looks too small.*Launched: a grid of 1 x 1 blocks|$(launch "dim3(1), $block")"
    echo "03_padded|uninitialised|the block looks too small.*blocks of 1 x 1 threads|$(launch "$grid")"
    echo "03_padded|out_of_bounds|the block looks too large: with 3 x 2 blocks of 32 x 8 threads|$(launch "$grid, dim3(TILE_DIM, TILE_DIM)")"
    echo "02_coalesced|out_of_bounds|the block looks too large|$(launch "$grid, dim3(32, 32)")"
    echo "00_copy/copy_shared|out_of_bounds|the block looks too large|$(launch "$grid, dim3(TILE_DIM, TILE_DIM)")"
    echo "06_diagonal|wrong_result|the grid looks too small: with 6 x 1 blocks|/return .dim3/{N; s/.*/    return {$grid, $block};/}"
    echo "03_padded|wrong_result|the grid's x and y look exchanged|s/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/lab_ceil_div(height, TILE_DIM), lab_ceil_div(width, TILE_DIM)/"
    echo "03_padded|wrong_result|at 100 x 77: the grid looks too small|s/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/width \/ TILE_DIM, height \/ TILE_DIM/"
    echo "03_padded|uninitialised|the block looks too small: with 3 x 2 blocks of 32 x 8 threads|s/dim3\\(TILE_DIM, BLOCK_ROWS\\)/dim3(TILE_DIM, BLOCK_ROWS \\/ 2)/"
    echo "08_vectorized|out_of_bounds|the block's x and y look exchanged: the other way round the result is right|s/dim3\\(TILE_DIM \\/ 4, TILE_DIM\\)/dim3(TILE_DIM, 8)/"
    # A barrier that is none: a warning, or "builtin functions must be directly called".
    echo "*02_coalesced|[a-z_]+|coalesced.cu.42.*[wm][au][rs][nt]|s/__syncthreads\(\);/__syncthreads;/"
    echo "06_diagonal|[a-z_]+|diagonal.cu.39.*[wm][au][rs][nt]|s/__syncthreads\(\);/__syncthreads;/"
    echo "31_stencil_tiled|[a-z_]+|stencil_tiled.cu.42.*[wm][au][rs][nt]|s/__syncthreads\(\);/__syncthreads;/"
    # Threads that return, steps that are missing, threads that are exchanged: not the loop's fault.
    echo "*03_padded|wrong_result|at 100 x 77: this looks as if threads return early|$early"
    echo "02_coalesced|wrong_result|at 100 x 77: this looks as if threads return early|$early"
    echo "06_diagonal|wrong_result|threads return early: those beyond the input's last column|${early/ || row >= height/}"
    echo "*04_fine_grained|wrong_result|row 7 of every 8 of odata was never written .do all threads of a block come to the line.*fine_grained.cu.40.: threads return here.*without this return the result is right|s/__syncthreads\(\);/if (threadIdx.y > 6) return; __syncthreads();/"
    echo "06_diagonal|wrong_result|diagonal.cu.39.: threads return here.*without this return|s/__syncthreads\(\);/if (threadIdx.x == 0) return; __syncthreads();/"
    echo "01_naive|wrong_result|naive.cu.23.: threads return here.*without this return|s/^    for \(int i = 0/    if (row + TILE_DIM > height) return;\n    for (int i = 0/"
    echo "03_padded|wrong_result|padded.cu.36.: threads return here.*without this return the result is right|s/if \(out_col < .*/if (out_col >= height || out_row > 40) return;/"
    echo "01_naive|wrong_result|the loop's step .* is missing from the index of odata|s/\+ row \+ i\] =/+ row] =/"
    echo "03_padded|uninitialised|the loop's step .* is missing from the index of the tile where it is stored|s/\[threadIdx.y \+ i\]\[threadIdx.x\]/[threadIdx.y][threadIdx.x]/"
    echo "03_padded|wrong_result|the loop's step .* is missing from the index of the tile where it is loaded|s/\[threadIdx.x\]\[threadIdx.y \+ i\]/[threadIdx.x][threadIdx.y]/"
    echo "03_padded|uninitialised|the loop's step .* is missing from the index of the tile, where it is stored and where it is loaded|s/threadIdx.y \+ i\]/threadIdx.y]/g"
    echo "04_fine_grained|uninitialised|the loop's step .* is missing from the index of the tile, where it is stored and|s/threadIdx.y \+ i\]/threadIdx.y]/g"
    echo "03_padded|wrong_result|the loop's step .* is missing from the index of odata|s/\(out_row \+ i\) \* height/(out_row) * height/"
    echo "03_padded|wrong_result|the loop's step .* is missing from the index of idata|s/\(row \+ i\) \* width/(row) * width/"
    echo "00_copy/copy|wrong_result|the loop's step .* is missing from the index of both idata and odata|s/\(row \+ i\) \* width \+ col/row * width + col/g"
    echo "03_padded|uninitialised|the loop over the tile ends after its first round|s/i \+= BLOCK_ROWS/i += TILE_DIM/"
    echo "*01_naive|wrong_result|threadIdx.x and threadIdx.y are exchanged in the index of both|$threads"
    echo "03_padded|uninitialised|threadIdx.x and threadIdx.y are exchanged in the index of idata|$threads"
    echo "03_padded|wrong_result|threadIdx.x and threadIdx.y are exchanged in the index of odata|s/int out_col = .*/int out_col = block_y * TILE_DIM + threadIdx.y;/; s/int out_row = .*/int out_row = blockIdx.x * TILE_DIM + threadIdx.x;/"
    # Width and height.
    echo "01_naive|wrong_result|rows of idata are read height .64. elements apart|s/\(row \+ i\) \* width \+ col/(row + i) * height + col/"
    echo "00_copy/copy|wrong_result|width and height are exchanged in the index of both idata and odata|s/\(row \+ i\) \* width \+ col/(row + i) * height + col/g"
    echo "04_fine_grained|wrong_result|width and height are exchanged in the index of both|s/\* width/* height/"
    # & for %: tried, and said to be the mistake where it is; else a question.
    echo "*06_diagonal|wrong_result|diagonal.cu.28.: .&. is the bitwise and. With the remainder of a division, .% tiles_y., the result is right|s/blockIdx.x % tiles_y/blockIdx.x \& tiles_y/"
    echo "06_diagonal|wrong_result|diagonal.cu.29.: .*With the remainder of a division, .% tiles_x., the result is right|s/\(diagonal \+ tile_y\) % tiles_x/(diagonal + tile_y) \& tiles_x/"
    echo "06_diagonal|wrong_result|diagonal.cu.29.: .*% tiles_x., the result is right|s/\(diagonal \+ tile_y\) % tiles_x/(diagonal + tile_y) \& (tiles_x - 1)/"
    echo "06_diagonal|wrong_result|at 77 x 100: .*diagonal.cu.28.: .*% tiles_y., the result is right|s/blockIdx.x % tiles_y/blockIdx.x \& tiles_y - 1/"
    echo "01_naive|wrong_result|naive.cu.20.: .*% TILE_DIM., the result is right|s/int col = .*/int col = blockIdx.x * TILE_DIM + (threadIdx.x \& TILE_DIM);/"
    echo "06_diagonal|wrong_result|diagonal.cu.29.: .& tiles_x. is the bitwise and; .* which is meant|s/\(diagonal \+ tile_y\) % tiles_x/diagonal + tile_y \& tiles_x/"
    echo "03_padded|race|padded.cu.27.: .*% TILE_DIM., the result is right|s/\[threadIdx.y \+ i\]\[threadIdx.x\]/[threadIdx.y + i][threadIdx.x \& TILE_DIM]/"
    # Sums, of which elements are missing or double.
    echo "*20_sum_shared|wrong_result|has 128 of every 256 elements only: 0 to 127, and so on|s/step < BLOCK; step/step < BLOCK \\/ 2; step/"
    echo "20_sum_shared|wrong_result|has 1 of every 256 elements only: 255 to 255, and so on|s/partial\\[at\\] \\+= /partial[at] = /"
    echo "20_sum_shared|wrong_result|has elements 5888..6143 only: is what others add stored over|s/atomicAdd\\(sum, partial\\[0\\]\\)/*sum = partial[0]/"
    echo "*20_sum_shared|wrong_result|is off by 236, which is less than any element: what is added for threads that have none|s/: 0;/: 1;/"
    echo "22_sum_grid|wrong_result|has the elements from 256 on twice|s/\\(size_t\\)gridDim.x \\* BLOCK\\)/BLOCK)/"
    # Stencils at one edge, and with another sign; what nobody wrote is no such mistake.
    echo "*30_stencil_naive|wrong_result|at the left edge the neighbour is taken from the row before|s/col > 0 \\?/at > 0 ?/"
    echo "30_stencil_naive|wrong_result|four times the element is added|s/- 4 \\* self/+ 4 * self/"
    echo "*30_stencil_naive|wrong_result|at 64 x 96: everything but out.1..62..1..94. was never written|s/if \\(col < width && row < height\\)/if (col > 0 \\&\\& row > 0 \\&\\& col < width - 1 \\&\\& row < height - 1)/"
    echo "*11_batched/variants/plain|wrong_result|the last matrix is left out|s/, matrices\\), dim3/, 3), dim3/"
    # Slips of the pen, found by undoing them.
    echo "*01_naive|wrong_result|naive.cu.21.: .\* blockDim.y.: a block covers TILE_DIM rows.*With .\* TILE_DIM. the result is right|s/block_y \* TILE_DIM/block_y * blockDim.y/"
    echo "03_padded|wrong_result|.\* BLOCK_ROWS.: a block covers TILE_DIM rows|s/(block_y|blockIdx.x) \* TILE_DIM \+ threadIdx.y/\1 * BLOCK_ROWS + threadIdx.y/"
    echo "04_fine_grained|wrong_result|.\* blockDim.y.: a block covers TILE_DIM rows|s/block_y \* TILE_DIM/block_y * blockDim.y/"
    echo "06_diagonal|wrong_result|.tile_x . threadIdx.x.: a block.s number counts tiles, not elements|s/tile_x \* TILE_DIM \+ threadIdx.x/tile_x + threadIdx.x/"
    echo "00_copy/copy|wrong_result|.blockIdx.x . threadIdx.x.: a block.s number counts tiles|s/blockIdx.x \* TILE_DIM/blockIdx.x/"
    echo "01_naive|wrong_result|.= threadIdx.x;.: that is the same in all blocks|s/= blockIdx.x \* TILE_DIM \+ threadIdx.x/= threadIdx.x/"
    echo "*00_copy/copy|wrong_result|.row . i . width.: a product comes before a sum. With .\(row . i\) . width. the result is right|s/\(row \+ i\)/row + i/g"
    echo "01_naive|wrong_result|a product comes before a sum|s/\(row \+ i\)/row + i/"
    echo "03_padded|[a-z_]+|.out_row . i . height.: a product comes before a sum|s/\(out_row \+ i\)/out_row + i/"
    echo "00_copy/copy|wrong_result|rows of the matrix are longer than those of a tile. With .*width|s/\* width/* TILE_DIM/g"
    echo "01_naive|wrong_result|rows of the matrix are longer than those of a tile. With .*height|s/col \* height/col * TILE_DIM/"
    echo "*02_coalesced|out_of_bounds|.tile.row . i..col..: row and col count in the matrix|s/tile\[threadIdx.y \+ i\]\[threadIdx.x\]/tile[row + i][col]/"
    echo "01_naive|out_of_bounds|.<= width.: the last row is number height - 1.*With .< width., and the like elsewhere, the result is right|s/col < width && row \+ i < height/col <= width \&\& row + i <= height/"
    echo "21_sum_sequential|[a-z_]+|.<=.: that is true also where both are equal. With .<. the result is right|s/threadIdx.x < step/threadIdx.x <= step/"
    echo "*12_inplace|wrong_result|at 128 x 128: the tiles .64x64. on the diagonal were not changed|s/i > j/i >= j/"
    # Other elements, where each was stored: no question about threads that do not come.
    echo "*07_register_tile|wrong_result|columns 1..3 of every 4 of odata hold other elements of the input +4608 of 6144|s/in\\[width\\], in\\[2 .*/in[1], in[2], in[3]};/"
    echo "*02_coalesced|out_of_bounds|the semicolon ends the if|s/(out_row \+ i < width\))/\1;/"
    echo "01_naive|out_of_bounds|the semicolon ends the if|s/(row \+ i < height\))/\1;/"
    echo "03_padded|out_of_bounds|one of the two is not enough. With .&&.*the result is right|s/out_col < height && /out_col < height \x7c\x7c /"
    echo "01_naive|out_of_bounds|one of the two is not enough|s/col < width && /col < width \x7c\x7c /"
    # Many threads at one element, none at others; a store that no thread comes to.
    echo "*01_naive|wrong_result|6144 elements are stored, and yet some never: several threads|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[row + i + col]/"
    echo "01_naive|wrong_result|rows 1..31 of every 32.*6144 elements are stored, and yet some never|s/ \+ threadIdx.x;/;/"
    echo "06_diagonal|wrong_result|9600 elements are stored, and yet some never|s/lab_ceil_div\(width, TILE_DIM\);/width \/ TILE_DIM;/"
    echo "*00_copy/copy|wrong_result|No thread comes to line 2[0-9], which stores|s/blockIdx.x \* TILE_DIM/gridDim.x * TILE_DIM/"
    echo "01_naive|wrong_result|No thread comes to line 26, which stores|s/int i = 0; i < TILE_DIM/int i = 0; i > width/"
    echo "03_padded|wrong_result|No thread comes to line 37, which stores|s/out_col < height &&/out_col > height \&\&/"
    # A grid of one row; dynamic shared memory that nobody asked for; all of a matrix in each
    # thread.
    echo "06_diagonal|wrong_result|in a grid of one row blockIdx.y is 0 in all blocks|s/int tile_y = .*/int tile_y = blockIdx.y;/; s/int tile_x = .*/int tile_x = blockIdx.x;/"
    echo "04_fine_grained|wrong_result|in a grid of one row blockIdx.y is 0 in all blocks|s/return .lab_grid\(lab_ceil_div\(width, TILE_DIM\), .*/return {dim3(lab_ceil_div(width, TILE_DIM)),/"
    echo "*02_coalesced|out_of_bounds|tile is extern __shared__, and LAB_LAUNCH asks for no bytes of it|s/__shared__ float tile\[TILE_DIM\]/extern __shared__ float tile[]/"
    echo "00_copy/copy|timeout|an endless loop, or far too much work for one thread|s/odata\[.*/memcpy(odata, idata, width * height * sizeof(float));/"
    echo "00_copy/copy|out_of_bounds|row and column are exchanged in the index of both idata and odata|s/\(row \+ i\) \* width \+ col/col * width + row + i/g"
    echo "03_padded|race|No __syncthreads.. that both reach stands between|s/__syncthreads\(\)/if (row < height) __syncthreads()/"
    # Tiles with too little room.
    echo "*02_coalesced|out_of_bounds|of dynamic shared memory tile has room for 256 elements .8 x 32.; a block has 1024|s/tile\\[TILE_DIM\\]\\[TILE_DIM\\];/tile[BLOCK_ROWS][TILE_DIM];/"
    echo "02_coalesced|race|tile has room for 256 elements .32 x 8.; a block has 1024|s/tile\[TILE_DIM\]\[TILE_DIM\];/tile[TILE_DIM][BLOCK_ROWS];/"
    echo "03_padded|race|tile has room for 992 elements .32 x 31.; a block has 1024|s/tile\[TILE_DIM\]\[TILE_DIM \+ 1\];/tile[TILE_DIM][TILE_DIM - 1];/"
    echo "03_padded|out_of_bounds|tile has room for 1023 elements .31 x 33.; a block has 1024|s/tile\[TILE_DIM\]\[TILE_DIM \+ 1\];/tile[TILE_DIM - 1][TILE_DIM + 1];/"
    # Elements of another width.
    echo "*01_naive|out_of_bounds|The kernel loads elements of 8 bytes; those of idata have 4|s/float \*odata, const float \*idata/double *odata, const double *idata/"
    echo "03_padded|out_of_bounds|The kernel loads elements of 8 bytes; those of idata have 4|s/float \*odata, const float \*idata/double *odata, const double *idata/"
    echo "02_coalesced|out_of_bounds|elements of 8 bytes; those of idata have 4|s/float/double/g"
    echo "01_naive|wrong_result|The kernel loads elements of 1 byte; those of idata have 4|s/float \*odata, const float/char *odata, const char/"
    echo "03_padded|wrong_result|The kernel stores elements of 1 byte in shared memory|s/__shared__ float/__shared__ char/"
    echo "05_coarse_grained|wrong_result|elements of 2 bytes in shared memory|s/__shared__ float/__shared__ short/"
    # Parameters in another order: arrays have the kernel's names.
    echo "*01_naive|uninitialised|declares its parameters as .idata, odata, width, height., and is called with .odata, idata.* reads idata\[0\]\[0\], which nobody has written|s/float \*odata, const float \*idata/const float *idata, float *odata/"
    echo "03_padded|uninitialised|declares its parameters as .idata, odata.* reads idata\[0\]\[7\]|s/float \*odata, const float \*idata/float *idata, float *odata/"
    echo "02_coalesced|uninitialised|declares its parameters as .idata, odata, height, width|s/float \*odata, const float \*idata, int width, int height/const float *idata, float *odata, int height, int width/"
    # Too much work is foretold; a loop without an end is found at once.
    echo "*01_naive|timeout|at 2048 x 2048: not run.*stored each 1536 times.*Does every thread loop over much of the matrix|s/for \(int i = 0.*/for (int r = 0; r < height; r++) for (int c = 0; c < width; c++) odata[(size_t)c * height + r] = idata[(size_t)r * width + c]; for (int i = 0; i < 0; i++) {/"
    echo "01_naive|timeout|not run.*Does every thread loop over much of the matrix|s/for \(int i = 0.*/if (col == 0) for (int r = 0; r < height; r++) for (int c = 0; c < width; c++) odata[(size_t)c * height + r] = idata[(size_t)r * width + c]; for (int i = 0; i < 0; i++) {/"
    echo "00_copy/copy|timeout|not run.*Does every thread loop over much of the matrix|s/for \(int i = 0.*/for (int k = 0; k < height * width; k++) odata[k] = idata[k]; for (int i = 0; i < 0; i++) {/"
    echo "20_sum_shared|timeout|not run.*Does every thread loop over much of the matrix|s/if \(threadIdx.x == 0\)/unsigned all = 0; for (int k = 0; k < count; k++) all += values[k]; if (all == 1) *sum = all; if (threadIdx.x == 0)/"
    echo "*01_naive|timeout|at 2048 x 2048: not run.*stored each 16 times.*Does every thread loop|s/i < TILE_DIM; i \+= BLOCK_ROWS/i < height; i += 1/"
    echo "00_copy/copy|timeout|not run.*Does every thread loop|s/i < TILE_DIM; i \+= BLOCK_ROWS/i < height; i++/"
    echo "01_naive|timeout|at 64 x 96: .*an endless loop.*$shaped|s/i \+= BLOCK_ROWS/i += 0/"
    # What does not compile.
    echo "*01_naive|compile_error|naive.cu: there is no #include \"lab.h\"|/include \"lab.h\"/d"
    echo "20_sum_shared|compile_error|there is no #include \"lab.h\"|/include \"lab.h\"/d"
    echo "03_padded|compile_error|there is no #include \"lab.h\"|s/include \"lab.h\"/include <cstdio>/"
    echo "02_coalesced|compile_error|_syncthreads: is __syncthreads meant|s/__syncthreads/_syncthreads/"
    echo "03_padded|compile_error|syncthread: is __syncthreads meant|s/__syncthreads/__syncthread/"
    echo "01_naive|compile_error|threadIDx: is threadIdx meant|s/threadIdx.y/threadIDx.y/"
    echo "06_diagonal|compile_error|heigth: is height meant|s/out_col < height/out_col < heigth/"
    echo "22_sum_grid|compile_error|__shfl_down: is __shfl_down_sync meant|s/__shfl_down_sync\\(0xffffffff, /__shfl_down(/"
    echo "*11_batched/variants/plain|compile_error|has no kernel transpose that is extern .C.. It must be|s/extern \"C\" //"
    echo "21_sum_sequential|compile_error|has no kernel reduce that is extern|s/extern \"C\" //"
    echo "30_stencil_naive|compile_error|no function is __global__, as the kernel must be|s/__global__ //"
    echo "08_vectorized|compile_error|no function is __global__|s/__global__ //"
    # Brackets and semicolons, of which compilers say where they miss them.
    echo "*07_register_tile|compile_error|the file has 6 .\\{. and 5 .\\}.: which of them has no partner|s/    \\} else \\{/    else {/"
    echo "31_stencil_tiled|compile_error|the file has 6 .\\{. and 5 .\\}.: which|/^}/{x; s/^/x/; /^xx$/{x; d}; x}"
    echo "12_inplace/variants/pairs_of_32|compile_error|the file has [0-9]+ .\\(. and [0-9]+ .\\)|s/if \\(blockIdx.y < blockIdx.x\\)/if (blockIdx.y < blockIdx.x/"
    echo "20_sum_shared|compile_error|sum_shared.cu.18.*a semicolon is missing before that place|s/(int i = .*);/\\1/"
    # A comma, and a tile of one dimension.
    echo "*02_coalesced|compile_error|line 33: ..threadIdx.y \+ i, threadIdx.x.. has a comma|s/tile\[threadIdx.y \+ i\]\[threadIdx.x\]/tile[threadIdx.y + i, threadIdx.x]/"
    echo "03_padded|compile_error|line 19: ..TILE_DIM, TILE_DIM \+ 1.. has a comma|s/\[TILE_DIM\]\[TILE_DIM \+ 1\]/[TILE_DIM, TILE_DIM + 1]/"
    echo "01_naive|wrong_result|line 26: ..col, row \+ i.. has a comma|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[col, row + i]/"
    echo "02_coalesced|compile_error|tile is declared with one dimension: tile.r. is an element already|s/\[TILE_DIM\]\[TILE_DIM\]/[TILE_DIM * TILE_DIM]/"
    echo "*01_naive|compile_error|odata.r. is a float already|s/odata\[\(size_t\)col \* height \+ row \+ i\]/odata[col][row + i]/"
    echo "03_padded|compile_error|odata.r. is a float already|s/idata\[\(size_t\)\(row \+ i\) \* width \+ col\]/idata[row + i][col]/"
}

number=0
cases >"$work/cases"
while IFS='|' read -r solution status message script; do
    [ "${solution#\*}" != "$solution" ] || [ -n "${TLAB_TEST_LARGE:-}" ] || continue
    solution=${solution#\*}
    source=$(ls solutions/"$solution".cu solutions/"$solution"/*.cu 2>/dev/null | head -1)
    number=$((number + 1))
    mkdir "$work/$number"
    altered="$work/$number/$(basename "$source")"
    sed -E "$script" "$source" >"$altered"
    ! cmp -s "$source" "$altered" || fail "$solution: the script changes nothing: $script"
    expect "$solution: $message" 1 ": $status.*$message" -- "$tlab" run "$altered" --device h200
done < <(tr '\n' '\r' <"$work/cases" | sed 's/\r    /; /g' | tr '\r' '\n')

# Right, and not what is meant: more threads than elements; printf of every thread.
altered() { # NAME SOLUTION SCRIPT
    sed -E "$3" "$2" >"$work/$1.cu"
}
small() { "$tlab" run "$work/$1.cu" --device h200 --rows 64 --cols 96; }
naive=solutions/01_naive/naive.cu
altered elements $naive 's/lab_grid\(.*/lab_grid(width, height),/'
expect "a grid in elements" 0 "256 threads for each element at 64 x 96, in a grid of 96 x 64 blocks of 32 x 8.*is the grid counted in elements.* ok" -- small elements
altered columns $naive 's/lab_ceil_div\(width, TILE_DIM\), /width, /'
expect "a grid in elements across" 0 "is the grid counted in elements" -- small columns
expect "a grid in tiles" 0 "^01_naive .* ok$" -- "$tlab" run $naive --device h200 --rows 64 --cols 96
check "of which nothing is said" none grep "for each element" "$work/output"
altered prints $naive 's/^    for \(int i = 0/    printf("%d %d\\n", row, col);\n    for (int i = 0/'
expect "printf of every thread" 0 "printf at 64 x 96: 0 0 0 1 .*0 31 .and 1504 more lines. printf at 100 x 77: " -- small prints
altered little $naive 's/^    for \(int i = 0/    if (row == 3 \&\& col == 4) printf("here");\n    for (int i = 0/'
expect "printf of one" 0 "printf at 33 x 65: here printf at 95 x 161: here" -- small little

altered lines $naive 's/^    for \(int i = 0/    printf("%d,", row);\n    for (int i = 0/'
expect "printf without line ends" 0 "0,0,0,.*.and [0-9]+ more lines" -- small lines
check "is cut all the same" test "$(wc -c <"$work/output")" -lt 40000

# Right, and worth a word: another width in the tile, blocks without work.
double='elements have 8 bytes in shared memory, those of idata 4: is the tile declared with another type'
for lab in 02_coalesced 03_padded 05_coarse_grained; do
    altered double_${lab%%_*} solutions/$lab/*.cu 's/__shared__ float/__shared__ double/'
    expect "$lab: a double tile" 0 "right.*note: $double" -- small double_${lab%%_*}
done
altered rows solutions/03_padded/padded.cu 's/lab_ceil_div\(height, TILE_DIM\)/lab_ceil_div(height, BLOCK_ROWS)/'
expect "a grid for rows of threads" 0 "note: 18 of 24 blocks access no element: has the grid more of them" -- small rows
altered whole solutions/03_padded/padded.cu 's/lab_ceil_div\(width, TILE_DIM\), lab_ceil_div\(height, TILE_DIM\)/width, height/'
expect "a grid in elements, with a tile" 0 "note: 6138 of 6144 blocks access no element" -- small whole
for solution in 03_padded 12_inplace 12_inplace/variants/swap.cu; do
    "$tlab" run solutions/$solution --device h200 --rows 256 --cols 256 >"$work/output"
    check "$solution: no such note" none grep -E "note:" "$work/output"
done

# A wrong kernel can be looked at, behind its verdict in a line.
altered pitch $naive 's/col \* height \+ row/col * width + row/'
altered turned solutions/03_padded/padded.cu 's/tile\[threadIdx.x\]\[threadIdx.y \+ i\]/tile[threadIdx.y + i][threadIdx.x]/'
altered narrow solutions/03_padded/padded.cu 's/\[TILE_DIM \+ 1\]/[TILE_DIM - 1]/'
altered early solutions/03_padded/padded.cu 's/__syncthreads\(\);/ /'
altered swapped solutions/03_padded/padded.cu 's/\[threadIdx.y \+ i\]\[threadIdx.x\]/[threadIdx.y][threadIdx.x]/'
look() { "$tlab" "$@" --device h200 --rows 256 --cols 256; }
expect "explain one that is out of bounds" 1 "^.*pitch.cu: out_of_bounds, at 64 x 96: .*global store.*odata\[31\]\[0\]" -- look explain "$work/pitch.cu" --line 26
expect "explain a wrong result" 1 "turned.cu: wrong_result, at 64 x 96: tiles moved.*shared load.*0 bank conflicts|tile\[0\]\[31\]" -- look explain "$work/turned.cu" --line 37
expect "explain a race" 1 "early.cu: race, .*shared load" -- look explain "$work/early.cu" --line 37
if [ -n "${TLAB_TEST_LARGE:-}" ]; then
    expect "explain undefined values" 1 "swapped.cu: uninitialised, .*shared load" -- look explain "$work/swapped.cu" --line 37
    expect "no such line of a wrong kernel" 1 "wrong_result.*it does at: 27, 37" -- look explain "$work/turned.cu" --line 1
    expect "annotate a wrong kernel" 1 "pitch.cu: out_of_bounds, at 64 x 96.*global store +[0-9]+ +32 of 4" -- look annotate "$work/pitch.cu"
    for kind in tile sectors order; do
        expect "a picture of it: $kind" 1 "pitch.cu: out_of_bounds, " -- look picture $kind "$work/pitch.cu" --out "$work/$kind.svg"
        check "is there" test -s "$work/$kind.csv"
    done
    same "the verdict is told once" 1 "$(look picture tile "$work/turned.cu" --out "$work/turned.svg" | grep -c wrong_result)"
    expect "a picture of a race on the tile" 1 "narrow.cu: race, " -- look picture banks "$work/narrow.cu" --out "$work/banks.svg"
    check "is there" test -s "$work/banks.csv"
    expect "partitions of two, one of them wrong" 1 "pitch.cu: out_of_bounds" -- "$tlab" picture partitions "$work/pitch.cu" $naive --device gtx280 --rows 256 --cols 256 --out "$work/partitions.svg"
    check "both are drawn" grep -q "^2," "$work/partitions.csv"
fi
finish
