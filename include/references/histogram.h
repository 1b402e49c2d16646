/* histogram.h: counts the lowest bytes of unsigned values; `arrays` is {bins, values}. */
#ifndef REFERENCES_HISTOGRAM_H
#define REFERENCES_HISTOGRAM_H

static const char *const mistakes_histogram[] = {
    "[counts-missing] the last value is not counted: does the loop or the guard end one element "
    "early?",
    "[counts-missing] the values after the last multiple of 256 are not counted: is the number of "
    "blocks rounded "
    "down?",
    "[counts-missing] only the counts of warp 0 are in the result: are the counts of the other "
    "warps added?",
    "[bin-wrong] the highest byte of a value selects the bin, instead of the lowest byte",
    "[bin-wrong] the second byte of a value selects the bin, instead of the lowest byte",
    "[bin-wrong] a value is counted in bin value % 255, instead of value % 256",
    "[bin-wrong] bit 7 of a value is ignored: the bin is value % 128, instead of value % 256",
    "[bin-wrong] a value above 255 is counted in bin 255, instead of bin value % 256",
    "[counts-missing] each bin contains only the counts of one warp: are the counts of all warps "
    "added to each bin?",
    0};

static inline void reference_histogram(void *const *arrays, long long width, long long height,
                                       long long matrices, int mistake)
{
    (void)matrices;
    unsigned *bins = (unsigned *)arrays[0], *values = (unsigned *)arrays[1];
    long long count = width * height - (mistake == 1);
    for (long long i = 0; i < (mistake == 2 ? count / 256 * 256 : count); i++) {
        unsigned value = values[i], bin = mistake == 4                  ? value >> 24
                                          : mistake == 5                ? value >> 8
                                          : mistake == 6                ? value % 255
                                          : mistake == 7                ? value % 128
                                          : mistake == 8 && value > 255 ? 255
                                                                        : value;
        bins[bin % 256] += mistake == 3   ? i % 256 < 32
                           : mistake == 9 ? i / 32 % 8 == values[i] % 256 / 32
                                          : 1;
    }
}

#endif
