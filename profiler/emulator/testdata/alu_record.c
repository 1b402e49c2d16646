/* alu_record.c: records the results of PTX instructions on a GPU, for alu_test.c.
 *
 *   gcc -std=gnu11 -O2 -Iprofiler -o alu_record profiler/emulator/testdata/alu_record.c \
 *       build/libtlab.a -lm -ldl -lpthread
 *   ./alu_record < profiler/emulator/testdata/alu_h200.txt > new.txt
 *
 * Theory of operation. Standard input is a list as the test reads it: a sum and an instruction per
 * line (the old sum is ignored), comments after `#`. Each instruction becomes a kernel that loads
 * operands (alu_operands.h), executes the instruction and stores its result; the driver compiles
 * the PTX. The list is written again with the sums of the results. `--ptx` writes the PTX instead,
 * which needs no GPU. `--all INSTRUCTION` writes all results of one instruction. */
#include "alu_operands.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

static void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static unsigned register_bits(enum ptx_type type)
{
    const unsigned bytes = ptx_type_bytes(type);
    return bytes == 1 ? 16 : 8 * bytes;
}

static void write_operand(FILE *ptx, enum ptx_type type, unsigned number)
{
    const unsigned bits = register_bits(type);
    fprintf(ptx, "ld.global.b64 word, [in + %u];\n", number * OPERAND_SETS * 8);
    if (type == PTX_PRED)
        fprintf(ptx,
                ".reg .pred s%u; cvt.u32.u64 t, word; and.b32 t, t, 1; setp.ne.u32 s%u, t, 0;\n",
                number, number);
    else if (bits == 64)
        fprintf(ptx, ".reg .b64 s%u; mov.b64 s%u, word;\n", number, number);
    else
        fprintf(ptx, ".reg .b%u s%u; cvt.u%u.u64 s%u, word;\n", bits, number, bits, number);
}

static void write_result(FILE *ptx, const struct listed *listed,
                         const struct alu_operation *operation)
{
    const unsigned bits = register_bits(operation->destination_type);
    if (listed_carries(listed))
        fprintf(ptx, "addc.u32 t, 0, 0; cvt.u64.u32 word, t; shl.b64 word, word, %u;\n",
                bits == 64 ? 63 : 32);
    else
        fprintf(ptx, "mov.b64 word, 0;\n");
    if (operation->destination_type == PTX_PRED) {
        fprintf(ptx, ".reg .b64 r; selp.b64 r, 1, 0, d;\n");
        if (listed_pair(listed))
            fprintf(ptx, "selp.b64 word, 2, 0, q;\n");
    } else if (bits == 64) {
        fprintf(ptx, ".reg .b64 r; mov.b64 r, d;\n");
    } else {
        fprintf(ptx, ".reg .b64 r; cvt.u64.u%u r, d;\n", bits);
    }
    fprintf(ptx, "add.u64 r, r, word; st.global.b64 [out], r; ret;\n}\n");
}

static void write_kernel(FILE *ptx, unsigned index, const struct listed *listed,
                         const struct alu_operation *operation)
{
    fprintf(ptx,
            ".visible .entry k%u(.param .u64 pin, .param .u64 pout)\n{\n"
            ".reg .b64 in, out, place, word; .reg .b32 t, u;\n"
            "ld.param.u64 in, [pin]; ld.param.u64 out, [pout];\n"
            "mov.u32 t, %%ctaid.x; mov.u32 u, %%ntid.x; mul.lo.u32 t, t, u; mov.u32 u, %%tid.x;\n"
            "add.u32 t, t, u; mul.wide.u32 place, t, 8;\n"
            "add.u64 in, in, place; add.u64 out, out, place;\n",
            index);
    for (unsigned k = 0; k < operation->source_count; k++)
        write_operand(ptx, operation->source_type[k], k);
    if (listed_carries(listed))
        fprintf(ptx,
                "ld.global.b64 word, [in + %u]; cvt.u32.u64 t, word; and.b32 t, t, 1;\n"
                "add.cc.u32 t, t, 0xffffffff;\n",
                3 * OPERAND_SETS * 8);
    if (operation->destination_type == PTX_PRED)
        fprintf(ptx, ".reg .pred d, q;\n%s %s", listed->text, listed_pair(listed) ? "d|q" : "d");
    else
        fprintf(ptx, ".reg .b%u d;\n%s d", register_bits(operation->destination_type),
                listed->text);
    for (unsigned k = 0; k < operation->source_count; k++)
        if (listed->instruction.opcode == PTX_OP_LOP3 && k == 3)
            fprintf(ptx, ", %u", (unsigned)listed->immediate);
        else
            fprintf(ptx, ", %ss%u", k == 2 && listed_negates(listed, operation) ? "!" : "", k);
    fprintf(ptx, ";\n");
    write_result(ptx, listed, operation);
}

static void *driver;

/* Call a function of libcuda with arguments of these types. */
#define DRIVER(name, types, ...)                                                                   \
    do {                                                                                           \
        int(*function) types;                                                                      \
        *(void **)&function = dlsym(driver, name);                                                 \
        int result = function ? function(__VA_ARGS__) : -1;                                        \
        if (result != 0)                                                                           \
            stop("%s: error %d", name, result);                                                    \
    } while (0)

static uint64_t driver_start(const char *ptx, void **module, size_t bytes)
{
    int device;
    void *context;
    uint64_t memory;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        stop("no libcuda.so.1: %s", dlerror());
    DRIVER("cuInit", (unsigned), 0);
    DRIVER("cuDeviceGet", (int *, int), &device, 0);
    DRIVER("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
    DRIVER("cuCtxSetCurrent", (void *), context);
    DRIVER("cuModuleLoadData", (void **, const void *), module, ptx);
    DRIVER("cuMemAlloc_v2", (uint64_t *, size_t), &memory, bytes);
    return memory;
}

static void driver_run(void *module, uint64_t memory, unsigned index,
                       uint64_t values[OPERANDS][OPERAND_SETS], uint64_t *results)
{
    char name[16];
    void *kernel;
    const size_t bytes = sizeof(uint64_t[OPERANDS][OPERAND_SETS]);
    uint64_t out = memory + bytes;
    void *arguments[] = {&memory, &out};
    snprintf(name, sizeof name, "k%u", index);
    DRIVER("cuModuleGetFunction", (void **, void *, const char *), &kernel, module, name);
    DRIVER("cuMemcpyHtoD_v2", (uint64_t, const void *, size_t), memory, values, bytes);
    DRIVER("cuLaunchKernel",
           (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
            void **, void **),
           kernel, WARPS, 1, 1, LANES, 1, 1, 0, NULL, arguments, NULL);
    DRIVER("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), results, out,
           sizeof(uint64_t[OPERAND_SETS]));
}

enum { MAX_LISTED = 4096 };

int main(int count, char **arguments)
{
    static struct listed list[MAX_LISTED];
    static struct alu_operation operations[MAX_LISTED];
    static uint64_t values[OPERANDS][OPERAND_SETS], results[OPERAND_SETS];
    const bool only_ptx = count > 1 && strcmp(arguments[1], "--ptx") == 0;
    const char *all = count > 2 && strcmp(arguments[1], "--all") == 0 ? arguments[2] : NULL;
    char line[256], *text = NULL;
    size_t text_bytes;
    unsigned listed = 0;
    FILE *ptx = only_ptx ? stdout : open_memstream(&text, &text_bytes);
    if (!ptx)
        stop("no memory");
    fprintf(ptx, ".version 8.3\n.target sm_90\n.address_size 64\n");
    while (fgets(line, sizeof line, stdin)) {
        const char *instruction = line + strcspn(line, " ");
        if (line[0] == '#' || *instruction == 0) {
            if (!only_ptx && !all)
                fputs(line, stdout);
            continue;
        }
        if (listed == MAX_LISTED || !listed_parse(instruction + 1, &list[listed]) ||
            !alu_isa_select(ALU_ISA_GENERIC, &list[listed].instruction, &operations[listed]))
            stop("cannot record %s", line);
        write_kernel(ptx, listed, &list[listed], &operations[listed]);
        listed++;
    }
    if (fclose(ptx) != 0)
        stop("cannot write the PTX");
    if (only_ptx)
        return 0;
    void *module;
    uint64_t memory = driver_start(text, &module, sizeof values + sizeof results);
    for (unsigned i = 0; i < listed; i++) {
        const struct listed *item = &list[i];
        operands_fill(item, &operations[i], values, OPERAND_SETS);
        if (all && strcmp(all, item->text) != 0)
            continue;
        driver_run(module, memory, i, values, results);
        if (!all)
            printf("%016llx %s", (unsigned long long)results_sum(results), item->text);
        if (!all && item->instruction.opcode == PTX_OP_LOP3)
            printf(" %#llx", (unsigned long long)item->immediate);
        if (!all)
            putchar('\n');
        for (unsigned set = 0; all && set < OPERAND_SETS; set++)
            printf("%llx %llx %llx %llx: %llx\n", (unsigned long long)values[0][set],
                   (unsigned long long)values[1][set], (unsigned long long)values[2][set],
                   (unsigned long long)values[3][set], (unsigned long long)results[set]);
    }
    free(text);
    return 0;
}
