# verdicts_test.sh: test the verdicts of tlab exec on kernels with mistakes that do not change the
# result, and on similar correct kernels. Each name in testdata/verdicts.cu contains the expected
# verdict. Run from the repository root; TLAB is the path of tlab.
# check: slow
set -u
. profiler/tools/expect.sh
[ -d "$(dirname "$tlab")/runtime" ] || skip_all "a build with sanitizers has no libcudart"
command -v nvcc >/dev/null || [ -x "${TLAB_CUDA:-/usr/local/cuda}/bin/nvcc" ] || skip_all "there is no nvcc"

source=profiler/cuda/testdata/verdicts.cu
statuses='ok|race|uninitialised|out_of_bounds|misaligned|deadlock|timeout|launch_error|unsupported'
check "nvcc builds" "$tlab" nvcc -w $source -o "$work/verdicts"
expect "the program continues after each mistake" 1 "^done$" -- "$tlab" exec --csv "$work/verdicts.csv" -- "$work/verdicts"
declare -A found
while read -r kernel status; do
    found[$kernel]=$status
done < <(sed -nE "s/.*,((right|wrong)_[a-z0-9_]+),.*,($statuses),.*/\1 \3/p" "$work/verdicts.csv")
for kernel in $(grep -oE '^KERNEL\((right|wrong)_[a-z0-9_]+' $source | sed 's/KERNEL(//'); do
    status=ok
    [[ $kernel =~ ^wrong_($statuses)_ ]] && status=${BASH_REMATCH[1]}
    same "$kernel" "$status" "${found[$kernel]-none}"
done
expect "the lane is named" 0 "reads a register of lane [0-9]+ of its warp by a shuffle in which that lane takes no part" \
    -- cat "$work/verdicts.csv"
expect "the message requires fences on both sides" 0 "half_fenced,.*__threadfence\(\) on both sides" -- cat "$work/verdicts.csv"
finish
