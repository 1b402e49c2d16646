# kernels.awk: join the output of kernels.cu (TIMES) and the counters of Nsight Compute (COUNTERS)
# in one CSV. Requires csv.awk. Times are in microseconds: time_us is the time between events, and
# duration_us the time of the kernel alone.
function fail(problem)
{
    print "kernels: " problem > "/dev/stderr"
    exit 2
}

function number(row, metric,    text)
{
    text = csv_get(row, metric)
    gsub(/,/, "", text)
    return text == "" ? "NA" : text
}

BEGIN {
    count = split("launch__registers_per_thread smsp__inst_executed.sum " \
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum " \
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum " \
        "lts__t_sectors_srcunit_tex_op_read.sum lts__t_sectors_srcunit_tex_op_write.sum lts__t_sectors_op_atom.sum " \
        "lts__t_sectors_op_red.sum dram__bytes_read.sum dram__bytes_write.sum " \
        "sm__warps_active.avg.pct_of_peak_sustained_active", metrics, " ")
    problem = csv_read(ENVIRON["COUNTERS"])
    if (problem != "")
        fail(problem)
    for (row = 2; row <= csv_rows; row++) { # row 1 contains the units
        name = csv_get(row, "Kernel Name")
        sub(/\(.*/, "", name)
        line = number(row, "gpu__time_duration.sum") / 1000
        for (i = 1; i <= count; i++)
            line = line "," number(row, metrics[i])
        values[name] = line
    }
    problem = csv_read(ENVIRON["TIMES"])
    if (problem != "")
        fail(problem)
    printf "kernel,set,time_us,duration_us,registers,instructions,load_requests,load_sectors,store_requests,store_sectors,"
    print "l2_read_sectors,l2_write_sectors,l2_atomic_sectors,l2_reduction_sectors,dram_read_bytes,dram_write_bytes,occupancy_pct"
    for (row = 1; row <= csv_rows; row++) {
        name = csv_get(row, "kernel")
        if (!(name in values))
            fail("no counters of " name)
        print name "," csv_get(row, "set") "," csv_get(row, "time_us") "," values[name]
    }
}
