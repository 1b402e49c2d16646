# figures.awk: the definitions of the published tables and of their figures.
#
#   define_quantity(name, unit, text)     a quantity that value_of() in quantities.awk computes
#   table(name, title, quantities)        a table; deviations are printed for each table and quantity
#   copy_in(name, table)                  shares of table `name` are relative to the copy in another table
#   unit_row(name, row)                   relative times of table `name` are relative to this row
#   steps(table, quantity)                compare the steps between adjacent rows of the table in this quantity
#   step(table, row, other, other_row)    also compare this step, between rows that are not adjacent
#   figure(name, title, subtitle, quantity, tables)
#                                         a figure with the rows of these tables
#   bar(name, legend, source)             a bar for each row (at most three): values of `published`,
#                                         `emulated`, `measured` (on an H200) or `h200` (emulated)
#   bar_of(name, legend, source, table)   a bar with the same rows of another table, such as the table of another device
#   doubtful(table, quantity, rows)       rows with published values that cannot be correct or were timed differently
#   fitted(table, rows)                   rows to which a parameter of the device was fitted

function figures_define(    count, rows, i)
{
    define_quantity("bandwidth", "GB/s", "effective bandwidth")
    define_quantity("share", "%", "effective bandwidth, % of the copy through shared memory")
    define_quantity("imbalance", "times the mean", "load of the busiest DRAM partition")
    define_quantity("time", "us", "time")
    define_quantity("relative_time", "times", "time relative to the padded tile with 4 elements per thread")
    define_quantity("load_ways", "ways", "bank conflict of the shared loads")
    define_quantity("store_ways", "ways", "bank conflict of the shared stores")
    define_quantity("l2_read", "MB", "bytes read from L2")
    define_quantity("l2_write", "MB", "bytes written to L2")
    define_quantity("load_transactions", "lines", "load transactions")
    define_quantity("store_transactions", "lines", "store transactions")
    define_quantity("transactions", "lines", "load and store transactions")

    table("gtx280_launch", "GTX 280 (2010): loop over kernel, 2048 x 2048", "bandwidth")
    table("gtx280_kernel", "GTX 280 (2010): loop in kernel, 2048 x 2048", "bandwidth")
    table("gtx280_asides", "GTX 280 (2010): what the text adds, 2048 x 2048", "bandwidth imbalance")
    copy_in("gtx280_asides", "gtx280_launch")
    table("8800gtx", "8800 GTX: six partitions instead of eight, 2048 x 2048", "bandwidth imbalance")
    table("a100", "A100 80 GB: 4096 x 4096", "bandwidth load_ways")
    table("a100_opening", "A100 80 GB: the article's opening paragraph, 4096 x 4096", "bandwidth")
    table("a100_sizes", "A100 80 GB: the padded kernel by size", "bandwidth")
    table("rtx3070", "RTX 3070: 1024 rows x 2048 columns, blocks of 16 x 16", "time store_ways")
    table("cuda008", "CUDA 008: 8192 rows x 4096 columns, GPU not named", "l2_read l2_write relative_time")
    unit_row("cuda008", "padded_4_a_thread")
    table("leetgpu", "LeetGPU: a toy machine, one program of 16 elements",
          "load_transactions store_transactions transactions")

    steps("gtx280_launch", "bandwidth")
    steps("gtx280_kernel", "bandwidth")
    steps("a100", "bandwidth")
    steps("a100_opening", "bandwidth")
    steps("a100_sizes", "bandwidth")
    steps("rtx3070", "time")
    steps("cuda008", "relative_time")
    count = split("copy copy_shared naive coalesced padded fine_grained coarse_grained diagonal", rows, " ")
    for (i = 1; i <= count; i++)
        step("gtx280_launch", rows[i], "gtx280_kernel", rows[i])
    step("gtx280_launch", "padded", "gtx280_launch", "diagonal")
    step("gtx280_kernel", "padded", "gtx280_kernel", "diagonal")
    step("a100", "padded", "a100", "diagonal")
    step("a100_sizes", "4096x4096", "a100_sizes", "16384x1024")

    doubtful("a100", "bandwidth", "naive_coalesced_write tiled")
    doubtful("a100_sizes", "bandwidth", "256x256")
    doubtful("cuda008", "l2_write", "naive_32x32")
    fitted("gtx280_launch", "copy copy_shared padded")
    fitted("a100", "copy")

    figure("gtx280_launch", "GeForce GTX 280: loop over kernel", "2048 × 2048 floats, tile 32 × 32, block 32 × 8",
           "bandwidth", "gtx280_launch")
    bar("gtx280_launch", "published, 2010", "published")
    bar("gtx280_launch", "emulated", "emulated")

    figure("gtx280_kernel", "GeForce GTX 280: loop in kernel", "2048 × 2048 floats, tile 32 × 32, block 32 × 8",
           "bandwidth", "gtx280_kernel")
    bar("gtx280_kernel", "published, 2010", "published")
    bar("gtx280_kernel", "emulated", "emulated")

    figure("camping", "Partition camping, then and now",
           "2048 × 2048 floats; each device relative to its own copy through shared memory", "share",
           "gtx280_launch gtx280_asides")
    bar("camping", "GeForce GTX 280, emulated", "emulated")
    bar_of("camping", "GeForce 8800 GTX, emulated", "emulated", "8800gtx")
    bar("camping", "NVIDIA H200, measured", "measured")

    figure("a100", "NVIDIA A100: the kernels of an article", "4096 × 4096 floats", "bandwidth", "a100")
    bar("a100", "published", "published")
    bar("a100", "emulated (NVIDIA A100)", "emulated")
    bar("a100", "measured (NVIDIA H200)", "measured")

    figure("a100_sizes", "NVIDIA A100: the padded kernel by size", "rows × columns, floats", "bandwidth",
           "a100_sizes")
    bar("a100_sizes", "published", "published")
    bar("a100_sizes", "emulated (NVIDIA A100)", "emulated")
    bar("a100_sizes", "measured (NVIDIA H200)", "measured")

    figure("rtx3070", "GeForce RTX 3070: an image transpose", "1024 rows × 2048 columns of floats, blocks of 16 × 16",
           "time", "rtx3070")
    bar("rtx3070", "published", "published")
    bar("rtx3070", "emulated (GeForce RTX 3070)", "emulated")
    bar("rtx3070", "measured (NVIDIA H200)", "measured")

    figure("cuda008_l2", "CUDA 008: bytes written to the L2 by block shape",
           "8192 rows × 4096 columns of floats: the minimum is 134.2 MB", "l2_write", "cuda008")
    bar("cuda008_l2", "published", "published")
    bar("cuda008_l2", "emulated (GeForce RTX 3070)", "emulated")
    bar("cuda008_l2", "measured (NVIDIA H200)", "measured")

    figure("cuda008_time", "CUDA 008: time by kernel",
           "8192 rows × 4096 columns of floats; each GPU relative to its own padded tile with 4 elements per thread",
           "relative_time", "cuda008")
    bar("cuda008_time", "published", "published")
    bar("cuda008_time", "emulated (GeForce RTX 3070)", "emulated")
    bar("cuda008_time", "measured (NVIDIA H200)", "measured")

    figure("leetgpu", "The toy machine: warps of 4 threads, lines of 4 elements",
           "one program of 16 elements of an 8 × 8 matrix", "transactions", "leetgpu")
    bar("leetgpu", "published", "published")
    bar("leetgpu", "emulated (toy)", "emulated")
}

function doubtful(name, quantity, rows,    row, i, count)
{
    count = split(rows, row, " ")
    for (i = 1; i <= count; i++)
        doubtful_value[name, row[i], quantity] = 1
}

function fitted(name, rows,    row, i, count)
{
    count = split(rows, row, " ")
    for (i = 1; i <= count; i++)
        fitted_row[name, row[i]] = 1
}

function define_quantity(name, unit, text)
{
    quantity_unit[name] = unit
    quantity_text[name] = text
}

function steps(name, quantity)
{
    table_steps[name] = quantity
}

function step(name, row, other, other_row)
{
    extra_steps++
    extra_from[extra_steps] = name SUBSEP row
    extra_to[extra_steps] = other SUBSEP other_row
}

function copy_in(name, other)
{
    table_copy[name] = other
}

function unit_row(name, row)
{
    table_unit_row[name] = row
}

function table(name, title, quantities)
{
    table_name[++tables] = name
    table_title[name] = title
    table_quantities[name] = quantities
}

function figure(name, title, subtitle, quantity, from)
{
    figure_name[++figures] = name
    figure_title[name] = title
    figure_subtitle[name] = subtitle
    figure_quantity[name] = quantity
    figure_tables[name] = from
}

function bar(name, legend, source)
{
    bar_of(name, legend, source, "")
}

function bar_of(name, legend, source, other,    b)
{
    b = ++figure_bars[name]
    bar_legend[name, b] = legend
    bar_source[name, b] = source
    bar_table[name, b] = other
}
