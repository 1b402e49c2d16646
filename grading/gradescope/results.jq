# results.jq: print the errors of a results.json for Gradescope, one per line. Gradescope's documentation defines the
# fields ("Autograder Specifications", Output format).
#   jq -r -f results.jq results.json

def text: type == "string";
def visibility: IN("hidden", "after_due_date", "after_published", "visible");
def format: IN("text", "html", "simple_format", "md", "ansi");

def fields_at_top: {
    score: (type == "number"), execution_time: (type == "number"), output: text, output_format: format,
    test_output_format: format, test_name_format: format, visibility: visibility,
    stdout_visibility: visibility, extra_data: (type == "object"), tests: (type == "array"),
    leaderboard: (type == "array")};
def fields_of_test: {
    score: (type == "number"), max_score: (type == "number"), status: IN("passed", "failed"), name: text,
    name_format: format, number: text, output: text, output_format: format,
    tags: (type == "array" and all(.[]; text)), visibility: visibility, extra_data: (type == "object")};

# The names of fields that are unknown or have an invalid value.
def wrong(possible): to_entries[] | .key as $key | select(.value | possible[$key] | not) | $key;
def near($a; $b): ($a - $b) | fabs < 0.001;

if type != "object" then "no object"
else
    "field \(wrong(fields_at_top))",
    ((.tests // []) | to_entries[] | "tests[\(.key)]: field \(.value | wrong(fields_of_test))"),
    ((.tests // []) | to_entries[] | select(.value | .score < 0 or .score > .max_score) |
        "tests[\(.key)]: the score exceeds max_score"),
    (select(has("score") and has("tests") and (near(.score; [.tests[].score] | add) | not)) |
        "the score is not the sum of the scores of the tests"),
    (select((has("score") | not) and has("tests")) | "the tests have no score"),
    (select((has("score") or has("tests") or (.output // "") != "") | not) | "there is no score, no test and no output")
end
