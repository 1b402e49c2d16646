# charts.awk: the definitions of all bar charts. To add a chart, add a block here.
#
#   chart(name, title, axis)              file name, title, label of the axis ("%s" becomes the unit of bytes)
#   series(name, legend, column, per)     one bar per run, with the value of column, or of column / per
#   reference(name, kind)                 the reference line: copy, compulsory or peak
#   remark(name, column)                  a percentage in parentheses after each value

function charts_define()
{
    chart("bandwidth", "Effective bandwidth", "effective bandwidth (GB/s)")
    series("bandwidth", "", "bandwidth_gbps", "")
    reference("bandwidth", "copy")

    chart("l2_bytes", "Bytes between the SMs and the L2", "L2 traffic (%s)")
    series("l2_bytes", "read", "l2_read_bytes", "")
    series("l2_bytes", "written", "l2_write_bytes", "")
    reference("l2_bytes", "compulsory")

    chart("bank_conflicts", "Shared-memory bank conflicts", "bank conflicts per request")
    series("bank_conflicts", "loads", "shared_load_conflicts", "shared_load_requests")
    series("bank_conflicts", "stores", "shared_store_conflicts", "shared_store_requests")

    chart("dram_throughput", "DRAM throughput", "DRAM throughput (GB/s)")
    series("dram_throughput", "", "dram_throughput_gbps", "")
    remark("dram_throughput", "dram_throughput_pct")
    reference("dram_throughput", "peak")
}

function chart(name, title, axis)
{
    chart_name[++charts] = name
    chart_title[name] = title
    chart_axis[name] = axis
}

function series(name, legend, column, per)
{
    chart_series[name]++
    series_legend[name, chart_series[name]] = legend
    series_column[name, chart_series[name]] = column
    series_per[name, chart_series[name]] = per
}

function reference(name, kind)
{
    chart_reference[name] = kind
}

function remark(name, column)
{
    chart_remark[name] = column
}
