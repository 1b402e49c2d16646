# style.gp: the style of all charts. A colour has one meaning: grey is published, blue is emulated (a modelled time or
# an emulated count), orange is measured on a GPU. These colours differ in lightness and therefore also in greyscale
# (style_test.sh checks this). Colour-blind people can distinguish the hues, which are those of Okabe and Ito.
# Paler shades of a colour distinguish bars of one source. Every bar has a border.

set encoding utf8
set datafile separator "\t"

color_published = "#DDDDDD"
color_emulated = "#005A9C"
color_emulated_2 = "#8FC1E6"
color_emulated_3 = "#E4F0FA"
color_measured = "#D98200"
color_measured_2 = "#F5C77E"
color_measured_3 = "#FDF0DC"
color_failed = "#A03C00"  # vermillion, darkened for text
color_reference = "#000000"
color_text = "#222222"
color_soft = "#555555"
color_grid = "#DDDDDD"
fill_of(source) = value("color_" . source)

# A picture is `width` pixels wide. 1000 pixels are 17.5 cm in print, two columns of a paper, so text in font_small has
# 7.1 points. `print_points` is the width in print, from WIDTH; 0 if WIDTH is not set. With WIDTH, the picture has no
# title, because the paper has a caption. The panels of a narrow picture are one below another.
per_pixel = 0.49606
width = print_points > 0 ? int(print_points / per_pixel + 0.5) : 1000
titled = print_points == 0
narrow = width < 700
font_name = "DejaVu Sans"
font_size = 12
font_title = 17
font_small = 11
small = sprintf("%s,%d", font_name, font_small)
small_bold = sprintf("%s:Bold,%d", font_name, font_small)
normal = sprintf("%s,%d", font_name, font_size)
title_bold = sprintf("%s:Bold,%d", font_name, font_title)
in_print(pixels) = pixels * per_pixel / 72.0

# A script sets `height`, evaluates open_picture, and draws. plots/draw sets `format` and `picture`.
open_picture = \
    'if (format eq "svg") { set terminal svg size width, height dynamic fontscale 1.3 background "#FFFFFF" noenhanced font normal };' . \
    'if (format eq "png") { set terminal pngcairo size 2 * width, 2 * height fontscale 2 linewidth 2 noenhanced background "#FFFFFF" font normal };' . \
    'if (format eq "pdf") { set terminal pdfcairo size in_print(width) in, in_print(height) in fontscale 0.64 noenhanced background "#FFFFFF" font normal };' . \
    'if (format eq "tex") { set terminal cairolatex pdf input size in_print(width) in, in_print(height) in font ",7" };' . \
    'set output picture . "." . format'

# wrap breaks a text at spaces into lines of at most n characters; line_count is the number of lines.
last_space(t, n) = n < 2 ? 0 : t[n : n] eq " " ? n : last_space(t, n - 1)
line_end(t, n) = last_space(t, n + 1) > 0 ? last_space(t, n + 1) : n + 1
wrap(t, n) = strlen(t) <= n ? t : t[1 : line_end(t, n) - 1] . "\n" . wrap(t[line_end(t, n) + 1 : ], n)
line_count(t, n) = strlen(t) <= n ? 1 : 1 + line_count(t[line_end(t, n) + 1 : ], n)
line_room(size) = int((width - 40) / (0.72 * size))

# The height of title and subtitle in pixels.
head_height = titled ? 14 + 27 * line_count(title_text, line_room(font_title)) + 20 * line_count(subtitle_text, line_room(font_size)) + 10 : 8
draw_title = \
    'if (titled) {' . \
    '    set label 1 wrap(title_text, line_room(font_title)) at screen 20.0 / width, screen 1 - 27.0 / height left noenhanced font title_bold tc rgb color_text;' . \
    '    set label 2 wrap(subtitle_text, line_room(font_size)) at screen 20.0 / width, screen 1 - (25.0 + 27 * line_count(title_text, line_room(font_title))) / height left noenhanced font normal tc rgb color_soft;' . \
    '}'
# The height of the note below the panels, in pixels. draw_note draws note_text there.
note_height(t) = t eq "" ? 0 : 10 + 18 * line_count(t, line_room(font_small))
draw_note = 'set label 9 wrap(note_text, line_room(font_small)) at screen 20.0 / width, screen (note_height(note_text) - 12.0) / height left noenhanced font small tc rgb color_soft'

# place_panel sets the margins of a panel from x0, y0 (from the top), panel_width and panel_height, all in pixels.
place_panel = \
    'set lmargin at screen x0 / (1.0 * width); set rmargin at screen (x0 + panel_width) / (1.0 * width);' . \
    'set tmargin at screen 1 - y0 / (1.0 * height); set bmargin at screen 1 - (y0 + panel_height) / (1.0 * height)'

set style line 1 lc rgb color_text lw 0.8
set style line 2 lc rgb color_reference lw 1.6 dt (8, 5)
set style line 3 lc rgb color_grid lw 0.8
set style fill solid 1.0 border lc rgb color_text
set style textbox opaque noborder fillcolor "#FFFFFF" margins 0.4, 0.1
