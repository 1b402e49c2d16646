#!/usr/bin/env python3
"""peers.py triton|pytorch N: launch the transpose of Triton or PyTorch several times, for tlab profile. peers.sh runs it.

The Triton kernel reimplements the final kernel of an article on the LeetGPU challenge. A program loads the rows of a tile
of 64 x 128 and stores its columns; masks exclude elements outside the matrix. The compiler chooses the thread mapping and
the use of shared memory.
"""
import sys

import torch

LAUNCHES = 11
FLUSH_FLOATS = 64 << 20


def make_triton():
    import triton
    import triton.language as tl

    @triton.jit
    def transpose_tile(out, data, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
        col = tl.program_id(1).to(tl.int64) * COLS + tl.arange(0, COLS)
        tile = tl.load(data + row[:, None] * cols + col[None, :], mask=(row[:, None] < rows) & (col[None, :] < cols))
        tl.store(out + col[:, None] * rows + row[None, :], tl.trans(tile),
                 mask=(col[:, None] < cols) & (row[None, :] < rows))

    def launch(out, data):
        rows, cols = data.shape
        transpose_tile[(triton.cdiv(rows, 64), triton.cdiv(cols, 128))](out, data, rows, cols, 64, 128)
    return launch


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("triton", "pytorch"):
        sys.exit("usage: peers.py triton|pytorch N")
    n = int(sys.argv[2])
    launch = make_triton() if sys.argv[1] == "triton" else lambda out, data: out.copy_(data.t())
    data = torch.rand(n, n, device="cuda")
    out = torch.empty(n, n, device="cuda")
    flush = torch.empty(FLUSH_FLOATS, device="cuda")
    for _ in range(LAUNCHES):
        flush.zero_()
        flush.sum()
        launch(out, data)
    torch.cuda.synchronize()
    if not torch.equal(out, data.t()):
        sys.exit(f"{sys.argv[1]}: the result is incorrect")


main()
