/* A warp loads 32 consecutive floats (one request, four sectors) and stores 32 floats in the same
 * way. Nothing is loaded twice, so all these sectors also pass between L1 and L2. A warp writes a
 * row of its block's tile in one wavefront, and then reads a column. With a pitch of 32, the read
 * takes 32 wavefronts (31 conflicts). With a pitch of 33, the read takes one wavefront.
 *
 * Conflicts include noise from arbitration with other units. The noise is up to 0.8 % of the
 * conflicts (26 % of the ideal wavefronts) with 31 conflicts per request, and less without. */
#include "hardware/cupti/calibration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char calibration_ptx[] =
    ".version 6.3\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry tlab_calibrate_copy(.param .u64 output, .param .u64 input)\n"
    "{\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .b64 %d<6>;\n"
    "    .reg .f32 %f;\n"
    "    ld.param.u64 %d1, [output];\n"
    "    ld.param.u64 %d2, [input];\n"
    "    cvta.to.global.u64 %d1, %d1;\n"
    "    cvta.to.global.u64 %d2, %d2;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "    mul.wide.u32 %d3, %r4, 4;\n"
    "    add.u64 %d4, %d2, %d3;\n"
    "    add.u64 %d5, %d1, %d3;\n"
    "    ld.global.f32 %f, [%d4];\n"
    "    st.global.f32 [%d5], %f;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry tlab_calibrate_tile(.param .u64 output, .param .u64 input, .param .u32 "
    "pitch)\n"
    "{\n"
    "    .reg .b32 %r<14>;\n"
    "    .reg .b64 %d<6>;\n"
    "    .reg .f32 %f<3>;\n"
    "    .shared .align 4 .b8 tile[4224];\n" /* 32 x 33 floats */
    "    ld.param.u64 %d1, [output];\n"
    "    ld.param.u64 %d2, [input];\n"
    "    ld.param.u32 %r5, [pitch];\n"
    "    cvta.to.global.u64 %d1, %d1;\n"
    "    cvta.to.global.u64 %d2, %d2;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "    mul.wide.u32 %d3, %r4, 4;\n"
    "    add.u64 %d4, %d2, %d3;\n"
    "    add.u64 %d5, %d1, %d3;\n"
    "    and.b32 %r6, %r3, 31;\n"
    "    shr.u32 %r7, %r3, 5;\n"
    "    mov.u32 %r8, tile;\n"
    "    mad.lo.u32 %r9, %r7, %r5, %r6;\n" /* a row: warp * pitch + lane */
    "    shl.b32 %r10, %r9, 2;\n"
    "    add.u32 %r11, %r8, %r10;\n"
    "    ld.global.f32 %f1, [%d4];\n"
    "    st.shared.f32 [%r11], %f1;\n"
    "    bar.sync 0;\n"
    "    mad.lo.u32 %r12, %r6, %r5, %r7;\n" /* a column: lane * pitch + warp */
    "    shl.b32 %r12, %r12, 2;\n"
    "    add.u32 %r13, %r8, %r12;\n"
    "    ld.shared.f32 %f2, [%r13];\n"
    "    st.global.f32 [%d5], %f2;\n"
    "    ret;\n"
    "}\n";

const struct calibration calibrations[CALIBRATION_COUNT] = {
    [CALIBRATION_COPY] = {"copy", "tlab_calibrate_copy", 0, 0, 0},
    [CALIBRATION_CONFLICT] = {"32-way conflict", "tlab_calibrate_tile", 32, 1, 31},
    [CALIBRATION_PADDED] = {"padded tile", "tlab_calibrate_tile", 33, 1, 0},
};

enum { WARPS = CALIBRATION_ELEMENTS / 32, SECTORS_PER_REQUEST = 4 };

/* Maximum noise of conflicts: the larger of these shares of ideal wavefronts and of conflicts. */
static const double noise_of_ideal = 0.20, noise_of_conflicts = 0.02;

static bool check(const struct record *record, enum column column, uint64_t expected, double slack,
                  char *why, size_t why_size)
{
    const struct record_value *value = &record->values[column];
    double off = value->known ? (double)value->count - (double)expected : 0;
    if (off <= slack && off >= -slack)
        return true;
    snprintf(why, why_size, "%s is %" PRIu64 " instead of %" PRIu64, column_describe(column)->name,
             value->count, expected);
    return false;
}

bool calibration_agrees(enum calibration_kernel kernel, const struct record *record, char *why,
                        size_t why_size)
{
    const uint64_t shared = WARPS * calibrations[kernel].shared_requests,
                   conflicts = WARPS * calibrations[kernel].load_conflicts,
                   bytes = sizeof(float) * CALIBRATION_ELEMENTS;
    double band = noise_of_ideal * (double)shared;
    if (band < noise_of_conflicts * (double)conflicts)
        band = noise_of_conflicts * (double)conflicts;
    const struct {
        enum column column;
        uint64_t value;
        double slack;
    } expected[] = {
        {COLUMN_global_load_requests, WARPS, 0},
        {COLUMN_global_load_sectors, SECTORS_PER_REQUEST * WARPS, 0},
        {COLUMN_global_store_requests, WARPS, 0},
        {COLUMN_global_store_sectors, SECTORS_PER_REQUEST * WARPS, 0},
        {COLUMN_l2_read_bytes, bytes, 0},
        {COLUMN_l2_write_bytes, bytes, 0},
        {COLUMN_shared_load_requests, shared, 0},
        {COLUMN_shared_load_ideal_wavefronts, shared, 0},
        {COLUMN_shared_load_conflicts, conflicts, band},
        {COLUMN_shared_store_requests, shared, 0},
        {COLUMN_shared_store_ideal_wavefronts, shared, 0},
        {COLUMN_shared_store_conflicts, 0, band},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!check(record, expected[i].column, expected[i].value, expected[i].slack, why, why_size))
            return false;
    return true;
}
