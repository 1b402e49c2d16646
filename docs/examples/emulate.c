/* emulate.c: load PTX, launch a kernel on an emulated H200, and print its counters.
 *
 *   cc emulate.c $(pkg-config --cflags --libs tlab) -o emulate
 *   ./emulate "$(pkg-config --variable=devices tlab)"
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tlab.h>

enum { COUNT = 1024 };

/* out[i] = 2 * in[i] */
static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry twice(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %rd3, %r4, 4;\n"
    "add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r5, [%rd4]; add.s32 %r5, %r5, %r5;\n"
    "add.s64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r5;\nret;\n}\n";

int main(int count, char *arguments[])
{
    static uint32_t values[COUNT];
    struct tlab_error error = {0};
    const struct tlab_shape shape = {.grid = {COUNT / 128, 1, 1}, .block = {128, 1, 1}};
    tlab_device *device = tlab_device_open(count > 1 ? arguments[1] : ".", "h200", &error);
    tlab_module *module =
        device ? tlab_module_open(device, ptx, strlen(ptx), "twice.ptx", &error) : NULL;
    if (module) {
        uint64_t params[2] = {tlab_allocate(module, sizeof values, "out"),
                              tlab_allocate(module, sizeof values, "in")};
        for (uint32_t i = 0; i < COUNT; i++)
            values[i] = i;
        tlab_write(module, params[1], values, sizeof values);
        if (!tlab_launch(module, tlab_kernel(module, "twice"), &shape, params, TLAB_CHECK, &error)) {
            uint64_t value;
            for (unsigned i = 0; tlab_counter_name(i); i++)
                if (tlab_counter(module, tlab_counter_name(i), &value))
                    printf("%-30s %" PRIu64 "\n", tlab_counter_name(i), value);
            printf("%-30s %.2f\n", "time_us", tlab_time_us(module, NULL));
            tlab_read(module, params[0], values, sizeof values);
            printf("out[%d] = %" PRIu32 "\n", COUNT - 1, values[COUNT - 1]);
        }
    }
    if (error.status != TLAB_OK)
        fprintf(stderr, "%s: %s\n", tlab_status_name(error.status), error.text);
    tlab_module_close(module);
    tlab_device_close(device);
    return error.status != TLAB_OK;
}
