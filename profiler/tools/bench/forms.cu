/* forms.cu: forms CUBIN...: time labs 11 (batched*) and 12 (inplace*), and a copy of equal size,
 * for forms.sh. Each CUBIN is a lab that was compiled with LAB_HARNESS. The first file is the copy.
 * The result on standard output is CSV with the names of the files. Each kernel is verified before
 * it is timed. An incorrect kernel is reported on standard error and omitted. A batch contains
 * `matrices` matrices of `rows` x `cols`. */
#include "rounds.cuh"

#include <cstring>
#include <cuda.h>
#include <string>

__global__ void check(const float *out, size_t rows, size_t cols, size_t count, unsigned long long *wrong)
{
    EACH(i, count) {
        size_t size = rows * cols, at = i % size, from = i - at + at % rows * cols + at / rows;
        if (out[i] != value(from))
            atomicAdd(wrong, 1ull);
    }
}

struct lab {
    std::string name;
    CUfunction kernel, shape;
    bool batch, in_place;
};

struct problem {
    int matrices, rows, cols;
};

static lab load(const char *path)
{
    lab made = {};
    made.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    made.name = made.name.substr(0, made.name.find('.'));
    CUmodule module;
    TRY(cuModuleLoad(&module, path));
    TRY(cuModuleGetFunction(&made.kernel, module, "transpose"));
    TRY(cuModuleGetFunction(&made.shape, module, "lab_launch_shape"));
    made.batch = !made.name.compare(0, 7, "batched");
    made.in_place = !made.name.compare(0, 7, "inplace");
    return made;
}

static unsigned *shape_words; /* launch configuration: 7 words of managed memory */

static void ask(const lab &lab, const problem &p, unsigned shape[7])
{
    int height = lab.batch || lab.in_place ? p.rows : p.rows * p.matrices;
    void *arguments[] = {&shape_words, (void *)&p.cols, &height, (void *)&p.matrices};
    TRY(cuLaunchKernel(lab.shape, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
    TRY(cudaDeviceSynchronize());
    memcpy(shape, shape_words, 7 * sizeof *shape);
}

static void launch(const lab &lab, const problem &p, const unsigned shape[7], float *out, float *in)
{
    int height = lab.batch || lab.in_place ? p.rows : p.rows * p.matrices;
    void *normal[] = {&out, &in, (void *)&p.cols, &height, (void *)&p.matrices};
    void *in_place[] = {&in, (void *)&p.cols, &height};
    TRY(cuLaunchKernel(lab.kernel, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6], 0,
                       lab.in_place ? in_place : normal, 0));
}

static void measure(std::vector<lab> &labs, const problem &p, bool in_place)
{
    size_t count = (size_t)p.matrices * p.rows * p.cols;
    float *in, *out;
    unsigned long long *wrong;
    std::vector<const lab *> turns;
    std::vector<std::function<void()>> launches;
    TRY(cudaMalloc(&in, count * 4));
    TRY(cudaMalloc(&out, count * 4));
    TRY(cudaMallocManaged(&wrong, sizeof *wrong));
    for (const lab &lab : labs) {
        const bool copy = !lab.batch && !lab.in_place;
        if (!copy && lab.in_place != in_place)
            continue;
        std::vector<unsigned> shape(7);
        ask(lab, p, shape.data());
        if (shape[1] > 65535 || shape[2] > 65535) {
            fprintf(stderr, "%d x %d x %d: %s requires a grid that is too large\n", p.matrices, p.rows, p.cols, lab.name.c_str());
            continue;
        }
        make<<<1024, 256>>>(in, count);
        TRY(cudaMemset(out, 0xff, count * 4));
        launch(lab, p, shape.data(), out, in);
        *wrong = 0;
        if (!copy)
            check<<<1024, 256>>>(lab.in_place ? in : out, p.rows, p.cols, count, wrong);
        TRY(cudaDeviceSynchronize());
        if (*wrong) {
            fprintf(stderr, "%d x %d x %d: %s has %llu incorrect elements\n", p.matrices, p.rows, p.cols, lab.name.c_str(), *wrong);
            continue;
        }
        turns.push_back(&lab);
        launches.push_back([&lab, &p, shape, out, in] { launch(lab, p, shape.data(), out, in); });
    }
    std::vector<times> us = measure_rounds(launches);
    for (size_t i = 0; i < turns.size(); i++)
        printf("%d,%d,%d,%s,%.3f,%.3f,%.1f,%.1f\n", p.matrices, p.rows, p.cols, turns[i]->name.c_str(), us[i].us, us[i].best,
               8e-3 * (double)count / us[i].us, 100 * us[0].us / us[i].us);
    TRY(cudaFree(in));
    TRY(cudaFree(out));
    TRY(cudaFree(wrong));
}

int main(int argc, char **argv)
{
    static const problem batches[] = {{4096, 64, 64}, {512, 128, 1024}, {16, 2048, 2048}, {1024, 256, 256},
                                      {1000, 100, 77}, {70000, 30, 40}};
    static const int sides[] = {4096, 8192, 16384, 32768, 5000, 8191};
    TRY(cudaMallocManaged(&shape_words, 7 * sizeof *shape_words));
    std::vector<lab> labs;
    for (int i = 1; i < argc; i++)
        labs.push_back(load(argv[i]));
    printf("matrices,rows,cols,kernel,time_us,best_us,effective_bandwidth_gbps,copy_pct\n");
    for (const problem &p : batches)
        measure(labs, p, false);
    for (int n : sides)
        measure(labs, {1, n, n}, true);
    return 0;
}
