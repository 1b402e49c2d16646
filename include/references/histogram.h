/* histogram.h: counts the lowest bytes of unsigned values; `arrays` is {bins, values}. */
#ifndef REFERENCES_HISTOGRAM_H
#define REFERENCES_HISTOGRAM_H

static const char *const mistakes_histogram[] = {
    "the last value is not counted: does the loop or the guard end one element early?",
    "the values after the last multiple of 256 are not counted: is the number of blocks rounded "
    "down?",
    "only the counts of warp 0 are in the result: are the counts of the other warps added?", 0};

static inline void reference_histogram(void *const *arrays, long long width, long long height,
                                       long long matrices, int mistake)
{
    (void)matrices;
    unsigned *bins = (unsigned *)arrays[0], *values = (unsigned *)arrays[1];
    long long count = width * height - (mistake == 1);
    for (long long i = 0; i < (mistake == 2 ? count / 256 * 256 : count); i++)
        bins[values[i] % 256] += mistake != 3 || i % 256 < 32;
}

#endif
