/* nulls.cu LIBRARY NAMES: call each function of the library with null pointers and zeros, and
 * report the functions that crash. The file NAMES has the names of the functions. If a line ends in
 * "handle", the first argument is also a valid handle of each kind, and an invalid handle. Each
 * call runs in a separate process. */
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void one(int *to)
{
    *to = 1;
}

typedef long function(const void *, long, long, long, long, long, long, long);

static void call(const char *name, function *called, const char *what, const void *first)
{
    pid_t child = fork();
    if (!child) {
        const rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        alarm(10);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        called(first, 0, 0, 0, 0, 0, 0, 0);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || WIFSIGNALED(status))
        printf("%s crashes after %s\n", name, what);
    fflush(stdout);
}

static void say(void *text)
{
    puts((const char *)text);
}

int main(int, char **arguments)
{
    int *array;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t kernel_node, set_node, host_node, copy_node;
    cudaMalloc(&array, 64);
    one<<<1, 1>>>(array);
    cudaDeviceSynchronize();
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaGraphCreate(&graph, 0);
    void *values[] = {&array};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)one;
    kernel.gridDim = kernel.blockDim = 1;
    kernel.kernelParams = values;
    cudaMemsetParams set = {};
    set.dst = array;
    set.elementSize = 4;
    set.width = set.height = 1;
    cudaHostNodeParams host = {say, (void *)"host"};
    if (cudaGraphAddKernelNode(&kernel_node, graph, 0, 0, &kernel) ||
        cudaGraphAddMemsetNode(&set_node, graph, &kernel_node, 1, &set) ||
        cudaGraphAddHostNode(&host_node, graph, &set_node, 1, &host) ||
        cudaGraphAddMemcpyNode1D(&copy_node, graph, &host_node, 1, array, array + 4, 4,
                                 cudaMemcpyDefault) ||
        cudaGraphInstantiate(&instance, graph, 0))
        return 1;
    const struct {
        const char *name;
        const void *handle;
    } firsts[] = {{"nothing", NULL},           {"a stream", stream},         {"an event", event},
                  {"a graph", graph},          {"a kernel node", kernel_node}, {"a memset node", set_node},
                  {"a host node", host_node}, {"a copy node", copy_node},   {"an instance", instance}, {"garbage", (void *)0x12345678}};
    void *library = dlopen(arguments[1], RTLD_NOW);
    FILE *names = fopen(arguments[2], "r");
    char line[256], name[256], takes[8];
    unsigned count = 0;
    while (library && names && fgets(line, sizeof line, names)) {
        bool takes_handle = sscanf(line, "%255s %7s", name, takes) == 2;
        function *called = (function *)dlsym(library, name);
        for (const auto &first : firsts)
            if (called && (!first.handle || takes_handle))
                call(name, called, first.name, first.handle);
        count += called != NULL;
    }
    printf("%u functions called\n", count);
    return 0;
}
