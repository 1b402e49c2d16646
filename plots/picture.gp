# picture.gp: common settings of the pictures of `tlab picture`. Each picture-KIND.gp sets `height` and evaluates
# `open_picture`.

set datafile separator ","
set datafile columnheaders # columns have the names of the CSV header
set key off
# 800 pixels are 17 cm, the text width of a handout on A4, so text of 12 pixels has 7.2 points.
width = 800

shade_none = "#FFFFFF"    # not accessed
shade_moved = "#CFE3F2"   # moved, or accessed once
shade_used = "#0072B2"    # used, or in conflict
shade_line = "#8A8A8A"    # borders between cells
shade_followed = "#F0C661" # the same element in all stages

plain_12 = font_name . ",12"
bold_12 = font_name . ":Bold,12"
plain_13 = font_name . ",13"
plain_14 = font_name . ",14"
bold_13 = font_name . ":Bold,13"
bold_14 = font_name . ":Bold,14"
bold_18 = font_name . ":Bold,18"

# Long texts are wrapped. `head` is the height in pixels of the additional lines of title and subtitle.
title_room = int((width - 48) / 11.5)
subtitle_room = int((width - 48) / 8.0)
text_room = int((width - 48) / 7.2)
head = 22 * (line_count(title_text, title_room) - 1) + 18 * (line_count(subtitle_text, subtitle_room) - 1)

# Terminals need different font scales. The layout is `width` pixels wide in all terminals.
open_picture = \
    'if (format eq "svg") { set terminal svg size width, height dynamic background "#FFFFFF" noenhanced font plain_14 };' . \
    'if (format eq "png") { set terminal pngcairo size 2 * width, 2 * height fontscale 1.5 linewidth 2 background "#FFFFFF" noenhanced font plain_14 };' . \
    'if (format eq "pdf") { set terminal pdfcairo size width / 100.0 in, height / 100.0 in fontscale 0.55 noenhanced background "#FFFFFF" font plain_14 };' . \
    'set output "picture." . format;' . \
    'set multiplot'

draw_title = \
    'set label 1 wrap(title_text, title_room) at screen 24.0 / width, screen 1 - 30.0 / height left noenhanced font bold_18 tc rgb color_text;' . \
    'set label 2 wrap(subtitle_text, subtitle_room) at screen 24.0 / width, screen 1 - (36.0 + 22 * line_count(title_text, title_room)) / height left noenhanced font plain_14 tc rgb color_soft'
forget_title = 'unset label 1; unset label 2'
