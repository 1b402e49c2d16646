// sharing.cu: find the loads of one line by two SMs that reach the L2 as one load (measure_sharing.sh).
//
//   sharing MAP TABLE   writes MAP, "grid,block,sm" of the first blocks of some grids and "cluster,number,sm" of
//                       the SMs on which clusters ran. Then it launches `share` many times and writes the
//                       parameters of each launch to TABLE, in order, so that ncu's counters can be added.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SMS = 160, LINES = 512, LINE_FLOATS = 32, ALONE = 200 << 10 };

#define CHECK(call)                                                                                            \
    do {                                                                                                       \
        cudaError_t error = (call);                                                                            \
        if (error) {                                                                                           \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                     \
            exit(2);                                                                                           \
        }                                                                                                      \
    } while (0)

__device__ static unsigned sm_number()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

__device__ static float load(const float *p)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}

// Record the SM of a block. The block waits, so that all blocks of the first wave are resident together.
extern "C" __global__ void where(unsigned *sms)
{
    extern __shared__ unsigned box[];
    long long start = clock64();
    while (clock64() - start < 20000)
        box[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        sms[blockIdx.x] = sm_number();
}

// The parameters of a launch of `share`. On each SM with a rank (from 0; -1: none), one warp loads LINES lines. It loads
// line i at period * i + rank * (first_delay + i * step) clocks after all warps were ready; period 0: without waiting.
struct plan {
    short rank[MAX_SMS];
    int members, warm, period, first_delay, step;
    int begin[2], end[2]; // lanes that load: of rank 0, and of the other ranks
};

extern "C" __global__ void share(unsigned *ready, const float *in, float *out, struct plan plan)
{
    int rank = plan.rank[sm_number()], lane = threadIdx.x, other = rank > 0;
    float sum = 0;
    if (rank < 0)
        return;
    if (plan.warm && rank == 0)
        for (int i = 0; i < LINES; i++)
            sum += __ldcg(in + i * LINE_FLOATS + lane);
    if (sum == 1)
        out[1] = 1;
    if (lane == 0) {
        __threadfence();
        atomicAdd(ready, 1);
        while (atomicAdd(ready, 0) % plan.members != 0)
            ;
    }
    __syncwarp();
    long long start = clock64();
    bool is_on = lane >= plan.begin[other] && lane < plan.end[other];
    if (plan.period == 0) {
#pragma unroll 16
        for (int i = 0; i < LINES; i++)
            if (is_on)
                sum += load(in + i * LINE_FLOATS + lane);
    } else {
        for (int i = 0; i < LINES; i++) {
            long long at = start + plan.period * (i + 2LL) + (long long)rank * (plan.first_delay + i * plan.step);
            while (clock64() < at)
                ;
            if (is_on)
                sum += load(in + i * LINE_FLOATS + lane);
            __syncwarp();
        }
    }
    if (sum == 1)
        out[0] = 1;
}

static unsigned *ready, *sms;
static float *in, *out;
static int sm_count;
static FILE *map, *table;
static int group[MAX_SMS]; // by SM: the same number if a cluster used both SMs

static void map_grid(const char *name, int grid, int threads, int shared)
{
    static unsigned host[1 << 16];
    CHECK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    where<<<grid, threads, shared>>>(sms);
    CHECK(cudaMemcpy(host, sms, grid * sizeof *host, cudaMemcpyDeviceToHost));
    for (int b = 0; b < grid; b++)
        fprintf(map, "%s,%d,%u\n", name, b, host[b]);
}

static void join(int a, int b)
{
    int from = group[b], to = group[a];
    for (int s = 0; s < sm_count; s++)
        if (group[s] == from)
            group[s] = to;
}

static void map_clusters(int size)
{
    static unsigned host[MAX_SMS];
    int grid = sm_count / size * size;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = grid, config.blockDim = 32, config.dynamicSmemBytes = ALONE;
    config.attrs = &attribute, config.numAttrs = 1;
    CHECK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    CHECK(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (cudaLaunchKernelEx(&config, where, sms) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    CHECK(cudaMemcpy(host, sms, grid * sizeof *host, cudaMemcpyDeviceToHost));
    for (int b = 0; b < grid; b++) {
        fprintf(map, "cluster %d,%d,%u\n", size, b / size, host[b]);
        if (size > 2)
            join((int)host[b / size * size], (int)host[b]);
    }
}

static void run(const char *name, struct plan plan)
{
    fprintf(table, "%s,%d,%d,%d,%d,%d,%d-%d,%d-%d,", name, plan.members, plan.warm, plan.period, plan.first_delay,
            plan.step, plan.begin[0], plan.end[0], plan.begin[1], plan.end[1]);
    for (int rank = 0; rank < plan.members && rank < 8; rank++)
        for (int s = 0; s < sm_count; s++)
            if (plan.rank[s] == rank)
                fprintf(table, "%s%d", rank ? " " : "", s);
    fprintf(table, "\n");
    CHECK(cudaMemset(ready, 0, 4));
    CHECK(cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    share<<<sm_count, 32, ALONE>>>(ready, in, out, plan);
    CHECK(cudaDeviceSynchronize());
}

static struct plan plan_of(int warm, int period, int first_delay, int step)
{
    struct plan plan = {{0}, 0, warm, period, first_delay, step, {0, 0}, {32, 32}};
    memset(plan.rank, -1, sizeof plan.rank);
    return plan;
}

static void add(struct plan *plan, int sm) { plan->rank[sm] = (short)plan->members++; }

// Load from two SMs, with delays of -4096 to 4096 clocks: the share of joined loads shows for how long loads can join.
static void sweep(const char *name, int a, int b, int warm, int begin, int end, int other_begin, int other_end)
{
    struct plan plan = plan_of(warm, 10000, -4096, 16);
    add(&plan, a), add(&plan, b);
    plan.begin[0] = begin, plan.end[0] = end, plan.begin[1] = other_begin, plan.end[1] = other_end;
    run(name, plan);
}

int main(int argc, char **argv)
{
    if (argc != 3 || !(map = fopen(argv[1], "w")) || !(table = fopen(argv[2], "w"))) {
        fprintf(stderr, "usage: sharing MAP TABLE\n");
        return 2;
    }
    CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
    if (sm_count > MAX_SMS)
        return 2;
    CHECK(cudaMalloc(&ready, 4));
    CHECK(cudaMalloc(&sms, 4 << 16));
    CHECK(cudaMalloc(&in, LINES * LINE_FLOATS * sizeof *in));
    CHECK(cudaMemset(in, 0, LINES * LINE_FLOATS * sizeof *in));
    CHECK(cudaMalloc(&out, 256));
    for (int s = 0; s < sm_count; s++)
        group[s] = s;
    map_grid("1 block an SM", sm_count, 32, ALONE);
    map_grid("8 blocks of 256", 8 * sm_count, 256, 16 << 10);
    map_grid("8 blocks of 256 again", 10 * sm_count, 256, 16 << 10);
    map_grid("2 blocks of 1024", 2 * sm_count, 1024, 16 << 10);
    for (int size = 2; size <= 16; size *= 2)
        map_clusters(size);

    struct plan plan;
    for (int warm = 0; warm < 2; warm++) {
        for (int s = 1; s < sm_count; s++)
            sweep("pair", 0, s, warm, 0, 32, 0, 32);
        for (int i = 0; i < 2; i++) { // SMs in the order of their numbers: how many loads join
            static const int sizes[] = {2, 4, 8, 16, 32, 66, 132};
            for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                plan = plan_of(warm, i ? 10000 : 0, 0, 0);
                for (int s = 0; s < sizes[k] && s < sm_count; s++)
                    add(&plan, s);
                run(i ? "first, in time" : "first, fast", plan);
            }
        }
        for (int first = 0; first < sm_count; first++) { // for one group: more and more of its SMs
            int size = 0;
            for (int s = 0; s < sm_count; s++)
                size += group[s] == group[first];
            if (size < 3 || group[first] != group[0])
                continue;
            for (int members = 2; members <= size && first == 0; members++) {
                plan = plan_of(warm, 10000, 0, 0);
                for (int s = 0; s < sm_count && plan.members < members; s++)
                    if (group[s] == group[first])
                        add(&plan, s);
                run("group, in time", plan);
            }
            if (first == 0)
                continue;
            sweep("sector", 0, first, warm, 0, 8, 0, 8);
            sweep("other sector", 0, first, warm, 0, 8, 8, 16);
            sweep("sectors that overlap", 0, first, warm, 0, 16, 8, 24);
            sweep("line, sector", 0, first, warm, 0, 32, 0, 8);
            sweep("sector, line", 0, first, warm, 0, 8, 0, 32);
            sweep("parts of a sector", 0, first, warm, 0, 4, 4, 8);
        }
    }
    return 0;
}
