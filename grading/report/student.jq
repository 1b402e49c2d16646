# student.jq: make an object with the id and the reports (texts or JSON) from each marked grade (marks.h).
include "text";
include "lab";

# Fields are copied by name, never removed by name, so that new fields of grades are hidden by default.

def own_check: only(["title", "points", "score", "result", "text", "hint"]);
def own_run:
    only(["device", "chip"]) + {counters: object("counters") | only([
        "rows", "cols", "time_us", "bandwidth_gbps", "copy_pct", "global_load_requests",
        "global_load_sectors", "global_store_requests", "global_store_sectors", "l2_read_bytes",
        "l2_write_bytes", "shared_load_requests", "shared_load_wavefronts",
        "shared_load_ideal_wavefronts", "shared_store_requests", "shared_store_wavefronts",
        "shared_store_ideal_wavefronts"])};
# The part of a lab that the student may see: visible checks, the sum of hidden checks, runs at published sizes.
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

def of_points: "\(number("score") | points) of \(number("points") | points)";
def own_notes:
    (texts("partners") | "you work in a pair with \(.): the same files count for both"), texts("notes");
def notes: (select(.submitted != true) | "Nothing was submitted."), own_notes;
# check_text is the text of a check, followed by its hint. lab_text is the text that belongs to no check of the lab.
def check_text: [text("text"), (text("hint") | select(. != "") | "Hint: " + .)] | map(select(. != "")) | join("\n");
def lab_text:
    if .file == null and text("status") == "unreadable" and any(items("changes"); text("kind") == "by_hand") then
        "The grader could not read the submission; an instructor marked it."
    elif .file == null and text("status") == "unreadable" then "Unreadable: \(text("reason")). Until then, this exercise has no points."
    elif .file == null and text("reason") != "" then "No file was submitted for this exercise: \(text("reason"))."
    elif .file == null then "No file was submitted for this exercise."
    elif text("status") != "ok" then "\(text("status")): \(text("reason"))"
    else text("advice") end;
def submission_time: text("handed_in") | if . == "" then "" else ", submitted \(.)" end;
def result: text("result") as $result |
    {passed: "full points", partial: "partial", failed: "no points", skipped: "not judged", open: "unmarked"}[$result] // $result;

def indented($by): (if endswith("\n") then "\n" else "" end) as $tail |
    $by + (rtrimstr("\n") | split("\n") | join("\n" + $by)) + $tail + "\n";
def text_indented($by): select(. != "") | indented($by);

def feedback_check:
    "  \((result + " " * 11)[:11] // result) \(if text("result") == "open" then number("points") | points else of_points end)  \(text("title"))\n",
    (check_text | text_indented(" " * 14));
def feedback_lab:
    "\n\(text("title")) (\(text("exercise"))): \(points_said)\n",
    (select(.file != null) | "  your file: \(text("file"))\(submission_time)\n"),
    (decided | indented("  note: ")),
    (lab_text | text_indented("  ")),
    (select(.file != null) | (.checks[] | feedback_check),
        (.hidden // empty | "  \(.checks) hidden checks: \(of_points) points\n"));
def feedback:
    [
        "\(text("name")): \(points_said)\n",
        (select(.submitted != true) | "Nothing was submitted.\n"),
        (own_notes | indented("  note: ")),
        (.labs[] | feedback_lab)
    ] | add;

# A test exists for each visible check, for all hidden checks of a lab together, for a lab without a file, and for each
# change of a lab's points. The first check of a lab also shows the text of the lab.
def tests:
    .labs[] | text("exercise") as $exercise |
    (if .file == null then {title: text("title"), said: lab_text, score: 0, points: number("points")}
    else
        ([lab_text, text("chosen")] | map(select(. != "")) | join("\n")) as $lab |
        (.checks | to_entries[] | .key as $index | .value |
            {title: text("title"), score: number("score"), open: (text("result") == "open"),
             points: (if text("result") == "open" then 0 else number("points") end),
             said: ([(select($index == 0) | $lab), check_text] | map(select(. != "")) | join("\n"))}),
        (.hidden // empty | {title: "Hidden checks", said: "", score, points})
    end), (items("changes") | {title: ({late: "Submitted late", by_hand: "Marked by hand"}[text("kind")] // "Changed"),
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
# The object for GitHub Classroom's autograding reporter. The workflow encodes it in base64.
def github: {
    version: 1, status: (if is_full then "pass" else "fail" end),
    max_score: reachable,
    tests: [tests | {name, status: (if .score >= .points then "pass" else "fail" end), score, message: .said,
        test_code: "", filename: "", line_no: 0, execution_time: 0}]};
# The last line of output that Autolab requires from an autograder.
def real: number("score") | significant(6) | if test("^-?[0-9]+$") then . + ".0" else . end;
def autolab:
    "{\"scoreboard\":[\(real)],\"scores\":{" +
    ([.labs[] | "\(text("exercise") | tojson):\(real)"] | sort | join(",")) + "}}\n";

def student_check:
    ({passed: "good", partial: "part", failed: "bad"}[text("result")] // "soft") as $class |
    "<div class=\"check\">\n<h3 class=\"\($class)\">\(text("title") | escaped): ",
    (if text("result") == "open" then "\(number("points") | points) points, to be marked by an instructor"
     else "\(of_points), \(result | escaped)" end), "</h3>\n",
    (select(text("result") != "open") | text("text") | select(. != "") | "<p class=\"said\">\(escaped)</p>\n"),
    (text("hint") | select(. != "") | "<p class=\"said\"><strong>Hint:</strong> \(escaped)</p>\n"),
    "</div>\n";
def student_lab:
    "<section>\n<h2 id=\"\(text("exercise") | escaped)\">\(text("title") | escaped): \(points_said)</h2>\n",
    (select(.file != null) | "<p class=\"soft\">Your file: \(text("file") | escaped)\(submission_time | escaped)</p>\n"),
    ([decided] | select(length > 0) | "<ul class=\"decided\">\n", (.[] | "<li>\(escaped)</li>\n"), "</ul>\n"),
    (lab_text | select(. != "") | "<p class=\"said\">\(escaped)</p>\n"),
    (select(.file != null) |
        (.checks[] | student_check),
        (.hidden // empty | "<p>Hidden checks: \(of_points) points.</p>\n"),
        runs, source),
    "</section>\n";
def student_page: page(text("name"); null;
    "<header><h1>\(text("name") | escaped): \(points_said)</h1></header>\n<main>\n",
    (select(.submitted != true) | "<p>Nothing was submitted.</p>\n"),
    (own_notes | "<p class=\"said\">Note: \(escaped)</p>\n"),
    "<nav aria-label=\"Exercises\"><ul>\n",
    (.labs[] | "<li><a href=\"#\(text("exercise") | escaped)\">\(text("title") | escaped)</a>: \(points_said)</li>\n"),
    "</ul></nav>\n",
    (.labs[] | student_lab));

inputs | {id: text("id"), files: (own | {
    "feedback.txt": feedback, "index.html": student_page, "results.json": gradescope,
    "prairielearn.json": prairielearn, "github.json": github, "autolab.json": autolab})}
