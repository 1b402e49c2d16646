// Programs of 16 threads on 8 x 8 elements, for the device `toy`: warps of 4 threads, lines of 4 elements.
// The programs differ only in the element of each lane. Program number blockIdx.x transposes 16 elements.
#define SIDE 8
#define TILE 4

// Each program transposes two rows. Lane i loads element i and stores the same element.
extern "C" __global__ void rows(int *odata, const int *idata)
{
    int i = threadIdx.x, row = 2 * blockIdx.x + i / SIDE, col = i % SIDE;
    odata[col * SIDE + row] = idata[row * SIDE + col];
}

// Each program transposes two rows. Lanes load and store the elements in column order.
extern "C" __global__ void rows_by_column(int *odata, const int *idata)
{
    int i = threadIdx.x, row = 2 * blockIdx.x + i % 2, col = i / 2;
    odata[col * SIDE + row] = idata[row * SIDE + col];
}

// Each program transposes two rows. Lanes load in row order and store in column order, so most
// elements move to another lane in between.
extern "C" __global__ void rows_exchanged(int *odata, const int *idata)
{
    __shared__ int strip[2 * SIDE];
    int i = threadIdx.x, row = 2 * blockIdx.x;
    strip[i] = idata[row * SIDE + i];
    __syncthreads();
    odata[i / 2 * SIDE + row + i % 2] = strip[i % 2 * SIDE + i / 2];
}

// Each program transposes a tile of 4 x 4 in shared memory.
extern "C" __global__ void tiled(int *odata, const int *idata)
{
    __shared__ int tile[TILE][TILE];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    int left = blockIdx.x % 2 * TILE, top = blockIdx.x / 2 * TILE;
    tile[y][x] = idata[(top + y) * SIDE + left + x];
    __syncthreads();
    odata[(left + y) * SIDE + top + x] = tile[x][y];
}
