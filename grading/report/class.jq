# class.jq: the reports of a class, of its grades (grade.h) one after the other, as an object of
# files. What is kept of a grade is small, so that memory does not grow with what students wrote.
include "text";

# Whether all is right, in the word that the class page shows: the status, or that of the first size
# on which the result is not right.
def verdict: first(text("status"), (items("sizes") | text("status")), "ok" | select(. != "ok")) // "ok";

# Of a lab that a grade lacks, nothing was handed in.
def summary:
    {id: text("id"), name: text("name"), email: text("email"), score: number("score"), points: number("points"),
     notes: [texts("notes")], flags: [items("flags") | text("evidence")],
     labs: [items("labs") | {exercise: text("exercise"), title: text("title"), score: number("score"),
        points: number("points"), verdict: verdict,
        said: [items("checks") | select(.result != "passed") | "\(text("title")): \(text("text"))\n"]}]};
def lab_of($row): .exercise as $exercise |
    first($row.labs[] | select(.exercise == $exercise)) // {score: 0, verdict: "missing"};

# ---- gradebook.csv ----

# A field as RFC 4180 wants it, and never a formula for a spreadsheet.
def field: (if test("^[=+@\t\r-]") then "'" else "" end) + . | split("\"") | join("\"\"") | "\"\(.)\"";
# At most five notes; the student's page has all.
def notes: (.[:5] | join("; ")) + if length > 5 then "; and \(length - 5) more" else "" end;
def gradebook($rows; $labs):
    [(["id", "name", "email", ($labs[] | .exercise | field), "total", "points", "notes"] | join(",") + "\n"),
     ($rows[] | . as $row |
        [(.id | field), (.name | field), (.email | field), ($labs[] | lab_of($row).score | points),
         (.score | points), (.points | points), (.notes | notes | field)] | join(",") + "\n")] | add;

# ---- junit.xml ----

# A suite per student, a case per exercise; what does not get full points is a failure.
def junit_case($id):
    "    <testcase classname=\"\($id)\" name=\"\(.exercise | escaped)\"" +
    if is_full then "/>\n" else
        ">\n      <failure message=\"\(.score | significant(6)) of \(.points | significant(6)) points\" " +
        "type=\"\(.verdict | escaped)\">\(.said | join("") | escaped)</failure>\n    </testcase>\n"
    end;
def junit($rows):
    ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"grades\">\n",
     ($rows[] | (.id | escaped) as $id |
        "  <testsuite name=\"\($id)\" tests=\"\(.labs | length)\" failures=\"\([.labs[] | select(is_full | not)] | length)\">\n",
        (.labs[] | junit_case($id)), "  </testsuite>\n"),
     "</testsuites>\n"] | add;

# ---- index.html ----

# How many got nothing, less than 10 %, ... less than 100 %, everything.
def bin: if . <= 0 then 0 elif . >= 1 - 1e-9 then 10 else [. * 10 | floor, 1] | max end;
def histogram($title; $shares):
    (reduce ($shares[] | bin) as $bin ([range(11) | 0]; .[$bin] += 1)) as $counts | ([$counts[], 1] | max) as $most |
    "<figure><figcaption>\($title | escaped)</figcaption>\n<svg viewBox=\"0 0 308 126\" role=\"img\"><title>",
    "\($counts[0]) with nothing, \($counts[10]) with full points",
    (range(1; 10) | select($counts[.] > 0) | ", \($counts[.]) from \(if . == 1 then 0 else . * 10 end) % to \(. * 10 + 10) %"),
    "</title>\n",
    (range(11) | select($counts[.] > 0) | $counts[.] as $count | ($count / $most * 90) as $height |
        "<rect x=\"\(. * 28 + 2)\" y=\"\(106 - $height | fixed(1))\" width=\"24\" height=\"\($height | fixed(1))\" fill=\"var(--bar)\"/>\n",
        "<text x=\"\(. * 28 + 14)\" y=\"\(103 - $height | fixed(1))\" text-anchor=\"middle\">\($count)</text>\n"),
    "<text x=\"2\" y=\"122\">0</text><text x=\"154\" y=\"122\" text-anchor=\"middle\">50 %</text>",
    "<text x=\"306\" y=\"122\" text-anchor=\"end\">100 %</text>\n</svg></figure>\n";

def number_cell($mark): "<td class=\"number\" data-key=\"\(significant(6))\">\(points)\($mark)</td>";
def number_head($name; $most):
    "<th scope=\"col\" class=\"number\"><button type=\"button\">\($name | escaped)</button> of \($most | points)</th>";
def link($fragment): "<a href=\"students/\(.id | escaped)/index.html\($fragment)\">\(.name | escaped)</a>";

def table($rows; $labs):
    "<section>\n<h2>Points</h2>\n<p class=\"soft\">A name leads to the page that its student gets. ",
    "<strong>!</strong> did not work or was not handed in, <strong>…</strong> works, but not for full ",
    "points.</p>\n<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Points\">\n<table>\n",
    "<caption>Points of everybody; the buttons in the head sort</caption>\n<thead><tr>",
    "<th scope=\"col\"><button type=\"button\">Name</button></th>",
    ($labs[] | number_head(.exercise; .points)), number_head("Total"; [$labs[].points] | add // 0),
    "</tr></thead>\n<tbody>\n",
    ($rows[] | . as $row |
        "<tr><th scope=\"row\">\(link(""))</th>",
        ($labs[] | .points as $points | lab_of($row) | .verdict as $verdict | .score | number_cell(
            if $verdict != "ok" then " !" elif . >= $points - 1e-9 then "" else " …" end)),
        (.score | number_cell("")), "</tr>\n"),
    "</tbody>\n</table>\n</div>\n</section>\n";

def failures($rows; $labs):
    "<section>\n<h2>Who failed what</h2>\n",
    ($labs[] | . as $lab | (.exercise | escaped) as $exercise |
        [$rows[] | . as $row | {id, name, verdict: ($lab | lab_of($row).verdict)} | select(.verdict != "ok")] as $failed |
        "<details><summary>\($exercise): \($failed | length) of \($rows | length)</summary>\n<ul>\n",
        ($failed[] | "<li>\(link("#\($exercise)")): \(.verdict | escaped)</li>\n"), "</ul></details>\n"),
    "</section>\n";

def flags($rows):
    "<section>\n<h2>For a person to look at</h2>\n<p class=\"soft\">None of this changed a mark.</p>\n<ul>\n",
    ([$rows[] | . as $row | .flags[] | . as $flag | "<li>\($row | link("")): \($flag | escaped)</li>\n"] |
        if length > 0 then .[] else "<li>Nothing.</li>\n" end),
    "</ul>\n</section>\n";

def class_page($rows; $labs): page("Class"; $script;
    "<header><h1>\($rows | length) submissions</h1></header>\n<main>\n",
    "<section>\n<h2>Distribution</h2>\n<p class=\"soft\">How many got which share of the points of an ",
    "exercise.</p>\n<div class=\"charts\">\n",
    ($labs[] | . as $lab | histogram(.title; [$rows[] | . as $row | {score: ($lab | lab_of($row).score), points: $lab.points} | share])),
    "</div>\n</section>\n",
    table($rows; $labs), failures($rows; $labs), flags($rows));

[inputs | summary] as $rows | ($rows[0].labs // []) as $labs | {files: {
    "gradebook.csv": gradebook($rows; $labs), "junit.xml": junit($rows), "index.html": class_page($rows; $labs)}}
