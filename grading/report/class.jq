# class.jq: make the reports of a class, as an object of files. The input is a sequence of marked grades (marks.h).
# Only a small part of each grade is stored, so that a large class needs little memory.
include "text";

# The status on the class page: the status of the lab unless it is "ok", else of the first size that is not "ok".
def verdict: first(text("status"), (items("sizes") | text("status")), "ok" | select(. != "ok")) // "ok";

def summary:
    {id: text("id"), name: text("name"), email: text("email"), submitted: (.submitted == true),
     score: number("score"), points: number("points"), open: number("open"),
     left_out: [texts("left_out")], standing: text("standing"), namesakes: [texts("namesakes")], partners: [items("partners") | text("name")],
     notes: [texts("notes")], flags: [items("flags") | {kind: text("kind"), text: text("evidence")}],
     repaired: any(items("labs") | items("checks"); .id == "naming"),
     labs: [items("labs") | {exercise: text("exercise"), title: text("title"), score: number("score"),
        points: number("points"), open: number("open"), verdict: verdict, late_days: number("late_days"),
        changed: [items("changes") | {kind: text("kind"), points: number("points")}], decided: [decided],
        said: [items("checks") | select(.result != "passed") | "\(text("title")): \(text("text"))\n"]}]};

def lab_of($row): .exercise as $exercise |
    first($row.labs[] | select(.exercise == $exercise)) // {score: 0, verdict: "missing", changed: [], decided: []};

# All notes on a student: first those on the submission, then those on each exercise.
def all_notes: .notes as $own |
    $own + [.labs[] | .exercise as $exercise | .decided[] | select(IN($own[]) | not) | "\($exercise): \(.)"];

def field: (if test("^[=+@\t\r-]") then "'" else "" end) + . | split("\"") | join("\"\"") | "\"\(.)\"";
# The first five notes. The student's page shows all notes.
def notes: (.[:5] | join("; ")) + if length > 5 then "; and \(length - 5) more" else "" end;
def gradebook($rows; $labs):
    [(["id", "name", "email", ($labs[] | .exercise | field), "total", "points", "notes"] | join(",") + "\n"),
     ($rows[] | . as $row |
        [(.id | field), (.name | field), (.email | field), ($labs[] | lab_of($row).score | points),
         (.score | points), (.points | points), (all_notes | notes | field)] | join(",") + "\n")] | add;

def changes_table($changed):
    ["id,name,exercise,old,new,why\n",
     ($changed[] | [(text("id") | field), (text("name") | field), (text("exercise") | field),
        (number("old") | points), (if .new == null then "" else number("new") | points end), (text("why") | field)] |
        join(",") + "\n")] | add;

# There is a test suite for each student, and a test case for each exercise. Less than full points is a failure.
def junit_case($id):
    "    <testcase classname=\"\($id)\" name=\"\(.exercise | escaped)\"" +
    if is_full then "/>\n" else
        ">\n      <failure message=\"\(.score | significant(6)) of \(reachable | significant(6)) points\" " +
        "type=\"\(.verdict | escaped)\">\(([.decided[] | . + "\n"] + .said) | join("") | escaped)</failure>\n    </testcase>\n"
    end;
def junit($rows):
    ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"grades\">\n",
     ($rows[] | (.id | escaped) as $id |
        "  <testsuite name=\"\($id)\" tests=\"\(.labs | length)\" failures=\"\([.labs[] | select(is_full | not)] | length)\">\n",
        (.labs[] | junit_case($id)), "  </testsuite>\n"),
     "</testsuites>\n"] | add;

# The bin of a share of points: 0 for no points, 1 for less than 20 %, 2 for less than 30 %, ... 10 for all points.
def bin: if . <= 0 then 0 elif . >= 1 - 1e-9 then 10 else [. * 10 | floor, 1] | max end;
def histogram($title; $shares):
    (reduce ($shares[] | bin) as $bin ([range(11) | 0]; .[$bin] += 1)) as $counts | ([$counts[], 1] | max) as $most |
    "<figure><figcaption>\($title | escaped)</figcaption>\n<svg viewBox=\"0 0 308 126\" role=\"img\"><title>",
    "\($counts[0]) with no points, \($counts[10]) with full points",
    (range(1; 10) | select($counts[.] > 0) | ", \($counts[.]) from \(if . == 1 then 0 else . * 10 end) % to \(. * 10 + 10) %"),
    "</title>\n",
    (range(11) | select($counts[.] > 0) | $counts[.] as $count | ($count / $most * 90) as $height |
        "<rect x=\"\(. * 28 + 2)\" y=\"\(106 - $height | fixed(1))\" width=\"24\" height=\"\($height | fixed(1))\" fill=\"var(--bar)\"/>\n",
        "<text x=\"\(. * 28 + 14)\" y=\"\(103 - $height | fixed(1))\" text-anchor=\"middle\">\($count)</text>\n"),
    "<text x=\"2\" y=\"122\">0</text><text x=\"154\" y=\"122\" text-anchor=\"middle\">50 %</text>",
    "<text x=\"306\" y=\"122\" text-anchor=\"end\">100 %</text>\n</svg></figure>\n";

def number_head($name; $most):
    "<th scope=\"col\" class=\"number\"><button type=\"button\">\($name | escaped | gsub("_"; "_<wbr>"))</button> of \($most | points)</th>";
def link($fragment): "<a href=\"students/\(.id | escaped)/index.html\($fragment)\">\(.name | escaped)</a>";

# A word in a coloured box. The colour only repeats the meaning of the word.
def badge($class; $word): "<span class=\"badge \($class)\">\($word | escaped)</span>";
def plural($one; $many): "\(.) \(if . == 1 then $one else $many end)";

def by_hand: any(.changed[]; .kind == "by_hand");

def failed($status): any(.labs[]; .verdict == $status and (by_hand | not));

# The special cases of a student: [name in the list, CSS class, text of the badge, or null for no badge].
def states:
    (select(any(.flags[]; .kind == "not_graded")) | ["not graded", "bad", "not graded"]),
    (select(failed("unreadable")) | ["unreadable", "bad", "unreadable"]),
    (select(failed("untrusted")) | ["untrusted", "bad", "untrusted"]),
    (select(failed("unsupported")) | ["unsupported", "bad", "unsupported"]),
    (select(.submitted and .score == 0 and .open == 0 and (any(.labs[]; by_hand) | not)) | ["submission without points", "bad", "no points"]),
    (select(.standing == "stranger") | ["not in the roster", "bad", "not in the roster"]),
    (select(.namesakes | length > 0) | ["same name", "bad", "same name as \(.namesakes | join(", "))"]),
    (select(any(.flags[]; .kind | IN("not_graded", "unreadable") | not)) | ["flags", "part", null]),
    (select(failed("compile_error")) | ["does not compile", "part", null]),
    (select(.repaired) | ["repaired names", "part", null]),
    (select(any(.labs[]; .late_days > 0)) | ["late", "part", null]),
    (select(.open > 0) | ["to be marked by an instructor", "part", "\(.open | points) points to be marked"]),
    (select(any(.labs[]; by_hand)) | ["marked by hand", "soft", "by hand"]),
    (select(.partners | length > 0) | ["in a pair", "soft", "with \(.partners | join(", "))"]),
    (select(.submitted | not) | ["no submission", "soft", "no submission"]);
def person_cell:
    "<th scope=\"row\">\(link("")) <span class=\"soft\">\(.id | escaped)</span>",
    (states | select(.[2]) | " " + badge(.[1]; .[2])), "</th>";

# A cell with the points, a sign for an incorrect result, and decisions such as deductions.
def lab_cell:
    "<td class=\"number\" data-key=\"\(.score | significant(6))\">\(.score | points)",
    (if .verdict == "unreadable" then "" elif .verdict != "ok" then " !" elif is_full then "" else " …" end),
    (select(.verdict == "unreadable") | "<br>" + badge(if by_hand then "soft" else "bad" end; "unreadable")),
    (select(number("late_days") > 0) | "<br>" + badge("part"; "late, \(.late_days | plural("day"; "days"))")),
    (select(by_hand) | "<br>" + badge("soft"; "by hand")),
    (select(number("open") > 0) | "<br>" + badge("part"; "+\(.open | points) open")), "</td>";

def notes_cell:
    ([(.flags[] | "<li>\(badge("bad"; "flag")) \(.text | escaped)</li>\n"), (all_notes[] | "<li>\(escaped)</li>\n")]) as $lines |
    (.flags | length) as $flags | ($lines | length - $flags) as $notes |
    "<td class=\"told\" data-key=\"\($flags)\">",
    (select($lines != []) | "<details><summary>",
        ([(select($flags > 0) | badge("bad"; $flags | plural("flag"; "flags"))), (select($notes > 0) | "\($notes | plural("note"; "notes"))")] | join(" ")),
        "</summary><ul>\n", $lines[], "</ul></details>"),
    "</td>";

# The list of special cases, each with the number of students and links to them.
def look($rows):
    ([$rows[] | . as $row | states | {state: .[0], class: .[1], row: $row}] | group_by(.state)) as $groups |
    "<section>\n<h2>At a glance</h2>\n<ul class=\"glance\">\n",
    ($rows[0].left_out // [] | select(. != []) | "<li>\(badge("bad"; "not counted")) \(join(", ") | escaped): ",
        "the class has no submission for these exercises. To count them as 0, name all exercises with --labs.</li>\n"),
    (if $groups == [] then "<li>No special cases.</li>\n" else
        ({bad: 0, part: 1, soft: 2} as $order | $groups | sort_by($order[.[0].class], .[0].state)[] |
            "<li>\(badge(.[0].class; .[0].state)) \(length): ",
            ([.[].row | link("") + if .namesakes == [] then "" else " (\(.id | escaped))" end] |
                if length <= 12 then join(", ") else "<details><summary>names</summary>\(join(", "))</details>" end), "</li>\n") end),
    "</ul>\n</section>\n";

def table($rows; $labs):
    "<section class=\"wide\">\n<h2>Points</h2>\n<p class=\"soft\">Each name links to the page of the student. ",
    "<strong>!</strong>: incorrect or not submitted. <strong>…</strong>: correct, but without full ",
    "points. Students see their notes. Only you see flags; flags do not change marks.</p>\n",
    "<p><label>Show <select id=\"state\"><option value=\"\">all students</option>",
    ([$rows[] | states[0]] | unique[] | "<option>\(escaped)</option>"), "</select></label> ",
    "<label>with <input id=\"filter\" type=\"search\" placeholder=\"name, ID or note\"></label> <output id=\"shown\"></output> ",
    "<span class=\"soft\">Keys: / to filter, arrows to move between rows, Enter to open.</span></p>\n",
    "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Points\">\n<table class=\"class\">\n",
    "<caption>Points of all students; the buttons in the column headers sort the table</caption>\n<thead><tr>",
    "<th scope=\"col\"><button type=\"button\">Name</button></th>",
    number_head("Total"; [$labs[].points] | add // 0), "<th scope=\"col\" class=\"told\"><button type=\"button\">Flags</button>, notes</th>",
    ($labs[] | number_head(.exercise; .points)), "</tr></thead>\n<tbody>\n",
    ($rows[] | . as $row | "<tr data-states=\"\([states[0]] | join("|") | escaped)\">", person_cell,
        "<td class=\"number\" data-key=\"\(.score | significant(6))\">\(.score | points)</td>", notes_cell,
        ($labs[] | lab_of($row) | lab_cell), "</tr>\n"),
    "</tbody>\n</table>\n</div>\n</section>\n";

def changed_marks($changed):
    select($changed | length > 0) |
    "<section>\n<h2>Changed marks</h2>\n<p class=\"soft\">Compared with the previous reports. ",
    "<a href=\"changes.csv\">changes.csv</a> contains the same table.</p>\n",
    "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Changed marks\">\n<table>\n",
    "<caption>\($changed | length | plural("mark"; "marks")), old and new</caption>\n<thead><tr><th scope=\"col\">Name</th>",
    "<th scope=\"col\">Exercise</th><th scope=\"col\" class=\"number\">Old</th><th scope=\"col\" class=\"number\">New</th>",
    "<th scope=\"col\">Why</th></tr></thead>\n<tbody>\n",
    ($changed[] | "<tr><th scope=\"row\">\({id: text("id"), name: text("name")} | link(""))</th><td>\(text("exercise") | escaped)</td>",
        "<td class=\"number\">\(number("old") | points)</td><td class=\"number\">\(if .new == null then "none" else number("new") | points end)</td>",
        "<td>\(text("why") | escaped)</td></tr>\n"),
    "</tbody>\n</table>\n</div>\n</section>\n";

def failures($rows; $labs):
    "<section>\n<h2>Failed exercises</h2>\n",
    ($labs[] | . as $lab | (.exercise | escaped) as $exercise |
        [$rows[] | . as $row | {id, name, verdict: ($lab | lab_of($row).verdict)} | select(.verdict != "ok")] as $failed |
        "<details><summary>\($exercise): \($failed | length) of \($rows | length)</summary>\n<ul>\n",
        ($failed[] | "<li>\(link("#\($exercise)")): \(.verdict | escaped)</li>\n"), "</ul></details>\n"),
    "</section>\n";

def class_page($rows; $labs; $changed): page("Class"; $script;
    "<header><h1>\($rows | length | plural("person"; "people")), \([$rows[] | select(.submitted)] | length) with a submission</h1></header>\n<main>\n",
    look($rows), table($rows; $labs), changed_marks($changed),
    "<section>\n<h2>Distribution</h2>\n<p class=\"soft\">The number of students for each share of the ",
    "points of an exercise.</p>\n<div class=\"charts\">\n",
    ($labs[] | . as $lab | histogram(.title; [$rows[] | . as $row | $lab | lab_of($row) | {score, points: $lab.points, open: number("open")} | share])),
    "</div>\n</section>\n",
    failures($rows; $labs));

[inputs | if has("changed") then {changed: [items("changed")]} else summary end] |
(map(.changed // empty) | add // []) as $changed | map(select(has("changed") | not)) as $rows |
($rows[0].labs // []) as $labs | {files: {
    "gradebook.csv": gradebook($rows; $labs), "changes.csv": changes_table($changed), "junit.xml": junit($rows),
    "index.html": class_page($rows; $labs; $changed)}}
