# finish_svg.awk: complete an SVG of gnuplot. The title of the SVG, which browsers show as a tooltip, becomes the
# title_text of the settings file (variable `settings`), followed by its subtitle_text if the variable `subtitle` is
# set. The titles of plots are removed. Bold text gets font-weight, and all text gets a font for viewers without DejaVu.
BEGIN {
    pattern = subtitle ? "^(sub)?title_text = ['\"]" : "^title_text = ['\"]"
    while ((getline line < settings) > 0)
        if (match(line, pattern)) {
            title = title (title == "" ? "" : ": ")
            line = substr(line, RLENGTH + 1)
            sub(/['"]$/, "", line)
            gsub(/''/, "'", line)
            gsub(/&/, "\\&amp;", line)
            gsub(/</, "\\&lt;", line)
            title = title line
        }
}
/^<title>Gnuplot<\/title>$/ { print "<title>" title "</title>"; next }
/^[ \t]*<g id="gnuplot_plot_/ { sub(/<title>.*<\/title>/, "") }
{
    sub(/font-family="DejaVu Sans:Bold"/, "& font-weight=\"bold\"")
    sub(/font-family="DejaVu Sans(:Bold)?"/, "font-family=\"DejaVu Sans, Verdana, sans-serif\"")
    print
}
