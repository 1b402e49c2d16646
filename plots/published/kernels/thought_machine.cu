// Programs of 16 threads on 8 x 8 elements, for the device `toy`: warps of 4 threads, lines of 4 elements.
// The programs differ only in the element of each lane. Program number blockIdx.x transposes 16 elements.
#define SIDE 8
#define TILE 4

// Two rows a program. Lane i loads element i and stores that same element.
extern "C" __global__ void rows(int *odata, const int *idata)
{
    int i = threadIdx.x, row = 2 * blockIdx.x + i / SIDE, col = i % SIDE;
    odata[col * SIDE + row] = idata[row * SIDE + col];
}

// Two rows a program. Lanes take the elements down the columns, both for the load and for the store.
extern "C" __global__ void rows_by_column(int *odata, const int *idata)
{
    int i = threadIdx.x, row = 2 * blockIdx.x + i % 2, col = i / 2;
    odata[col * SIDE + row] = idata[row * SIDE + col];
}

// Two rows a program. Lanes load along the rows and store down the columns, so that most elements
// change lanes in between.
extern "C" __global__ void rows_exchanged(int *odata, const int *idata)
{
    __shared__ int strip[2 * SIDE];
    int i = threadIdx.x, row = 2 * blockIdx.x;
    strip[i] = idata[row * SIDE + i];
    __syncthreads();
    odata[i / 2 * SIDE + row + i % 2] = strip[i % 2 * SIDE + i / 2];
}

// A tile of 4 x 4 a program, turned in shared memory.
extern "C" __global__ void tiled(int *odata, const int *idata)
{
    __shared__ int tile[TILE][TILE];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    int left = blockIdx.x % 2 * TILE, top = blockIdx.x / 2 * TILE;
    tile[y][x] = idata[(top + y) * SIDE + left + x];
    __syncthreads();
    odata[(left + y) * SIDE + top + x] = tile[x][y];
}
