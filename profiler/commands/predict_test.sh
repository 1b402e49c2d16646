#!/bin/bash
# predict_test.sh: tests of `tlab predict`, and of `tlab run` with a worksheet. `tlab run` prints
# predicted beside counted values and explains each difference. Without predictions, it prints no
# table. Damaged worksheets are reported. Run from the repository root.
# check: late
set -u
. profiler/tools/expect.sh
needs_ptx

for lab in 00_copy 01_naive 02_coalesced 03_padded 04_fine_grained 20_sum_shared; do
    mkdir -p "$work/labs/$lab"
    cp solutions/$lab/*.cu solutions/$lab/lab.conf "$work/labs/$lab"
done
cd "$work/labs" || exit 2
sheet() { printf '%s\n' "device = ${device:-h200}" "rows = 96" "cols = 64" "$@" >"$lab/predict.txt"; }
run() { "$tlab" run "$lab" --rows 96 --cols 64 "$@"; }
quiet() { ! run "$@" | grep -i predict; }

# --- run ------------------------------------------------------------------------------------------
lab=01_naive
expect "a lab without a worksheet" 0 "ok" -- run
check "without a worksheet, nothing is printed" quiet
sheet 'sectors_per_store = ?' 'bound =' 'against = ?'
check "an open worksheet prints nothing" quiet
sheet 'global_store_requests = 192' 'sectors_per_load = 4' 'sectors_per_store = 4' 'sectors_per_load_ = ?'
expect "an unknown key is a warning" 0 "warning: .*predict.txt:7: .sectors_per_load_. is not a quantity; .tlab predict --help.*2 of 3 values as predicted" -- run
sheet 'global_store_requests = lots' 'sectors_per_load = 4' 'bound = quick'
expect "the run goes on without those lines" 0 "predict.txt:4: global_store_requests must be a number.*predict.txt:6: bound must be one of.*1 of 1 value as predicted" -- run
sheet 'global_store_requests = 192' 'sectors_per_load = 4' 'sectors_per_store = 4'
line=$(grep -n 'odata\[' $lab/naive.cu | cut -d: -f1)
expect "the counted value and the reason" 0 \
    "per global store of a warp +4 +32 +incorrect you predicted 4; the addresses of neighbouring threads are 384 bytes apart \(line $line\)" -- run
expect "a correct prediction has no reason" 0 "per global load of a warp +4 +4 +correct sectors" -- run
expect "the number of correct predictions" 0 "2 of 3 values as predicted" -- run
check "another device: nothing to compare" grep -F "predicts the run h200, 96 x 64, not this run" <(run --device a100)
check "another size" grep -F "not this run" <("$tlab" run $lab --rows 64 --cols 96)
check "another tile" grep -F "not this run" <(run -D TILE_DIM=16)
check "--csv - prints only CSV" none grep -i predict <(run --csv -)
expect "the file instead of the directory" 0 "2 of 3" -- "$tlab" run $lab/naive.cu --rows 96 --cols 64
cp $lab/naive.cu "$work/right.cu"
sed -i 's/odata\[.*/(void)odata;/' $lab/naive.cu
expect "an incorrect kernel shows no counted values" 1 "wrong_result" -- run
check "an incorrect kernel prints no predictions" quiet
cp "$work/right.cu" $lab/naive.cu

sheet 'against = slower' 'bound = l2'
expect "comparison with the previous lab" 0 "compared with the previous lab +slower" -- run
expect "the lab of the comparison" 0 "you predicted same; 00_copy takes .* us, limited by" -- eval "sheet 'against = same'; run"
sed -i 's/odata\[.*/(void)odata;/' 00_copy/copy.cu
expect "the previous lab is not correct" 0 "00_copy is not correct yet" -- run
lab=00_copy
cp "$OLDPWD"/solutions/00_copy/copy.cu $lab
sheet 'against = slower'
expect "the first lab has no previous lab" 0 "there is no earlier lab to compare with" -- run
lab=20_sum_shared
sheet 'against = slower'
expect "the first lab of another course has no previous lab" 0 "there is no earlier lab to compare with" -- run
lab=03_padded
sheet 'before = 01_naive' 'against = slower'
expect "another lab" 0 "01_naive takes" -- run

lab=02_coalesced
sheet 'conflicts_per_load = 0' 'conflicts_per_store = 31' 'shared_load_wavefronts = 6144' 'shared_bytes = 4224'
expect "a wrong prediction of conflicts" 0 "shared load of a warp +0 +31 +incorrect you predicted 0; the addresses of neighbouring threads are 128 bytes apart \(line [0-9]+\), and the banks repeat every 128" -- run
expect "a prediction of conflicts that do not occur" 0 "shared store of a warp +31 +0 +incorrect you predicted 31; the addresses of neighbouring threads are 4 bytes apart" -- run
lab=03_padded
sheet 'conflicts_per_load = 31'
expect "conflicts, with padding" 0 "you predicted 31; the addresses of neighbouring threads are 132 bytes apart" -- run
lab=04_fine_grained device=gtx280
sheet 'bound = l2' 'partition_imbalance = 8'
expect "a bound" 0 "what limits the time +l2 +[a-z_]+ +incorrect you predicted l2; the time is limited by" -- run --device gtx280
printf 'partition_imbalance = 1\n' >$lab/predict.txt
sed -i 's/^rows = .*/rows = 96\ncols = 64/' $lab/lab.conf
expect "the lab's device and size" 0 "^device gtx280 .*, 96 x 64, .*of 1 value as predicted" -- "$tlab" run $lab
expect "another device" 0 "^device a100 .*, 96 x 64" -- "$tlab" run $lab --device a100
expect "another size" 0 "^device gtx280 .*, 64 x 64" -- "$tlab" run $lab --rows 64 --cols 64
expect "several labs run on the same device" 0 "^device h200 .*, 64 x 64" -- "$tlab" run $lab 01_naive --rows 64 --cols 64
expect "the file of the lab" 0 "^device gtx280 .*, 96 x 64" -- "$tlab" run $lab/fine_grained.cu
expect "annotate also uses the lab's device and size" 0 "NVIDIA GeForce GTX 280, 96 x 64" -- "$tlab" annotate $lab
sed -i 's/^rows = .*/rows = many/' $lab/lab.conf
expect "a mistake in the manifest" 2 "lab.conf:[0-9]+: rows must be a number" -- "$tlab" run $lab
lab=00_copy device=h200
sheet 'shared_load_requests = 1' 'copy_shared.shared_load_requests = 192' 'copy_shared.against = faster'
expect "a worksheet of two exercises" 0 "copy +predicted.* +1 +0 +incorrect you predicted 1; the kernel makes no access of this kind.*copy_shared +predicted.* 192 +192 +correct" -- run

# --- damaged worksheets ---------------------------------------------------------------------------
lab=01_naive
while IFS='|' read -r text phrase; do
    printf '%b' "$text" >$lab/predict.txt
    expect "damaged: $text" 0 "warning: .*$phrase.* ok" -- run
    expect "damaged: $text, tlab predict" 2 "$phrase" -- "$tlab" predict $lab --check
done <<'END'
sectors_per_store = 4 sectors|predict.txt:1: sectors_per_store must be a number, such as 32
bound: l2|predict.txt:1: expected .key = value.
\nbound = quick|predict.txt:2: bound must be one of dram, dram_partition, l2
bound = l2\nbound = l2|given twice
against = 02|against must be one of faster, slower, same
a\0b = 3|NUL byte
END
rm $lab/predict.txt && mkdir $lab/predict.txt
expect "a directory" 0 "warning: .*predict.txt" -- run
rmdir $lab/predict.txt

# --- tlab predict ---------------------------------------------------------------------------------
printf '%s\n' '# asked' 'sectors_per_store = ?   # of 32 bytes' 'bound = ?' 'against = slower' >$lab/predict.txt
answer() { printf "$1" | "$tlab" predict $lab; }
expect "answers from standard input" 0 "must be a number, such as 32.*3 of 3 answers filled in" -- answer 'lots\n 32 \nl2\n\n'
same "answers are written to the worksheet" "# asked
sectors_per_store = 32  # of 32 bytes
bound = l2
against = slower" "$(cat $lab/predict.txt)"
expect "? leaves a question open, and the end of the input ends" 0 "1 of 3 answers filled in" -- answer '?\n?\n'
check "an open question stays open" grep -q '^sectors_per_store = ?   # of' $lab/predict.txt
sheet 'defines = TILE_DIM=16 BLOCK_ROWS=8' 'bound = ?'
expect "the next command is printed" 0 "next: build/tlab run 01_naive --device h200 --rows 96 --cols 64 -D TILE_DIM=16 -D BLOCK_ROWS=8$" -- answer ''
rm 02_coalesced/predict.txt
expect "a lab without a worksheet" 2 "there is no predict.txt in 02_coalesced" -- "$tlab" predict 02_coalesced
expect "a lab's number" 0 "^03_padded.predict.txt: 1 of 1 answers filled in" -- "$tlab" predict 03 --check
elsewhere() { (cd "$work" && mkdir -p elsewhere && cd elsewhere && "$tlab" predict "$@" --check); }
expect "a lab of the installation is not used" 2 "03: No such file or directory; no lab of that name is in this directory" -- elsewhere 03
expect "no lab by its name elsewhere" 2 "no lab of that name" -- elsewhere padded
expect "a lab named by its path" 0 "labs/03_padded/predict.txt: 1 of 1" -- elsewhere ../labs/03
expect "no lab" 2 "requires one lab" -- "$tlab" predict
expect "the second argument is a file" 2 "01_naive" -- "$tlab" predict 00_copy 01_naive
expect "three arguments are an error" 2 "requires one lab" -- "$tlab" predict 00_copy 01_naive 02_coalesced

# --- answers of another file ----------------------------------------------------------------------
printf '%s\n' '# asked' 'sectors_per_store = ?   # of 32 bytes' 'bound = ?' 'against = slower' >$lab/predict.txt
printf '%s\n' 'device = a100 # no matter' 'bound = l2' '' 'sectors_per_store = 1K' 'against = ?' >"$work/my guesses.md"
expect "a file of any name" 0 "01_naive/predict.txt: 3 of 3 answers filled in" -- "$tlab" predict $lab "$work/my guesses.md" </dev/null
same "the answers are copied into the lab's worksheet" "# asked
sectors_per_store = 1K  # of 32 bytes
bound = l2
against = slower" "$(cat $lab/predict.txt)"
printf 'bound = dram\nconflicts_per_load = 3\n' >"$work/other"
expect "an answer without a question" 2 "other:2: .*01_naive/predict.txt has no question conflicts_per_load" -- "$tlab" predict $lab "$work/other"
check "a failed copy leaves the worksheet unchanged" grep -q '^bound = l2' $lab/predict.txt
printf 'bound = quick\n' >"$work/other"
expect "an invalid answer" 2 "other:1: bound must be one of dram" -- "$tlab" predict $lab "$work/other"
expect "no such file" 2 "nowhere.txt" -- "$tlab" predict $lab nowhere.txt
printf 'bound = shared\n' >"$work/other"
expect "--check only checks the worksheet" 0 "3 of 3" -- "$tlab" predict $lab "$work/other" --check
check "--check does not copy answers" grep -q '^bound = l2' $lab/predict.txt
expect "no such lab" 2 "nowhere" -- "$tlab" predict nowhere
expect "help" 0 "conflicts_per_load +bank conflicts per shared load" -- "$tlab" predict --help
finish
