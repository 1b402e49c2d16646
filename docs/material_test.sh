#!/bin/bash
# material_test.sh: tests facts in the teaching material: numbers in the answers to the quiz, by runs; the minutes,
# labs, exercises and points in the syllabus.
# check: course plain
set -u
. profiler/tools/expect.sh
needs_ptx

# --- the answers to the quiz: a line "`run ...`: `EXPRESSION OF COLUMNS = VALUE`" ----------------------

counted() { # ARGUMENTS OF RUN|EXPRESSION|RELATION|VALUE
    local arguments expression relation value csv
    IFS='|' read -r arguments expression relation value <<<"$1"
    csv=$work/$(tr -c 'a-zA-Z0-9\n' _ <<<"$arguments").csv
    # shellcheck disable=SC2086 # $arguments must be split into words
    [ -s "$csv" ] || "$tlab" run $arguments --csv "$csv" </dev/null >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
    perl -e '
        my ($csv, $text, $relation, $value) = @ARGV;
        open my $file, "<", $csv or die "$csv: $!\n";
        my @names = split /,/, <$file>;
        my @values = split /,/, <$file>; # texts in a row of a solution contain no commas
        my %value = map { $names[$_] => $values[$_] } 0 .. $#names;
        my $of_numbers = $text =~ s/([a-z]\w*)/$value{$1} \/\/ "?"/ger;
        my $got = $of_numbers =~ m{^[-+*/().0-9e ]+$} ? eval $of_numbers : undef;
        die "$text is $of_numbers, which is not a number\n" if !defined $got;
        my $good = $relation eq "<" ? $got < $value : $relation eq ">" ? $got > $value : abs($got - $value) <= 0.001 * $value;
        print "$text is $got, expected $relation $value\n" if !$good;
        exit !$good' "$csv" "$expression" "$relation" "$value"
}

sed -nE 's/^ *`run ([^`]*)`: `([^`]*) ([=<>]) ([0-9.]+)`.*/\1|\2|\3|\4/p' solutions/quiz_answers.md >"$work/answers"
within "numbers of the quiz that are compared with runs" "$(wc -l <"$work/answers")" 14 40
while read -r line; do
    check "quiz: ${line%%|*}: ${line#*|}" counted "$line"
done <"$work/answers"
false_one='solutions/01_naive --device h200 --rows 1024 --cols 1024|global_store_sectors / global_store_requests|=|31'
check "a wrong number is found" eval '! counted "$false_one"'

# --- accesses that are coalesced on compute capability 1.0 are also coalesced later (docs/sources.md) ---

# 32 contiguous floats were two transactions of 64 bytes before 2010; they are four sectors since then.
sides() { # DEVICE FEWEST: print the accesses ("naive load") with FEWEST transactions per request
    "$tlab" run solutions/0[0-6]* --device "$1" --rows 128 --cols 128 --csv "$work/$1.csv" >/dev/null
    awk -F, -v fewest="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; split("load store", names, " "); next }
        { for (i = 1; i <= 2; i++)
              if ($at["global_" names[i] "_sectors"] == fewest * $at["global_" names[i] "_requests"])
                  print $at["variant"], names[i] }' "$work/$1.csv" | sort
}
sides 8800gtx 2 >"$work/coalesced"
same "number of accesses that are coalesced on CC 1.0" 15 "$(wc -l <"$work/coalesced")"
for device in 'gtx280 2' 'rtx3070 4' 'a100 4' 'h200 4'; do
    # shellcheck disable=SC2086 # $device must be split into words
    check "the accesses are also coalesced on $device" none comm -23 "$work/coalesced" <(sides $device)
done

questions() { awk -v part="$2" '/^## /{ on = $0 ~ part } on && /^[0-9]+\. /' "$1" | wc -l; }
for part in Before After; do
    same "$part the course: questions" 11 "$(questions docs/quiz.md "$part")"
    same "$part the course: answers" 11 "$(questions solutions/quiz_answers.md "$part")"
done

# Sum the tables of minutes, by the heading or the bold line above each table.
awk '/^(## |\*\*)/ { title = $0; gsub(/[#*]/, "", title); sub(/^ /, "", title) }
     /^\| minutes/ { on = 1; next }
     on && /^\| *[0-9]+ *\|/ { split($0, cell, /\|/); sum[title] += cell[2]; next }
     !/^\|/ { on = 0 }
     END { for (title in sum) print sum[title] "|" title }' docs/syllabus.md | sort >"$work/sums"
same "tables of minutes" 4 "$(wc -l <"$work/sums")"
while IFS='|' read -r minutes title; do
    same "$title: minutes" 120 "$minutes"
done <"$work/sums"

# The syllabus must contain each lab once, with its exercises and the points of their rubrics.
points() { cat grading/rubrics/"$1".json grading/rubrics/*/"$1".json 2>/dev/null | sed -nE '1,/"points"/s/.*"points": *([0-9]+).*/\1/p' | head -1; }
row() { # LABS EXERCISES POINTS: print the errors in the row of a week
    local lab exercise sum=0 named
    for exercise in $2; do
        [ -n "$(points "$exercise")" ] || echo "no rubric for $exercise"
        sum=$((sum + $(points "$exercise")))
    done
    [ "$sum" = "$3" ] || echo "the rubrics give $sum points, the syllabus says $3"
    named=$(for lab in $1; do sed -n 's/#.*//; s/^exercises *= *//p' solutions/"$lab"_*/lab.conf; done | tr '\n' ' ')
    [ "$(echo $named)" = "$(echo $2)" ] || echo "the exercises of labs $1 are $named"
}
grep -E '^\| *[0-9]+ \| [0-9, ]+\|' docs/syllabus.md >"$work/weeks"
same "weeks" 12 "$(wc -l <"$work/weeks")"
while IFS='|' read -r _ week labs _ homework _; do
    exercises=$(grep -oE '`[a-z_]+`' <<<"$homework" | tr -d '`' | tr '\n' ' ')
    check "week$week" none row "$(tr -d , <<<"$labs")" "$exercises" "$(grep -oE '[0-9]+ *$' <<<"$homework" | tr -d ' ')"
done <"$work/weeks"
check "every lab has a week" diff <(cut -d'|' -f3 "$work/weeks" | grep -oE '[0-9]{2}' | sort) \
    <(ls -d solutions/[0-9][0-9]_* | grep -oE '/[0-9]{2}_' | tr -d /_)

grep -oE '\-\-rubrics [^ ]+ --labs [a-z_,]+' docs/syllabus.md | while read -r _ rubrics _ labs; do
    for lab in ${labs//,/ }; do [ -f "$rubrics/$lab.json" ] || echo "$rubrics/$lab.json"; done
done >"$work/missing"
check "rubrics that the commands name" none cat "$work/missing"
check "make course draws out/progression.png" grep -q progression plots/README.md

finish
