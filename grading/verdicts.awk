# verdicts.awk: print the grade.json of a class as lines "submission,exercise,status,percent", one line for each
# marked file; "submission,,missing,0" (or unreadable) if no file is marked. Indentation shows a field's object.
function value(line) {
    sub(/^[^:]*: /, "", line)
    sub(/,$/, "", line)
    gsub(/^"|"$/, "", line)
    return line
}
/^      "exercise":/ { exercise = value($0) }
/^      "file":/ { file = value($0) }
/^      "points":/ { points = value($0) }
/^      "score":/ { score = value($0) }
/^      "status":/ { if (file == "null" && value($0) == "unreadable") nothing = "unreadable" }
/^      "status":/ { if (file != "null") lines[n++] = exercise "," value($0) "," 100 * score / points }
/^  "id":/ { id = value($0) }
/^}/ && id != "" {
    if (!n)
        print id ",," (nothing ? nothing : "missing") ",0"
    for (i = 0; i < n; i++)
        print id "," lines[i]
    n = 0
    id = nothing = ""
}
