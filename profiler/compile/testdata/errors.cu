extern "C" __global__ void errors(float *out, int n)
{
    out[n] = undeclared_one; // line 3
    out[n] = undeclared_two;
    out[n] = undeclared_three;
    out[n] = undeclared_four;
    out[n] = undeclared_five;
    out[n] = undeclared_six;
}
