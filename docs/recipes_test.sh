#!/bin/bash
# recipes_test.sh: follows the recipes of contributing.md in a copy of the repository: adds a lab, a device, a column, a
# PTX instruction and a CUDA function.
# check: rare plain
set -u
export LC_ALL=C
. profiler/tools/expect.sh
needs_ptx

missing() {
    grep -oE '`(profiler|grading|docs|solutions|labs)/[A-Za-z0-9_./]+`' docs/contributing.md | tr -d '`' | sort -u |
        while read -r path; do
            case $path in *NAME*) continue ;; esac
            [ -e "$path" ] || echo "$path does not exist"
        done
}
check "files of the page exist" none missing

tree=$work/tree
mkdir "$tree"
git ls-files -z | tar --null -T - -c | tar -x -C "$tree" || exit 2
mkdir "$tree/build"
cd "$tree" || exit 2
insert() { # FILE PATTERN TEXT: insert the text after the first line that matches
    awk -v pattern="$2" -v text="$3" '{ print } !done && $0 ~ pattern { print text; done = 1 } END { exit !done }' "$1" >"$work/new" &&
        cp "$work/new" "$1"
}
check "a column: columns.h" insert profiler/record/columns.h '^#define COLUMN_LIST_VERDICT' \
    '    X(COUNT, grid_blocks, "blocks", "", "launch", "blocks of the grid") \'
check "a column: record_emulated.c" insert profiler/record/record_emulated.c 'record_set_count\(record, COLUMN_shared_bytes' \
    '    record_set_count(record, COLUMN_grid_blocks, (uint64_t)grid.x * grid.y * grid.z);'
check "an instruction: ptx_opcodes.h" insert profiler/emulator/ptx/ptx_opcodes.h 'X\(POPC, "popc"' '    X(TRIPLE, "triple", 10) \'
check "an instruction: alu_vector.c" insert profiler/emulator/alu/alu_vector.c 'X\(popc_b32, POPC' \
    '    X(triple_b32, TRIPLE, T_BITS32, 0, 0, u32, u32, 3 * a) \'
name=cudaArrayGetPlane
check "a CUDA function: absent.h" grep -q "X($name)" profiler/cuda/runtime_api/absent.h
sed -i "s/ X($name)//" profiler/cuda/runtime_api/absent.h
printf '\nAPI_FUNCTION(%s, (void **plane, void *array, unsigned number),\n             (void)number, !plane || !array ? ERROR_InvalidValue : (*plane = array, 0))\n' $name \
    >>profiler/cuda/runtime_api/api_texture.c
cp profiler/devices/a100.conf profiler/devices/mine.conf
sed -i 's/^l2_bytes .*/l2_bytes = 20971520/' profiler/devices/mine.conf
expect "the changed tree builds" 0 "" -- make -j"$(getconf _NPROCESSORS_ONLN)" CFLAGS=-O0
tlab=$tree/build/tlab
expect "a lab: tlab new" 0 "" -- "$tlab" new scratch --like 03_padded
expect "the lab, the device and the column" 0 "all goals reached" -- \
    "$tlab" run solutions/*_scratch --device mine --rows 128 --cols 96 --csv "$work/csv"
same "the value of the column" 12 "$(column "$work/csv" grid_blocks)"
expect "the column is documented" 0 "" -- make docs CFLAGS=-O0
check "the column is in counters.md" grep -q grid_blocks docs/counters.md
cat >"$work/triple.ptx" <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 14;
    triple.b32 %r2, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
END
expect "the instruction" 0 "" -- "$tlab" emulate "$work/triple.ptx" --kernel k --grid 1 --block 1 "out:u32:1@$work/out"
same "the result of the instruction" 42 "$(od -An -tu4 "$work/out" | tr -d ' ')"
check "the CUDA function is defined and exported" grep -q "T $name" <(nm -D build/runtime/lib*cuda*.so* 2>/dev/null)
finish
