/* laplace.h: the five-point stencil: out[r][c] = the sum of the four neighbours of in[r][c], less
 * four times in[r][c]. Neighbours outside of the matrix count as 0.
 *
 * arrays: out, in. Elements are whole numbers, so that every order of adding gives the same floats.
 */
#ifndef REFERENCES_LAPLACE_H
#define REFERENCES_LAPLACE_H

static const char *const mistakes_laplace[] = {
    "the upper neighbour is left out",
    "the lower neighbour is left out",
    "the left neighbour is left out",
    "the right neighbour is left out",
    "the element itself is not subtracted",
    "the element itself is subtracted once, not four times",
    "at the left and right edge the neighbour is taken from the row before or after: is each "
    "neighbour's column compared with 0 and width?",
    "neighbours outside of the matrix count as the element itself, not as 0",
    0};

static inline float reference_laplace_at(const float *in, long long width, long long height,
                                         long long r, long long c, float self, int mistake)
{
    int inside = r >= 0 && r < height && c >= 0 && c < width;
    if (mistake == 7 && !inside) {
        long long index = r * width + c;
        inside = index >= 0 && index < width * height;
    }
    return inside ? in[r * width + c] : mistake == 8 ? self : 0;
}

static inline void reference_laplace(void *const *arrays, long long width, long long height,
                                     long long matrices, int mistake)
{
    (void)matrices;
    float *out = (float *)arrays[0];
    const float *in = (const float *)arrays[1];
    for (long long r = 0; r < height; r++)
        for (long long c = 0; c < width; c++) {
            float self = in[r * width + c];
            float sum = mistake == 5 ? 0 : mistake == 6 ? -self : -4 * self;
            if (mistake != 1)
                sum += reference_laplace_at(in, width, height, r - 1, c, self, mistake);
            if (mistake != 2)
                sum += reference_laplace_at(in, width, height, r + 1, c, self, mistake);
            if (mistake != 3)
                sum += reference_laplace_at(in, width, height, r, c - 1, self, mistake);
            if (mistake != 4)
                sum += reference_laplace_at(in, width, height, r, c + 1, self, mistake);
            out[r * width + c] = sum;
        }
}

#endif
