#!/bin/sh
# compile_commands.sh ROOT: print compile_commands.json, the compile command of each file, for
# editors (clangd). Standard input contains a line per C file: its path, a tab, the command. The
# kernels of labs and solutions are added, with the options that tlab passes to clang
# (profiler/compile/compile_clang.c), which require no toolkit.
{
    cat
    cd "$1" && for kernel in labs/*/*.cu solutions/*/*.cu; do
        [ ! -e "$kernel" ] || printf '%s\t%s\n' "$kernel" "clang++ -x cuda --cuda-device-only -nocudainc -nocudalib \
--cuda-path=/nonexistent --cuda-gpu-arch=sm_80 -Xclang -target-feature -Xclang +ptx75 -std=c++17 -nostdinc -nostdinc++ \
-Wno-unknown-cuda-version -Wno-return-type-c-linkage -DLAB_HARNESS -include profiler/compile/clang_cuda.h \
-I include -idirafter profiler/compile/stand_ins -idirafter profiler/compile/stand_ins/host -c $kernel"
    done
} | awk -F '\t' -v root="$1" '
    function text(s,  i, c, quoted) { # (gsub treats backslashes differently in each awk)
        for (i = 1; i <= length(s); i++) {
            c = substr(s, i, 1)
            quoted = quoted (c == "\"" || c == "\\" ? "\\" : "") c
        }
        return "\"" quoted "\""
    }
    BEGIN { print "[" }
    { printf "%s{\"directory\": %s, \"file\": %s, \"command\": %s}", (NR > 1 ? ",\n" : ""), text(root), text($1), text($2) }
    END { print "\n]" }'
