/* sum.h: adds values modulo 2^32; `arrays` is {sum, values}. Elements are unsigned, so that the
 * order of additions does not affect the result. */
#ifndef REFERENCES_SUM_H
#define REFERENCES_SUM_H

static const char *const mistakes_sum[] = {"[sum-partial] the last element is missing: does the "
                                           "last thread of the last block add its element?",
                                           "[sum-partial] only the first element of each warp is "
                                           "added: the partial sums of the other lanes are lost",
                                           0};

static inline void reference_sum(void *const *arrays, long long width, long long height,
                                 long long matrices, int mistake)
{
    (void)matrices;
    unsigned *sum = (unsigned *)arrays[0];
    const unsigned *values = (const unsigned *)arrays[1];
    long long count = width * height, last = mistake == 1 ? count - 1 : count;
    sum[0] = 0;
    for (long long i = 0; i < last; i += mistake == 2 ? 32 : 1)
        sum[0] += values[i];
}

#endif
