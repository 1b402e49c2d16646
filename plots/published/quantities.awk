# quantities.awk: load the records of all sources, and compute the compared quantities.
#
#   load(source, path)                     read the CSV file as `source`; returns "" or the error
#   value_of(source, table, row, quantity)    a number; "" if it is unknown
#   status_of(source, table, row)             status of the run: "ok" or its failure; "" if there is no run
#
# The columns are those of `tlab run --csv`, table and row. Used with csv.awk.

function load(source, path,    problem, r, column)
{
    problem = csv_read(path)
    if (problem == "" && !(csv_has("table") && csv_has("row")))
        problem = "there are no columns table and row"
    for (r = 1; problem == "" && r <= csv_rows; r++) {
        for (column in csv_column)
            cell[source, csv_get(r, "table"), csv_get(r, "row"), column] = csv_get(r, column)
        if (source == "published")
            problem = list_row(r, csv_get(r, "table"), csv_get(r, "row"))
    }
    return problem == "" ? "" : path ": " problem
}

# Add record r to its table. The published file determines the rows and their order.
function list_row(r, name, row)
{
    if (!(name in table_title))
        return "line " csv_line[r] ": figures.awk defines no table " name
    if ((name, row) in row_listed)
        return "line " csv_line[r] ": table " name " has a row " row " already"
    row_listed[name, row] = 1
    row_name[name, ++row_count[name]] = row
    return ""
}

function field(source, name, row, column,    key)
{
    key = source SUBSEP name SUBSEP row SUBSEP column
    return key in cell && cell[key] ~ /^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ ? cell[key] + 0 : ""
}

function status_of(source, name, row,    key)
{
    key = source SUBSEP name SUBSEP row SUBSEP "status"
    return key in cell ? cell[key] : ""
}

function ratio(a, b)
{
    return a == "" || b == "" || b == 0 ? "" : a / b
}

# The bandwidth of a record; if it is missing, the bytes of both matrices divided by the time.
function bandwidth_of(source, name, row,    given)
{
    given = field(source, name, row, "bandwidth_gbps")
    if (given != "")
        return given
    given = ratio(field("published", name, row, "rows") * field("published", name, row, "cols") * 8e-3,
                  field(source, name, row, "time_us"))
    return given
}

# The degree of a bank conflict (n-way): the published value, or one more than the conflicts per request.
function ways(source, name, row, kind,    conflicts)
{
    if (field(source, name, row, "shared_" kind "_ways") != "")
        return field(source, name, row, "shared_" kind "_ways")
    conflicts = ratio(field(source, name, row, "shared_" kind "_conflicts"),
                      field(source, name, row, "shared_" kind "_requests"))
    return conflicts == "" ? "" : conflicts + 1
}

function copy_of(source, name)
{
    return bandwidth_of(source, name in table_copy ? table_copy[name] : name, "copy_shared")
}

function value_of(source, name, row, quantity,    part, loads, stores)
{
    if (status_of(source, name, row) != "ok" && source != "published")
        return ""
    if (quantity == "bandwidth")
        return bandwidth_of(source, name, row)
    if (quantity == "share") {
        part = ratio(bandwidth_of(source, name, row), copy_of(source, name))
        return part == "" ? "" : 100 * part
    }
    if (quantity == "imbalance")
        return field(source, name, row, "partition_imbalance")
    if (quantity == "time")
        return field(source, name, row, "time_us")
    if (quantity == "relative_time")
        return ratio(field(source, name, row, "time_us"), field(source, name, table_unit_row[name], "time_us"))
    if (quantity == "load_ways")
        return ways(source, name, row, "load")
    if (quantity == "store_ways")
        return ways(source, name, row, "store")
    if (quantity == "l2_read")
        return ratio(field(source, name, row, "l2_read_bytes"), 1e6)
    if (quantity == "l2_write")
        return ratio(field(source, name, row, "l2_write_bytes"), 1e6)
    loads = field(source, name, row, "global_load_sectors")
    stores = field(source, name, row, "global_store_sectors")
    if (quantity == "load_transactions")
        return loads
    if (quantity == "store_transactions")
        return stores
    return loads == "" || stores == "" ? "" : loads + stores
}
