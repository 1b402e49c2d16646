#!/bin/bash
# packaging_test.sh: one right kernel, packed in the ways that students and platforms find, earns its points
# in each; what only a person can read is said to be so, and what was not begun, too. Run from the repository
# root; TLAB names the program.
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs zip tar gzip xz iconv jq
needs_ptx

right=$PWD/solutions/03_padded/padded.cu wrong=$PWD/grading/honest/padded_unpadded/padded.cu root=$PWD
class=$work/class
mkdir "$class"
cd "$class" || exit 1
hand_in() { # FOLDER [NAME]
    mkdir -p "$1"
    cp "$right" "$1/${2:-padded.cu}"
}

# --- the folder of the course, whole -----------------------------------------------------------------------
course=$work/transpose-lab
mkdir "$course" "$course/.git" "$course/build" "$course/out"
(cd "$root" && tar -c --exclude=testdata Makefile README.md LICENSE include labs solutions profiler plots docs grading) | tar -x -C "$course"
touch "$course/.git/config" "$course/build/tlab" "$course/out/course.csv"
sed 's/tile/my_tile/g' "$right" >"$course/labs/03_padded/padded.cu"
(cd "$work" && zip -qr "$class/course_zip.zip" transpose-lab && tar -czf "$class/course_tar.tar.gz" transpose-lab)
(cd "$course" && zip -qr "$class/course_inside.zip" .)
zip -q course_twice.zip course_zip.zip
cp -r "$course" course_folder
cp -r "$course" course_older && for old in course_older/solutions/*/*.cu; do echo '// of last term' >>"$old"; done
rm -r "$course/solutions" "$course/grading" "$course/plots"
(cd "$work" && zip -qr "$class/course_students.zip" transpose-lab)

# --- archives ----------------------------------------------------------------------------------------------
hand_in packed
(cd packed && zip -q ../in_zip.zip padded.cu && tar -cJf ../tar_xz.tar.xz padded.cu && tar -cjf ../tar_bz2.tar.bz2 padded.cu)
zip -q zip_in_zip.zip in_zip.zip
tar -czf zip_in_tar.tar.gz in_zip.zip
tar -cf tar_xz_in_tar.tar tar_xz.tar.xz
mkdir gz && gzip -c "$right" >gz/padded.cu.gz
mkdir called_cu && cp in_zip.zip called_cu/padded.cu
mkdir called_rar && cp in_zip.zip called_rar/upload.rar
mkdir twice && cp "$wrong" twice/1.cu && cp "$right" twice/2.cu
(cd twice && zip -q0 ../twice.zip 1.cu 2.cu) && rm -r twice && sed -i 's/1\.cu/2.cu/g' twice.zip
mkdir mac && hand_in mac && mkdir mac/__MACOSX && head -c 200 /dev/urandom >mac/__MACOSX/._padded.cu

# --- names -------------------------------------------------------------------------------------------------
hand_in name_txt padded.cu.txt
hand_in name_cpp padded.cpp
hand_in name_cc padded.cc
hand_in name_c padded.c
hand_in name_big PADDED.CU
hand_in name_copy 'padded (1).cu'
hand_in name_number padded-1.cu
hand_in name_behind 'padded.cu (1)'
hand_in name_none padded
cp "$right" single_txt.cu.txt
cp "$right" single_none

# --- charsets ----------------------------------------------------------------------------------------------
for charset in UTF-16LE UTF-16BE UTF-16 UTF-32; do
    mkdir "charset_$charset" && iconv -f UTF-8 -t $charset "$right" >"charset_$charset/padded.cu"
done
mkdir charset_bom && { printf '\357\273\277'; cat "$right"; } >charset_bom/padded.cu
mkdir charset_latin && { printf '// \344\366\374 \337\n'; cat "$right"; } >charset_latin/padded.cu

# --- notebooks ---------------------------------------------------------------------------------------------
notebook() { jq -Rs --arg magic "$1" '{nbformat: 4, cells: [{cell_type: "code", source: ($magic + "\n" + .)}]}' <"$right"; }
mkdir notebook_cu notebook_file && notebook '%%cu' >notebook_cu/hw.ipynb && notebook '%%writefile padded.cu' >notebook_file/hw.ipynb
ls >"$work/full"

# --- what only a person can read ----------------------------------------------------------------------------
(cd packed && zip -q -P secret ../person_locked.zip padded.cu)
head -c 300 in_zip.zip >person_cut.zip
mkdir person_noise person_pdf person_docx person_rar person_notebook person_empty_zip
head -c 900 /dev/urandom | tr -d '\n' >person_noise/padded.cu
echo %PDF-1.4 >person_pdf/padded.pdf
(cd person_docx && zip -q homework.docx ../in_zip.zip)
printf 'Rar!\032\007\001\000nothing that can be read' >person_rar/padded.rar
echo '{"nbformat": 4, "cells": []}' >person_notebook/hw.ipynb
gzip -c "$right" | head -c 200 >person_empty_zip/padded.cu.gz

# --- what was not begun, or not handed in ----------------------------------------------------------------------
cp -r "$root/labs" not_begun
mkdir not_begun_crlf && sed 's/$/\r/; s/Your turn/my turn/' "$root/labs/03_padded/padded.cu" >not_begun_crlf/padded.cu
mkdir not_there
hand_in not_all && echo %PDF-1.4 >not_all/report.pdf
cd "$root" || exit 1

expect "graded" 0 "graded now" -- "$tlab" grade "$class" --out "$work/out" --labs naive,padded --sandbox seccomp
of() { # ID: file and status of both exercises, and how many flags say unreadable
    jq -r --arg id "$1" '.grades[] | select(.id == $id) |
        [(.labs[] | "\(.exercise) \(if .file then "\(.score) of \(.points)" else .status end)"),
         ([.flags[] | select(.kind == "unreadable")] | length | if . > 0 then "flagged" else empty end)] | join(", ")' "$work/out/grade.json"
}
is() { # ID EXPECTED
    local got
    got=$(of "$1")
    echo "$1: $got"
    [ "$got" = "$2" ]
}
while read -r entry; do
    id=${entry%%.*}
    nothing=missing
    case $id in course_older) nothing=unreadable ;; esac # whose solutions are they?
    check "$id is read" is "$id" "naive $nothing, padded 20 of 20$([ $nothing = missing ] || echo ', flagged')"
done <"$work/full"
for entry in "$class"/person_*; do
    id=$(basename "$entry" | cut -d. -f1)
    case $id in
        person_noise | person_pdf | person_locked) check "$id is for a person" is "$id" "naive missing, padded unreadable, flagged" ;;
        *) check "$id is for a person" is "$id" "naive unreadable, padded unreadable, flagged" ;;
    esac
    check "$id: its student reads so" grep -q "Unreadable: .*a person has to look at it" "$work/out/students/$id/feedback.txt"
done
for id in not_begun not_begun_crlf not_there; do
    check "$id is no hand-in" is "$id" "naive missing, padded missing"
done
check "and says so" grep -q "Nothing was handed in for this exercise: 03_padded/padded.cu is as the course ships it: not begun" \
    "$work/out/students/not_begun/feedback.txt"
check "a report beside a kernel is a report" is not_all "naive missing, padded 20 of 20"
check "what the course ships is left out first" grep -q "left out first: [0-9]* sources that the course ships" \
    "$work/out/students/course_zip/feedback.txt"

finish
