/* api_fuzz.c: fuzz the CUDA runtime and driver with sequences of calls, some with invalid handles.
 * A model contains the expected bytes of each allocation, the valid handles, and the operations of
 * graphs. Every call must succeed or fail as in the model. */
#include "cuda/abi.h"
#include "cuda/checks/overlap.c" /* Included here, because the linker would omit it. */
#include "cuda/core/runtime.h"
#include "cuda/runtime_test.h"
#include "tools/fuzz/fuzz.h"

#include <stdbool.h>

enum { SLOTS = 48, STEPS = 8, BYTES_MAX = 4096, CALLS_MAX = 400 };

int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaMemGetInfo(size_t *, size_t *);
int cudaDeviceSynchronize(void);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamDestroy(void *);
int cudaStreamSynchronize(void *);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaEventCreateWithFlags(void **, unsigned);
int cudaEventDestroy(void *);
int cudaEventRecord(void *, void *);
int cudaEventSynchronize(void *);
int cudaEventElapsedTime(float *, void *, void *);
int cudaGraphCreate(void **, unsigned);
int cudaGraphDestroy(void *);
int cudaGraphClone(void **, void *);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphExecDestroy(void *);
int cudaGraphLaunch(void *, void *);
int cudaGraphAddMemsetNode(void **, void *, void *const *, size_t, const struct set_node *);
int cudaGraphAddKernelNode(void **, void *, void *const *, size_t, const struct kernel_node *);
int cudaGraphAddMemcpyNode1D(void **, void *, void *const *, size_t, void *, const void *, size_t,
                             int);
int cudaLibraryLoadData(void **, const void *, const int *, void **, unsigned, const int *, void **,
                        unsigned);
int cudaLibraryGetKernel(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void *, void **, void **);

enum kind { MEMORY, STREAM, EVENT, GRAPH, INSTANCE, KINDS };

struct step { /* a node of a graph, or an operation in a stream */
    enum { SET, COPY, KERNEL } kind;
    unsigned to, from;
    size_t at, from_at, bytes;
    unsigned char value;
};

struct slot {
    enum kind kind;
    void *handle;
    bool is_live;
    unsigned char *model;
    size_t bytes;
    struct step steps[STEPS];
    unsigned step_count;
    bool is_capturing, is_broken;
    bool is_closed; /* True for a graph with an unknown last node. */
    void *last_node;
    bool is_recorded;
};

static struct slot slots[SLOTS];
static unsigned slot_count, capturing_count;
static size_t live_bytes, used_before;
static void *kernel;

static const uint8_t *input;
static size_t input_left;

static unsigned byte(void)
{
    return input_left ? (input_left--, *input++) : 0;
}

static unsigned word(void)
{
    unsigned high = byte();
    return high << 8 | byte();
}

static bool has_room(void)
{
    return slot_count < SLOTS;
}

static struct slot *add(enum kind kind, void *handle)
{
    struct slot *slot = &slots[slot_count++];
    *slot = (struct slot){.kind = kind, .handle = handle, .is_live = true};
    return slot;
}

static struct slot *any(void)
{
    unsigned number = byte();
    return slot_count ? &slots[number % slot_count] : NULL;
}

static struct slot *any_of(enum kind kind)
{
    unsigned number = byte();
    for (unsigned i = 0; i < slot_count; i++) {
        struct slot *slot = &slots[(number + i) % slot_count];
        if (slot->kind == kind)
            return slot;
    }
    return NULL;
}

/* Returns a slot of this kind in at least 3 of 4 calls if there is one, otherwise any slot. */
static struct slot *mostly(enum kind kind)
{
    struct slot *slot = byte() % 4 ? any_of(kind) : NULL;
    return slot ? slot : any();
}

static size_t draw_bytes(size_t room)
{
    unsigned number = word();
    return number % 4 == 0 ? room : number % 4 == 1 ? room + 1 : number / 4 % BYTES_MAX;
}

static bool is_good(const struct slot *slot, enum kind kind)
{
    return slot->kind == kind && slot->is_live;
}

static bool holds(const struct slot *memory, size_t at, size_t bytes)
{
    return memory->is_live && at < memory->bytes && bytes <= memory->bytes - at;
}

static bool step_apply(const struct step *step)
{
    const struct slot *to = &slots[step->to], *from = &slots[step->from];
    if (!step->bytes)
        return true;
    if (!holds(to, step->at, step->bytes) ||
        (step->kind == COPY && !holds(from, step->from_at, step->bytes)))
        return false;
    if (step->kind == SET)
        memset(to->model + step->at, step->value, step->bytes);
    else if (step->kind == COPY)
        memmove(to->model + step->at, from->model + step->from_at, step->bytes);
    for (size_t i = 0; step->kind == KERNEL && i < step->bytes; i += 4) {
        uint32_t value;
        memcpy(&value, to->model + step->at + i, sizeof value);
        value += step->value;
        memcpy(to->model + step->at + i, &value, sizeof value);
    }
    return true;
}

/* Returns false if a kernel would write to freed memory, which corrupts the context. */
static bool is_safe(const struct step *step)
{
    return step->kind != KERNEL || !step->bytes || holds(&slots[step->to], step->at, step->bytes);
}

static bool draw_step(struct step *step)
{
    const struct slot *to = any_of(MEMORY), *from = any_of(MEMORY);
    if (!to)
        return false;
    *step = (struct step){.to = (unsigned)(to - slots), .from = (unsigned)(from - slots)};
    step->kind = byte() % 3;
    step->at = word() % (to->bytes + 1);
    step->from_at = word() % (from->bytes + 1);
    step->value = (unsigned char)byte();
    step->bytes = draw_bytes(to->bytes - step->at);
    if (step->kind == KERNEL) {
        step->at -= step->at % 4;
        size_t room = to->bytes - step->at;
        step->bytes = (step->bytes < room ? step->bytes : room) / 4 * 4;
    }
    return is_safe(step);
}

static void *pointer_of(unsigned slot, size_t at)
{
    return (char *)slots[slot].handle + at;
}

static void demand(int error, bool is_expected, const char *what)
{
    FUZZ_DEMAND((error == 0) == is_expected, "%s returned %d", what, error);
}
#define DEMAND(expected, call) demand(call, expected, #call)

static void allocate(void)
{
    void *pointer = NULL;
    size_t bytes = 1 + word() % BYTES_MAX;
    if (!has_room())
        return;
    DEMAND(true, cudaMalloc(&pointer, bytes));
    DEMAND(true, cudaMemsetAsync(pointer, 0, bytes, NULL));
    struct slot *slot = add(MEMORY, pointer);
    slot->bytes = bytes;
    slot->model = calloc(bytes, 1);
    FUZZ_DEMAND(slot->model, "no memory");
    live_bytes += bytes;
}

static void kernel_arguments(const struct step *step, void **pointer, unsigned *count,
                             unsigned *value)
{
    *pointer = pointer_of(step->to, step->at);
    *count = (unsigned)(step->bytes / 4);
    *value = step->value;
}

static int submit(const struct step *step, void *stream)
{
    void *to = pointer_of(step->to, step->at), *pointer;
    unsigned count, value;
    kernel_arguments(step, &pointer, &count, &value);
    void *arguments[] = {&pointer, &count, &value};
    return step->kind == SET ? cudaMemsetAsync(to, step->value, step->bytes, stream)
           : step->kind == COPY
               ? cudaMemcpyAsync(to, pointer_of(step->from, step->from_at), step->bytes,
                                 COPY_IN_DEVICE, stream)
               : cuLaunchKernel(kernel, count / 64 + 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL);
}

static void work(void)
{
    struct step step;
    struct slot *stream = byte() % 2 ? mostly(STREAM) : NULL;
    if (!draw_step(&step))
        return;
    bool good = !stream || is_good(stream, STREAM);
    if (stream && good && stream->is_capturing) {
        if (stream->step_count == STEPS)
            return;
        stream->steps[stream->step_count++] = step;
        DEMAND(true, submit(&step, stream->handle));
        return;
    }
    good = good && step_apply(&step);
    DEMAND(good, submit(&step, stream ? stream->handle : NULL));
}

static void copy_in(void)
{
    unsigned char bytes[BYTES_MAX + 1];
    const struct slot *to = any_of(MEMORY);
    if (!to)
        return;
    size_t at = word() % (to->bytes + 1), count = draw_bytes(to->bytes - at);
    memset(bytes, (int)byte(), count);
    bool good = !count || holds(to, at, count);
    if (good && count)
        memcpy(to->model + at, bytes, count);
    DEMAND(good, cudaMemcpy((char *)to->handle + at, bytes, count, COPY_TO_DEVICE));
}

static void copy_out(void)
{
    unsigned char bytes[BYTES_MAX + 1];
    const struct slot *from = any_of(MEMORY);
    if (!from)
        return;
    size_t at = word() % (from->bytes + 1), count = draw_bytes(from->bytes - at);
    bool good = !count || holds(from, at, count);
    DEMAND(good, cudaMemcpy(bytes, (char *)from->handle + at, count, COPY_FROM_DEVICE));
    FUZZ_DEMAND(!good || !count || !memcmp(bytes, from->model + at, count),
                "a copy returned other bytes");
}

static void end_capture(struct slot *stream)
{
    void *graph = NULL;
    bool good = is_good(stream, STREAM) && stream->is_capturing && !stream->is_broken;
    DEMAND(good, cudaStreamEndCapture(stream->handle, &graph));
    if (!is_good(stream, STREAM) || !stream->is_capturing)
        return;
    stream->is_capturing = false;
    capturing_count--;
    if (good && has_room()) {
        struct slot *made = add(GRAPH, graph);
        made->is_closed = true;
        made->step_count = stream->step_count;
        memcpy(made->steps, stream->steps, sizeof made->steps);
    } else if (good) {
        DEMAND(true, cudaGraphDestroy(graph));
    }
}

static void destroy(struct slot *slot, enum kind kind)
{
    static int (*const functions[KINDS])(void *) = {cudaFree, cudaStreamDestroy, cudaEventDestroy,
                                                    cudaGraphDestroy, cudaGraphExecDestroy};
    if (is_good(slot, STREAM) && slot->is_capturing && kind == STREAM)
        end_capture(slot);
    bool good = is_good(slot, kind);
    demand(functions[kind](slot->handle), good, "a function that destroys an object");
    if (!good)
        return;
    slot->is_live = false;
    live_bytes -= kind == MEMORY ? slot->bytes : 0;
}

static void synchronize(struct slot *slot)
{
    if (byte() % 2) {
        DEMAND(is_good(slot, EVENT), cudaEventSynchronize(slot->handle));
        return;
    }
    bool captures = is_good(slot, STREAM) && slot->is_capturing;
    slot->is_broken |= captures;
    DEMAND(is_good(slot, STREAM) && !captures, cudaStreamSynchronize(slot->handle));
}

static void begin_capture(struct slot *stream)
{
    bool good = is_good(stream, STREAM) && !stream->is_capturing;
    DEMAND(good, cudaStreamBeginCapture(stream->handle, 0));
    if (!good)
        return;
    stream->is_capturing = true;
    stream->is_broken = false;
    stream->step_count = 0;
    capturing_count++;
}

static void use_event(struct slot *event, struct slot *stream)
{
    bool good = is_good(event, EVENT) && is_good(stream, STREAM);
    float ms;
    switch (byte() % 3) {
    case 0:
        if (!capturing_count) { /* during a capture, the event would belong to the graph */
            DEMAND(good, cudaEventRecord(event->handle, stream->handle));
            event->is_recorded |= good;
        }
        break;
    case 1:
        if (!capturing_count)
            DEMAND(good, cudaStreamWaitEvent(stream->handle, event->handle, 0));
        break;
    default: /* `stream` may also be an event. */
        good = is_good(event, EVENT) && is_good(stream, EVENT) && event->is_recorded &&
               stream->is_recorded;
        DEMAND(good, cudaEventElapsedTime(&ms, event->handle, stream->handle));
        FUZZ_DEMAND(!good || (ms > -1e12f && ms < 1e12f), "%g ms", (double)ms);
    }
}

static void add_node(struct slot *graph)
{
    struct step step;
    void *node = NULL, *pointer;
    unsigned count, value;
    if (!draw_step(&step) || (graph->kind == GRAPH && graph->is_closed) ||
        graph->step_count == STEPS)
        return;
    void *const *before = graph->last_node ? &graph->last_node : NULL;
    kernel_arguments(&step, &pointer, &count, &value);
    void *arguments[] = {&pointer, &count, &value};
    const struct kernel_node launch = {kernel, {count / 64 + 1, 1, 1}, {64, 1, 1}, 0, arguments,
                                       NULL};
    const struct set_node set = {pointer, step.bytes, step.value, 1, step.bytes, 1};
    int error = step.kind == SET
                    ? cudaGraphAddMemsetNode(&node, graph->handle, before, !!before, &set)
                : step.kind == COPY
                    ? cudaGraphAddMemcpyNode1D(&node, graph->handle, before, !!before, pointer,
                                               pointer_of(step.from, step.from_at), step.bytes,
                                               COPY_IN_DEVICE)
                    : cudaGraphAddKernelNode(&node, graph->handle, before, !!before, &launch);
    demand(error, is_good(graph, GRAPH), "a function that adds a node");
    if (!error) {
        graph->last_node = node;
        graph->steps[graph->step_count++] = step;
    }
}

static void copy_graph(const struct slot *graph, bool makes_instance)
{
    void *made = NULL;
    if (!has_room())
        return;
    bool good = is_good(graph, GRAPH);
    if (makes_instance)
        DEMAND(good, cudaGraphInstantiate(&made, graph->handle, 0));
    else
        DEMAND(good, cudaGraphClone(&made, graph->handle));
    if (!good)
        return;
    struct slot *slot = add(makes_instance ? INSTANCE : GRAPH, made);
    slot->is_closed = true;
    slot->step_count = graph->step_count;
    memcpy(slot->steps, graph->steps, sizeof slot->steps);
}

static void launch_graph(struct slot *graph)
{
    bool good = is_good(graph, INSTANCE);
    for (unsigned i = 0; good && i < graph->step_count; i++)
        if (!is_safe(&graph->steps[i]))
            return;
    for (unsigned i = 0; good && i < graph->step_count; i++)
        good = step_apply(&graph->steps[i]);
    DEMAND(good, cudaGraphLaunch(graph->handle, NULL));
}

static void call(void)
{
    void *made = NULL;
    unsigned number = byte() % 16;
    static const enum kind kinds[16] = {[8] = STREAM, [9] = EVENT,  [10] = STREAM,  [11] = STREAM,
                                        [12] = GRAPH, [13] = GRAPH, [14] = INSTANCE};
    struct slot *slot = mostly(kinds[number]), *other = mostly(byte() % 2 ? STREAM : EVENT);
    if (number < 3 || !slot) {
        unsigned kind = number ? number : MEMORY;
        if (kind == MEMORY) {
            allocate();
        } else if (has_room() && kind == STREAM) {
            DEMAND(true, cudaStreamCreateWithFlags(&made, byte() % 2));
            add(STREAM, made);
        } else if (has_room()) {
            DEMAND(true, cudaEventCreateWithFlags(&made, 0));
            add(EVENT, made);
        }
        return;
    }
    switch (number) {
    case 3:
        if (has_room()) {
            DEMAND(true, cudaGraphCreate(&made, 0));
            add(GRAPH, made);
        }
        return;
    case 4:
        destroy(slot, byte() % KINDS);
        return;
    case 5:
        destroy(slot, slot->kind);
        return;
    case 6:
        copy_in();
        return;
    case 7:
        copy_out();
        return;
    case 8:
        synchronize(slot);
        return;
    case 9:
        use_event(slot, other);
        return;
    case 10:
        begin_capture(slot);
        return;
    case 11:
        end_capture(slot);
        return;
    case 12:
        add_node(slot);
        return;
    case 13:
        copy_graph(slot, byte() % 2);
        return;
    case 14:
        launch_graph(slot);
        return;
    default:
        work();
    }
}

static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 values, .param .u32 count, .param .u32 value)\n"
    "{\n.reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [values];\nld.param.u32 %r1, [count];\nld.param.u32 %r5, [value];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r2, %r2, %r3, %r4;\nsetp.ge.u32 %p, %r2, %r1;\n@%p bra END;\n"
    "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d2, %d1, %d2;\n"
    "ld.global.u32 %r4, [%d2];\nadd.u32 %r4, %r4, %r5;\nst.global.u32 [%d2], %r4;\n"
    "END:\nret;\n}\n";

static void compare_all(void)
{
    unsigned char bytes[BYTES_MAX];
    for (unsigned i = 0; i < slot_count; i++) {
        const struct slot *slot = &slots[i];
        if (!is_good(slot, MEMORY))
            continue;
        DEMAND(true, cudaMemcpy(bytes, slot->handle, slot->bytes, COPY_FROM_DEVICE));
        FUZZ_DEMAND(!memcmp(bytes, slot->model, slot->bytes),
                    "slot %u has other bytes than the model", i);
    }
}

static size_t bytes_used(void)
{
    size_t unused, all;
    DEMAND(true, cudaMemGetInfo(&unused, &all));
    return all - unused;
}

static void begin(void)
{
    static void *library;
    if (library)
        return;
    FUZZ_DEMAND(runtime_test_start(1), "no report");
    DEMAND(true, cudaDeviceSynchronize());
    runtime_test_forget_file();
    DEMAND(true, cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    DEMAND(true, cudaLibraryGetKernel(&kernel, library, "add"));
    used_before = bytes_used();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    input = data;
    input_left = size;
    slot_count = capturing_count = 0;
    live_bytes = 0;
    for (unsigned i = 0; i < CALLS_MAX && input_left; i++) {
        call();
        FUZZ_DEMAND(bytes_used() - used_before == live_bytes, "%zu bytes in use, not %zu",
                    bytes_used() - used_before, live_bytes);
    }
    compare_all();
    for (unsigned i = 0; i < slot_count; i++)
        if (is_good(&slots[i], STREAM) && slots[i].is_capturing)
            end_capture(&slots[i]);
    for (unsigned i = 0; i < slot_count; i++) {
        if (slots[i].is_live)
            destroy(&slots[i], slots[i].kind);
        destroy(&slots[i], slots[i].kind);
        free(slots[i].model);
    }
    DEMAND(true, cudaDeviceSynchronize());
    return 0;
}
