/* Names are from Nsight Compute's metrics reference. lts__t_bytes and lts__t_sectors also count
 * traffic between the two halves of the L2 of an A100 or H100. So their values are three times the
 * traffic of the SMs. The metrics with srcunit_tex count only the requests of the SMs. Wavefronts
 * and conflicts of shared memory include arbitration noise, but their difference is exactly the
 * ideal number. */
#include "hardware/cupti/metrics.h"

#include "emulator/cost/geometry.h"

#include <math.h>

#define SHARED(op) "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" op ".sum"
#define CONFLICTS(op) "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" op ".sum"
#define GLOBAL(what, op) "l1tex__t_" what "_pipe_lsu_mem_global_op_" op ".sum"

const struct metric metrics[] = {
    {COLUMN_l2_read_bytes, METRIC_CORE, SECTOR_BYTES, {"lts__t_sectors_srcunit_tex_op_read.sum"}},
    {COLUMN_l2_write_bytes, METRIC_CORE, SECTOR_BYTES, {"lts__t_sectors_srcunit_tex_op_write.sum"}},
    {COLUMN_shared_load_requests, METRIC_CORE, 1, {"smsp__inst_executed_op_shared_ld.sum"}},
    {COLUMN_shared_load_wavefronts, METRIC_CORE, 1, {SHARED("ld")}},
    {COLUMN_shared_load_conflicts, METRIC_CORE, 1, {CONFLICTS("ld")}},
    {COLUMN_shared_store_requests, METRIC_CORE, 1, {"smsp__inst_executed_op_shared_st.sum"}},
    {COLUMN_shared_store_wavefronts, METRIC_CORE, 1, {SHARED("st")}},
    {COLUMN_shared_store_conflicts, METRIC_CORE, 1, {CONFLICTS("st")}},
    {COLUMN_dram_read_bytes, METRIC_CORE, 1, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
    {COLUMN_dram_write_bytes,
     METRIC_CORE,
     1,
     {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
    {COLUMN_sass_warp_instructions, METRIC_CORE, 1, {"smsp__inst_executed.sum"}},
    {COLUMN_global_load_requests, METRIC_REQUESTS, 1, {GLOBAL("requests", "ld")}},
    {COLUMN_global_load_sectors, METRIC_REQUESTS, 1, {GLOBAL("sectors", "ld")}},
    {COLUMN_global_store_requests, METRIC_REQUESTS, 1, {GLOBAL("requests", "st")}},
    {COLUMN_global_store_sectors, METRIC_REQUESTS, 1, {GLOBAL("sectors", "st")}},
};
const size_t metrics_count = sizeof metrics / sizeof *metrics;
_Static_assert(sizeof metrics / sizeof *metrics <= METRICS_MAX, "METRICS_MAX is too small");

static void set_ideal(struct record *record, enum column wavefronts, enum column conflicts,
                      enum column ideal)
{
    const struct record_value *all = &record->values[wavefronts],
                              *excess = &record->values[conflicts];
    if (all->known && excess->known && all->count >= excess->count)
        record_set_count(record, ideal, all->count - excess->count);
}

void metrics_set_record(const double *values, struct record *record)
{
    for (size_t i = 0; i < metrics_count; i++)
        if (isfinite(values[i]) && values[i] >= 0)
            record_set_count(record, metrics[i].column,
                             (uint64_t)llround(values[i] * metrics[i].scale));
    set_ideal(record, COLUMN_shared_load_wavefronts, COLUMN_shared_load_conflicts,
              COLUMN_shared_load_ideal_wavefronts);
    set_ideal(record, COLUMN_shared_store_wavefronts, COLUMN_shared_store_conflicts,
              COLUMN_shared_store_ideal_wavefronts);
}
