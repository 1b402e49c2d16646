#!/usr/bin/env python3
"""record.py CSV CUBIN...: time transposes beside cuBLAS, PyTorch and Triton; record.sh calls it.

Each CUBIN is a lab's, compiled with LAB_HARNESS; its name is the kernel's in the table. Every size is
one run: the kernels take turns, the L2 is flushed before each launch by a memset and a read sweep, and
the median of ROUNDS launches counts. The first CUBIN is the copy whose bandwidth is 100 %; it is
verified as a copy, all others as transposes. Needs PyTorch (with Triton) and CuPy.
"""
import csv
import os
import statistics
import sys

import cupy
import cupy.cublas
import torch
import triton
import triton.language as tl

ROUNDS = 31
SIZES = [(n, n) for n in (2048, 4096, 8192, 16384, 32768)] + [
    (8192, 2048), (2048, 8192), (16384, 1024), (65536, 256), (256, 65536),
    (1000, 777), (4097, 33), (8191, 8193), (8192, 8190), (5000, 5000)]
TILES = [(64, 128), (32, 32), (32, 64), (64, 32), (64, 64), (128, 64), (128, 128), (16, 256), (256, 16)]


class Lab:
    """A lab's kernel, launched as its LAB_LAUNCH says."""

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        module = cupy.RawModule(path=path)
        self.kernel = module.get_function("transpose")
        self.shape = module.get_function("lab_launch_shape")

    def prepare(self, out, data):
        rows, cols = data.shape
        shape = cupy.zeros(7, dtype=cupy.uint32)
        self.shape((1,), (1,), (shape, cupy.int32(cols), cupy.int32(rows)))
        shape = [int(x) for x in shape.get()]
        grid, block, shared = tuple(shape[:3]), tuple(shape[3:6]), shape[6]
        arguments = (out, data, cupy.int32(cols), cupy.int32(rows))
        return lambda: self.kernel(grid, block, arguments, shared_mem=shared)


@triton.jit
def triton_transpose(out, data, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    down = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    across = tl.program_id(1).to(tl.int64) * COLS + tl.arange(0, COLS)
    inside = (down[:, None] < rows) & (across[None, :] < cols)
    tile = tl.load(data + down[:, None] * cols + across[None, :], mask=inside)
    tl.store(out + across[:, None] * rows + down[None, :], tl.trans(tile),
             mask=(across[:, None] < cols) & (down[None, :] < rows))


def triton_with(tile, out, data):
    rows, cols = data.shape
    grid = (triton.cdiv(rows, tile[0]), triton.cdiv(cols, tile[1]))
    if grid[1] > 65535:
        return None
    return lambda: triton_transpose[grid](out, data, rows, cols, tile[0], tile[1])


class Clock:
    def __init__(self):
        self.scratch = torch.empty(64 << 20, dtype=torch.float32, device="cuda")

    def us(self, launch):
        self.scratch.zero_()
        self.scratch.sum()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        end.synchronize()
        return 1e3 * begin.elapsed_time(end)


def best_triton(clock, out, data):
    best = None
    for tile in TILES:
        launch = triton_with(tile, out, data)
        if launch is None:
            continue
        launch()
        us = statistics.median(clock.us(launch) for _ in range(5))
        if best is None or us < best[0]:
            best = us, tile, launch
    return best[1], best[2]


def main():
    path, cubins = sys.argv[1], sys.argv[2:]
    labs = [Lab(cubin) for cubin in cubins]
    clock = Clock()
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    stream.use()
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["rows", "cols", "kernel", "time_us", "best_us", "effective_bandwidth_gbps", "copy_pct"])
        for rows, cols in SIZES:
            data = torch.rand(rows, cols, device="cuda")
            out = torch.empty(cols, rows, device="cuda")
            flat = out.view(rows, cols)
            c_data, c_out = cupy.asarray(data), cupy.asarray(out)
            launches = {lab.name: lab.prepare(c_out, c_data) for lab in labs}
            base = labs[0].name
            launches["cublas_geam"] = lambda: cupy.cublas.geam("T", "N", 1.0, c_data, 0.0, c_out, out=c_out)
            launches["pytorch"] = lambda: out.copy_(data.t())
            launches["triton_64x128"] = triton_with((64, 128), out, data)
            tile, launches["triton_best"] = best_triton(clock, out, data)
            for name in list(launches):
                out.fill_(float("nan"))
                launches[name]()
                torch.cuda.synchronize()
                if not torch.equal(flat if name == base else out, data if name == base else data.t()):
                    print(f"{rows} x {cols}: {name} is wrong", file=sys.stderr)
                    del launches[name]
            times = {name: [] for name in launches}
            for _ in range(ROUNDS):
                for name, launch in launches.items():
                    times[name].append(clock.us(launch))
            copy_us = statistics.median(times[base])
            for name, values in times.items():
                us = statistics.median(values)
                shown = f"triton_{tile[0]}x{tile[1]}_best" if name == "triton_best" else name
                table.writerow([rows, cols, shown, f"{us:.3f}", f"{min(values):.3f}",
                                f"{8e-3 * rows * cols / us:.1f}",
                                f"{100 * copy_us / us:.1f}"])
            file.flush()
            del data, out, flat, c_data, c_out, launches
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
