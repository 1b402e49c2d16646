# picture.awk: functions for the awk programs that prepare pictures for gnuplot.

# Returns at most `most` characters of a text, with only characters that are safe in gnuplot; "" for an unknown text.
function plain(text, most)
{
    if (text == "NA")
        return ""
    gsub(/[\t\r\n]+/, " ", text)
    gsub(/[^A-Za-z0-9 _.,:;()=\/+*%\[\]-]/, "?", text)
    gsub(/\?\?+/, "?", text)
    gsub(/^ +| +$/, "", text)
    if (length(text) > most)
        text = substr(text, 1, most - 3) "..."
    return text
}

function pretty(value)
{
    if (value == 0)
        return "0"
    if (value >= 1e7)
        return sprintf("%.3g", value)
    if (value >= 99.95)
        return sprintf("%.0f", value)
    if (value >= 9.995)
        return sprintf("%.1f", value)
    return value >= 0.005 ? sprintf("%.2f", value) : sprintf("%.2g", value)
}

function setting(file, name, value)
{
    print name " = " value > file
}

function setting_text(file, name, value)
{
    gsub(/'/, "''", value)
    print name " = '" value "'" > file
}

# Write the data rows of a picture for bars.gp. bars_texts writes the length of the longest text.
function bars_begin(data)
{
    print "place\tbar\tkind\tvalue\ttext\tname" > data
    longest_text = 0
}

function bar_row(data, place, bar, kind, value, text, name)
{
    print place "\t" bar "\t" kind "\t" value "\t" text "\t" name > data
    if (length(text) > longest_text)
        longest_text = length(text)
}

function bars_texts(file)
{
    setting(file, "longest_text", longest_text)
}
