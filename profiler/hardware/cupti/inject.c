/* inject.c: libtlab_inject.so, which `tlab profile` loads into any CUDA program.
 *
 * When a process initializes CUDA, the driver loads the library named by CUDA_INJECTION64_PATH and
 * calls InitializeInjection. CUPTI then calls the library before and after every kernel launch.
 * Before the launch, the library starts a range. CUPTI runs the kernel once per pass and restores
 * the memory between passes. After the launch, the library appends a row to a file, so that the
 * rows of all completed launches remain if the program is killed.
 *
 * The first launches of a group (profile_tally.h) are counted. On request, later launches are timed
 * by events. A short waiting kernel precedes the first event, so that the program's kernel is
 * queued when the time starts. The library waits for each timed launch, so that launches do not
 * overlap. A lock serializes measured launches. A launch that cannot be counted runs normally. */
#define _GNU_SOURCE
#include "base/bits.h"
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

/* A context in which kernels are launched. A session or event that cannot be created is NULL. */
struct slot {
    CUcontext context;
    bool session_tried, clock_tried;
    struct range_session *session;
    driver_event begin, end;
    driver_module module; /* Module with the function `wait`; NULL if it cannot be loaded. */
    driver_function wait;
};

enum treatment { LEAVE_ALONE, COUNT, TIME };

struct shape {
    CUfunction function;
    struct profile_shape of;
    CUstream stream;
};

static struct {
    pthread_mutex_t mutex; /* Protects all members below; held during a measured launch. */
    int rows, troubles;
    unsigned trouble_count;
    uint32_t launches, skip, count;
    bool times;
    bool has_kernel; /* True to measure only kernels with names that match `kernel`. */
    regex_t kernel;
    unsigned max_passes;
    struct profile_tally *tally;
    struct slot slots[SESSIONS_MAX];
    size_t slot_count;
    struct range_session *counting;
    struct slot *timing;
    struct profile_group *group;
    struct shape shape;
    struct record record;
    struct driver driver;
    CUresult (*kernel_function)(CUfunction *, CUkernel); /* NULL in old drivers. */
    char *(*demangle)(const char *, char *, size_t *, int *);
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .rows = -1, .troubles = -1};

static __thread enum treatment in_launch;
/* True while the library itself calls the driver. Callbacks from these calls are ignored. */
static __thread bool in_callback;

static void tally(uint32_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void report_trouble(const char *text)
{
    if (state.trouble_count++ < TROUBLES_MAX)
        dprintf(state.troubles, "%s\n", text);
}

static void slot_close(struct slot *slot)
{
    range_session_close(slot->session);
    *slot = state.slots[--state.slot_count];
}

/* After the destruction of a context, slot_close suffices: the driver released its resources. */
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

/* A kernel that waits for 20 us, while the launch of the program is queued. */
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
        slot->wait = NULL; /* Without the wait, short kernels appear slower. */
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

/* Set *bytes to a block's static and dynamic shared memory. shape->function may be a CUkernel. */
static void shared_bytes(const struct shape *shape, uint64_t *bytes)
{
    int fixed = 0;
    CUfunction function = shape->function;
    int error = state.driver.function_attribute(&fixed, DRIVER_FUNCTION_SHARED_BYTES, function);
    if (error && state.kernel_function &&
        !state.kernel_function(&function, (CUkernel)shape->function))
        error = state.driver.function_attribute(&fixed, DRIVER_FUNCTION_SHARED_BYTES, function);
    *bytes = (error ? 0 : (uint64_t)fixed) + shape->of.dynamic_shared;
}

static void plain_name(const char *symbol, char name[PROFILE_NAME_SIZE])
{
    int status = -1;
    char *plain = state.demangle ? state.demangle(symbol, NULL, NULL, &status) : NULL;
    snprintf(name, PROFILE_NAME_SIZE, "%s", plain && !status ? plain : symbol);
    free(plain);
}

/* Append the record with one write, so that rows of several processes do not mix. */
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

/* The members follow cuda.h's prototypes, because generated_cuda_meta.h does not compile as C. */
struct plain_arguments {
    CUfunction function;
    struct profile_shape shape;
    CUstream stream; /* The arguments of the kernel follow. */
};
struct config_arguments {
    const CUlaunchConfig *config;
    CUfunction function;
};

static const struct {
    CUpti_CallbackId id;
    bool has_config;
    bool is_per_thread; /* True if a NULL stream is the per-thread default stream. */
} launch_functions[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, false, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, false, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, true, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, true, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, false, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, false, true},
};
enum { LAUNCH_FUNCTIONS = sizeof launch_functions / sizeof *launch_functions };

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
        *shape = (struct shape){configured->function,
                                {{config->gridDimX, config->gridDimY, config->gridDimZ},
                                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                                 config->sharedMemBytes},
                                config->hStream};
    } else {
        *shape = (struct shape){plain->function, plain->shape, plain->stream};
    }
    if (launch_functions[i].is_per_thread && !shape->stream)
        shape->stream = CU_STREAM_PER_THREAD;
    return true;
}

static void group_fill(struct profile_group *group, uint64_t hash, const char *symbol,
                       const struct shape *shape)
{
    group->name_hash = hash;
    group->shape = shape->of;
    plain_name(symbol, group->name);
    shared_bytes(shape, &group->shared_bytes);
    __atomic_store_n(&group->state, PROFILE_GROUP_READY, __ATOMIC_RELEASE);
}

/* Returns the group of the launch; NULL if there are too many groups. If another process is filling
 * the same group, a second group is created. */
static struct profile_group *group_of(const char *symbol, const struct shape *shape)
{
    uint64_t hash = hash_bytes(HASH_START, symbol, strlen(symbol));
    for (size_t i = 0; i < PROFILE_GROUPS_MAX; i++) {
        struct profile_group *group = &state.tally->groups[i];
        uint32_t is = PROFILE_GROUP_FREE;
        if (__atomic_load_n(&group->state, __ATOMIC_ACQUIRE) == PROFILE_GROUP_READY &&
            group->name_hash == hash && !memcmp(&group->shape, &shape->of, sizeof shape->of))
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

static bool is_selected(const char *symbol)
{
    char name[PROFILE_NAME_SIZE];
    if (state.has_kernel) {
        plain_name(symbol, name);
        if (regexec(&state.kernel, name, 0, NULL, 0))
            return false;
    }
    return __atomic_fetch_add(&state.tally->matched, 1, __ATOMIC_RELAXED) >= state.skip;
}

/* Returns false if a kernel has corrupted the context, or if the stream is capturing, because any
 * use of the GPU would invalidate the capture. */
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

static void give_up(const struct failure *failure, uint32_t *counter)
{
    if (failure->kind != FAILURE_NONE)
        report_trouble(failure->text);
    __atomic_fetch_sub(&state.tally->rows, 1, __ATOMIC_RELAXED);
    tally(counter);
}

static bool count_begin(struct slot *slot)
{
    struct failure failure = {0};
    if (__atomic_fetch_add(&state.tally->rows, 1, __ATOMIC_RELAXED) >= state.launches) {
        give_up(&failure, &state.tally->beyond);
        return false;
    }
    tally(&state.group->counted);
    state.counting = session_of(slot);
    if (state.counting && range_begin(state.counting, &failure) &&
        range_start(state.counting, &failure))
        return true;
    give_up(&failure, &state.tally->failed);
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
    tally(&state.group->timed);
}

static enum treatment launch_begin(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    const char *symbol = data->symbolName ? data->symbolName : "(unnamed)";
    if (!shape_of(id, data->functionParams, &state.shape) || !is_selected(symbol) ||
        !can_count(&state.shape))
        return LEAVE_ALONE;
    state.group = group_of(symbol, &state.shape);
    if (!state.group)
        return LEAVE_ALONE;
    if (state.times)
        tally(&state.group->launches);
    struct slot *slot = slot_of(data->context);
    if (state.group->counted < state.count && count_begin(slot))
        return COUNT;
    return state.times && time_begin(slot) ? TIME : LEAVE_ALONE;
}

static void record_fault(struct record *record, CUresult error)
{
    const char *name = NULL, *what;
    enum status status = driver_fault(error, &what);
    if (state.driver.error_name(error, &name) || !name)
        name = "an unknown CUDA error";
    record_set_text(record, COLUMN_status, "%s", status_name(status));
    record_set_text(record, COLUMN_reason, "the launch failed: %s (%d)", name, (int)error);
}

static void count_end(const CUpti_CallbackData *data)
{
    struct failure failure = {0};
    double values[METRICS_MAX];
    bool complete, counted = false;
    CUresult error = *(const CUresult *)data->functionReturnValue;
    bool good = range_stop(state.counting, &complete, &failure) && !error &&
                range_end(state.counting, values, &counted, &failure) && counted;
    if (!good && !error)
        error = state.driver.synchronize(); /* Fails if the kernel corrupted the context. */
    if (!good && !error) {
        give_up(&failure, &state.tally->failed);
        return;
    }
    const struct profile_group *group = state.group;
    record_set_launch(&state.record, group->name, group->shape.grid, group->shape.block,
                      group->shared_bytes);
    record_set_text(&state.record, COLUMN_chip, "%s", range_session_chip(state.counting));
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

/* The driver calls this function once. The return value 1 means success. */
int InitializeInjection(void)
{
    struct failure failure = {0};
    if (!open_files())
        return 1;
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
