# style.gp: the style of all charts. Colours are those of Okabe and Ito, which colour-blind people can
# distinguish. The three of a group also differ in lightness, for greyscale. Every bar has a border.

set encoding utf8
set datafile separator "\t"

color_first = "#0072B2"   # dark blue
color_second = "#F0C661"  # Okabe-Ito's orange, lightened
color_third = "#FAFAFA"   # nearly white
color_failed = "#A03C00"  # vermillion, darkened for text
color_reference = "#000000"
color_text = "#222222"
color_soft = "#555555"
color_grid = "#DDDDDD"

# Pixels of a picture 1000 wide. The PNG has twice as many, PDF and LaTeX are 10 inches wide (LaTeX sets the
# text in its own font of 10 points: \resizebox{\textwidth}{!}{\input{NAME}}).
width = 1000
font_name = "DejaVu Sans"
font_size = 12
font_title = 17
font_small = 11

# A script sets width and height, evaluates this, and draws. `format` and `picture` are set by draw.
open_picture = \
    'if (format eq "svg") { set terminal svg size width, height dynamic fontscale 1.3 background "#FFFFFF" noenhanced font sprintf("%s,%d", font_name, font_size) };' . \
    'if (format eq "png") { set terminal pngcairo size 2 * width, 2 * height fontscale 2 linewidth 2 noenhanced background "#FFFFFF" font sprintf("%s,%d", font_name, font_size) };' . \
    'if (format eq "pdf") { set terminal pdfcairo size width / 100.0 in, height / 100.0 in fontscale 0.72 noenhanced background "#FFFFFF" font sprintf("%s,%d", font_name, font_size) };' . \
    'if (format eq "tex") { set terminal cairolatex pdf input size width / 100.0 in, height / 100.0 in };' . \
    'set output picture . "." . format'

set style line 1 lc rgb color_text lw 0.8
set style line 2 lc rgb color_reference lw 1.6 dt (8, 5)
set style line 3 lc rgb color_grid lw 0.8
set style fill solid 1.0 border lc rgb color_text
set style textbox opaque noborder fillcolor "#FFFFFF" margins 0.4, 0.1
