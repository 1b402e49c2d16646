/* inject.c: libtlab_inject.so, which `tlab profile` puts into any CUDA program.
 *
 * Theory of operation. The driver loads the library named by CUDA_INJECTION64_PATH when a process
 * initialises CUDA, and calls InitializeInjection. From then on CUPTI calls us around every kernel
 * launch, whoever makes it: the runtime, cuBLAS, Triton, PyTorch. Before the launch we start a
 * range in the launch's context; CUPTI saves the memory that the kernel may write, runs the kernel
 * once per pass, restoring the memory in between, and returns from the launch when all is counted.
 * After the launch we read the counters and append a row to a file in one write, so that a program
 * that is killed leaves all rows of completed launches.
 *
 * Equal launches, of the same kernel in the same shape, are a group, of which the first few are
 * counted; the others are timed, by events around the program's own launch, which costs next to
 * nothing. Before the first event stands a short kernel of ours that waits, so that the GPU has the
 * program's kernel at hand when the clock starts; and each is waited for, so that none overlaps
 * another.
 *
 * One launch is looked at at a time: a lock is held from before the launch until after it. Nothing
 * here may disturb the program: a launch that cannot be counted runs as it would have.
 */
#define _GNU_SOURCE
#include "base/hash.h"
#include "hardware/cupti/driver.h"
#include "hardware/cupti/profile_tally.h"
#include "hardware/cupti/range_session.h"

#ifdef HAVE_CUPTI

#include <cupti_driver_cbid.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int InitializeInjection(void) __attribute__((visibility("default")));

enum { SESSIONS_MAX = 64, TROUBLES_MAX = 8, PATH_SIZE = 4096 };

/* A context that has launched. Its session and its clock are made when first needed; NULL where
 * they could not be. */
struct slot {
    CUcontext context;
    bool session_tried, clock_tried;
    struct range_session *session;
    driver_event begin, end;
    driver_module module; /* of `wait`; both may be NULL */
    driver_function wait;
};

/* What is done with a launch between its two callbacks. */
enum treatment { LEAVE_ALONE, COUNT, TIME };

/* What a launch function was asked for. */
struct shape {
    CUfunction function;
    unsigned grid[3], block[3], dynamic_shared;
    CUstream stream;
};

static struct {
    pthread_mutex_t mutex; /* guards all below, and is held during a counted launch */
    int rows, troubles;    /* descriptors */
    unsigned trouble_count;
    uint32_t launches, skip, count;
    bool times;
    bool has_kernel; /* only launches of names that `kernel` matches */
    regex_t kernel;
    unsigned max_passes;
    struct profile_tally *tally;
    struct slot slots[SESSIONS_MAX];
    size_t slot_count;
    struct range_session *counting; /* of the launch that is being counted */
    struct slot *timing;            /* of the launch that is being timed */
    struct profile_group *group;    /* of either */
    struct shape shape;
    struct record record;
    struct driver driver;
    CUresult (*kernel_function)(CUfunction *, CUkernel); /* NULL in old drivers */
    char *(*demangle)(const char *, char *, size_t *, int *);
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .rows = -1, .troubles = -1};

/* This thread holds the lock and is in the middle of such a launch. */
static __thread enum treatment in_launch;
/* Calls of ours to the driver, which call us back. */
static __thread bool in_callback;

static void tally(uint32_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* One line to the command, which prints it when the program has ended. */
static void report_trouble(const char *text)
{
    if (state.trouble_count++ < TROUBLES_MAX)
        dprintf(state.troubles, "%s\n", text);
}

/* ---- contexts ---- */

static void slot_close(struct slot *slot)
{
    range_session_close(slot->session);
    *slot = state.slots[--state.slot_count];
}

/* Close the slot of a context that lives on, and release what we made in it. The end of a context
 * releases all of that. */
static void slot_evict(struct slot *slot)
{
    const struct driver *driver = &state.driver;
    driver_context context = slot->context;
    if (!driver->context_push(context)) {
        if (slot->begin)
            driver->event_destroy(slot->begin);
        if (slot->end)
            driver->event_destroy(slot->end);
        if (slot->module)
            driver->module_unload(slot->module);
        driver->context_pop(&context);
    }
    slot_close(slot);
}

/* Of the current context. */
static struct slot *slot_of(CUcontext context)
{
    for (size_t i = 0; i < state.slot_count; i++)
        if (state.slots[i].context == context)
            return &state.slots[i];
    if (state.slot_count == SESSIONS_MAX)
        slot_evict(&state.slots[0]);
    struct slot *slot = &state.slots[state.slot_count++];
    *slot = (struct slot){.context = context};
    return slot;
}

/* NULL: launches of this context cannot be counted. */
static struct range_session *session_of(struct slot *slot)
{
    struct failure failure = {0};
    CUdevice device = 0;
    if (slot->session_tried)
        return slot->session;
    slot->session_tried = true;
    if (state.driver.context_device(&device))
        report_trouble("a launch without a current context was not counted");
    else if (!range_session_open(slot->context, device, RANGE_KERNEL, state.max_passes,
                                 &slot->session, &failure))
        report_trouble(failure.text);
    return slot->session;
}

/* Waits for 20 us, in which the program's launch gets to the GPU. */
static const char wait_ptx[] = ".version 6.0\n"
                               ".target sm_50\n"
                               ".address_size 64\n"
                               ".visible .entry tlab_wait()\n"
                               "{\n"
                               "    .reg .pred %p<2>;\n"
                               "    .reg .b64 %d<4>;\n"
                               "    mov.u64 %d1, %globaltimer;\n"
                               "AGAIN:\n"
                               "    mov.u64 %d2, %globaltimer;\n"
                               "    sub.u64 %d3, %d2, %d1;\n"
                               "    setp.lt.u64 %p1, %d3, 20000;\n"
                               "    @%p1 bra AGAIN;\n"
                               "    ret;\n"
                               "}\n";

static bool has_clock(struct slot *slot)
{
    const struct driver *driver = &state.driver;
    driver_device device;
    if (slot->clock_tried)
        return slot->end != NULL;
    slot->clock_tried = true;
    if (driver->module_load(&slot->module, wait_ptx, 0, NULL, NULL))
        slot->module = NULL;
    if (!slot->module || driver->module_function(&slot->wait, slot->module, "tlab_wait"))
        slot->wait = NULL; /* short kernels then seem to take some microseconds more */
    if (!driver->context_device(&device))
        state.tally->dram_gbps = driver_dram_gbps(driver, device);
    return !driver->event_create(&slot->begin, 0) && !driver->event_create(&slot->end, 0);
}

static void context_destroyed(CUcontext context)
{
    pthread_mutex_lock(&state.mutex);
    for (size_t i = 0; i < state.slot_count; i++)
        if (state.slots[i].context == context)
            slot_close(&state.slots[i]);
    pthread_mutex_unlock(&state.mutex);
}

/* ---- rows ---- */

/* Static and dynamic shared memory of a block. `function` may be a CUkernel in disguise. */
static void shared_bytes(const struct shape *shape, uint64_t *bytes)
{
    int fixed = 0;
    CUfunction function = shape->function;
    int error = state.driver.function_attribute(&fixed, DRIVER_FUNCTION_SHARED_BYTES, function);
    if (error && state.kernel_function &&
        !state.kernel_function(&function, (CUkernel)shape->function))
        error = state.driver.function_attribute(&fixed, DRIVER_FUNCTION_SHARED_BYTES, function);
    *bytes = (error ? 0 : (uint64_t)fixed) + shape->dynamic_shared;
}

/* In words of C++, where they are any. */
static void plain_name(const char *symbol, char name[PROFILE_NAME_SIZE])
{
    int status = -1;
    char *plain = state.demangle ? state.demangle(symbol, NULL, NULL, &status) : NULL;
    snprintf(name, PROFILE_NAME_SIZE, "%s", plain && !status ? plain : symbol);
    free(plain);
}

static void record_describe(struct record *record, const struct profile_group *group,
                            const struct range_session *session)
{
    record_set_launch(record, group->name, group->grid, group->block, group->shared_bytes);
    record_set_text(record, COLUMN_chip, "%s", range_session_chip(session));
}

/* Append the record in one write: rows of several processes do not mix, and none is half. */
static void record_append(const struct record *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool good = file && record_write(file, record);
    if (file)
        good = fclose(file) == 0 && good;
    if (!good || write(state.rows, text, size) != (ssize_t)size) {
        report_trouble("a row could not be written: the disk or the memory is full");
        tally(&state.tally->failed);
    }
    free(text);
}

/* ---- launches ---- */

/* The arguments of the driver's launch functions, as CUPTI passes them: in the order of the
 * prototypes in cuda.h. (generated_cuda_meta.h declares the same, but does not compile as C.) */
struct plain_arguments {
    CUfunction function;
    unsigned grid[3], block[3], dynamic_shared;
    CUstream stream; /* the kernel's own arguments follow */
};
struct config_arguments {
    const CUlaunchConfig *config;
    CUfunction function;
};

/* The functions of the driver that launch one kernel. */
static const struct {
    CUpti_CallbackId id;
    bool has_config;
    bool is_per_thread; /* no stream means the thread's default stream */
} launch_functions[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, false, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, false, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, true, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, true, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, false, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, false, true},
};
enum { LAUNCH_FUNCTIONS = sizeof launch_functions / sizeof *launch_functions };

/* False: not a launch, or one without a configuration, which the driver will refuse. */
static bool shape_of(CUpti_CallbackId id, const void *arguments, struct shape *shape)
{
    const struct plain_arguments *plain = arguments;
    const struct config_arguments *configured = arguments;
    size_t i = 0;
    while (i < LAUNCH_FUNCTIONS && launch_functions[i].id != id)
        i++;
    if (i == LAUNCH_FUNCTIONS || (launch_functions[i].has_config && !configured->config))
        return false;
    if (launch_functions[i].has_config) {
        const CUlaunchConfig *config = configured->config;
        *shape = (struct shape){.function = configured->function,
                                .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                .dynamic_shared = config->sharedMemBytes,
                                .stream = config->hStream};
    } else {
        *shape = (struct shape){.function = plain->function,
                                .dynamic_shared = plain->dynamic_shared,
                                .stream = plain->stream};
        memcpy(shape->grid, plain->grid, sizeof shape->grid);
        memcpy(shape->block, plain->block, sizeof shape->block);
    }
    if (launch_functions[i].is_per_thread && !shape->stream)
        shape->stream = CU_STREAM_PER_THREAD;
    return true;
}

/* ---- groups of equal launches ---- */

static bool is_of(const struct profile_group *group, uint64_t hash, const struct shape *shape)
{
    return group->name_hash == hash && group->dynamic_shared == shape->dynamic_shared &&
           !memcmp(group->grid, shape->grid, sizeof shape->grid) &&
           !memcmp(group->block, shape->block, sizeof shape->block);
}

static void group_fill(struct profile_group *group, uint64_t hash, const char *symbol,
                       const struct shape *shape)
{
    group->name_hash = hash;
    memcpy(group->grid, shape->grid, sizeof shape->grid);
    memcpy(group->block, shape->block, sizeof shape->block);
    group->dynamic_shared = shape->dynamic_shared;
    plain_name(symbol, group->name);
    shared_bytes(shape, &group->shared_bytes);
    __atomic_store_n(&group->state, PROFILE_GROUP_READY, __ATOMIC_RELEASE);
}

/* The launch's group, in the order of first launches; NULL: there are too many. Another process may
 * be filling one in, for which is not waited: then a kind of launch may have two. */
static struct profile_group *group_of(const char *symbol, const struct shape *shape)
{
    uint64_t hash = hash_bytes(HASH_START, symbol, strlen(symbol));
    for (size_t i = 0; i < PROFILE_GROUPS_MAX; i++) {
        struct profile_group *group = &state.tally->groups[i];
        uint32_t is = PROFILE_GROUP_FREE;
        if (__atomic_load_n(&group->state, __ATOMIC_ACQUIRE) == PROFILE_GROUP_READY &&
            is_of(group, hash, shape))
            return group;
        if (__atomic_compare_exchange_n(&group->state, &is, PROFILE_GROUP_TAKEN, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            group_fill(group, hash, symbol, shape);
            return group;
        }
    }
    tally(&state.tally->ungrouped);
    return NULL;
}

/* Is it one of those that --kernel and --skip leave? */
static bool is_chosen(const char *symbol)
{
    char name[PROFILE_NAME_SIZE];
    if (state.has_kernel) {
        plain_name(symbol, name);
        if (regexec(&state.kernel, name, 0, NULL, 0))
            return false;
    }
    return __atomic_fetch_add(&state.tally->matched, 1, __ATOMIC_RELAXED) >= state.skip;
}

/* ---- a launch ---- */

/* Can the launch be counted? Not into a stream that records a graph, where nothing runs and
 * touching the GPU would taint the recording; nor after an earlier kernel has broken the context,
 * when the launch only returns that error. */
static bool can_count(const struct shape *shape)
{
    int status = CU_STREAM_CAPTURE_STATUS_NONE;
    int error = state.driver.stream_is_capturing(shape->stream, &status);
    if (!error && status == CU_STREAM_CAPTURE_STATUS_NONE)
        return true;
    if (!error || (error >= DRIVER_STREAM_CAPTURE && error <= DRIVER_LAST_CAPTURE))
        tally(&state.tally->captured);
    return false;
}

/* Is there room for another row? Counts across all processes. */
static bool take_row(void)
{
    if (__atomic_fetch_add(&state.tally->rows, 1, __ATOMIC_RELAXED) < state.launches)
        return true;
    __atomic_fetch_sub(&state.tally->rows, 1, __ATOMIC_RELAXED);
    tally(&state.tally->beyond);
    return false;
}

/* The launch that has taken a row cannot be counted. */
static void give_up(const struct failure *failure)
{
    if (failure->kind != FAILURE_NONE)
        report_trouble(failure->text);
    __atomic_fetch_sub(&state.tally->rows, 1, __ATOMIC_RELAXED);
    tally(&state.tally->failed);
}

/* Begin to count the launch of state.shape. */
static bool count_begin(struct slot *slot)
{
    struct failure failure = {0};
    if (!take_row())
        return false;
    __atomic_fetch_add(&state.group->counted, 1, __ATOMIC_RELAXED);
    state.counting = session_of(slot);
    if (state.counting && range_begin(state.counting, &failure) &&
        range_start(state.counting, &failure))
        return true;
    give_up(&failure);
    return false;
}

static bool time_begin(struct slot *slot)
{
    state.timing = slot;
    if (!has_clock(slot))
        return false;
    if (slot->wait)
        state.driver.launch(slot->wait, 1, 1, 1, 1, 1, 1, 0, state.shape.stream, NULL, NULL);
    return !state.driver.event_record(slot->begin, state.shape.stream);
}

static void time_end(const CUpti_CallbackData *data)
{
    const struct slot *slot = state.timing;
    float ms;
    if (*(const CUresult *)data->functionReturnValue ||
        state.driver.event_record(slot->end, state.shape.stream) ||
        state.driver.event_synchronize(slot->end) ||
        state.driver.event_elapsed(&ms, slot->begin, slot->end))
        return;
    __atomic_fetch_add(&state.group->time_ns, (uint64_t)(1e6 * (double)ms + 0.5), __ATOMIC_RELAXED);
    __atomic_fetch_add(&state.group->timed, 1, __ATOMIC_RELAXED);
}

/* What to do with a launch that begins. */
static enum treatment launch_begin(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    const char *symbol = data->symbolName ? data->symbolName : "(unnamed)";
    if (!shape_of(id, data->functionParams, &state.shape) || !is_chosen(symbol) ||
        !can_count(&state.shape))
        return LEAVE_ALONE;
    state.group = group_of(symbol, &state.shape);
    if (!state.group)
        return LEAVE_ALONE;
    if (state.times)
        __atomic_fetch_add(&state.group->launches, 1, __ATOMIC_RELAXED);
    struct slot *slot = slot_of(data->context);
    if (state.group->counted < state.count && count_begin(slot))
        return COUNT;
    return state.times && time_begin(slot) ? TIME : LEAVE_ALONE;
}

/* The row's verdict on a kernel that the driver did not launch, or that broke its context. */
static void record_fault(struct record *record, CUresult error)
{
    static const struct {
        CUresult error;
        enum status status;
    } verdicts[] = {{CUDA_ERROR_ILLEGAL_ADDRESS, STATUS_OUT_OF_BOUNDS},
                    {CUDA_ERROR_MISALIGNED_ADDRESS, STATUS_MISALIGNED},
                    {CUDA_ERROR_LAUNCH_TIMEOUT, STATUS_TIMEOUT}};
    enum status status = STATUS_LAUNCH_ERROR;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (verdicts[i].error == error)
            status = verdicts[i].status;
    if (state.driver.error_name(error, &name) || !name)
        name = "an unknown CUDA error";
    record_set_text(record, COLUMN_status, "%s", status_name(status));
    record_set_text(record, COLUMN_reason, "the launch failed: %s (%d)", name, (int)error);
}

/* The launch is over: its counters, or why there are none. */
static void count_end(const CUpti_CallbackData *data)
{
    struct failure failure = {0};
    double values[METRICS_MAX];
    bool complete, counted = false;
    CUresult error = *(const CUresult *)data->functionReturnValue;
    bool good = range_stop(state.counting, &complete, &failure) && !error &&
                range_end(state.counting, values, &counted, &failure) && counted;
    if (!good && !error)
        error = state.driver.synchronize(); /* did the kernel break the context? */
    if (!good && !error) {
        give_up(&failure);
        return;
    }
    record_describe(&state.record, state.group, state.counting);
    if (good) {
        metrics_set_record(values, &state.record);
        record_set_count(&state.record, COLUMN_passes, range_session_passes(state.counting));
    } else {
        record_fault(&state.record, error);
    }
    record_append(&state.record);
}

static void on_launch(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    if (in_callback)
        return;
    in_callback = true;
    if (data->callbackSite == CUPTI_API_ENTER && in_launch == LEAVE_ALONE) {
        pthread_mutex_lock(&state.mutex);
        in_launch = launch_begin(id, data);
        if (in_launch == LEAVE_ALONE)
            pthread_mutex_unlock(&state.mutex);
    } else if (data->callbackSite == CUPTI_API_EXIT && in_launch != LEAVE_ALONE) {
        if (in_launch == COUNT)
            count_end(data);
        else
            time_end(data);
        in_launch = LEAVE_ALONE;
        pthread_mutex_unlock(&state.mutex);
    }
    in_callback = false;
}

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data)
{
    (void)user;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        if (in_launch == LEAVE_ALONE && !in_callback)
            context_destroyed(((const CUpti_ResourceData *)data)->context);
    } else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
               id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz) {
        if (((const CUpti_CallbackData *)data)->callbackSite == CUPTI_API_ENTER)
            tally(&state.tally->graphs);
    } else {
        on_launch(id, data);
    }
}

/* ---- start ---- */

/* A file of the command's directory; -1: it is not there. */
static int open_shared(const char *directory, const char *name, int flags)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length < PATH_SIZE ? open(path, flags | O_CLOEXEC) : -1;
}

static bool open_files(void)
{
    const char *directory = getenv(PROFILE_DIRECTORY_VARIABLE);
    if (!directory)
        return false;
    state.rows = open_shared(directory, PROFILE_ROWS_FILE, O_WRONLY | O_APPEND);
    state.troubles = open_shared(directory, PROFILE_TROUBLES_FILE, O_WRONLY | O_APPEND);
    int descriptor = open_shared(directory, PROFILE_TALLY_FILE, O_RDWR);
    if (descriptor < 0)
        return false;
    void *mapped =
        mmap(NULL, sizeof *state.tally, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED || state.rows < 0 || state.troubles < 0)
        return false;
    state.tally = mapped;
    return true;
}

static uint32_t number_from(const char *variable)
{
    const char *text = getenv(variable);
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* The driver is in the process, and C++'s library is in most programs that have mangled names. */
static bool find_functions(struct failure *failure)
{
    void *cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (cxx)
        *(void **)&state.demangle = dlsym(cxx, "__cxa_demangle");
    if (!driver_open(&state.driver, failure))
        return false;
    *(void **)&state.kernel_function = dlsym(state.driver.library, "cuKernelGetFunction");
    return true;
}

static bool subscribe(struct failure *failure)
{
    CUpti_SubscriberHandle subscriber;
    const struct cupti *cupti = cupti_open(failure);
    if (!cupti)
        return false;
    const struct {
        CUpti_CallbackDomain domain;
        CUpti_CallbackId id;
    } others[] = {
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz},
        {CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING},
    };
    int error = cupti->Subscribe(&subscriber, on_callback, NULL);
    for (size_t i = 0; i < LAUNCH_FUNCTIONS && !error; i++)
        error = cupti->EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                      launch_functions[i].id);
    for (size_t i = 0; i < sizeof others / sizeof *others && !error; i++)
        error = cupti->EnableCallback(1, subscriber, others[i].domain, others[i].id);
    return !error || cupti_failure(failure, "cuptiSubscribe", error);
}

/* The driver calls this once; 1 is success. */
int InitializeInjection(void)
{
    struct failure failure = {0};
    if (!open_files())
        return 1; /* loaded without `tlab profile`: nothing to do */
    tally(&state.tally->processes);
    state.launches = number_from(PROFILE_LAUNCHES_VARIABLE);
    state.max_passes = number_from(PROFILE_PASSES_VARIABLE);
    state.skip = number_from(PROFILE_SKIP_VARIABLE);
    state.count = number_from(PROFILE_COUNT_VARIABLE);
    state.times = number_from(PROFILE_TIMES_VARIABLE) != 0;
    const char *kernel = getenv(PROFILE_KERNEL_VARIABLE);
    state.has_kernel = kernel && !regcomp(&state.kernel, kernel, REG_EXTENDED | REG_NOSUB);
    if (!find_functions(&failure) || !subscribe(&failure))
        report_trouble(failure.text);
    return 1;
}

#endif
