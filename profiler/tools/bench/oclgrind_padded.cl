/* The padded transpose of lab 03, in OpenCL, for the comparison with Oclgrind (bench.sh). */
#define TILE 32
#define BLOCK_ROWS 8

kernel void transpose(global float *odata, global const float *idata, int width, int height)
{
    local float tile[TILE][TILE + 1];
    int column = get_group_id(0) * TILE + get_local_id(0);
    int row = get_group_id(1) * TILE + get_local_id(1);
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (column < width && row + i < height)
            tile[get_local_id(1) + i][get_local_id(0)] = idata[(row + i) * width + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    column = get_group_id(1) * TILE + get_local_id(0);
    row = get_group_id(0) * TILE + get_local_id(1);
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (column < height && row + i < width)
            odata[(row + i) * height + column] = tile[get_local_id(0)][get_local_id(1) + i];
}
