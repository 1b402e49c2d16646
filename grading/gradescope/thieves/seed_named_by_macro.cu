// Shows the secret seed, by a name that is in no #include.
#include "lab.h"

LAB(padded);

#define TEXT(word) #word
#define NAME(word) TEXT(word)
#include NAME(/autograder/source/secret/seed)

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
}

LAB_LAUNCH(width, height)
{
    return {dim3(1), dim3(32)};
}
