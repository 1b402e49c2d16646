/* inject_test.c: test with a fake driver that the injected library releases its objects. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "hardware/cupti/inject.c"

#ifdef HAVE_CUPTI

enum { CONTEXTS = 200 };

static struct object {
    bool alive;
    void *context;
} objects[4 * CONTEXTS];
static size_t object_count;
static void *current;
static char contexts[CONTEXTS];

static int make(void **handle)
{
    struct object *object = &objects[object_count++];
    *object = (struct object){.alive = true, .context = current};
    *handle = object;
    return 0;
}

static int release(void *handle)
{
    struct object *object = handle;
    assert_true(object->alive);
    assert_ptr_equal(object->context, current);
    object->alive = false;
    return 0;
}

static int fake_event_create(driver_event *event, unsigned flags)
{
    (void)flags;
    return make(event);
}

static int fake_module_load(driver_module *module, const void *image, unsigned count, int *options,
                            void **values)
{
    (void)image, (void)count, (void)options, (void)values;
    return make(module);
}

static int fake_module_function(driver_function *function, driver_module module, const char *name)
{
    (void)name;
    *function = module;
    return 0;
}

static int fake_context_device(driver_device *device)
{
    *device = 0;
    return 0;
}

static int fake_attribute(int *value, int attribute, driver_device device)
{
    (void)attribute, (void)device;
    *value = 8;
    return 0;
}

static void *before;

static int fake_context_push(driver_context context)
{
    before = current;
    current = context;
    return 0;
}

static int fake_context_pop(driver_context *context)
{
    *context = current;
    current = before;
    return 0;
}

static size_t count_alive(void)
{
    size_t alive = 0;
    for (size_t i = 0; i < object_count; i++)
        alive += objects[i].alive;
    return alive;
}

static int begin(void **unused)
{
    static struct profile_tally tally_of_test;
    (void)unused;
    object_count = 0;
    state.slot_count = 0;
    state.tally = &tally_of_test;
    state.driver = (struct driver){.event_create = fake_event_create,
                                   .event_destroy = release,
                                   .module_load = fake_module_load,
                                   .module_unload = release,
                                   .module_function = fake_module_function,
                                   .context_device = fake_context_device,
                                   .device_attribute = fake_attribute,
                                   .context_push = fake_context_push,
                                   .context_pop = fake_context_pop};
    return 0;
}

/* Each context with a slot has two events and a module. */
static void an_evicted_context_has_no_objects(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < CONTEXTS; i++) {
        current = &contexts[i];
        assert_true(has_clock(slot_of(current)));
        assert_int_equal(state.slot_count, i < SESSIONS_MAX ? i + 1 : SESSIONS_MAX);
        assert_int_equal(count_alive(), 3 * state.slot_count);
        assert_ptr_equal(current, &contexts[i]);
    }
    for (size_t i = 0; i < state.slot_count; i++) {
        const struct object *module = state.slots[i].module;
        assert_true(module->alive);
        assert_ptr_equal(module->context, state.slots[i].context);
    }
}

static void a_destroyed_context_only_loses_its_slot(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        current = &contexts[i];
        assert_true(has_clock(slot_of(current)));
    }
    context_destroyed(current);
    assert_int_equal(state.slot_count, 2);
    assert_int_equal(count_alive(), 9);
    assert_ptr_equal(slot_of((CUcontext)&contexts[0])->context, &contexts[0]);
    assert_int_equal(state.slot_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_evicted_context_has_no_objects, begin),
        cmocka_unit_test_setup(a_destroyed_context_only_loses_its_slot, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void)
{
    puts("1..0 # SKIP no CUPTI: its headers were not available at build time");
    return 0;
}

#endif
