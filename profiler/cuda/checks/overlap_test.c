/* Tests of overlap.c: operations in unsynchronized streams and in branches of graphs. */
#include "cuda/abi.h"
#include "cuda/checks/overlap.c" /* Included here, because the linker would omit it. */
#include "cuda/functions_test.h"
#include "cuda/runtime_test.h"

extern any_function cudaMalloc, cudaMemset, cudaFree, cudaGetDevice, cudaLibraryLoadData,
    cudaLibraryGetKernel, cudaLibraryUnload, cudaStreamCreateWithFlags, cudaStreamDestroy,
    cudaDeviceSynchronize, cudaGraphCreate, cudaGraphAddMemsetNode, cudaGraphInstantiate,
    cudaGraphLaunch, cuLaunchKernel, cudaStreamSynchronize;

static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry get(.param .u64 to, .param .u64 from)\n"
    "{\n.reg .b32 %r<2>;\n.reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [to];\nld.param.u64 %d2, [from];\n"
    "ld.global.u32 %r1, [%d2];\nst.global.u32 [%d1], %r1;\nret;\n}\n"
    ".visible .entry put(.param .u64 to)\n"
    "{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [to];\nmov.u32 %r1, 3;\nst.global.u32 [%d1], %r1;\nret;\n}\n"
    ".visible .entry count(.param .u64 to)\n"
    "{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [to];\natom.global.add.u32 %r1, [%d1], 1;\nret;\n}\n";

static struct runtime_report *report;
static void *get, *put, *count, *first, *second, *values, *other;

static int start(void **state)
{
    void *library;
    (void)state;
    report = runtime_test_start(1);
    if (!report)
        return -1;
    EXPECT(0, cudaGetDevice, P(&(int){0}));
    runtime_test_forget_file();
    EXPECT(0, cudaLibraryLoadData, P(&library), P(ptx));
    EXPECT(0, cudaLibraryGetKernel, P(&get), P(library), P("get"));
    EXPECT(0, cudaLibraryGetKernel, P(&put), P(library), P("put"));
    EXPECT(0, cudaLibraryGetKernel, P(&count), P(library), P("count"));
    EXPECT(0, cudaStreamCreateWithFlags, P(&first), 1);
    EXPECT(0, cudaStreamCreateWithFlags, P(&second), 1);
    EXPECT(0, cudaMalloc, P(&values), 64);
    EXPECT(0, cudaMalloc, P(&other), 64);
    EXPECT(0, cudaMemset, P(values), 0, 64);
    EXPECT(0, cudaMemset, P(other), 0, 64);
    EXPECT(0, cudaDeviceSynchronize, 0);
    return 0;
}

enum access { GET, PUT, COUNT };

static void run(enum access work, void *stream)
{
    void *reads[] = {&other, &values}, *writes[] = {&values};
    EXPECT(0, cuLaunchKernel,
           P(work == GET   ? get
             : work == PUT ? put
                           : count),
           1, 1, 1, 1, 1, 1, 0, P(stream), work == GET ? P(reads) : P(writes), 0);
}

static int findings(void (*function)(const void *), const void *what)
{
    int status;
    pid_t child = fork();
    if (!child) {
        unsigned before = report->wrong;
        function(what);
        _exit((int)(report->wrong - before));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

struct pair {
    enum access older, newer;
    bool waits;
    int findings;
};

static void run_pair(const void *what)
{
    const struct pair *pair = what;
    run(pair->older, first);
    if (pair->waits)
        EXPECT(0, cudaStreamSynchronize, P(first));
    run(pair->newer, second);
}

static void kernels_race_on_written_memory(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {GET, PUT, false, 1},   {PUT, GET, false, 1},   {PUT, PUT, false, 0},
        {GET, COUNT, false, 1}, {COUNT, GET, false, 1}, {COUNT, COUNT, false, 0},
        {GET, COUNT, true, 0},  {PUT, GET, true, 0},    {PUT, COUNT, false, 1},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (findings(run_pair, &pairs[i]) != pairs[i].findings)
            fail_msg("pair %zu", i);
}

static void run_graph(const void *what)
{
    void *graph = NULL, *instance = NULL, *root = NULL, *one = NULL, *two = NULL;
    const bool *is_chain = what;
    const struct set_node set = {values, 8, 1, 1, 8, 1}, elsewhere = {other, 8, 1, 1, 8, 1};
    EXPECT(0, cudaGraphCreate, P(&graph), 0);
    EXPECT(0, cudaGraphAddMemsetNode, P(&root), P(graph), 0, 0, P(&elsewhere));
    EXPECT(0, cudaGraphAddMemsetNode, P(&one), P(graph), P(&root), 1, P(&set));
    EXPECT(0, cudaGraphAddMemsetNode, P(&two), P(graph), P(*is_chain ? &one : &root), 1, P(&set));
    EXPECT(0, cudaGraphInstantiate, P(&instance), P(graph), 0);
    EXPECT(0, cudaGraphLaunch, P(instance), P(first));
}

static void branches_of_a_graph_race(void **state)
{
    (void)state;
    assert_int_equal(findings(run_graph, &(bool){false}), 1);
    assert_int_equal(findings(run_graph, &(bool){true}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_race_on_written_memory),
        cmocka_unit_test(branches_of_a_graph_race),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
