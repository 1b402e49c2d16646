// 11_batched: many matrices, one behind the other, each transposed.
#include "lab.h"

#define TILE 64     // a side, in floats
#define THREADS 512 // of a block

LAB(batched);


// Matrix m has `height` rows of `width` columns, and begins at idata + m * width * height.
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *odata, const float *idata, int width, int height, int matrices)
{
    // Your turn: bring a transpose of your own, as fast as you have it. Then: which matrix is this block's,
    // and where does it begin? In how many bits is that number counted?
}

LAB_LAUNCH(width, height, matrices)
{
    return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
}
