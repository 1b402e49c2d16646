/* Tests of heap.h and timeline.h: initialized memory, and the order of streams. */
#include "cuda/core/heap.h"

#include "cuda/core/operation.h"
#include "cuda/core/runtime.h"
#include "cuda/core/timeline.h"
#include "cuda/runtime_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int start(void **state)
{
    (void)state;
    if (!runtime_test_start(1) || runtime_enter())
        return -1;
    runtime_test_forget_file();
    return 0;
}

static int finish(void **state)
{
    (void)state;
    heap_free_all();
    runtime_leave(0);
    return 0;
}

static struct allocation *make(uint64_t bytes)
{
    struct allocation *made = NULL;
    assert_int_equal(heap_allocate(HEAP_DEVICE, bytes, &made), 0);
    return made;
}

static void arrays_have_gaps_between_them(void **state)
{
    (void)state;
    const uint64_t sizes[] = {4096, 4096, 1, 2 << 20, 2 << 20, 4 << 20, 8192, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct allocation *made = make(sizes[i]);
        assert_ptr_equal(heap_find(made->base + sizes[i] - 1), made);
        make(sizes[i]);
        assert_null(heap_find(made->base + sizes[i]));
    }
}

static void run_copy(void *to, const void *from, uint64_t bytes)
{
    unsigned direction;
    assert_int_equal(
        heap_copy(
            &(struct heap_copy){
                .to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = COPY_ANY},
            &direction),
        0);
}

static void *address(const struct allocation *allocation, uint64_t offset)
{
    return (void *)(uintptr_t)(allocation->base + offset);
}

static void copies_initialize_copied_bytes(void **state)
{
    (void)state;
    char host[100] = {0};
    const struct allocation *from = make(100), *to = make(100);
    run_copy(address(from, 10), host, 20);
    run_copy(address(from, 50), host, 30);
    run_copy(address(to, 5), address(from, 15), 45); /* bytes 15 to 60 are parts of both ranges */
    const struct memory_region *region = memory_find(&runtime.memory, to->base);
    assert_non_null(region);
    const struct range *first = ranges_after(&region->defined, 0);
    assert_non_null(first);
    assert_int_equal(first->begin, 5);
    assert_int_equal(first->end, 20);
    const struct range *second = ranges_after(&region->defined, first->end);
    assert_non_null(second);
    assert_int_equal(second->begin, 40);
    assert_int_equal(second->end, 50);
    assert_null(ranges_after(&region->defined, second->end));
}

static void variables_move_into_one_allocation(void **state)
{
    (void)state;
    enum { BYTES = 300 };
    static unsigned char values[3][BYTES];
    struct guest_memory *memory = &runtime.memory;
    const struct allocation *other = make(100);
    uint64_t begin = heap_begin_variables(), bases[3];
    assert_true(begin >= other->base + 100);
    assert_true(heap_adopt_variables(begin));
    assert_null(heap_find(begin));
    for (unsigned i = 0; i < 3; i++) {
        memset(values[i], 10 + (int)i, BYTES);
        struct memory_region *region = memory_map(memory, values[i], BYTES, 512, "v");
        assert_non_null(region);
        bases[i] = region->base;
    }
    assert_int_equal(bases[0], begin);
    assert_true(heap_adopt_variables(begin));
    const struct allocation *all = heap_find(begin);
    assert_non_null(all);
    assert_int_equal(all->base, begin);
    assert_int_equal(all->kind, HEAP_VARIABLE);
    assert_true(all->bytes >= bases[2] + BYTES - begin);
    for (unsigned i = 0; i < 3; i++) {
        const struct memory_region *region = memory_find(memory, bases[i]);
        assert_non_null(region);
        assert_ptr_equal(region->host, all->host + (bases[i] - begin));
        assert_memory_equal(region->host, values[i], BYTES);
        assert_ptr_equal(heap_find(bases[i] + BYTES - 1), all);
    }
    const struct memory_region *unchanged = memory_find(memory, other->base);
    assert_non_null(unchanged);
    assert_ptr_equal(unchanged->host, other->host);
}

static struct stream *stream_of(unsigned flags)
{
    return timeline_stream(timeline_create_stream(flags, 0));
}

static void an_event_forgets_its_first_stream(void **state)
{
    (void)state;
    struct stream *one = stream_of(1), *two = stream_of(1), *waits = stream_of(1);
    void *handle = timeline_create_event(0);
    struct event *event = timeline_event(handle);
    timeline_work(one, ENGINE_KERNEL, 5);
    timeline_record(event, one);
    timeline_work(two, ENGINE_KERNEL, 5);
    timeline_record(event, two);
    timeline_wait(waits, event);
    assert_true(timeline_has(waits, two->number, timeline_done(two)));
    assert_false(timeline_has(waits, one->number, timeline_done(one)));
    timeline_destroy_event(handle);
    timeline_destroy_stream(one->handle);
    timeline_destroy_stream(two->handle);
    timeline_destroy_stream(waits->handle);
}

static void default_streams_wait_for_each_other(void **state)
{
    (void)state;
    void *handle = timeline_create_event(0);
    struct event *event = timeline_event(handle);
    struct stream *legacy = timeline_stream(NULL), *threads = timeline_stream((void *)2);
    timeline_work(threads, ENGINE_COPY_IN, 1000);
    assert_ptr_equal(timeline_stream((void *)1), legacy);
    timeline_record(event, legacy);
    assert_true(event->at_us >= threads->now_us);
    timeline_work(legacy, ENGINE_COPY_OUT, 1000);
    timeline_record(event, threads);
    assert_true(event->at_us >= legacy->now_us);
    timeline_destroy_event(handle);
}

static void a_copy_takes_twice_the_time_of_a_memset(void **state)
{
    (void)state;
    enum { BYTES = 64 << 20 };
    const struct allocation *from = make(BYTES), *to = make(BYTES);
    struct stream *stream = timeline_stream(NULL);
    timeline_await_all();
    double begin = stream->now_us;
    const struct set_node set = {address(from, 0), BYTES, 1, 1, BYTES, 1};
    struct operation work = operation_set(&set);
    assert_int_equal(operation_run(&work, stream), 0);
    double middle = stream->now_us;
    work = operation_copy(address(to, 0), address(from, 0), BYTES, COPY_IN_DEVICE);
    assert_int_equal(operation_run(&work, stream), 0);
    double fixed = runtime.device->launch_us, once = middle - begin - fixed;
    assert_true(once > 0);
    double ratio = (stream->now_us - middle - fixed) / once;
    assert_true(ratio > 1.999 && ratio < 2.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_gaps_between_them),
        cmocka_unit_test(copies_initialize_copied_bytes),
        cmocka_unit_test(variables_move_into_one_allocation),
        cmocka_unit_test(an_event_forgets_its_first_stream),
        cmocka_unit_test(default_streams_wait_for_each_other),
        cmocka_unit_test(a_copy_takes_twice_the_time_of_a_memset),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
