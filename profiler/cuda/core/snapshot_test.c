/* Tests of snapshot.h. The saved bytes are compared with a full copy. */
#include "cuda/core/snapshot.h"

#include "cuda/core/heap.h"
#include "cuda/core/runtime.h"
#include "cuda/runtime_test.h"
#include "process/parallel.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LARGE = 5 << 20, SMALL = 1000 };

static struct allocation *large, *small;

static int start(void **state)
{
    (void)state;
    if (!runtime_test_start(1) || runtime_enter())
        return -1;
    runtime_test_forget_file();
    int error = heap_allocate(HEAP_DEVICE, LARGE + 13, &large);
    error = error ? error : heap_allocate(HEAP_DEVICE, SMALL, &small);
    for (unsigned i = 0; !error && i < LARGE + 13; i++)
        large->host[i] = (unsigned char)(i * 7);
    return error;
}

static int finish(void **state)
{
    (void)state;
    heap_free_all();
    runtime_leave(0);
    return 0;
}

static unsigned region_of(const struct allocation *allocation)
{
    for (unsigned i = 0; i < runtime.memory.count; i++)
        if (runtime.memory.regions[i].base == allocation->base)
            return i;
    fail_msg("%s", "the allocation has no region");
    return 0;
}

static void only_written_chunks_are_saved(void **state)
{
    (void)state;
    struct snapshot *snapshot = snapshot_take();
    assert_non_null(snapshot);
    uint64_t before = snapshot_saved(snapshot);
    assert_true(before < 2 << 20);
    large->host[3 << 20] ^= 1;
    large->host[(3 << 20) + 4097] ^= 1;
    assert_int_equal(snapshot_saved(snapshot) - before, 2 << 20);
    large->host[LARGE + 12] ^= 1;
    assert_int_equal(snapshot_saved(snapshot) - before, LARGE + 13 - (2 << 20));
    assert_true(snapshot_end(snapshot));
    large->host[0] ^= 1;
    large->host[0] ^= 1;
    unsigned region = region_of(large);
    assert_false(snapshot_differs(snapshot, region, 0, 3 << 20));
    assert_true(snapshot_differs(snapshot, region, 3 << 20, (3 << 20) + 1));
    assert_false(snapshot_differs(snapshot, region, (3 << 20) + 1, (3 << 20) + 4097));
    assert_true(snapshot_differs(snapshot, region, 0, LARGE + 13));
    assert_true(snapshot_differs(snapshot, region, LARGE, LARGE + 13));
    unsigned char bytes[32];
    snapshot_copy(snapshot, region, (3 << 20) - 16, (3 << 20) + 16, bytes);
    for (unsigned i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], (unsigned char)(((3 << 20) - 16 + i) * 7));
    snapshot_restore(snapshot);
    snapshot_free(snapshot);
    for (unsigned i = 0; i < LARGE + 13; i++)
        assert_int_equal(large->host[i], (unsigned char)(i * 7));
}

static void write_everywhere(void *context, unsigned index, unsigned count)
{
    unsigned random = *(unsigned *)context + index;
    for (unsigned i = 0; i < 3000; i++) {
        random = random * 1664525u + 1013904223u;
        unsigned at = random % ((LARGE + 13) / count) * count + index;
        if (at < LARGE + 13)
            large->host[at] = (unsigned char)(random >> 24);
    }
}

static void restores_what_threads_wrote(void **state)
{
    (void)state;
    unsigned char *copy = malloc(LARGE + 13), small_copy[SMALL];
    assert_non_null(copy);
    for (unsigned seed = 1; seed <= 20; seed++) {
        memcpy(copy, large->host, LARGE + 13);
        memcpy(small_copy, small->host, SMALL);
        struct snapshot *snapshot = snapshot_take();
        assert_non_null(snapshot);
        parallel_run(4, write_everywhere, &seed);
        memset(small->host, (int)seed, SMALL);
        snapshot_restore(snapshot);
        assert_memory_equal(large->host, copy, LARGE + 13);
        assert_memory_equal(small->host, small_copy, SMALL);
        unsigned again = seed + 100;
        write_everywhere(&again, 0, 1);
        assert_true(snapshot_end(snapshot));
        assert_int_equal(snapshot_differs(snapshot, region_of(large), 0, LARGE + 13),
                         memcmp(large->host, copy, LARGE + 13) != 0);
        unsigned char *saved = malloc(LARGE + 13);
        assert_non_null(saved);
        snapshot_copy(snapshot, region_of(large), 0, LARGE + 13, saved);
        assert_memory_equal(saved, copy, LARGE + 13);
        free(saved);
        snapshot_free(snapshot);
    }
    free(copy);
}

static sigjmp_buf escape;

static void on_fault(int number)
{
    (void)number;
    siglongjmp(escape, 1);
}

static void foreign_faults_go_to_their_handler(void **state)
{
    (void)state;
    struct sigaction theirs = {.sa_handler = on_fault}, before;
    void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    assert_int_equal(sigaction(SIGSEGV, &theirs, &before), 0);
    struct snapshot *snapshot = snapshot_take();
    assert_non_null(snapshot);
    if (!sigsetjmp(escape, 1)) {
        *(volatile char *)page = 1;
        fail_msg("%s", "the page can be written");
    }
    assert_true(snapshot_end(snapshot));
    snapshot_free(snapshot);
    sigaction(SIGSEGV, &before, NULL);
    munmap(page, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_written_chunks_are_saved),
        cmocka_unit_test(restores_what_threads_wrote),
        cmocka_unit_test(foreign_faults_go_to_their_handler),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
