# lab.jq: the part of a page that shows one lab: charts of the counters, and the source with the
# cost of each line. The input describes a lab in the format of a grade (grading/judge/grade.h).
# Fields may be missing.
include "text";

# ---- Charts ----

# The link to a line of the source. Identifiers begin with the `anchor` of the lab, because a page
# can show several labs.
def anchor: if .anchor then text("anchor") else text("exercise") end | gsub("[^A-Za-z0-9_-]"; "_");
def line_link($line): "<a href=\"#\(anchor)-\($line)\">line \($line)</a>";
# Escape a text, and replace "line 33" and "file.cu:33" by links to the lines of $lab.
def linked($lab): ($lab | anchor) as $anchor | ($lab | text("source") | split("\n") | length) as $lines | escaped |
    gsub("(?<where>\\bline |[A-Za-z0-9_.-]+\\.cu:)(?<line>[0-9]{1,7})\\b";
        if (.line | tonumber) <= $lines then "<a href=\"#\($anchor)-\(.line)\">\(.where)\(.line)</a>" else "\(.where)\(.line)" end);

# Classify a counter by its distance from the minimum: "good" is at the minimum. A bar with narrow
# stripes is above the minimum, and a bar with wide stripes is above twice the minimum.
def distance: if .value <= 1.05 * .ideal then {class: "good", text: "minimal"}
    else (if .ideal > 0 then .value / .ideal else 0 end) as $times |
        {text: (if $times > 0 then "\($times | significant(3)) times" else "none needed" end)} +
        if $times > 0 and $times <= 2 then {class: "part", stripes: "2 10"} else {class: "bad", stripes: "5 5"} end end;

# A number with its unit, in the plural unless the number is 1.
def counted($unit): "\(.) \(if . == "1" then $unit | rtrimstr("s") else $unit end)";

# A bar with a mark at the minimum. $lines are the source lines that make these accesses.
def bar($name; $value; $ideal; $unit): {$name, $value, $ideal, $unit};
def chart($title; $bars; $lines):
    ([$bars[] | .value, .ideal] | max) as $largest | select($largest > 0) | (314 / $largest) as $scale |
    "<figure><figcaption>\($title)</figcaption>\n<svg viewBox=\"0 0 320 \(($bars | length) * 44 + 4)\" role=\"img\"><title>",
    ([$bars[] | .unit as $unit | "\(.name) \(.value | significant(4) | counted($unit)), ideal \(.ideal | significant(4))"] | join("; ")),
    "</title>\n",
    ($bars | to_entries[] | (.key * 44) as $top | .value | distance as $distance | ([.value * $scale, 1] | max | fixed(1)) as $width |
        "<text x=\"0\" y=\"\($top + 13).0\">\(.name): \(.unit as $unit | .value | significant(4) | counted($unit)) (ideal \(.ideal | significant(4))): \($distance.text)</text>\n",
        "<rect x=\"0\" y=\"\($top + 18).0\" width=\"\($width)\" height=\"18\" fill=\"var(--\($distance.class))\"/>\n",
        ($distance.stripes // empty | "<path d=\"M0 \($top + 27)H\($width)\" stroke=\"var(--paper)\" stroke-width=\"18\" stroke-dasharray=\"\(.)\" stroke-dashoffset=\"\(split(" ")[0])\"/>\n"),
        "<rect x=\"\(.ideal * $scale | fixed(1))\" y=\"\($top + 15).0\" width=\"3\" height=\"24\" fill=\"var(--ink)\"/>\n"),
    "</svg>\n",
    ($lines | select(length > 0) | "<ul class=\"soft\">\(map("<li>\(.)</li>") | join(""))</ul>\n"),
    "</figure>\n";

def excess: number("used") - number("ideal");
def cost: ([number("requests"), 1] | max) as $requests |
    (if text("space") == "shared" then "wavefronts" else "sectors" end) as $unit |
    "\(number("used") / $requests | significant(3) | counted($unit)) (\(number("ideal") / $requests | significant(3)))";
# The source lines that access a memory space, in descending order of excess.
def lines_of($space): . as $lab | [items("lines") | select(text("space") == $space)] | sort_by(-excess) | .[:8][] |
    "\(. as $line | $lab | line_link($line | number("line"))): \(text("access") | escaped), \(cost)";

def per($work; $requests): number($requests) as $count | if $count > 0 then number($work) / $count else 0 end;
# Charts of the counters of the first run of $lab, each with the minimum for the matrix.
def charts($lab):
    .device as $device | .counters as $counters | $counters | number("rows") as $rows | number("cols") as $cols |
    (4 * $rows * $cols) as $bytes | select($bytes > 0) |
    def global($kind): bar("\($kind)s"; per("global_\($kind)_sectors"; "global_\($kind)_requests");
        ($bytes / 32 | ceil) / ([number("global_\($kind)_requests"), 1] | max); "sectors");
    def shared($kind): bar("\($kind)s"; per("shared_\($kind)_wavefronts"; "shared_\($kind)_requests");
        per("shared_\($kind)_ideal_wavefronts"; "shared_\($kind)_requests"); "wavefronts");
    "<h3>Counted at \($rows | fixed(0)) × \($cols | fixed(0)) on \({$device} | text("device") | escaped)</h3>\n",
    if .global_load_requests == null then
        "<p>NA: the kernel was incorrect at this size, and only correct kernels are counted.</p>\n"
    else "<div class=\"charts\">\n",
    chart("Global memory, per request of a warp"; ["load", "store" | select($counters["global_\(.)_requests"] > 0)] |
        map(. as $kind | $counters | global($kind)); [$lab | lines_of("global")]),
    (select(number("shared_load_requests") + number("shared_store_requests") > 0) |
        chart("Shared memory, per request of a warp"; [shared("load"), shared("store")]; [$lab | lines_of("shared")])),
    (select(.l2_read_bytes != null) |
        chart("L2 traffic"; [bar("read"; number("l2_read_bytes") / 1e6; $bytes / 1e6; "MB"),
            bar("written"; number("l2_write_bytes") / 1e6; $bytes / 1e6; "MB")]; [])),
    "</div>\n" end;

def measured:
    (text("chip") | escaped) as $chip | .counters | select(.bandwidth_gbps != null) |
    "<h3>Measured on \($chip)</h3>\n<p>At \(number("rows") | fixed(0)) × \(number("cols") | fixed(0)): ",
    "\(number("time_us") | significant(4)) µs, \(number("bandwidth_gbps") | significant(4)) GB/s, ",
    "\(number("copy_pct") | significant(3)) % of the bandwidth of a copy. This measurement ",
    "gives points only if a check above uses it.</p>\n";
def runs: . as $lab | (.runs // []) | to_entries[] | .key as $index | .value |
    if .device == "gpu" then measured elif $index == 0 then charts($lab) else empty end;

# ---- The source ----

def lines_max: 10000;

# The color class of a line, from 0 to 4, by its share of the modelled time.
def heat: if . >= 0.4 then 4 elif . >= 0.2 then 3 elif . >= 0.1 then 2 elif . >= 0.03 then 1 else 0 end;
def source:
    anchor as $anchor | text("source") as $source | select($source != "") | (text("file") | escaped) as $file |
    (reduce items("lines") as $line ({}; .["\($line | number("line"))"] += [$line | cost])) as $costs |
    (reduce items("lines") as $line ({most: 0, line: 0};
        ($line | excess) as $excess | if $excess > .most then {most: $excess, line: $line | number("line")} else . end) |
        .line) as $worst |
    (reduce items("lines") as $line ({}; .["\($line | number("line"))"] += ($line | number("time_share")))) as $shares |
    (reduce (text("reason") | scan("\\.cuh?[:(]([0-9]{1,7})")[]) as $line ({}; .[$line] = true)) as $named |
    "<h3>Your source and the cost of its accesses</h3>\n<div class=\"box source\" tabindex=\"0\" role=\"region\" ",
    "aria-label=\"Source of \($file)\">\n<table>\n<caption>\($file): cost per request of a warp, with the minimum in ",
    "brackets, and share of the modelled time</caption>\n<thead><tr><th scope=\"col\">Line</th>",
    "<th scope=\"col\">Cost</th><th scope=\"col\">Time</th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n",
    ($source[:-1] + ($source[-1:] | rtrimstr("\n")) + "\n" | split("\n")[:-1] | length as $length |
        (.[:lines_max] | to_entries[] | (.key + 1) as $number |
            ($shares["\($number)"] // 0) as $share |
            (if $named["\($number)"] then "named above" elif $number == $worst then "the most expensive line" else "" end) as $mark |
            "<tr id=\"\($anchor)-\($number)\"\(if $mark != "" then " class=\"worst\"" else "" end)><td class=\"line\">\($number)</td>",
            "<td class=\"cost\">\([$costs["\($number)"][]?, ($mark | select(. != ""))] | join("<br>"))</td>",
            (if $share >= 0.001 then "<td class=\"heat\($share | heat)\">\($share * 100 | fixed(0)) %</td>" else "<td></td>" end),
            "<td>\(.value | escaped)</td></tr>\n"),
        (select($length > lines_max) | "<tr><td></td><td></td><td></td><td>and \($length - lines_max) more lines</td></tr>\n")),
    "</tbody>\n</table>\n</div>\n";
