/* columns.h: the columns of the CSV. Other programs depend on their order, names and units. X(type,
 * name, unit, cupti, emulator, meaning): TEXT is a string, COUNT an unsigned integer, and REAL a
 * decimal number. `unit` is "" if there is none. `cupti` is the metric of CUPTI or the measurement;
 * "" if there is none. `emulator` is the source of the value in the emulator; "" for NA. */
#ifndef COLUMNS_H
#define COLUMNS_H

#define COLUMN_LIST(X) COLUMN_LIST_RUN(X) COLUMN_LIST_COUNTERS(X) COLUMN_LIST_VERDICT(X)

#define COLUMN_LIST_RUN(X)                                                                         \
    X(TEXT, lab, "", "", "directory of the lab", "lab directory, or - for any other kernel")       \
    X(TEXT, variant, "", "", "name declared by LAB()", "exercise: the name in LAB()")              \
    X(TEXT, kernel, "", "", "", "name of the __global__ function")                                 \
    X(TEXT, device, "", "", "--device", "device file, or gpu")                                     \
    X(TEXT, chip, "", "", "device file", "chip name such as GH100")                                \
    X(COUNT, rows, "elements", "", "--rows", "height of the input matrix")                         \
    X(COUNT, cols, "elements", "", "--cols", "width of the input matrix")                          \
    X(COUNT, grid_x, "blocks", "", "LAB_LAUNCH", "gridDim.x")                                      \
    X(COUNT, grid_y, "blocks", "", "LAB_LAUNCH", "gridDim.y")                                      \
    X(COUNT, grid_z, "blocks", "", "LAB_LAUNCH", "gridDim.z")                                      \
    X(COUNT, block_x, "threads", "", "LAB_LAUNCH", "blockDim.x")                                   \
    X(COUNT, block_y, "threads", "", "LAB_LAUNCH", "blockDim.y")                                   \
    X(COUNT, block_z, "threads", "", "LAB_LAUNCH", "blockDim.z")                                   \
    X(COUNT, shared_bytes, "bytes", "", "PTX and LAB_LAUNCH", "shared memory of a block")          \
    X(TEXT, defines, "", "", "-D", "macros given on the command line")                             \
    X(TEXT, loop, "", "", "--loop", "launch or kernel")                                            \
    X(TEXT, cache, "", "", "--warm", "cold or warm caches before the run")                         \
    X(REAL, time_us, "us", "CUDA events", "time model", "time of one run; median")                 \
    X(REAL, time_us_p25, "us", "CUDA events", "", "first quartile")                                \
    X(REAL, time_us_p75, "us", "CUDA events", "", "third quartile")                                \
    X(COUNT, repeats, "", "", "repetitions", "timed repetitions")                                  \
    X(REAL, bandwidth_gbps, "GB/s", "", "computed",                                                \
      "effective bandwidth: bytes of the matrices that are read and written / time")               \
    X(REAL, copy_pct, "%", "", "computed",                                                         \
      "bandwidth, relative to the bandwidth of a copy with 16-byte accesses")

#define COLUMN_LIST_COUNTERS(X)                                                                    \
    X(COUNT, global_load_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",  \
      "coalescing", "warp loads from global memory")                                               \
    X(COUNT, global_load_sectors, "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",     \
      "coalescing", "32-byte sectors that the load requests touch")                                \
    X(COUNT, global_store_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", \
      "coalescing", "warp stores to global memory")                                                \
    X(COUNT, global_store_sectors, "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",    \
      "coalescing", "32-byte sectors that the store requests touch")                               \
    X(COUNT, l2_read_bytes, "bytes", "lts__t_sectors_srcunit_tex_op_read.sum x 32", "L1 model",    \
      "bytes that the SMs read from L2")                                                           \
    X(COUNT, l2_write_bytes, "bytes", "lts__t_sectors_srcunit_tex_op_write.sum x 32", "L1 model",  \
      "bytes that the SMs write to L2")                                                            \
    X(COUNT, shared_load_requests, "requests", "smsp__inst_executed_op_shared_ld.sum", "banks",    \
      "warp loads from shared memory")                                                             \
    X(COUNT, shared_load_wavefronts, "wavefronts",                                                 \
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "banks",                             \
      "wavefronts of the load requests")                                                           \
    X(COUNT, shared_load_ideal_wavefronts, "wavefronts",                                           \
      "wavefronts - l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "banks",            \
      "wavefronts without bank conflicts")                                                         \
    X(COUNT, shared_load_conflicts, "conflicts",                                                   \
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "banks",                         \
      "wavefronts caused by bank conflicts")                                                       \
    X(COUNT, shared_store_requests, "requests", "smsp__inst_executed_op_shared_st.sum", "banks",   \
      "warp stores to shared memory")                                                              \
    X(COUNT, shared_store_wavefronts, "wavefronts",                                                \
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "banks",                             \
      "wavefronts of the store requests")                                                          \
    X(COUNT, shared_store_ideal_wavefronts, "wavefronts",                                          \
      "wavefronts - l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "banks",            \
      "wavefronts without bank conflicts")                                                         \
    X(COUNT, shared_store_conflicts, "conflicts",                                                  \
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "banks",                         \
      "wavefronts caused by bank conflicts")                                                       \
    X(COUNT, dram_read_bytes, "bytes", "dram__bytes_read.sum", "L2 model", "bytes read from DRAM") \
    X(COUNT, dram_write_bytes, "bytes", "dram__bytes_write.sum", "L2 model",                       \
      "bytes written to DRAM")                                                                     \
    X(REAL, dram_throughput_gbps, "GB/s", "DRAM bytes / time",                                     \
      "DRAM bytes moved before the end of the kernel / modelled time", "DRAM bytes per second")    \
    X(REAL, dram_throughput_pct, "%", "DRAM bytes / time / peak", "dram_throughput_gbps / peak",   \
      "share of the theoretical DRAM bandwidth")                                                   \
    X(REAL, partition_imbalance, "ratio", "", "partition model",                                   \
      "traffic of the busiest partition / mean traffic, in the worst window of time")              \
    X(COUNT, ptx_warp_instructions, "instructions", "", "interpreter",                             \
      "PTX instructions executed")                                                                 \
    X(COUNT, sass_warp_instructions, "instructions", "smsp__inst_executed.sum", "",                \
      "machine instructions executed")

#define COLUMN_LIST_VERDICT(X)                                                                     \
    X(TEXT, bound, "", "", "time model", "resource that limits the modelled time")                 \
    X(TEXT, status, "", "", "verification", "verdict")                                             \
    X(TEXT, reason, "", "", "verification", "the verdict in words")                                \
    X(COUNT, seed, "", "", "--seed", "seed of the input matrix")                                   \
    X(COUNT, passes, "", "number of replays", "", "profiler passes")                               \
    X(TEXT, compiler, "", "", "compiler", "compiler, version and hash of the PTX or cubin")        \
    X(TEXT, source, "", "", "emulator", "cupti, emulator or published")                            \
    X(COUNT, goals, "", "", "rubric", "number of goals in the rubric")                             \
    X(COUNT, goals_reached, "", "", "rubric", "number of goals reached")                           \
    X(COUNT, launches, "", "launch calls of the driver API", "",                                   \
      "launches that the row of `tlab profile` summarizes")                                        \
    X(TEXT, findings, "", "", "verification",                                                      \
      "identifiers of the findings (docs/json.md), separated by blanks")                           \
    X(COUNT, global_atomic_requests, "requests", "", "coalescing",                                 \
      "atomic operations of warps on global memory")                                               \
    X(COUNT, global_atomic_sectors, "sectors", "", "coalescing",                                   \
      "32-byte sectors that the atomic operations touch")                                          \
    X(COUNT, shared_atomic_wavefronts, "wavefronts", "", "banks",                                  \
      "wavefronts of atomic operations on shared memory; in loops, one of 256 operations is "      \
      "examined")                                                                                  \
    X(COUNT, registers, "registers", "", "machine code", "registers of a thread")                  \
    X(REAL, occupancy_pct, "%", "", "machine code and device file",                                \
      "theoretical occupancy: resident warps of an SM, relative to the maximum")                   \
    X(TEXT, time_basis, "", "", "compiler",                                                        \
      "sass if the modelled time includes the register limit of the machine code; otherwise ptx")

#endif
