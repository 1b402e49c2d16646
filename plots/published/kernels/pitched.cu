// The padded transpose of a matrix with sides that are multiples of 32. Rows of the output begin
// `pitch` elements apart, so the output is larger than the transposed matrix, unlike in a lab.
#define TILE 32
#define ROWS 8

extern "C" __global__ void pitched(float *odata, const float *idata, int width, int pitch)
{
    __shared__ float tile[TILE][TILE + 1];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(row + i) * width + col];

    __syncthreads();

    int out_col = blockIdx.y * TILE + threadIdx.x, out_row = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        odata[(size_t)(out_row + i) * pitch + out_col] = tile[threadIdx.x][threadIdx.y + i];
}
