/* laplace.h: the five-point stencil as a CUDA kernel (lab_kernel.h): the sum of the four neighbours
 * of an element, minus four times the element. A neighbour outside the matrix counts as 0. `arrays`
 * is {out, in}. Elements are integers, so that every order of additions gives the same floats. */
#ifndef REFERENCES_LAPLACE_H
#define REFERENCES_LAPLACE_H

#include "../lab_kernel.h"

static const char *const mistakes_laplace[] = {
    "[term-missing] the upper neighbour is missing",
    "[term-missing] the lower neighbour is missing",
    "[term-missing] the left neighbour is missing",
    "[term-missing] the right neighbour is missing",
    "[term-missing] the element itself is not subtracted",
    "[term-weight] the element itself is subtracted once instead of four times",
    "[term-added] at the left and right edges the neighbour is taken from another row: is the "
    "column of each "
    "neighbour compared with 0 and width?",
    "[term-replaced] neighbours outside of the matrix count as the element itself, not as 0",
    "[term-added] at the left edge the neighbour is taken from the previous row: is column - 1 "
    "compared with 0?",
    "[term-added] at the right edge the neighbour is taken from the next row: is column + 1 "
    "compared with "
    "width?",
    "[term-weight] the element is added four times instead of subtracted four times",
    0};

__device__ float neighbour_laplace(const float *in, int width, int height, int row, int col,
                                   float self, int mistake)
{
    const long long index = (long long)row * width + col;
    int inside = row >= 0 && row < height && col >= 0 && col < width;
    if (mistake == 7 || (mistake == 9 && col < 0) || (mistake == 10 && col == width))
        inside = index >= 0 && index < (long long)width * height;
    return inside ? in[index] : mistake == 8 ? self : 0;
}

__global__ void kernel_laplace(float *out, const float *in, int width, int height, int mistake)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float self = in[(size_t)row * width + col];
    float sum = mistake == 5 ? 0 : mistake == 6 ? -self : mistake == 11 ? 4 * self : -4 * self;
    if (mistake != 1)
        sum += neighbour_laplace(in, width, height, row - 1, col, self, mistake);
    if (mistake != 2)
        sum += neighbour_laplace(in, width, height, row + 1, col, self, mistake);
    if (mistake != 3)
        sum += neighbour_laplace(in, width, height, row, col - 1, self, mistake);
    if (mistake != 4)
        sum += neighbour_laplace(in, width, height, row, col + 1, self, mistake);
    out[(size_t)row * width + col] = sum;
}

LAB_KERNEL_REFERENCE(laplace, width, height, 1, (float *)arrays[0], (const float *)arrays[1],
                     (int)width, (int)height, mistake)

#include "../lab_kernel_end.h"

#endif
