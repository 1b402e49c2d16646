# finish_svg.awk: complete an SVG of gnuplot. Browsers show titles at the pointer, so the picture gets the
# title_text of its settings (variable `settings`: their file; with `subtitle`, followed by subtitle_text), and its
# plots get no titles. Bold text is marked, which gnuplot does not do, and viewers without DejaVu get a second font.
BEGIN {
    while ((getline line < settings) > 0)
        if (match(line, subtitle ? /^(sub)?title_text = ['"]/ : /^title_text = ['"]/)) {
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
/^<g id="gnuplot_plot_/ { sub(/<title>.*<\/title>/, "") }
{
    sub(/font-family="DejaVu Sans:Bold"/, "& font-weight=\"bold\"")
    sub(/font-family="DejaVu Sans(:Bold)?"/, "font-family=\"DejaVu Sans, Verdana, sans-serif\"")
    print
}
