/* gpu_kernels.h: helper kernels as PTX, which the driver compiles for its GPU. */
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

/* Both kernels use 256 threads per block.
 *
 *   tlab_copy(out, in, quads, words)   copies 16 bytes per thread, then the last 0 to 3 words
 *   tlab_sweep(buffer, quads, sink)    reads a buffer with any number of threads. A store to
 *                                      `sink`, which never executes, prevents the compiler from
 *                                      removing the loads
 */
enum { GPU_HELPER_THREADS = 256 };

static const char gpu_kernels_ptx[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry tlab_copy(.param .u64 out, .param .u64 in, .param .u64 quads,\n"
    "                          .param .u64 words)\n"
    "{\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .b32 %r<9>;\n"
    "    .reg .b64 %d<12>;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    ld.param.u64 %d2, [in];\n"
    "    ld.param.u64 %d3, [quads];\n"
    "    ld.param.u64 %d4, [words];\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mul.wide.u32 %d5, %r1, %r2;\n"
    "    cvt.u64.u32 %d6, %r3;\n"
    "    add.u64 %d5, %d5, %d6;\n"
    "    setp.ge.u64 %p1, %d5, %d3;\n"
    "    @%p1 bra TAIL;\n"
    "    shl.b64 %d7, %d5, 4;\n"
    "    add.u64 %d8, %d2, %d7;\n"
    "    add.u64 %d9, %d1, %d7;\n"
    "    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d8];\n"
    "    st.global.v4.u32 [%d9], {%r4, %r5, %r6, %r7};\n"
    "    ret;\n"
    "TAIL:\n" /* A thread past the last quad moves one word. */
    "    sub.u64 %d7, %d5, %d3;\n"
    "    shl.b64 %d10, %d3, 2;\n"
    "    add.u64 %d7, %d7, %d10;\n"
    "    setp.ge.u64 %p2, %d7, %d4;\n"
    "    @%p2 ret;\n"
    "    shl.b64 %d7, %d7, 2;\n"
    "    add.u64 %d8, %d2, %d7;\n"
    "    add.u64 %d9, %d1, %d7;\n"
    "    ld.global.u32 %r4, [%d8];\n"
    "    st.global.u32 [%d9], %r4;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry tlab_sweep(.param .u64 buffer, .param .u64 quads, .param .u64 sink)\n"
    "{\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .b32 %r<14>;\n"
    "    .reg .b64 %d<10>;\n"
    "    ld.param.u64 %d1, [buffer];\n"
    "    ld.param.u64 %d2, [quads];\n"
    "    ld.param.u64 %d3, [sink];\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mov.u32 %r4, %nctaid.x;\n"
    "    mul.wide.u32 %d4, %r1, %r2;\n"
    "    cvt.u64.u32 %d5, %r3;\n"
    "    add.u64 %d4, %d4, %d5;\n"
    "    mul.wide.u32 %d6, %r4, %r2;\n"
    "    mov.u32 %r5, 0;\n"
    "NEXT:\n"
    "    setp.ge.u64 %p1, %d4, %d2;\n"
    "    @%p1 bra DONE;\n"
    "    shl.b64 %d7, %d4, 4;\n"
    "    add.u64 %d8, %d1, %d7;\n"
    "    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d8];\n"
    "    add.u32 %r5, %r5, %r6;\n"
    "    add.u32 %r5, %r5, %r7;\n"
    "    add.u32 %r5, %r5, %r8;\n"
    "    add.u32 %r5, %r5, %r9;\n"
    "    add.u64 %d4, %d4, %d6;\n"
    "    bra NEXT;\n"
    "DONE:\n"
    "    setp.ne.u32 %p2, %r5, 3735928559;\n"
    "    @%p2 ret;\n"
    "    st.global.u32 [%d3], %r5;\n"
    "    ret;\n"
    "}\n";

#endif
