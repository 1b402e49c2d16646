#!/usr/bin/env python3
"""record.py CSV SECONDS HELPERS CUBIN...: time labs, cuBLAS, PyTorch and Triton, and write CSV. record.sh runs it.

HELPERS is record.cu as a cubin. Each CUBIN is a lab, compiled with LAB_HARNESS; the file name is the name of the kernel
in the table. For each size, the kernels are launched in random order. A memset and a read sweep flush the L2 before each
launch. The result is the median of ROUNDS launches. The first CUBIN is the copy whose bandwidth is 100 %. It is verified
as a copy, all other kernels as transposes. The script requires only the driver. Missing peers, and sizes that exceed the
memory or would start after SECONDS, are omitted with a message.
"""
import csv
import ctypes
import os
import random
import statistics
import sys
import time
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

ROUNDS = 31
SIZES = [(n, n) for n in (2048, 4096, 8192, 16384, 32768)] + [
    (8192, 2048), (2048, 8192), (16384, 1024), (65536, 256), (256, 65536),
    (1000, 777), (4097, 33), (8191, 8193), (8192, 8190), (5000, 5000)]
TILES = [(64, 128), (32, 32), (32, 64), (64, 32), (64, 64), (128, 64), (128, 128), (16, 256), (256, 16)]
FLUSH_BYTES = 256 << 20


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- peers, each of which may be missing ----

try:
    import torch
    if not torch.cuda.is_available():
        raise ImportError("it finds no GPU")
except Exception as error:
    torch = None
    say(f"PyTorch is omitted: {error}")
try:
    if not torch:
        raise ImportError("it requires PyTorch")
    import triton
    import triton.language as tl
except Exception as error:
    triton = None
    say(f"Triton is omitted: {error}")

if triton:
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


def best_triton(gpu, out, data):
    best = None
    for tile in TILES:
        launch = triton_with(tile, out, data)
        if launch is None:
            continue
        launch()
        us = statistics.median(gpu.us(launch) for _ in range(5))
        if best is None or us < best[0]:
            best = us, tile, launch
    return best[1], best[2]


class Cublas:
    def __init__(self):
        names = ["libcublas.so.13", "libcublas.so.12", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"]
        for name in names:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise OSError("libcublas.so is not found")
        self.handle = c_void_p()
        code = self.library.cublasCreate_v2(byref(self.handle))
        if code:
            raise OSError(f"cublasCreate fails with {code}")

    def geam(self, out, data, rows, cols):
        one, zero = c_float(1), c_float(0)
        arguments = (self.handle, 1, 0, rows, cols, byref(one), c_void_p(data), cols, byref(zero), c_void_p(out), rows,
                     c_void_p(out), rows)

        def launch():
            if self.library.cublasSgeam(*arguments):
                raise RuntimeError("cublasSgeam fails")
        return launch


# ---- the GPU ----

class Gpu:
    def __init__(self, helpers):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        if torch:
            torch.zeros(1, device="cuda")  # creates the primary context and makes it current
        else:
            context, device = c_void_p(), c_int()
            self.call("cuDeviceGet", byref(device), 0)
            self.call("cuDevicePrimaryCtxRetain", byref(context), device)
            self.call("cuCtxSetCurrent", context)
        self.begin, self.end = c_void_p(), c_void_p()
        self.call("cuEventCreate", byref(self.begin), 0)
        self.call("cuEventCreate", byref(self.end), 0)
        self.helpers = self.load(helpers)
        self.sweep = self.function(self.helpers, "sweep")
        self.make = self.function(self.helpers, "make")
        self.check = self.function(self.helpers, "check")
        self.flushed = self.allocate(FLUSH_BYTES)
        self.count = self.allocate(64)

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(code, byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else code}")

    def load(self, path):
        module = c_void_p()
        with open(path, "rb") as file:
            self.call("cuModuleLoadData", byref(module), file.read())
        return module

    def function(self, module, name):
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module, name.encode())
        return function

    def allocate(self, count):
        address = c_uint64()
        self.call("cuMemAlloc_v2", byref(address), c_size_t(count))
        return address.value

    def free(self, address):
        self.call("cuMemFree_v2", c_uint64(address))

    def memory(self):
        free, total = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value

    def prepare(self, function, grid, block, shared, *arguments):
        """Return a function that launches the kernel. It holds references to the arguments."""
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, 8, shared)
        pointers = (c_void_p * len(arguments))(*(ctypes.cast(byref(a), c_void_p) for a in arguments))
        launch = self.driver.cuLaunchKernel
        shape = [c_uint(x) for x in (*grid, *block, shared)]

        def start(keep=arguments):
            if launch(function, *shape, None, pointers, None):
                raise RuntimeError("cuLaunchKernel fails")
        return start

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def us(self, launch):
        """Return the time of one launch after an asynchronous flush of the L2, in microseconds."""
        self.call("cuMemsetD32_v2", c_uint64(self.flushed), 0, c_size_t(FLUSH_BYTES // 4))
        self.prepare(self.sweep, (1024, 1, 1), (256, 1, 1), 0, c_uint64(self.flushed), c_uint64(FLUSH_BYTES // 16),
                     c_uint64(self.count))()
        self.call("cuEventRecord", self.begin, None)
        launch()
        self.call("cuEventRecord", self.end, None)
        self.call("cuEventSynchronize", self.end)
        milliseconds = c_float()
        self.call("cuEventElapsedTime", byref(milliseconds), self.begin, self.end)
        return 1e3 * milliseconds.value

    def fill(self, data, count):
        self.prepare(self.make, (1024, 1, 1), (256, 1, 1), 0, c_uint64(data), c_uint64(count))()
        self.synchronize()

    def is_right(self, launch, out, rows, cols, transposed):
        self.call("cuMemsetD32_v2", c_uint64(out), c_uint(0xffffffff), c_size_t(rows * cols))
        self.call("cuMemsetD32_v2", c_uint64(self.count), 0, c_size_t(2))
        launch()
        self.prepare(self.check, (1024, 1, 1), (256, 1, 1), 0, c_uint64(out), c_uint64(rows), c_uint64(cols),
                     c_int(transposed), c_uint64(self.count))()
        wrong = c_uint64()
        self.synchronize()
        self.call("cuMemcpyDtoH_v2", byref(wrong), c_uint64(self.count), c_size_t(8))
        return wrong.value == 0


class Lab:
    """The kernel of a lab, launched with the shape that its LAB_LAUNCH returns."""

    def __init__(self, gpu, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.gpu = gpu
        module = gpu.load(path)
        self.kernel = gpu.function(module, "transpose")
        self.shape = gpu.function(module, "lab_launch_shape")

    def prepare(self, out, data, rows, cols):
        self.gpu.prepare(self.shape, (1, 1, 1), (1, 1, 1), 0, c_uint64(self.gpu.count), c_int(cols), c_int(rows))()
        shape = (c_uint * 7)()
        self.gpu.synchronize()
        self.gpu.call("cuMemcpyDtoH_v2", shape, c_uint64(self.gpu.count), c_size_t(28))
        return self.gpu.prepare(self.kernel, shape[0:3], shape[3:6], shape[6], c_uint64(out), c_uint64(data),
                                c_int(cols), c_int(rows))


# ---- a size ----

def time_size(gpu, labs, cublas, rows, cols):
    """Return (kernel, median, best) for each kernel, the copy first. Times are in microseconds."""
    if torch:
        tensors = torch.empty(rows, cols, device="cuda"), torch.empty(cols, rows, device="cuda")
        data, out = (t.data_ptr() for t in tensors)
    else:
        data, out = gpu.allocate(4 * rows * cols), gpu.allocate(4 * rows * cols)
    gpu.fill(data, rows * cols)
    base = labs[0].name
    launches = {lab.name: lab.prepare(out, data, rows, cols) for lab in labs}
    if cublas:
        launches["cublas_geam"] = cublas.geam(out, data, rows, cols)
    if torch:
        launches["pytorch"] = lambda: tensors[1].copy_(tensors[0].t())
    if triton:
        launches["triton_64x128"] = triton_with((64, 128), tensors[1], tensors[0])
        tile, best = best_triton(gpu, tensors[1], tensors[0])
        launches[f"triton_{tile[0]}x{tile[1]}_best"] = best
    for name in list(launches):
        if launches[name] is None:
            del launches[name]
        elif not gpu.is_right(launches[name], out, rows, cols, name != base):
            say(f"{rows} x {cols}: {name} is omitted: its result is incorrect")
            del launches[name]
    times = {name: [] for name in launches}
    for number in range(ROUNDS):
        # The order is random, because a launch of 4 us takes up to 3 % longer after a slow kernel.
        for name in random.Random(number).sample(list(launches), len(launches)):
            times[name].append(gpu.us(launches[name]))
    if not torch:
        gpu.free(data)
        gpu.free(out)
    return [(name, statistics.median(values), min(values)) for name, values in times.items()]


def main():
    path, seconds, helpers, cubins = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:]
    started = time.monotonic()
    gpu = Gpu(helpers)
    labs = [Lab(gpu, cubin) for cubin in cubins]
    try:
        cublas = Cublas()
    except OSError as error:
        cublas = None
        say(f"cuBLAS is omitted: {error}")
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["rows", "cols", "kernel", "time_us", "best_us", "effective_bandwidth_gbps", "copy_pct"])
        for rows, cols in SIZES:
            if time.monotonic() - started > seconds:
                say(f"{rows} x {cols} is omitted: the limit of {seconds:g} s has passed")
                continue
            if 8.5 * rows * cols > gpu.memory():
                say(f"{rows} x {cols} is omitted: the GPU's memory is too small")
                continue
            results = time_size(gpu, labs, cublas, rows, cols)
            for name, us, best in results:
                table.writerow([rows, cols, name, f"{us:.3f}", f"{best:.3f}", f"{8e-3 * rows * cols / us:.1f}",
                                f"{100 * results[0][1] / us:.1f}"])
            file.flush()
            if torch:
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
