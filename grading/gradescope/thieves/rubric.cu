// Shows a rubric, with another directive than #include.
#include "lab.h"

LAB(padded);

#import "/autograder/source/secret/rubrics/padded.json"
#include_next "/autograder/source/secret/rubrics/padded.json"

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
}

LAB_LAUNCH(width, height)
{
    return {dim3(1), dim3(32)};
}
