# csv.awk: read a CSV file (RFC 4180) by column name. Works with mawk, gawk and busybox awk.
#
#   csv_read(path)        read a file in place of the previous file; returns "" or an error with its line
#   csv_rows              number of records after the header
#   csv_line[r]           line number at which record r (1...) begins
#   csv_has(name)         true if the file has this column
#   csv_get(r, name)      a field; "" if the column is missing
#
# Quoted fields may contain commas, doubled quotes and line ends. Lines may end with CR LF. Every
# record must have as many fields as the header. The caller must remove NUL bytes.

# Split a record into csv_field[1...]. Returns the number of fields, or 0 and sets csv_problem.
function csv_split(record,    count, length_of_field)
{
    count = 0
    split("", csv_field)
    while (1) {
        count++
        if (substr(record, 1, 1) == "\"") {
            if (!match(record, /^"([^"]|"")*"/)) {
                csv_problem = "a quoted field does not end"
                return 0
            }
            csv_field[count] = substr(record, 2, RLENGTH - 2)
            gsub(/""/, "\"", csv_field[count])
            record = substr(record, RLENGTH + 1)
            if (record != "" && substr(record, 1, 1) != ",") {
                csv_problem = "there is text after the closing quote of field " count
                return 0
            }
        } else {
            length_of_field = index(record, ",")
            length_of_field = length_of_field ? length_of_field - 1 : length(record)
            csv_field[count] = substr(record, 1, length_of_field)
            if (index(csv_field[count], "\"")) {
                csv_problem = "there is a quote inside field " count ", which is not quoted"
                return 0
            }
            record = substr(record, length_of_field + 1)
        }
        if (record == "")
            return count
        record = substr(record, 2)
    }
}

function csv_take(record, line,    count, i)
{
    count = csv_split(record)
    if (!count)
        return "line " line ": " csv_problem
    if (!csv_width) {
        csv_width = count
        for (i = 1; i <= count; i++) {
            if (csv_field[i] in csv_column)
                return "line " line ": two columns are called " csv_field[i]
            csv_column[csv_field[i]] = i
        }
        return ""
    }
    if (count != csv_width)
        return "line " line ": " count " fields, but the header has " csv_width
    csv_rows++
    csv_line[csv_rows] = line
    for (i = 1; i <= count; i++)
        csv_cell[csv_rows, i] = csv_field[i]
    return ""
}

function csv_read(path,    text, line, quotes, record, begun, open, problem, status)
{
    csv_rows = csv_width = line = 0
    split("", csv_column)
    split("", csv_cell)
    open = 0 # true if a quoted field continues on the next line
    while ((status = (getline text < path)) > 0) {
        line++
        if (line == 1)
            sub(/^\357\273\277/, "", text) # a byte order mark
        quotes = gsub(/"/, "&", text)
        if (open)
            record = record "\n" text
        else {
            record = text
            begun = line
        }
        if (length(record) > 1000000)
            return "line " begun ": a record of more than 1 MB; is a quote not closed?"
        open = (open + quotes) % 2
        if (open)
            continue
        sub(/\r$/, "", record)
        if (record == "")
            continue
        problem = csv_take(record, begun)
        if (problem != "")
            return problem
    }
    close(path)
    if (status < 0)
        return "cannot be read"
    if (open)
        return "line " begun ": a quoted field does not end"
    if (!csv_width)
        return "the file is empty"
    return ""
}

function csv_has(name)
{
    return name in csv_column
}

function csv_get(r, name)
{
    return (name in csv_column) ? csv_cell[r, csv_column[name]] : ""
}
