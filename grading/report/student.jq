# student.jq: the reports of grades (grade.h), for each its id and an object of files: texts, or JSON.
include "text";

# ---- What a student may see ----
# Fields are copied by name, never removed by name: what somebody adds to the grade tomorrow stays
# hidden until it is listed here.

def own_check: only(["title", "points", "score", "result", "text", "hint"]);
def own_run:
    only(["device", "chip"]) + {counters: object("counters") | only([
        "rows", "cols", "time_us", "bandwidth_gbps", "copy_pct", "global_load_requests",
        "global_load_sectors", "global_store_requests", "global_store_sectors", "l2_read_bytes",
        "l2_write_bytes", "shared_load_requests", "shared_load_wavefronts",
        "shared_load_ideal_wavefronts", "shared_store_requests", "shared_store_wavefronts",
        "shared_store_ideal_wavefronts"])};
# Checks that are visible, and what the others came to; runs of published sizes.
def own_lab:
    only(["exercise", "title", "file", "status", "reason", "score", "points", "open", "source", "lines", "advice",
        "partner", "chosen", "handed_in"]) +
    {changes: [items("changes") | only(["kind", "points", "text"])]} +
    {checks: [items("checks") | select(.visible == true) | own_check],
     hidden: ([items("checks") | select(.visible != true)] | if length == 0 then null else
        {checks: length, score: map(number("score")) | add, points: map(number("points")) | add} end),
     runs: [items("runs") | select(.hidden != true) | own_run]};
def own:
    only(["name", "submitted", "score", "points", "open", "notes"]) +
    {partners: [items("partners") | text("name")], labs: [items("labs") | own_lab]};

# ---- What is said ----

def of_points: "\(number("score") | points) of \(number("points") | points)";
def own_notes:
    (texts("partners") | "you hand in together with \(.): the same files count for both"), texts("notes");
def notes: (select(.submitted != true) | "Nothing was handed in."), own_notes;
# Of a check: the text, then the hint where there is one; of a lab, what its checks do not say.
def check_said: [text("text"), (text("hint") | select(. != "") | "Hint: " + .)] | map(select(. != "")) | join("\n");
def lab_said:
    if .file == null and text("status") == "unreadable" then "Unreadable: \(text("reason")). No points until then."
    elif .file == null and text("reason") != "" then "Nothing was handed in for this exercise: \(text("reason"))."
    elif .file == null then "Nothing was handed in for this exercise."
    elif text("status") != "ok" then "\(text("status")): \(text("reason"))"
    else text("advice") end;
def handed_in: text("handed_in") | if . == "" then "" else ", handed in \(.)" end;
def result: text("result") as $result |
    {passed: "full points", partial: "partly", failed: "no points", skipped: "not judged", open: "unmarked"}[$result] // $result;

# ---- feedback.txt ----

def indented($by): (if endswith("\n") then "\n" else "" end) as $tail |
    $by + (rtrimstr("\n") | split("\n") | join("\n" + $by)) + $tail + "\n";
def said_indented($by): select(. != "") | indented($by);

def feedback_check:
    "  \((result + " " * 11)[:11] // result) \(if text("result") == "open" then number("points") | points else of_points end)  \(text("title"))\n",
    (check_said | said_indented(" " * 14));
def feedback_lab:
    "\n\(text("title")) (\(text("exercise"))): \(points_said)\n",
    (select(.file != null) | "  your file: \(text("file"))\(handed_in)\n"),
    (decided | indented("  note: ")),
    (lab_said | said_indented("  ")),
    (select(.file != null) | (.checks[] | feedback_check),
        (.hidden // empty | "  \(.checks) checks that are not shown: \(of_points) points\n"));
def feedback:
    [
        "\(text("name")): \(points_said)\n",
        (select(.submitted != true) | "Nothing was handed in.\n"),
        (own_notes | indented("  note: ")),
        (.labs[] | feedback_lab)
    ] | add;

# ---- The forms of other systems: lists of tests with points ----

# A test for each visible check, one for the hidden ones of a lab together, one for a lab without a
# file, and one for each change of its points. What is to be said of a lab stands with its first check.
def tests:
    .labs[] | text("exercise") as $exercise |
    (if .file == null then {title: text("title"), said: lab_said, score: 0, points: number("points")}
    else
        ([lab_said, text("chosen")] | map(select(. != "")) | join("\n")) as $lab |
        (.checks | to_entries[] | .key as $index | .value |
            {title: text("title"), score: number("score"), open: (text("result") == "open"),
             points: (if text("result") == "open" then 0 else number("points") end),
             said: ([(select($index == 0) | $lab), check_said] | map(select(. != "")) | join("\n"))}),
        (.hidden // empty | {title: "Checks that are not shown", said: "", score, points})
    end), (items("changes") | {title: ({late: "Handed in late", by_hand: "Marked by hand"}[text("kind")] // "Changed"),
        said: text("text"), score: number("points"), points: 0}) | .name = "\($exercise): \(.title)";

def gradescope: {
    score: number("score"), output: ([notes | . + "\n"] | add // ""), output_format: "text",
    visibility: "visible", stdout_visibility: "hidden",
    tests: [tests | {name, output: .said, output_format: "text", visibility: "visible"} +
        if .open == true then {} else {score, max_score: .points, status: (if .score >= .points then "passed" else "failed" end)} end]};
def prairielearn: {
    gradable: true, score: share,
    message: ([notes | . + "\n"] | add // ""),
    tests: [tests | {name, points: .score, max_points: .points, message: .said}]};
# For GitHub Classroom's autograding reporter (base64-encoded, by the workflow).
def github: {
    version: 1, status: (if is_full then "pass" else "fail" end),
    max_score: reachable,
    tests: [tests | {name, status: (if .score >= .points then "pass" else "fail" end), score, message: .said,
        test_code: "", filename: "", line_no: 0, execution_time: 0}]};
# The line that an Autolab autograder prints last.
def real: number("score") | significant(6) | if test("^-?[0-9]+$") then . + ".0" else . end;
def autolab:
    "{\"scoreboard\":[\(real)],\"scores\":{" +
    ([.labs[] | "\(text("exercise") | tojson):\(real)"] | sort | join(",")) + "}}\n";

# ---- index.html: charts ----

# A bar with a mark where the ideal is.
def bar($name; $value; $ideal; $unit): {$name, $value, $ideal, $unit};
def chart($title; $bars):
    ([$bars[] | .value, .ideal] | max) as $largest | select($largest > 0) | (314 / $largest) as $scale |
    "<figure><figcaption>\($title)</figcaption>\n<svg viewBox=\"0 0 320 \(($bars | length) * 44 + 4)\" role=\"img\"><title>",
    ([$bars[] | "\(.name) \(.value | significant(4)) \(.unit), ideal \(.ideal | significant(4))"] | join("; ")),
    "</title>\n",
    ($bars | to_entries[] | (.key * 44) as $top | .value |
        "<text x=\"0\" y=\"\($top + 13).0\">\(.name): \(.value | significant(4)) \(.unit) (ideal \(.ideal | significant(4)))</text>\n",
        "<rect x=\"0\" y=\"\($top + 18).0\" width=\"\([.value * $scale, 1] | max | fixed(1))\" height=\"18\" fill=\"var(--bar)\"/>\n",
        "<rect x=\"\(.ideal * $scale | fixed(1))\" y=\"\($top + 15).0\" width=\"3\" height=\"24\" fill=\"var(--ink)\"/>\n"),
    "</svg></figure>\n";

def per($work; $requests): number($requests) as $count | if $count > 0 then number($work) / $count else 0 end;
# Counters of the first run against what the matrix alone would need.
def charts:
    .device as $device | .counters as $counters | $counters | number("rows") as $rows | number("cols") as $cols |
    (4 * $rows * $cols) as $bytes | select($bytes > 0) |
    def global($kind): bar("\($kind)s"; per("global_\($kind)_sectors"; "global_\($kind)_requests");
        ($bytes / 32 | ceil) / ([number("global_\($kind)_requests"), 1] | max); "sectors");
    def shared($kind): bar("\($kind)s"; per("shared_\($kind)_wavefronts"; "shared_\($kind)_requests");
        per("shared_\($kind)_ideal_wavefronts"; "shared_\($kind)_requests"); "wavefronts");
    "<h3>Counted at \($rows | fixed(0)) × \($cols | fixed(0)) on \({$device} | text("device") | escaped)</h3>\n",
    if .global_load_requests == null then
        "<p>NA: the kernel was not right at this size, and what a wrong kernel does is not counted.</p>\n"
    else "<div class=\"charts\">\n",
    chart("Global memory, per request of a warp"; ["load", "store" | select($counters["global_\(.)_requests"] > 0)] |
        map(. as $kind | $counters | global($kind))),
    (select(number("shared_load_requests") + number("shared_store_requests") > 0) |
        chart("Shared memory, per request of a warp"; [shared("load"), shared("store")])),
    (select(.l2_read_bytes != null) |
        chart("Traffic with the L2"; [bar("read"; number("l2_read_bytes") / 1e6; $bytes / 1e6; "MB"),
            bar("written"; number("l2_write_bytes") / 1e6; $bytes / 1e6; "MB")])),
    "</div>\n" end;

# A GPU runs beside the emulator for information.
def measured:
    (text("chip") | escaped) as $chip | .counters | select(.bandwidth_gbps != null) |
    "<h3>Measured on \($chip)</h3>\n<p>At \(number("rows") | fixed(0)) × \(number("cols") | fixed(0)): ",
    "\(number("time_us") | significant(4)) µs, \(number("bandwidth_gbps") | significant(4)) GB/s, ",
    "\(number("copy_pct") | significant(3)) % of the bandwidth of a copy. Where no check above asks ",
    "for it, this is information and gives no points.</p>\n";
def runs: .runs | to_entries[] | .key as $index | .value |
    if .device == "gpu" then measured elif $index == 0 then charts else empty end;

# ---- index.html: the source ----

# No page holds more of a file.
def lines_max: 10000;

def excess: number("used") - number("ideal");
def cost: ([number("requests"), 1] | max) as $requests |
    "\(number("used") / $requests | significant(3)) \(if text("space") == "shared" then "wavefronts" else "sectors" end) (\(number("ideal") / $requests | significant(3)))";
def source:
    text("source") as $source | select($source != "") | (text("file") | escaped) as $file |
    (reduce items("lines") as $line ({}; .["\($line | number("line"))"] += [$line | cost])) as $costs |
    (reduce items("lines") as $line ({most: 0, line: 0};
        ($line | excess) as $excess | if $excess > .most then {most: $excess, line: $line | number("line")} else . end) |
        .line) as $worst |
    "<h3>Your source, with what its accesses cost</h3>\n<div class=\"box source\" tabindex=\"0\" role=\"region\" ",
    "aria-label=\"Source of \($file)\">\n<table>\n<caption>\($file): what a request of a warp costs, and in ",
    "brackets what would do</caption>\n<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Cost</th>",
    "<th scope=\"col\">Source</th></tr></thead>\n<tbody>\n",
    ($source[:-1] + ($source[-1:] | rtrimstr("\n")) + "\n" | split("\n")[:-1] | length as $length |
        (.[:lines_max] | to_entries[] | (.key + 1) as $number |
            "<tr\(if $number == $worst then " class=\"worst\"" else "" end)><td class=\"line\">\($number)</td>",
            "<td class=\"cost\">\($costs["\($number)"] // [] | join("<br>"))",
            "\(if $number == $worst then "<br>the worst line" else "" end)</td><td>\(.value | escaped)</td></tr>\n"),
        (select($length > lines_max) | "<tr><td></td><td></td><td>and \($length - lines_max) more lines</td></tr>\n")),
    "</tbody>\n</table>\n</div>\n";

# ---- index.html ----

def student_check:
    ({passed: "good", partial: "part", failed: "bad"}[text("result")] // "soft") as $class |
    "<div class=\"check\">\n<h3 class=\"\($class)\">\(text("title") | escaped): ",
    (if text("result") == "open" then "\(number("points") | points) points, to be marked by a person"
     else "\(of_points), \(result | escaped)" end), "</h3>\n",
    (select(text("result") != "open") | text("text") | select(. != "") | "<p class=\"said\">\(escaped)</p>\n"),
    (text("hint") | select(. != "") | "<p class=\"said\"><strong>Hint:</strong> \(escaped)</p>\n"),
    "</div>\n";
def student_lab:
    "<section>\n<h2 id=\"\(text("exercise") | escaped)\">\(text("title") | escaped): \(points_said)</h2>\n",
    (select(.file != null) | "<p class=\"soft\">Your file: \(text("file") | escaped)\(handed_in | escaped)</p>\n"),
    ([decided] | select(length > 0) | "<ul class=\"decided\">\n", (.[] | "<li>\(escaped)</li>\n"), "</ul>\n"),
    (lab_said | select(. != "") | "<p class=\"said\">\(escaped)</p>\n"),
    (select(.file != null) |
        (.checks[] | student_check),
        (.hidden // empty | "<p>Checks that are not shown: \(of_points) points.</p>\n"),
        runs, source),
    "</section>\n";
def student_page: page(text("name"); null;
    "<header><h1>\(text("name") | escaped): \(points_said)</h1></header>\n<main>\n",
    (select(.submitted != true) | "<p>Nothing was handed in.</p>\n"),
    (own_notes | "<p class=\"said\">Note: \(escaped)</p>\n"),
    "<nav aria-label=\"Exercises\"><ul>\n",
    (.labs[] | "<li><a href=\"#\(text("exercise") | escaped)\">\(text("title") | escaped)</a>: \(points_said)</li>\n"),
    "</ul></nav>\n",
    (.labs[] | student_lab));

inputs | {id: text("id"), files: (own | {
    "feedback.txt": feedback, "index.html": student_page, "results.json": gradescope,
    "prairielearn.json": prairielearn, "github.json": github, "autolab.json": autolab})}
