// 11_batched: transpose each matrix of a batch that is stored contiguously.
#include "lab.h"

#define TILE 64     // side of a tile, in floats
#define THREADS 512 // threads per block

LAB(batched);


// Matrix m has `height` rows of `width` columns, and starts at idata + m * width * height.
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *odata, const float *idata, int width, int height, int matrices)
{
    // Your turn: start from your fastest transpose. Which matrix does this block transpose, and where
    // does this matrix start? How many bits does the offset of the matrix need?
}

LAB_LAUNCH(width, height, matrices)
{
    return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
}
