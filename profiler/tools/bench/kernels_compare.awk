# kernels_compare.awk: compare modelled times (MODELLED, from `tlab exec --csv`) with measured times
# (MEASURED, from kernels.sh). Requires csv.awk. Prints a row per kernel; a line per set of kernels
# (median and largest deviation in %, kernels within 20 and 25 %); the number of pairs of kernels in
# the measured order; and, for each metric, the number of kernels within 10 %. A pair consists of
# two kernels of one exercise (the first word of the name) with measured times that differ by more
# than 10 %. Exit status 2: invalid file.
function fail(problem)
{
    print "kernels_compare: " problem > "/dev/stderr"
    status = 2
    exit status
}

function distance(part, whole)
{
    return part > whole ? part / whole - 1 : 1 - part / whole
}

# Insert a deviation into the sorted list of its set.
function insert(set, value,    i)
{
    for (i = ++kernels[set]; i > 1 && deviations[set, i - 1] > value; i--)
        deviations[set, i] = deviations[set, i - 1]
    deviations[set, i] = value
    within_20[set] += value <= 0.2
    within_25[set] += value <= 0.25
}

# Count this kernel for the metric if the numbers differ by at most 10 % plus 64.
function count(row, metric, modelled_count,    measured_count)
{
    measured_count = csv_get(row, metric) + 0
    good[metric] += modelled_count <= 1.1 * measured_count + 64 && modelled_count >= 0.9 * measured_count - 64
}

BEGIN {
    problem = csv_read(ENVIRON["MODELLED"])
    if (problem != "")
        fail(problem)
    for (row = 1; row <= csv_rows; row++) {
        name = csv_get(row, "kernel")
        modelled[name] = csv_get(row, "time_us") + 0
        bound[name] = csv_get(row, "bound")
        for (i = split("global_load_requests global_load_sectors global_store_requests global_store_sectors " \
            "l2_read_bytes l2_write_bytes dram_read_bytes", metrics, " "); i > 0; i--)
            counts[name, metrics[i]] = csv_get(row, metrics[i]) + 0
    }
    problem = csv_read(ENVIRON["MEASURED"])
    if (problem != "")
        fail(problem)
    for (row = 1; row <= csv_rows; row++) {
        name = csv_get(row, "kernel")
        if (!(name in modelled))
            fail("no modelled time of " name)
        time[row] = csv_get(row, "time_us") + 0
        if (time[row] <= 0 || modelled[name] <= 0)
            fail(name " has no time")
        names[row] = name
        printf "%s %s measured %.1f us, modelled %.1f us, ratio %.2f, limited by %s\n", name, csv_get(row, "set"),
            time[row], modelled[name], modelled[name] / time[row], bound[name]
        insert(csv_get(row, "set"), distance(modelled[name], time[row]))
        count(row, "load_requests", counts[name, "global_load_requests"])
        count(row, "load_sectors", counts[name, "global_load_sectors"])
        count(row, "store_requests", counts[name, "global_store_requests"])
        count(row, "store_sectors", counts[name, "global_store_sectors"])
        count(row, "l2_read_sectors", counts[name, "l2_read_bytes"] / 32)
        count(row, "l2_write_sectors", counts[name, "l2_write_bytes"] / 32)
        count(row, "dram_read_bytes", counts[name, "dram_read_bytes"])
        exercise[row] = name
        sub(/_.*/, "", exercise[row])
        for (other = 1; other < row; other++)
            if (exercise[row] == exercise[other] &&
                (time[row] > 1.1 * time[other] || time[other] > 1.1 * time[row])) {
                pairs++
                ordered += (time[row] > time[other]) == (modelled[name] > modelled[names[other]])
            }
    }
    for (set in kernels)
        printf "%s: %d kernels, median %.1f %%, largest %.1f %%, within 20 %%: %.0f %%, within 25 %%: %.0f %%\n", set,
            kernels[set], 100 * deviations[set, int((kernels[set] + 1) / 2)], 100 * deviations[set, kernels[set]],
            100 * within_20[set] / kernels[set], 100 * within_25[set] / kernels[set]
    printf "order: %d of %d pairs\n", ordered, pairs
    for (metric in good)
        printf "%s: %d of %d kernels within 10 %%\n", metric, good[metric], csv_rows
}
