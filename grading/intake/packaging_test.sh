#!/bin/bash
# packaging_test.sh: tests that a correct kernel earns its points in every form in which students and platforms pack it.
# Also tests the reports on unreadable files and on exercises that the student did not begin.
# check: late plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_grading
needs zip tar gzip xz iconv jq perl
needs_ptx

right=$PWD/solutions/03_padded/padded.cu wrong=$PWD/grading/honest/padded_unpadded/padded.cu root=$PWD
class=$work/class
mkdir "$class"
cd "$class" || exit 1
hand_in() { # FOLDER [NAME]
    mkdir -p "$1"
    cp "$right" "$1/${2:-padded.cu}"
}

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

hand_in packed
(cd packed && zip -q ../in_zip.zip padded.cu && tar -cJf ../tar_xz.tar.xz padded.cu && tar -cjf ../tar_bz2.tar.bz2 padded.cu)
zip -q zip_in_zip.zip in_zip.zip
tar -czf zip_in_tar.tar.gz in_zip.zip
tar -cf tar_xz_in_tar.tar tar_xz.tar.xz
mkdir gz && gzip -c "$right" >gz/padded.cu.gz
mkdir called_cu && cp in_zip.zip called_cu/padded.cu
mkdir called_rar && cp in_zip.zip called_rar/upload.rar
# rar VERSION FILE: print an archive of one stored file in the format of WinRAR, for which there is no free packer.
rar() {
    perl -MCompress::Raw::Zlib=crc32 -e '
        my ($version, $path) = @ARGV;
        local $/;
        open my $in, "<", $path or die;
        my ($name, $data) = ($path =~ s{.*/}{}r, <$in>);
        my $crc = crc32($data);
        if ($version == 4) {
            sub four { my ($header) = @_; pack("v", crc32($header) & 0xffff) . $header }
            print "Rar!\x1A\7\0", four(pack "C v v x6", 0x73, 0, 13),
                four(pack "C v v V V C V V C C v V a*", 0x74, 0x8000, 32 + length $name, length $data,
                    length $data, 3, $crc, 0x5b6c6000, 20, 0x30, length $name, 0100644, $name),
                $data, four(pack "C v v", 0x7b, 0x4000, 7);
        } else {
            sub five { my $header = pack "w/a*", shift; pack("V", crc32($header)) . $header }
            sub vint { my ($n, $text) = (shift, ""); while ($n > 127) { $text .= chr($n & 127 | 128); $n >>= 7 } $text . chr $n }
            print "Rar!\x1A\7\1\0", five("\1\0\0"),
                five("\2\2" . vint(length $data) . "\4" . vint(length $data) . vint(0100644) .
                    pack("V", $crc) . "\0\1" . vint(length $name) . $name), $data, five("\5\0\0");
        }' "$@"
}
rar 4 "$right" >rar_4.rar
rar 5 "$right" >rar_5.rar
zip -q rar_in_zip.zip rar_4.rar rar_5.rar
mkdir twice && cp "$wrong" twice/1.cu && cp "$right" twice/2.cu
(cd twice && zip -q0 ../twice.zip 1.cu 2.cu) && rm -r twice && sed -i 's/1\.cu/2.cu/g' twice.zip
mkdir mac && hand_in mac && mkdir mac/__MACOSX && head -c 200 /dev/urandom >mac/__MACOSX/._padded.cu

hand_in name_txt padded.cu.txt
hand_in name_cpp padded.cpp
hand_in name_cc padded.cc
hand_in name_c padded.c
hand_in name_big PADDED.CU
hand_in name_copy 'padded (1).cu'
hand_in name_number padded-1.cu
hand_in name_numbered 'padded.cu (1)'
hand_in name_none padded
cp "$right" single_txt.cu.txt
cp "$right" single_none

for charset in UTF-16LE UTF-16BE UTF-16 UTF-32; do
    mkdir "charset_$charset" && iconv -f UTF-8 -t $charset "$right" >"charset_$charset/padded.cu"
done
mkdir charset_bom && { printf '\357\273\277'; cat "$right"; } >charset_bom/padded.cu
mkdir charset_latin && { printf '// \344\366\374 \337\n'; cat "$right"; } >charset_latin/padded.cu

apart() { # NAME HEADER INCLUDE: put the kernel in a file HEADER, which the source includes as INCLUDE
    mkdir -p "$1/$(dirname "$2")"
    sed '/LAB(/d; /"lab.h"/d; /^LAB_LAUNCH/,$d' "$right" >"$1/$2"
    { printf '#include "lab.h"\nLAB(padded);\n#include %s\n' "$3" && sed -n '/^LAB_LAUNCH/,$p' "$right"; } >"$1/padded.cu"
}
while read -r name header include; do
    apart "include_$name" "$header" "$include"
done <<'END'
case kernel.cuh "Kernel.cuh"
case_folder Inc/kernel.cuh "inc/kernel.CUH"
backslash inc/kernel.cuh "inc\kernel.cuh"
drive kernel.cuh "C:\Users\me\lab\kernel.cuh"
home kernel.cuh "/Users/me/lab/kernel.cuh"
above kernel.cuh "../src/kernel.cuh"
blank kernel.cuh "kernel.cuh "
canvas kernel-2.cuh "kernel.cuh"
txt kernel.cuh.txt "kernel.cuh"
curly kernel.cuh “kernel.cuh”
END
apart include_nearest a/kernel.cuh '"B/Kernel.cuh"' && mkdir include_nearest/b && mv include_nearest/{a,b}/kernel.cuh && echo '#error' >include_nearest/a/kernel.cuh
apart include_between inc/kernel.cuh '"Inc\\Kernel.cuh"' && mkdir include_between/src && mv include_between/padded.cu include_between/src
while read -r name script; do
    hand_in "habit_$name" && sed -i "$script" "habit_$name/padded.cu"
done <<'END'
lab_in_place s|"lab.h"|"../../include/lab.h"|
lab_at_home s|"lab.h"|"C:\\lab\\include\\Lab.h"|
toolkit 1i#include "/usr/local/cuda-12.4/include/device_launch_parameters.h"
no_break s/^    /\xc2\xa0 \xc2\xa0 /
no_width s/__syncthreads/\xe2\x80\x8b__syncthreads/
mark s/^LAB/\xef\xbb\xbfLAB/
minus s/TILE_DIM + 1/TILE_DIM \xe2\x88\x92 -1/
wide s/__syncthreads();/__syncthreads\xef\xbc\x88\xef\xbc\x89\xef\xbc\x9b/
cut $s/$/\x1a/
END
hand_in 'name_dot' padded.cu. && hand_in 'name_space' 'padded.cu ' && mkdir habit_cr && sed 's/$/\r\r/' "$right" >habit_cr/padded.cu
mkdir text_stays && sed '1i // “as it is” – 50 %' "$right" >text_stays/padded.cu

notebook() { jq -Rs --arg magic "$1" '{nbformat: 4, cells: [{cell_type: "code", source: ($magic + "\n" + .)}]}' <"$right"; }
mkdir notebook_cu notebook_file && notebook '%%cu' >notebook_cu/hw.ipynb && notebook '%%writefile padded.cu' >notebook_file/hw.ipynb
ls >"$work/full"

(cd packed && zip -q -P secret ../person_locked.zip padded.cu)
head -c 300 in_zip.zip >person_cut.zip
mkdir person_noise person_pdf person_docx person_rar person_notebook person_empty_zip
head -c 900 /dev/urandom | tr -d '\n' >person_noise/padded.cu
echo %PDF-1.4 >person_pdf/padded.pdf
(cd person_docx && zip -q homework.docx ../in_zip.zip)
printf 'Rar!\032\007\001\000nothing that can be read' >person_rar/padded.rar
for version in 4 5; do rar $version "$right" | head -c 300 >person_rar_cut_$version.rar; done
echo '{"nbformat": 4, "cells": []}' >person_notebook/hw.ipynb
gzip -c "$right" | head -c 200 >person_empty_zip/padded.cu.gz

cp -r "$root/labs" not_begun
mkdir not_begun_crlf && sed 's/$/\r/; s/Your turn/my turn/' "$root/labs/03_padded/padded.cu" >not_begun_crlf/padded.cu
mkdir not_there
hand_in not_all && echo %PDF-1.4 >not_all/report.pdf
cd "$root" || exit 1

expect "graded" 0 "graded now" -- "$tlab" grade "$class" --out "$work/out" --labs naive,padded --sandbox seccomp
of() { # ID: print points or status of both exercises, and "flagged" if there is a flag `unreadable`
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
    case $id in *[A-Z]*) id=$id-$(printf %s "$id" | sha256sum | cut -c 1-4) ;; esac
    nothing=missing
    case $id in course_older) nothing=unreadable ;; esac # solutions of last term may be the student's work
    check "$id is read" is "$id" "naive $nothing, padded 20 of 20$([ $nothing = missing ] || echo ', flagged')"
done <"$work/full"
for entry in "$class"/person_*; do
    id=$(basename "$entry" | cut -d. -f1)
    case $id in
        person_noise | person_pdf | person_locked) check "a person must read $id" is "$id" "naive missing, padded unreadable, flagged" ;;
        *) check "a person must read $id" is "$id" "naive unreadable, padded unreadable, flagged" ;;
    esac
    check "$id: the student's page reports it" grep -q "Unreadable: .*an instructor must check it by hand" "$work/out/students/$id/feedback.txt"
done
check "a repaired #include is reported" grep -q 'line 3 includes "Kernel.cuh", which does not exist, so "kernel.cuh" is read' \
    "$work/out/students/include_case/feedback.txt"
check "a replaced character is reported" grep -q "U+2212.* read as" "$work/out/students/habit_minus/feedback.txt"
check "text in a comment is not repaired" none grep -i note "$work/out/students/text_stays/feedback.txt"
for id in not_begun not_begun_crlf not_there; do
    check "$id is not a submission" is "$id" "naive missing, padded missing"
done
check "the feedback names the unchanged skeleton" grep -q "No file was submitted for this exercise: 03_padded/padded.cu is unchanged, so the exercise has not been started" \
    "$work/out/students/not_begun/feedback.txt"
check "a PDF beside a kernel is ignored" is not_all "naive missing, padded 20 of 20"
check "files of the course are reported" grep -q "[0-9]* source files of the course are left out" \
    "$work/out/students/course_zip/feedback.txt"

finish
