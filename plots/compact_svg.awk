# compact_svg.awk: reduce an SVG of gnuplot to a third of its size without changing the picture. Coordinates
# get one decimal, colours six hexadecimal digits. A rectangle becomes one element, and adjacent groups of the
# same style are merged. Dots become circles (weasyprint 57 does not inherit their colour). Unused symbols are removed.

function shortened(text,    out, number) { # round numbers to one decimal, which is omitted if it is 0
    out = ""
    while (match(text, /-?[0-9]+\.[0-9][0-9]+/)) {
        number = sprintf("%.1f", substr(text, RSTART, RLENGTH))
        sub(/\.0$/, "", number)
        out = out substr(text, 1, RSTART - 1) number
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

function colours(text,    part) { # rgb( 34, 34, 34) to #222222
    while (match(text, /rgb\( *[0-9]+, *[0-9]+, *[0-9]+\)/)) {
        split(substr(text, RSTART + 4, RLENGTH - 5), part, /, */)
        text = substr(text, 1, RSTART - 1) sprintf("#%02x%02x%02x", part[1], part[2], part[3]) \
            substr(text, RSTART + RLENGTH)
    }
    return text
}

function put(text) { lines[++count] = text }

# If a group has the same opening tag as the previous group, merge both groups.
function close_group() { put("</g>"); closed = style; at = count }
function open_group(text) {
    if (text == closed && at == count)
        count--
    else
        put(text)
    style = text
    closed = ""
}

/^[ \t]*$/ { next }
/^<defs>/ { symbols = 1 }
symbols { kept = kept $0 "\n"; symbols = !/^<\/defs>/; next }
/^<text>|^<rect |^<title>/ { put($0); next }

{
    sub(/^[ \t]+/, "")
    sub(/[ \t]+$/, "")
}
/<text>/ { put($0); next } # texts do not change
{ $0 = colours(shortened($0)) }
/^<g stroke='none' shape-rendering='crispEdges'>$/ { shape = 1; next }
shape && /^<\/g>$/ { shape = 0; next }
shape && /^<polygon/ {
    sub(/ *points = /, " points=")
    sub(/fill = /, "stroke='none' fill=")
    sub(/ '\/>/, "'/>")
}
{ gsub(/ +/, " "); sub(/ Z '\/>/, "z'/>") }
/^<g fill="none" color="black"/ { open_group($0); next }
/^<\/g>$/ { close_group(); next }
/[^ ]<\/g>$/ { sub(/<\/g>$/, ""); put($0); close_group(); next }
/^<use xlink:href='#gpPt6'/ && split($0, part, /[(,)]/) >= 5 { # a filled dot becomes a circle element
    colour = $0
    sub(/.*color='/, "fill='", colour)
    put("<circle cx='" part[2] "' cy='" part[3] "' r='" part[5] "' " colour)
    next
}
/gpPt|gpDot/ { used = 1 }
{ put($0) }

END {
    for (i = 1; i <= count; i++) {
        print lines[i]
        if (used && lines[i] ~ /id="gnuplot_canvas"/)
            printf "%s", kept
    }
}
