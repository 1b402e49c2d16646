#!/usr/bin/env python3
"""forms.py CSV COPY BATCHED INPLACE...: time labs 11 and 12 beside a copy, PyTorch and Triton; forms.sh calls it.

The arguments are cubins, compiled with LAB_HARNESS; a file's name is the kernel's in the table. Kernels of a
size take turns as in record.py, whose clock this is. All results are verified. A batch is `matrices` of `rows` x
`cols`; the copy moves the same bytes.
"""
import csv
import statistics
import sys

import cupy
import torch
import triton
import triton.language as tl

from record import ROUNDS, Clock, Lab

BATCHES = [(4096, 64, 64), (512, 128, 1024), (16, 2048, 2048), (1024, 256, 256), (1000, 100, 77), (70000, 30, 40)]
SQUARES = [4096, 8192, 16384, 32768, 5000, 8191]


class Form(Lab):
    """A lab whose kernel takes `arrays` and the numbers width, height and, of a batch, matrices."""

    def bind(self, arrays, numbers):
        numbers = [cupy.int32(n) for n in numbers]
        shape = cupy.zeros(7, dtype=cupy.uint32)
        self.shape((1,), (1,), (shape, *numbers))
        shape = [int(x) for x in shape.get()]
        grid, block, shared = tuple(shape[:3]), tuple(shape[3:6]), shape[6]
        arguments = (*[cupy.asarray(a) for a in arrays], *numbers)
        return lambda: self.kernel(grid, block, arguments, shared_mem=shared)


@triton.jit
def triton_batched(out, data, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    matrix = tl.program_id(2).to(tl.int64) * rows * cols
    down = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    across = tl.program_id(1) * COLS + tl.arange(0, COLS)
    inside = (down[:, None] < rows) & (across[None, :] < cols)
    tile = tl.load(data + matrix + down[:, None] * cols + across[None, :], mask=inside)
    tl.store(out + matrix + across[:, None] * rows + down[None, :], tl.trans(tile),
             mask=(across[:, None] < cols) & (down[None, :] < rows))


def measure(table, clock, size, base, launches):
    times = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            times[name].append(clock.us(launch))
    copy_us = statistics.median(times[base])
    for name, values in times.items():
        us = statistics.median(values)
        matrices, rows, cols = size
        table.writerow([matrices, rows, cols, name, f"{us:.3f}", f"{min(values):.3f}",
                        f"{8e-3 * matrices * rows * cols / us:.1f}", f"{100 * copy_us / us:.1f}"])


def batches(table, clock, copy, labs):
    for matrices, rows, cols in BATCHES:
        data = torch.rand(matrices, rows, cols, device="cuda")
        out = torch.empty(matrices, cols, rows, device="cuda")
        right = data.transpose(1, 2)
        launches = {copy.name: copy.bind((out, data), (cols, rows * matrices))}
        for lab in labs:
            launches[lab.name] = lab.bind((out, data), (cols, rows, matrices))
        launches["pytorch"] = lambda: out.copy_(right)
        if matrices < 65536:
            grid = (triton.cdiv(rows, 64), triton.cdiv(cols, 64), matrices)
            launches["triton_64x64"] = lambda: triton_batched[grid](out, data, rows, cols, 64, 64)
        for name in [lab.name for lab in labs] + ["triton_64x64"]:
            out.fill_(float("nan"))
            if name in launches:
                launches[name]()
                if not torch.equal(out, right):
                    print(f"{matrices} x {rows} x {cols}: {name} is wrong", file=sys.stderr)
                    del launches[name]
        measure(table, clock, (matrices, rows, cols), copy.name, launches)


def squares(table, clock, copy, labs):
    for n in SQUARES:
        data, out = torch.rand(n, n, device="cuda"), torch.empty(n, n, device="cuda")
        launches = {copy.name: copy.bind((out, data), (n, n))}
        for lab in labs:
            launches[lab.name] = lab.bind((data,), (n, n))
            out.copy_(data)
            launches[lab.name]()
            if not torch.equal(data, out.t()):
                print(f"{n} x {n}: {lab.name} is wrong", file=sys.stderr)
                del launches[lab.name]
        measure(table, clock, (1, n, n), copy.name, launches)


def main():
    path = sys.argv[1]
    labs = [Form(cubin) for cubin in sys.argv[2:]]
    copy = labs[0]
    clock = Clock()
    cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream).use()
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["matrices", "rows", "cols", "kernel", "time_us", "best_us", "effective_bandwidth_gbps", "copy_pct"])
        batches(table, clock, copy, [lab for lab in labs if lab.name.startswith("batched")])
        file.flush()
        squares(table, clock, copy, [lab for lab in labs if lab.name.startswith("inplace")])


if __name__ == "__main__":
    main()
